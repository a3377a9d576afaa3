"""Which part of a graph is shown: the most connected entities, those around one, or those that a query gives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count, groupby
from typing import NamedTuple

import networkx as nx
from pyoxigraph import NamedNode, Store, Triple

from kg import vocabulary as v
from kg.errors import QueryError
from kg.network import kinds_of, papers_of, part_of
from kg.reading import label_of, leading, matches

__all__ = ["TOP", "TRIED", "Partners", "Selection", "around", "most_connected", "of_triples"]

TOP = 300
"""How many entities a page holds unless told otherwise, with a third as many papers; more is hard to read."""

Ranks = Mapping[str, tuple[int, ...]]

_ENTITIES = "?entity a ?kind . VALUES ?kind { " + " ".join(f"kg:{kind}" for kind in v.ENTITY_TYPES) + " }"
_RELATED = " UNION ".join(
    f"{{ ?node kg:{relation} ?other }} UNION {{ ?other kg:{relation} ?node }}" for relation in v.RELATIONS
)
_DEGREES = f"""
SELECT ?node (COUNT(DISTINCT ?other) AS ?others) {{ $node {_RELATED} FILTER(?node != ?other) }} GROUP BY ?node"""
_MOST_RELATED = _DEGREES.replace("$node ", "") + " ORDER BY DESC(?others) LIMIT"
_NAMING = "{ ?paper kg:mentions ?node } UNION { ?paper kg:proposes ?node }"


class Partners(NamedTuple):
    """To how many others the most connected entities are related: of all that have more than `least` partners."""

    least: int
    most: dict[str, int]

    def grown(self, store: Store, nodes: Iterable[str], size: int) -> Partners:
        """The same after relations of these entities, and of no others, have come to the store; none may have gone."""
        now = {node: int(number) for node, number in matches(store, _DEGREES, node=_iris(sorted(nodes)))}
        return Partners.of({**self.most, **{node: n for node, n in now.items() if n > self.least}}, self.least, size)

    @classmethod
    def of(cls, most: Mapping[str, int], least: int, size: int) -> Partners:
        """The first `size` of these by rank, without those of the last rank where that has more."""
        ranked = sorted(most.items(), key=lambda one: (-one[1], one[0]))
        least = ranked[size][1] if len(ranked) > size else least
        return cls(least, {node: number for node, number in ranked if number > least})


@dataclass(frozen=True, slots=True)
class Selection:
    """Part of a graph, with its nodes and edges in order, and of how much it is the part.

    `entities` and `papers` count the whole graph, `matching` the entities that were asked for; `what` says in words
    what was asked for, "" for the most connected; of those, `partners` tells why they are it.
    """

    graph: nx.MultiDiGraph
    entities: int
    papers: int
    matching: int
    what: str = ""
    partners: Partners | None = None

    @property
    def complete(self) -> bool:
        """Whether the selection holds every entity of the graph."""
        shown = sum(kind != "Paper" for _, kind in self.graph.nodes(data="type"))
        return bool(self.matching == self.entities == shown)


def most_connected(
    store: Store, *, top: int = TOP, partners: Partners | None = None, known: nx.MultiDiGraph | None = None
) -> Selection:
    """The `top` entities with relations to the most others; all of them when the graph has no more than that.

    `partners` are the most connected of this graph, if they are known, as `Selection.partners` tells them; `known` is
    as for :func:`kg.network.part_of`.
    """
    entities = _entities(store)
    if entities > top:
        chosen, partners = _joined(store, top, partners)
    else:
        chosen, partners = [e for (e,) in matches(store, f"SELECT DISTINCT ?entity {{ {_ENTITIES} }}")], None
    selected = _selection(store, chosen, top, in_all=entities, matching=entities, known=known)
    return replace(selected, partners=partners)


def around(store: Store, node: NamedNode, *, depth: int = 1, top: int = TOP) -> Selection:
    """The entities within `depth` relations of this entity or paper, the nearest and most connected first."""
    kind = kinds_of(store, [node]).get(node.value)
    if kind is None:
        raise QueryError(f"<{node.value}> is no entity or paper of this graph", hint="give its name or its IRI")
    paper = [node.value] if kind == "Paper" else []
    steps = {node.value: 0}
    start = {node.value}
    for step in range(1, depth + 1):
        found = _named(store, node) if paper and step == 1 else set().union(*_related(store, start).values())
        start = found - steps.keys()
        steps |= dict.fromkeys(start, step)
    near = [one for one in steps if one not in paper]
    ranks = _ranks(store, near)
    chosen = sorted(near, key=lambda one: (steps[one], ranks[one], one))[:top]
    what = f"around “{label_of(store, node)}”, to depth {depth}"
    return _selection(store, chosen, top, in_all=_entities(store), matching=len(near), what=what, papers=paper)


def of_triples(store: Store, triples: Iterable[Triple], *, top: int = TOP) -> Selection:
    """The entities and papers that these triples name, such as a CONSTRUCT query gives. QueryError where none is."""
    ends = (end for triple in triples for end in (triple.subject, triple.object))
    found = kinds_of(store, {end for end in ends if isinstance(end, NamedNode)})
    if not found:
        raise QueryError("no entity and no paper of the graph is in the answer", hint="kg query shows what it gives")
    entities = [node for node, kind in found.items() if kind != "Paper"]
    ranks = _ranks(store, entities)
    chosen = sorted(entities, key=lambda node: (ranks[node], node))[:top]
    papers = sorted(node for node, kind in found.items() if kind == "Paper")
    what = "in the answer of a query"
    return _selection(store, chosen, top, in_all=_entities(store), matching=len(entities), what=what, papers=papers)


def _entities(store: Store) -> int:
    """How many entities there are."""
    return _number(store, f"SELECT (COUNT(DISTINCT ?entity) AS ?n) {{ {_ENTITIES} }}")


def _number(store: Store, query: str) -> int:
    ((number,),) = matches(store, query)
    return int(number)


def _iris(nodes: Iterable[str]) -> Iterator[NamedNode]:
    return map(NamedNode, nodes)


def _related(store: Store, nodes: Iterable[str]) -> Mapping[str, set[str]]:
    """The entities that relations join to each of these."""
    related: defaultdict[str, set[str]] = defaultdict(set)
    for node, other in matches(
        store, f"SELECT ?node ?other {{ $node {_RELATED} FILTER(?node != ?other) }}", node=_iris(nodes)
    ):
        related[node].add(other)
    return related


def _named(store: Store, paper: NamedNode) -> set[str]:
    """The entities that this paper names."""
    return {node for (node,) in matches(store, f"SELECT ?node {{ $paper {_NAMING} }}", paper=[paper])}


def _ranks(store: Store, nodes: Collection[str]) -> Ranks:
    """What orders these entities, the most connected first: how many others each is related to, then its papers."""
    others = {node: int(number) for node, number in matches(store, _DEGREES, node=_iris(nodes))}
    papers = papers_of(store, _iris(nodes))
    return {node: (-others.get(node, 0), -papers.get(node, 0)) for node in nodes}


def _joined(store: Store, top: int, known: Partners | None) -> tuple[list[str], Partners]:
    """The first `top` entities by rank that are related to another one of them: none stands alone."""
    for size in (TRIED * top << doubled for doubled in count()):
        partners = known or _partners(store, size)
        known = None
        joined = _joined_among(store, partners, top)
        if not partners.least or len(joined) >= top:
            break
    return [*joined][:top], partners


TRIED = 2
"""So many times more entities than are wanted are looked at first."""


def _partners(store: Store, size: int) -> Partners:
    found = {node: int(others) for node, others in matches(store, f"{_MOST_RELATED} {size + 1}")}
    return Partners.of(found, 0, size)


def _joined_among(store: Store, partners: Partners, top: int) -> dict[str, None]:
    """Those of :func:`_joined` among these entities."""
    papers = papers_of(store, _iris(partners.most))
    related: defaultdict[str, set[str]] = defaultdict(set)
    for node, _, other in leading(store, _iris(partners.most), v.RELATING):
        if other in partners.most:
            related[node].add(other)
            related[other].add(node)
    tried: set[str] = set()
    joined: dict[str, None] = {}
    for _, group in groupby(partners.most.items(), key=lambda one: one[1]):
        for node in sorted((node for node, _ in group), key=lambda node: (-papers.get(node, 0), node)):
            tried.add(node)
            if found := related[node] & tried - {node}:
                joined |= dict.fromkeys([node, *sorted(found)])
            if len(joined) >= top:
                return joined
    return joined


def _selection(
    store: Store,
    entities: Collection[str],
    top: int,
    *,
    in_all: int,
    matching: int,
    what: str = "",
    papers: Collection[str] = (),
    known: nx.MultiDiGraph | None = None,
) -> Selection:
    """The part with these entities, these papers, and a third of `top` of those papers that name the most of them."""
    query = f"SELECT ?paper (COUNT(DISTINCT ?node) AS ?n) {{ $node {_NAMING} }} GROUP BY ?paper"
    named = {paper: int(number) for paper, number in matches(store, query, node=_iris(entities))}
    naming = sorted(named, key=lambda paper: (-named[paper], paper))
    graph = part_of(store, [*entities, *papers, *naming[: max(1, top // 3)]], known)
    papers_in_all = _number(store, "SELECT (COUNT(?paper) AS ?n) { ?paper a kg:Paper }")
    return Selection(graph, in_all, papers_in_all, matching, what)
