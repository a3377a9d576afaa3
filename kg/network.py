"""The graph as a property graph: entities and papers as nodes, relations as edges, for networkx and what reads it."""

from __future__ import annotations

from collections import Counter

import networkx as nx
from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.reading import label_of, links, nodes, objects, read_statement, text_of

__all__ = ["to_networkx"]


def to_networkx(store: Store, *, papers: bool = True) -> nx.MultiDiGraph:
    """The store as a networkx graph; nodes are named by IRI.

    A node has `label`, `type` (Method, Task, Dataset, Metric or Paper) and, an entity, `papers`, the number of papers
    that mention it. An edge has `type` (a local name such as usedFor), its `support` in papers and its `confidence`.
    With `papers`, paper nodes and their edges `proposes` and `mentions` are part of it; a paper that proposes an
    entity has no second edge for mentioning it.
    """
    graph = nx.MultiDiGraph()
    mentioned = Counter(entity for _, entity in links(store, v.MENTIONS))
    for kind in v.ENTITY_TYPES:
        for node in nodes(store, v.kg(kind)):
            graph.add_node(node.value, label=label_of(store, node), type=kind, papers=mentioned[node])
    if papers:
        for node in nodes(store, v.PAPER):
            graph.add_node(node.value, label=label_of(store, node), type="Paper")
    for node in nodes(store, v.STATEMENT):
        _add_statement(graph, store, node)
    if papers:
        for paper, entity in links(store, v.MENTIONS):
            if not graph.has_edge(paper.value, entity.value, key="proposes"):
                _add_edge(graph, paper.value, "mentions", entity.value, support=1, confidence=1.0)
    return graph


def _add_statement(graph: nx.MultiDiGraph, store: Store, node: NamedNode) -> None:
    said = read_statement(store, node)
    if said.subject in graph and said.object in graph:
        support = sum(1 for _ in objects(store, node, v.SUPPORT))
        confidence = float(text_of(store, node, v.CONFIDENCE) or 0)
        kind = said.predicate.removeprefix(v.KG)
        _add_edge(graph, said.subject, kind, said.object, support=support, confidence=confidence)


def _add_edge(graph: nx.MultiDiGraph, head: str, kind: str, tail: str, *, support: int, confidence: float) -> None:
    graph.add_edge(head, tail, key=kind, type=kind, support=support, confidence=confidence)
