"""The graph as a property graph: entities and papers as nodes, relations as edges, for networkx and what reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain

import networkx as nx
from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.identity import statement_iri
from kg.reading import label_of, leading, leading_to, links, matches, nodes, objects, read_statement, text_of

__all__ = ["kinds_of", "papers_of", "part_of", "statement_of", "to_networkx"]

_KINDS = "SELECT ?node ?kind { $node ?node a ?kind }"
_MENTIONED = "SELECT ?node (COUNT(?paper) AS ?papers) { $node ?paper kg:mentions ?node } GROUP BY ?node"
_SUPPORTED = """
SELECT ?said ?confidence (COUNT(?paper) AS ?papers) {
  $said ?said kg:confidence ?confidence ; kg:support ?paper
} GROUP BY ?said ?confidence"""
_DRAWN = {*v.RELATING, v.PROPOSES}


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
            _add_mention(graph, paper.value, entity.value)
    return graph


def part_of(store: Store, some: Iterable[str], known: nx.MultiDiGraph | None = None) -> nx.MultiDiGraph:
    """The part of :func:`to_networkx` with these nodes, in order, found without a look at the rest of the store.

    What `known` holds, some of these nodes and all edges among them, is taken from there.
    """
    iris = [NamedNode(iri) for iri in sorted(set(some))]
    graph = nx.MultiDiGraph(known.subgraph(node.value for node in iris) if known else None)
    new = [node for node in iris if node.value not in graph]
    kinds = kinds_of(store, new)
    mentioned = papers_of(store, new)
    for node in new:
        if kind := kinds.get(node.value):
            counted = {} if kind == "Paper" else {"papers": mentioned.get(node.value, 0)}
            graph.add_node(node.value, label=label_of(store, node), type=kind, **counted)
    triples = chain(leading(store, new, _DRAWN), leading_to(store, new, _DRAWN) if known else ())
    drawn = {statement_of(*triple): triple for triple in triples if {triple[0], triple[2]} <= graph.nodes}
    edges = [
        (head, tail, predicate.value.removeprefix(v.KG), int(papers), float(confidence))
        for said, confidence, papers in matches(store, _SUPPORTED, said=map(NamedNode, drawn))
        for head, predicate, tail in (drawn[said],)
    ]
    for head, tail, kind, support, confidence in sorted(edges):
        _add_edge(graph, head, kind, tail, support=support, confidence=confidence)
    mentions = {v.MENTIONS}
    named = chain(leading(store, new, mentions), leading_to(store, new, mentions) if known else ())
    for paper, _, entity in named:
        if paper in graph and entity in graph:
            _add_mention(graph, paper, entity)
    return _ordered(graph)


def statement_of(head: str, predicate: NamedNode, tail: str) -> str:
    """The IRI of the statement that a paper or an entity stands so to an entity."""
    base = tail[: tail.rindex("/entity/") + 1]
    return statement_iri(base, head, predicate.value, tail)


def kinds_of(store: Store, some: Iterable[NamedNode]) -> dict[str, str]:
    """The type of each of these nodes that is an entity or a paper; of several types the last in their order."""
    order = {v.KG + kind: number for number, kind in enumerate((*v.ENTITY_TYPES, "Paper"))}
    found: dict[str, str] = {}
    for node, kind in matches(store, _KINDS, node=some):
        if kind in order and order[kind] >= order.get(found.get(node, ""), -1):
            found[node] = kind
    return {node: kind.removeprefix(v.KG) for node, kind in found.items()}


def papers_of(store: Store, some: Iterable[NamedNode]) -> dict[str, int]:
    """How many papers mention each of these entities, where one does."""
    return {node: int(papers) for node, papers in matches(store, _MENTIONED, node=some)}


def _ordered(graph: nx.MultiDiGraph) -> nx.MultiDiGraph:
    ordered = nx.MultiDiGraph()
    ordered.add_nodes_from(sorted(graph.nodes(data=True), key=lambda node: node[0]))
    ordered.add_edges_from(sorted(graph.edges(keys=True, data=True), key=lambda edge: edge[:3]))
    return ordered


def _add_statement(graph: nx.MultiDiGraph, store: Store, node: NamedNode) -> None:
    said = read_statement(store, node)
    if said.subject in graph and said.object in graph:
        support = sum(1 for _ in objects(store, node, v.SUPPORT))
        confidence = float(text_of(store, node, v.CONFIDENCE) or 0)
        kind = said.predicate.removeprefix(v.KG)
        _add_edge(graph, said.subject, kind, said.object, support=support, confidence=confidence)


def _add_mention(graph: nx.MultiDiGraph, paper: str, entity: str) -> None:
    if not graph.has_edge(paper, entity, key="proposes"):
        _add_edge(graph, paper, "mentions", entity, support=1, confidence=1.0)


def _add_edge(graph: nx.MultiDiGraph, head: str, kind: str, tail: str, *, support: int, confidence: float) -> None:
    graph.add_edge(head, tail, key=kind, type=kind, support=support, confidence=confidence)
