"""Which part of a graph is shown: the most connected entities, those around one, or those that a query gives."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import networkx as nx
from pyoxigraph import NamedNode, Store, Triple

from kg.errors import QueryError
from kg.network import to_networkx
from kg.reading import label_of

__all__ = ["TOP", "Selection", "around", "most_connected", "of_triples"]

TOP = 300
"""How many entities a page holds unless told otherwise, with a third as many papers; more is hard to read."""

Ranks = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Selection:
    """Part of a graph, with its nodes and edges in order, and of how much it is the part.

    `entities` and `papers` count the whole graph, `matching` the entities that were asked for; `what` says in words
    what was asked for, "" for the most connected.
    """

    graph: nx.MultiDiGraph
    entities: int
    papers: int
    matching: int
    what: str = ""

    @property
    def complete(self) -> bool:
        """Whether the selection holds every entity of the graph."""
        return self.matching == self.entities == len(_entities(self.graph))


def most_connected(store: Store, *, top: int = TOP) -> Selection:
    """The `top` entities with relations to the most others; all of them when the graph has no more than that."""
    whole = to_networkx(store)
    entities = _entities(whole)
    chosen = entities if len(entities) <= top else _joined(whole, entities, top)
    return _selection(whole, chosen, top, matching=len(entities))


def around(store: Store, node: NamedNode, *, depth: int = 1, top: int = TOP) -> Selection:
    """The entities within `depth` relations of this entity or paper, the nearest and most connected first."""
    whole = to_networkx(store)
    if node.value not in whole:
        raise QueryError(f"<{node.value}> is no entity or paper of this graph", hint="give its name or its IRI")
    start = {node.value}
    steps = {node.value: 0}
    for step in range(1, depth + 1):
        start = {other for one in start for other in _related(whole, one)} - steps.keys()
        steps |= dict.fromkeys(start, step)
    near = [one for one in steps if not _is_paper(whole, one)]
    ranks = _ranks(whole, near)
    chosen = sorted(near, key=lambda one: (steps[one], ranks[one], one))[:top]
    what = f"around “{label_of(store, node)}”, to depth {depth}"
    return _selection(
        whole, chosen, top, matching=len(near), what=what, papers=[node.value] if _is_paper(whole, node.value) else []
    )


def of_triples(store: Store, triples: Iterable[Triple], *, top: int = TOP) -> Selection:
    """The entities and papers that these triples name, such as a CONSTRUCT query gives. QueryError where none is."""
    whole = to_networkx(store)
    ends = (end for triple in triples for end in (triple.subject, triple.object))
    found = {end.value for end in ends if isinstance(end, NamedNode)} & whole.nodes.keys()
    if not found:
        raise QueryError("no entity and no paper of the graph is in the answer", hint="kg query shows what it gives")
    entities = [node for node in found if not _is_paper(whole, node)]
    ranks = _ranks(whole, entities)
    chosen = sorted(entities, key=lambda node: (ranks[node], node))[:top]
    papers = sorted(node for node in found if _is_paper(whole, node))
    return _selection(whole, chosen, top, matching=len(entities), what="in the answer of a query", papers=papers)


def _is_paper(graph: nx.MultiDiGraph, node: str) -> bool:
    return bool(graph.nodes[node]["type"] == "Paper")


def _entities(graph: nx.MultiDiGraph) -> list[str]:
    return [node for node in graph if not _is_paper(graph, node)]


def _neighbours(graph: nx.MultiDiGraph, node: str) -> Iterator[str]:
    yield from graph.successors(node)
    yield from graph.predecessors(node)


def _related(graph: nx.MultiDiGraph, node: str) -> set[str]:
    """The entities that a relation joins to this one; of a paper, those that it names."""
    return {other for other in _neighbours(graph, node) if other != node and not _is_paper(graph, other)}


def _ranks(graph: nx.MultiDiGraph, nodes: Iterable[str]) -> Ranks:
    """What orders these entities, the most connected first: how many others each is related to, then its papers."""
    return {node: (-len(_related(graph, node)), -graph.nodes[node].get("papers", 0)) for node in nodes}


def _joined(graph: nx.MultiDiGraph, entities: Collection[str], top: int) -> list[str]:
    """The first `top` entities by rank that are related to another one of them: none stands alone."""
    ranks = _ranks(graph, entities)
    tried: set[str] = set()
    joined: dict[str, None] = {}
    for node in sorted(entities, key=lambda node: (ranks[node], node)):
        tried.add(node)
        if partners := _related(graph, node) & tried:
            joined |= dict.fromkeys([node, *sorted(partners)])
        if len(joined) >= top:
            break
    return [*joined][:top]


def _selection(
    whole: nx.MultiDiGraph,
    entities: Collection[str],
    top: int,
    *,
    matching: int,
    what: str = "",
    papers: Collection[str] = (),
) -> Selection:
    """The part with these entities, these papers, and a third of `top` of those papers that name the most of them."""
    chosen = set(entities)
    named = {
        node: sum(1 for other in whole.successors(node) if other in chosen) for node in whole if _is_paper(whole, node)
    }
    naming = sorted((node for node, count in named.items() if count), key=lambda node: (-named[node], node))
    kept = [*entities, *papers, *naming[: max(1, top // 3)]]
    return Selection(_ordered(whole.subgraph(kept)), len(whole) - len(named), len(named), matching, what)


def _ordered(graph: nx.MultiDiGraph) -> nx.MultiDiGraph:
    ordered = nx.MultiDiGraph()
    ordered.add_nodes_from(sorted(graph.nodes(data=True)))
    ordered.add_edges_from(sorted(graph.edges(keys=True, data=True), key=lambda edge: edge[:3]))
    return ordered
