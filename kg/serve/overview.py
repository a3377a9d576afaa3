"""What is known of the graph as a whole, read once before serving: counts, names, years, examples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pyoxigraph import Store

from kg import vocabulary as v
from kg.reading import literals, nodes
from kg.serve.answer import base_of
from kg.serve.examples import Example, examples
from kg.serve.names import NameIndex, read_names
from kg.serve.ontology import terms
from kg.turtle import prefixes

__all__ = ["Overview", "read_overview"]


@dataclass(frozen=True)
class Overview:
    """Counts of papers, entities by type and claims by kind; the names; and the years in which papers appeared."""

    base: str
    triples: int
    papers: int
    entities: Mapping[str, int]
    claims: Mapping[str, int]
    years: tuple[str, ...]
    names: NameIndex
    examples: tuple[Example, ...]

    @cached_property
    def completions(self) -> str:
        """The terms and prefixes that the editor offers, as JSON."""
        words = [{"name": term.name, "comment": term.comment} for term in terms()]
        return json.dumps({"prefixes": prefixes(self.base), "terms": words})


def read_overview(store: Store) -> Overview:
    """The overview of a graph; a second or two for a million triples."""
    base, names = base_of(store), NameIndex(read_names(store))
    return Overview(
        base=base,
        triples=len(store),
        papers=_count(store, "Paper"),
        entities={kind: _count(store, kind) for kind in v.ENTITY_TYPES},
        claims={kind: _count(store, kind) for kind in v.CLAIM_KINDS},
        years=_years(store),
        names=names,
        examples=tuple(examples(store, names, base)),
    )


def _count(store: Store, kind: str) -> int:
    return sum(1 for _ in nodes(store, v.kg(kind)))


def _years(store: Store) -> tuple[str, ...]:
    return tuple(sorted({year[:4] for _, year in literals(store, v.ISSUED)}, reverse=True))
