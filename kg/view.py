"""The graph as one page that needs nothing else: pyvis holds the network, our template draws it.

The page asks no other host for anything and runs no script but its own: its content security policy lists their
hashes, and every text of a paper stands in it as JSON data, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import networkx as nx
from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup
from pyoxigraph import NamedNode, Store
from pyvis.network import Network

from kg import vocabulary as v
from kg.layout import layout
from kg.network import to_networkx
from kg.reading import (
    evidence_of,
    label_of,
    links,
    objects,
    read_evidence,
    read_statement,
    subjects,
    text_of,
    texts,
)
from kg.records import Evidence

__all__ = ["render_html", "write_html"]

TOP = 300
"""How many entities a page holds unless told otherwise, with a third as many papers; more is hard to read."""

_LOOKS = {
    "Method": ("dot", "#0072B2"),
    "Task": ("triangle", "#D55E00"),
    "Dataset": ("square", "#009E73"),
    "Metric": ("diamond", "#CC79A7"),
    "Paper": ("dot", "#8C8C8C"),
}
"""Shape and colour by type; colours of Okabe and Ito, which colour-blind people can tell apart."""

_SLOTS = (
    "subject",
    "direction",
    "qualifier",
    "value",
    "unit",
    "metric",
    "baseline",
    "dataset",
    "task",
    "condition",
)
"""The slots of a claim, in the order in which they read as a sentence."""


def write_html(store: Store, path: Path, *, top: int = TOP) -> None:
    """Writes the page for the graph's `top` most connected entities and the papers that mention them."""
    path.write_text(render_html(store, top=top), encoding="utf-8")


def render_html(store: Store, *, top: int = TOP) -> str:
    """The page as HTML. The same graph gives the same page."""
    whole = to_networkx(store)
    graph = _most_connected(whole, top)
    network = _network(graph)
    shown = set(graph)
    details = {node: _details(store, node, shown) for node in network.node_ids}
    data = {
        "nodes": network.nodes,
        "edges": network.edges,
        "details": details,
        "sentences": _sentences(store, _cited(details)),
        "total": Counter("papers" if facts["type"] == "Paper" else "entities" for _, facts in whole.nodes(data=True)),
    }
    files_of_script = (
        files("pyvis") / "lib" / "vis-9.1.2" / "vis-network.min.js",
        files("kg") / "templates" / "graph.js",
    )
    scripts = [file.read_text(encoding="utf-8") for file in files_of_script]
    environment = Environment(loader=PackageLoader("kg"), autoescape=select_autoescape())
    return environment.get_template("graph.html").render(
        data=data,
        looks=_LOOKS,
        scripts=[Markup(script) for script in scripts],  # noqa: S704 (our own code and pyvis's, no text of a paper)
        hashes=[_csp_hash(script) for script in scripts],
        relations=sorted({facts["type"] for _, _, facts in graph.edges(data=True)}),
    )


def _csp_hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _ranked(graph: nx.MultiDiGraph, wanted: Callable[[str], bool]) -> list[str]:
    return sorted(filter(wanted, graph), key=lambda node: (-graph.degree(node), node))


