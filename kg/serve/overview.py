"""What is known of the graph as a whole, read once before serving: counts, names, years, examples."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.query import NamedQuery, Parameter, named_queries
from kg.reading import literals, nodes
from kg.serve.answer import base_of
from kg.serve.names import NameIndex, read_names
from kg.serve.ontology import terms
from kg.store import prefixes

__all__ = ["Example", "Overview", "read_overview"]


@dataclass(frozen=True, slots=True)
class Example:
    """A named query, its parameters filled in with what this graph holds, as text to run and to change."""

    name: str
    description: str
    text: str


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

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """The named queries, each about what most papers of this graph mention."""
        return tuple(self._example(query) for query in named_queries().values())

    def _example(self, query: NamedQuery) -> Example:
        text = "\n".join(line for line in query.text.splitlines() if not line.startswith("# @"))
        for parameter in query.parameters:
            if not parameter.optional and (term := self._argument(parameter)):
                text = text.replace(f"VALUES ?{parameter.name} {{ UNDEF }}", f"VALUES ?{parameter.name} {{ {term} }}")
        used = [p for p in prefixes(self.base) if re.search(rf"(?<![\w:]){p}:", text)]
        head = "".join(f"PREFIX {prefix}: <{prefixes(self.base)[prefix]}>\n" for prefix in used)
        return Example(query.name, query.description, head + text.strip() + "\n")

    def _argument(self, parameter: Parameter) -> str | None:
        """A term of this graph for a parameter, None where none fits and it stays open."""
        kind = "Method" if parameter.kind == "Entity" else parameter.kind
        if kind in (*v.ENTITY_TYPES, "Paper"):
            first = next(iter(self.names.top(kind, 1)), None)
            return str(NamedNode(first.iri)) if first else None
        return None

    @cached_property
    def completions(self) -> str:
        """The terms and prefixes that the editor offers, as JSON."""
        words = [{"name": term.name, "comment": term.comment} for term in terms()]
        return json.dumps({"prefixes": prefixes(self.base), "terms": words})


def read_overview(store: Store) -> Overview:
    """The overview of a graph; a second or two for a million triples."""
    return Overview(
        base=base_of(store),
        triples=len(store),
        papers=_count(store, "Paper"),
        entities={kind: _count(store, kind) for kind in v.ENTITY_TYPES},
        claims={kind: _count(store, kind) for kind in v.CLAIM_KINDS},
        years=_years(store),
        names=NameIndex(read_names(store)),
    )


def _count(store: Store, kind: str) -> int:
    return sum(1 for _ in nodes(store, v.kg(kind)))


def _years(store: Store) -> Sequence[str]:
    return tuple(sorted({year[:4] for _, year in literals(store, v.ISSUED)}, reverse=True))
