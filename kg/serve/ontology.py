"""The terms of our ontology, with what each means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pyoxigraph import Literal, NamedNode, RdfFormat, Store, parse

from kg import vocabulary as v

__all__ = ["Term", "ontology_turtle", "terms"]

_LABEL, _COMMENT = NamedNode(v.RDFS + "label"), NamedNode(v.RDFS + "comment")
_CLASS = NamedNode("http://www.w3.org/2002/07/owl#Class")


@dataclass(frozen=True, slots=True)
class Term:
    """A class or property: its local name, the words for it, and what it means."""

    name: str
    label: str
    comment: str
    is_class: bool


def ontology_turtle() -> bytes:
    """The ontology as it is kept."""
    return (files("kg.schemas") / "ontology.ttl").read_bytes()


@cache
def terms() -> tuple[Term, ...]:
    """The terms in alphabetical order, classes first."""
    store = Store()
    store.extend(parse(ontology_turtle(), format=RdfFormat.TURTLE))
    found = []
    for quad in store.quads_for_pattern(None, _COMMENT, None):
        node, comment = quad.subject, quad.object
        if isinstance(node, NamedNode) and isinstance(comment, Literal) and node.value.startswith(v.KG):
            label = next(q.object for q in store.quads_for_pattern(node, _LABEL, None))
            is_class = next(store.quads_for_pattern(node, v.TYPE, _CLASS), None) is not None
            words = label.value if isinstance(label, Literal) else ""
            found.append(Term(node.value.removeprefix(v.KG), words, comment.value, is_class))
    return tuple(sorted(found, key=lambda term: (not term.is_class, term.name)))
