"""The graph as one page that needs nothing else: pyvis holds the network, our template draws it.

The page asks no other host for anything and runs no script but its own: its content security policy lists their
hashes, and every text of a paper stands in it as JSON data, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import networkx as nx
from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup
from pyoxigraph import NamedNode, Store
from pyvis.network import Network

from kg import vocabulary as v
from kg.errors import GraphError
from kg.layout import layout
from kg.looks import LINES, LOOKS, PAPER_SIZE, short, size_of, width_of
from kg.network import statement_of
from kg.panel import Earlier, panel
from kg.reading import matches, text_of
from kg.selection import TOP, Selection, most_connected

__all__ = ["render_html", "write_html"]

_SCRIPTS = ("model", "places", "address", "canvas", "panel", "choose", "table", "files", "graph")
"""The page's own scripts, in the order in which they build on each other."""

_NAMED_IN = """
SELECT ?node ?year (COUNT(?paper) AS ?papers) { $node ?paper kg:mentions ?node ; dcterms:issued ?year }
GROUP BY ?node ?year"""
_SAID_IN = """
SELECT ?said ?year (COUNT(?paper) AS ?papers) {
  $said ?said kg:support ?paper . ?paper dcterms:issued ?year
} GROUP BY ?said ?year"""


def write_html(
    store: Store,
    path: Path,
    selection: Selection | None = None,
    *,
    papers: bool | None = None,
    earlier: Earlier | None = None,
) -> None:
    """Writes the page for this part of the graph, the most connected entities unless told otherwise.

    `papers` says whether the papers are shown from the start; by default where the page holds every entity.
    """
    try:
        path.write_text(render_html(store, selection, papers=papers, earlier=earlier), encoding="utf-8")
    except OSError as error:
        raise GraphError(f"cannot write: {error.strerror or error}", where=str(path)) from error


def render_html(
    store: Store, selection: Selection | None = None, *, papers: bool | None = None, earlier: Earlier | None = None
) -> str:
    """The page as HTML. The same graph gives the same page, with or without that of an earlier state to take from."""
    if selection is None and earlier is not None:
        selection = most_connected(store, partners=earlier.partners(store, TOP), known=earlier.known())
    selection = selection or most_connected(store)
    with_papers = selection.complete if papers is None else papers
    graph = selection.graph
    network = _network(graph, _years(store, graph), earlier.data if earlier else None, with_papers=with_papers)
    data: dict[str, Any] = {
        "nodes": network.nodes,
        "edges": network.edges,
        "total": {"entities": selection.entities, "papers": selection.papers, "matching": selection.matching},
        "partners": selection.partners,
        "what": selection.what,
        "papers": with_papers,
        "lines": {relation: dashes for dashes, relations in LINES.values() for relation in relations if dashes},
    }
    data |= panel(store, graph, earlier)
    scripts = [
        (files("pyvis") / "lib" / "vis-9.1.2" / "vis-network.min.js").read_text(encoding="utf-8"),
        *((files("kg") / "templates" / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS),
    ]
    environment = Environment(loader=PackageLoader("kg"), autoescape=select_autoescape())
    return environment.get_template("graph.html").render(
        data=data,
        looks=LOOKS,
        lines=LINES,
        scripts=[Markup(script) for script in scripts],  # noqa: S704 (our own code and pyvis's, no text of a paper)
        hashes=[_csp_hash(script) for script in scripts],
        relations=sorted({facts["type"] for _, _, facts in graph.edges(data=True)}),
    )


def _csp_hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


Years = Mapping[str | tuple[str, str, str], list[tuple[int, int]]]
"""By node, or by edge as (head, type, tail): the years of the papers that say so, each with the number of papers."""


def _years(store: Store, graph: nx.MultiDiGraph) -> Years:
    edges = {
        (head, facts["type"], tail): facts.get("years")
        for head, tail, facts in graph.edges(data=True)
        if facts["type"] != "mentions"
    }
    seen = {**dict(graph.nodes(data="years")), **edges}
    years = {place: known or [] for place, known in seen.items()}
    new = [node for node in graph if seen[node] is None]
    for node in new:
        year = text_of(store, NamedNode(node), v.ISSUED) if graph.nodes[node]["type"] == "Paper" else None
        if year is not None and year.isdecimal():
            years[node].append((int(year), 1))
    for node, year, papers in matches(store, _NAMED_IN, node=map(NamedNode, new)):
        if year.isdecimal():
            years[node].append((int(year), int(papers)))
    said = {
        statement_of(head, v.kg(kind), tail): (head, kind, tail)
        for (head, kind, tail), known in edges.items()
        if known is None
    }
    for statement, year, papers in matches(store, _SAID_IN, said=map(NamedNode, said)):
        if year.isdecimal():
            years[said[statement]].append((int(year), int(papers)))
    return {place: sorted(found) for place, found in years.items()}


def _network(graph: nx.MultiDiGraph, years: Years, earlier: Mapping[str, Any] | None, *, with_papers: bool) -> Network:
    network = Network(directed=True)
    papers = {node for node, kind in graph.nodes(data="type") if kind == "Paper"}
    labels = {node: "" if node in papers else short(facts["label"]) for node, facts in graph.nodes(data=True)}
    joined = nx.Graph(graph)
    partners = {node: sum(1 for other in joined[node] if other not in papers) for node in graph}
    sizes = {node: PAPER_SIZE if node in papers else size_of(partners[node]) for node in graph}
    places = _places_on(earlier, joined, labels, sizes) if earlier and earlier["papers"] == with_papers else None
    places = places or layout(joined, labels, sizes, later=set() if with_papers else papers)
    for node, facts in graph.nodes(data=True):
        look = LOOKS[facts["type"]]
        x, y = places[node]
        network.add_node(
            node,
            label=short(facts["label"]),
            shape=look.shape,
            color=look.light,
            size=sizes[node],
            x=x,
            y=y,
            type=facts["type"],
            papers=facts.get("papers", 0),
            years=years[node],
        )
    for head, tail, facts in graph.edges(data=True):
        seen = years.get((head, facts["type"], tail), years[head] if facts["type"] == "mentions" else [])
        network.add_edge(
            head,
            tail,
            type=facts["type"],
            support=facts["support"],
            confidence=round(facts["confidence"], 2),
            years=seen,
            width=width_of(facts["support"]),
        )
    return network


def _places_on(
    page: Mapping[str, Any], joined: nx.Graph, labels: Mapping[str, str], sizes: Mapping[str, float]
) -> dict[str, tuple[int, int]] | None:
    """Where an earlier page drew the nodes, if it drew the same ones, joined in the same way."""
    papers = {node for node, label in labels.items() if not label}
    drawn = [(n["id"], "" if n["id"] in papers else n["label"], n["size"]) for n in page["nodes"]]
    same = drawn == [(node, labels[node], sizes[node]) for node in joined]
    if not same or {frozenset((e["from"], e["to"])) for e in page["edges"]} != set(map(frozenset, joined.edges)):
        return None
    return {node["id"]: (node["x"], node["y"]) for node in page["nodes"]}
