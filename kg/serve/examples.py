"""The named queries as examples, about what most papers of the graph mention, so that each has an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, Store

from kg import vocabulary as v
from kg.query import fill, named_queries
from kg.reading import read_statement, subjects
from kg.serve.names import NameIndex
from kg.turtle import prefixes

__all__ = ["Example", "examples"]

_KEPT_OPEN = ("kind", "task", "dataset", "metric")
"""Optional parameters without an argument: one that narrows is enough to show how."""


@dataclass(frozen=True, slots=True)
class Example:
    """A named query with its parameters filled in, as text to run and to change."""

    name: str
    description: str
    text: str


def examples(store: Store, names: NameIndex, base: str) -> Iterator[Example]:
    """The named queries in alphabetical order."""
    known = _arguments(store, names)
    for query in named_queries().values():
        terms = {p.name: known[p.kind, p.name] for p in query.parameters if (p.kind, p.name) in known}
        open_ones = {p.name for p in query.parameters if p.optional and p.name in _KEPT_OPEN}
        text = fill(query, {name: term for name, term in terms.items() if name not in open_ones})
        yield Example(query.name, query.description, _declared(text, base))


def _arguments(store: Store, names: NameIndex) -> Mapping[tuple[str, str], NamedNode | Literal]:
    """A term of this graph for each kind and name of parameter for which it has one."""
    kinds = (*v.ENTITY_TYPES, "Paper")
    tops = {kind: NamedNode(top[0].iri) for kind in kinds if (top := names.top(kind, 1))}
    found: dict[tuple[str, str], NamedNode | Literal] = {}
    for query in named_queries().values():
        for parameter in query.parameters:
            kind = "Method" if parameter.kind == "Entity" else parameter.kind
            if kind in tops:
                found[parameter.kind, parameter.name] = tops[kind]
    if "Method" in tops and (statement := next(subjects(store, v.SUBJECT, tops["Method"]), None)):
        said = read_statement(store, statement)
        found["Node", "subject"], found["Node", "object"] = NamedNode(said.subject), NamedNode(said.object)
        found["Property", "predicate"] = NamedNode(said.predicate)
    return found


def _declared(text: str, base: str) -> str:
    """The query with the prefixes that it uses declared, and without what only `kg query` reads in it."""
    lines = [line for line in text.strip().splitlines() if not line.startswith("# @")]
    known = prefixes(base)
    used = [prefix for prefix in known if re.search(rf"(?<![\w:/<]){prefix}:(?!//)", text)]
    return "\n".join([*(f"PREFIX {prefix}: <{known[prefix]}>" for prefix in used), "", *lines, ""])