def _most_connected(graph: nx.MultiDiGraph, top: int) -> nx.MultiDiGraph:
    entities = _ranked(graph, lambda node: graph.nodes[node]["type"] != "Paper")[:top]
    around = graph.subgraph({*entities, *(paper for node in entities for paper in graph.predecessors(node))})
    papers = _ranked(around, lambda node: around.nodes[node]["type"] == "Paper")[: max(1, top // 3)]
    kept = graph.subgraph([*entities, *papers])
    if len(kept) < len(graph):
        kept = kept.subgraph([node for node in kept if kept.degree(node)])
    ordered = nx.MultiDiGraph()
    ordered.add_nodes_from(sorted(kept.nodes(data=True)))
    ordered.add_edges_from(sorted(kept.edges(keys=True, data=True), key=lambda edge: edge[:3]))
    return ordered


def _network(graph: nx.MultiDiGraph) -> Network:
    network = Network(directed=True)
    labels = {node: _label(facts) for node, facts in graph.nodes(data=True)}
    places = layout(nx.Graph(graph.to_undirected()), labels)
    for node, facts in graph.nodes(data=True):
        shape, colour = _LOOKS[facts["type"]]
        paper = facts["type"] == "Paper"
        x, y = places[node]
        network.add_node(
            node,
            label=labels[node],
            shape=shape,
            color=colour,
            size=6 if paper else 9 + 4 * min(8, graph.degree(node) ** 0.5),
            x=x,
            y=y,
            type=facts["type"],
        )
    for head, tail, facts in graph.edges(data=True):
        width = 1 + min(4, facts["support"] / 2)
        network.add_edge(head, tail, type=facts["type"], support=facts["support"], width=width)
    return network


def _label(facts: Mapping[str, Any]) -> str:
    """What stands under a node: a name short enough to read among others; papers bear none."""
    if facts["type"] == "Paper":
        return " "
    label = str(facts["label"])
    return label if len(label) <= 32 else f"{label[:30]}…"


def _details(store: Store, iri: str, shown: set[str]) -> dict[str, Any]:
    """What the side panel says of a node: its names, its relations and claims with their sentences."""
    node = NamedNode(iri)
    return {
        "label": label_of(store, node),
        "names": sorted(texts(store, node, v.ALT_LABEL)),
        "relations": sorted(_relations(store, node, shown), key=lambda r: (r["type"], r["other"])),
        "claims": sorted(_claims(store, node), key=lambda c: (c["kind"], c["sentences"], c["slots"])),
    }


def _relations(store: Store, node: NamedNode, shown: set[str]) -> Iterator[dict[str, Any]]:
    for end in (v.SUBJECT, v.OBJECT):
        for statement in subjects(store, end, node):
            said = read_statement(store, statement)
            partner = said.object if end == v.SUBJECT else said.subject
            yield {
                "type": said.predicate.removeprefix(v.KG),
                "out": end == v.SUBJECT,
                "other": partner,
                "label": label_of(store, NamedNode(partner)),
                "shown": partner in shown,
                "sentences": _sentence_ids(store, statement),
            }


def _claims(store: Store, node: NamedNode) -> Iterator[dict[str, Any]]:
    about = (claim for predicate in (v.ABOUT, v.kg("subject")) for claim in subjects(store, predicate, node))
    for claim in {*objects(store, node, v.STATES), *about}:
        kinds = set(objects(store, claim, v.TYPE))
        slots = ((slot, _slot(store, claim, v.kg(slot))) for slot in _SLOTS)
        yield {
            "kind": next(kind for kind in v.CLAIM_KINDS if v.kg(kind) in kinds),
            "slots": [[slot, value] for slot, value in slots if value],
            "sentences": _sentence_ids(store, claim),
        }


def _slot(store: Store, claim: NamedNode, predicate: NamedNode) -> str | None:
    entity = next(objects(store, claim, predicate), None)
    return text_of(store, claim, predicate) if entity is None else label_of(store, entity)


def _sentence_ids(store: Store, node: NamedNode) -> list[str]:
    return [_sentence_id(evidence) for evidence in evidence_of(store, node)]


def _sentence_id(evidence: Evidence) -> str:
    return f"{evidence.paper} {evidence.start} {evidence.end}"


def _cited(details: Mapping[str, Any]) -> set[str]:
    """The ids of the sentences that the panel may show."""
    entries = (entry for detail in details.values() for entry in (*detail["relations"], *detail["claims"]))
    return {sentence for entry in entries for sentence in entry["sentences"]}


def _sentences(store: Store, cited: Collection[str]) -> dict[str, dict[str, Any]]:
    """Each of these sentences: its text, its paper, and which slices of it name which entity."""
    pieces = {}
    for _, node in links(store, v.HAS_EVIDENCE):
        piece = read_evidence(store, node)
        if (name := _sentence_id(piece)) in cited:
            pieces[name] = piece
    marks = _marks(store, {piece.paper for piece in pieces.values()})
    return {
        name: {
            "text": piece.quote,
            "paper": piece.paper,
            "title": label_of(store, NamedNode(piece.paper)),
            "marks": [
                (start - piece.start, end - piece.start, entity)
                for start, end, entity in marks[piece.paper]
                if piece.start <= start and end <= piece.end
            ],
        }
        for name, piece in sorted(pieces.items())
    }


def _marks(store: Store, papers: Collection[str]) -> Mapping[str, list[tuple[int, int, str]]]:
    """Where each of these papers names which entity, in order."""
    found: defaultdict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for node, entity in links(store, v.NAMES):
        mention = read_evidence(store, node)
        if mention.paper in papers:
            found[mention.paper].append((mention.start, mention.end, entity.value))
    for marks in found.values():
        marks.sort()
    return found
