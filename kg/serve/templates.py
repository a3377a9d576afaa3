"""The pages as HTML. Every text is escaped by the template engine; what becomes a link is checked here first."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from kg import vocabulary as v
from kg._version import __version__
from kg.serve.answer import Answer
from kg.serve.links import href, web_address
from kg.turtle import prefixes

__all__ = ["page", "short_iri"]


def page(name: str, *, base: str, status: int = 200, **values: object) -> Answer:
    """The page that a template makes of these values."""
    template = _environment().get_template(f"{name}.html")
    links = {"href": lambda iri: href(iri, base), "short": lambda iri: short_iri(iri, base)}
    return Answer(template.render(base=base, **links, **values).encode(), "text/html", status)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("kg.serve"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(version=__version__, kinds=v.ENTITY_TYPES)
    environment.filters.update(web=web_address, plural=_plural, number=lambda count: f"{count:,}")
    return environment


def _plural(count: int, noun: str, nouns: str = "") -> str:
    """The number with its noun: "1 paper", "1,200 papers"."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def short_iri(iri: str, base: str) -> str:
    """An IRI as people read it, with its prefix where it has one that we know."""
    for prefix, start in prefixes(base).items():
        if iri.startswith(start) and iri != start:
            return f"{prefix}:{iri[len(start) :]}"
    return iri
