"""Which part of a graph is shown: the most connected entities, those around one, or those that a query gives."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, count, groupby, islice, takewhile
from typing import NamedTuple

import networkx as nx
from pyoxigraph import NamedNode, Store, Triple

from kg import vocabulary as v
from kg.errors import QueryError
from kg.network import kinds_of, papers_of, part_of
from kg.reading import label_of, leading, matches

__all__ = ["NOTHING_KNOWN", "TOP", "TRIED", "Known", "Partners", "Selection", "around", "most_connected", "of_triples"]

TOP = 300
"""How many entities a page holds unless told otherwise, with a third as many papers; more is hard to read."""

Ranks = Mapping[str, tuple[int, ...]]

_ENTITIES = "?entity a ?kind . VALUES ?kind { " + " ".join(f"kg:{kind}" for kind in v.ENTITY_TYPES) + " }"
_RELATED = " UNION ".join(
    f"{{ ?node kg:{relation} ?other }} UNION {{ ?other kg:{relation} ?node }}" for relation in v.RELATIONS
)
_DEGREES = f"""
SELECT ?node (COUNT(DISTINCT ?other) AS ?others) {{ $node {_RELATED} FILTER(?node != ?other) }} GROUP BY ?node"""
_MOST_RELATED = _DEGREES.replace("$node ", "") + " ORDER BY DESC(?others)"
_NAMING = "{ ?paper kg:mentions ?node } UNION { ?paper kg:proposes ?node }"


class Partners(NamedTuple):
    """To how many others the most connected entities are related: of all that have at least `least` partners."""

    least: int
    most: dict[str, int]

    def changed(self, store: Store, nodes: Iterable[str], size: int) -> Partners | None:
        """The same after relations of these entities, and of no others, have come to the store or gone.

        None where too many of them have so few partners now that others may have as many.
        """
        ends = sorted(nodes)
        now = {node: int(number) for node, number in matches(store, _DEGREES, node=_iris(ends))}
        most = {**self.most, **{node: now.get(node, 0) for node in ends}}
        told = {node: number for node, number in most.items() if number >= max(self.least, 1)}
        return Partners.of(told, size) if len(told) > size or not self.least else None

    @classmethod
    def of(cls, numbers: Mapping[str, int], size: int) -> Partners:
        """The first `size` of these by rank, with all that have as many partners as the first after them."""
        ranked = sorted(numbers.items(), key=lambda one: (-one[1], one[0]))
        least = ranked[size][1] if len(ranked) > size else 0
        return cls(least, {node: number for node, number in ranked if number >= least})

    def ahead(self) -> dict[str, int]:
        """Those with more partners than `least`."""
        return {node: number for node, number in self.most.items() if number > self.least}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of nodes without a look at the store: a part of the graph, the entities that relations lead to from
    some of them, and the papers that name some of them."""

    graph: nx.MultiDiGraph
    leading: Mapping[str, Collection[str]]
    naming: Mapping[str, Collection[str]]

    @classmethod
    def of(cls, store: Store, partners: Partners, shown: Iterable[str]) -> Known:
        """What the store tells of the most connected entities, and of those that are shown."""
        return cls(nx.MultiDiGraph(), _leading(store, partners.ahead(), {}), _naming(store, shown, {}))

    def without(self, touched: Collection[str], graph: nx.MultiDiGraph) -> Known:
        """The same without what is known of these nodes, and with this part of the graph."""
        leading, naming = (
            {node: others for node, others in known.items() if node not in touched}
            for known in (self.leading, self.naming)
        )
        return Known(graph, leading, naming)


NOTHING_KNOWN = Known(nx.MultiDiGraph(), {}, {})


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
    store: Store, *, top: int = TOP, partners: Partners | None = None, known: Known = NOTHING_KNOWN
) -> Selection:
    """The `top` entities with relations to the most others; all of them when the graph has no more than that.

    `partners` are the most connected of this graph, if they are known, as `Selection.partners` tells them.
    """
    entities = _entities(store)
    if entities > top:
        chosen, partners = _joined(store, top, partners, known)
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


def _joined(store: Store, top: int, partners: Partners | None, known: Known) -> tuple[list[str], Partners]:
    """The first `top` entities by rank that are related to another one of them: none stands alone."""
    sizes = (TRIED * top << doubled for doubled in count())
    partners = partners or _partners(store, next(sizes))
    while len(joined := _joined_among(store, partners, top, known)) < top and partners.least:
        partners = _partners(store, next(sizes))
    return [*joined][:top], partners


TRIED = 2
"""So many times more entities than are wanted are looked at first."""


def _partners(store: Store, size: int) -> Partners:
    ranked = ((node, int(others)) for node, others in matches(store, _MOST_RELATED))
    found = dict(islice(ranked, size + 1))
    least = min(found.values(), default=0)
    return Partners.of({**found, **dict(takewhile(lambda one: one[1] == least, ranked))}, size)


def _joined_among(store: Store, partners: Partners, top: int, known: Known) -> dict[str, None]:
    """Those of :func:`_joined` among these entities."""
    most = partners.ahead()
    papers = papers_of(store, _iris(most))
    related: defaultdict[str, set[str]] = defaultdict(set)
    for node, others in _leading(store, most, known.leading).items():
        for other in most.keys() & others:
            related[node].add(other)
            related[other].add(node)
    tried: set[str] = set()
    joined: dict[str, None] = {}
    for _, group in groupby(most.items(), key=lambda one: one[1]):
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
    known: Known = NOTHING_KNOWN,
) -> Selection:
    """The part with these entities, these papers, and a third of `top` of those papers that name the most of them."""
    named = Counter(chain.from_iterable(_naming(store, entities, known.naming).values()))
    naming = sorted(named, key=lambda paper: (-named[paper], paper))
    graph = part_of(store, [*entities, *papers, *naming[: max(1, top // 3)]], known.graph)
    papers_in_all = _number(store, "SELECT (COUNT(?paper) AS ?n) { ?paper a kg:Paper }")
    return Selection(graph, in_all, papers_in_all, matching, what)


def _leading(store: Store, nodes: Iterable[str], known: Mapping[str, Collection[str]]) -> dict[str, Collection[str]]:
    """The entities that relations lead to from each of these."""
    found = {node: known.get(node) for node in nodes}
    new: dict[str, set[str]] = {node: set() for node, others in found.items() if others is None}
    for node, _, other in leading(store, _iris(new), v.RELATING):
        new[node].add(other)
    return {node: new[node] if others is None else others for node, others in found.items()}


def _naming(store: Store, nodes: Iterable[str], known: Mapping[str, Collection[str]]) -> dict[str, Collection[str]]:
    """The papers that name each of these entities."""
    found = {node: known.get(node) for node in nodes}
    new: dict[str, set[str]] = {node: set() for node, papers in found.items() if papers is None}
    for node, paper in matches(store, f"SELECT ?node ?paper {{ $node {_NAMING} }}", node=_iris(new)):
        new[node].add(paper)
    return {node: new[node] if papers is None else papers for node, papers in found.items()}
