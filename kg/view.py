"""The graph as one page that needs nothing else: pyvis holds the network, our template draws it.

The page asks no other host for anything and runs no script but its own: its content security policy lists their
hashes, and every text of a paper stands in it as JSON data, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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
from kg.reading import (
    evidence_of,
    label_of,
    literals,
    objects,
    read_evidence,
    read_statement,
    subjects,
    text_of,
    texts,
)
from kg.records import Evidence
from kg.selection import Selection, most_connected

__all__ = ["render_html", "write_html"]

_SCRIPTS = ("model", "places", "address", "canvas", "panel", "choose", "table", "files", "graph")
"""The page's own scripts, in the order in which they build on each other."""

_RELATIONS, _CLAIMS, _SENTENCES = 60, 12, 3
"""Up to how many relations, claims of each kind, and sentences of each the side panel shows of a node."""

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


def write_html(store: Store, path: Path, selection: Selection | None = None, *, papers: bool | None = None) -> None:
    """Writes the page for this part of the graph, the most connected entities unless told otherwise.

    `papers` says whether the papers are shown from the start; by default where the page holds every entity.
    """
    try:
        path.write_text(render_html(store, selection, papers=papers), encoding="utf-8")
    except OSError as error:
        raise GraphError(f"cannot write: {error.strerror or error}", where=str(path)) from error


def render_html(store: Store, selection: Selection | None = None, *, papers: bool | None = None) -> str:
    """The page as HTML. The same graph gives the same page."""
    selection = selection or most_connected(store)
    with_papers = selection.complete if papers is None else papers
    graph = selection.graph
    network = _network(graph, _years(store, graph), with_papers=with_papers)
    cited = _Cited()
    data: dict[str, Any] = {
        "nodes": network.nodes,
        "edges": network.edges,
        "details": {node: _details(store, node, graph, cited) for node in network.node_ids},
        "total": {"entities": selection.entities, "papers": selection.papers, "matching": selection.matching},
        "what": selection.what,
        "papers": with_papers,
        "lines": {relation: dashes for dashes, relations in LINES.values() for relation in relations if dashes},
    }
    data |= _sentences(store, cited)
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
    issued = {paper.value: int(year) for paper, year in literals(store, v.ISSUED) if year.isdecimal()}
    found: dict[str | tuple[str, str, str], Counter[int]] = {}

    def count(key: str | tuple[str, str, str], papers: Iterable[str]) -> None:
        found[key] = Counter(issued[paper] for paper in papers if paper in issued)

    for node, facts in graph.nodes(data=True):
        papers = [node] if facts["type"] == "Paper" else _values(subjects(store, v.MENTIONS, NamedNode(node)))
        count(node, papers)
        for statement in subjects(store, v.SUBJECT, NamedNode(node)):
            said = read_statement(store, statement)
            key = (node, said.predicate.removeprefix(v.KG), said.object)
            count(key, _values(objects(store, statement, v.SUPPORT)))
    return {key: sorted(years.items()) for key, years in found.items()}


def _values(nodes: Iterable[NamedNode]) -> Iterator[str]:
    return (node.value for node in nodes)


def _network(graph: nx.MultiDiGraph, years: Years, *, with_papers: bool) -> Network:
    network = Network(directed=True)
    papers = {node for node, kind in graph.nodes(data="type") if kind == "Paper"}
    labels = {node: "" if node in papers else short(facts["label"]) for node, facts in graph.nodes(data=True)}
    joined = nx.Graph(graph.to_undirected())
    partners = {node: sum(1 for other in joined[node] if other not in papers) for node in graph}
    sizes = {node: PAPER_SIZE if node in papers else size_of(partners[node]) for node in graph}
    places = layout(joined, labels, sizes, later=set() if with_papers else papers)
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


@dataclass(slots=True)
class _Cited:
    """The sentences that the side panel may show, in the order in which they were first cited."""

    pieces: list[Evidence] = field(default_factory=list)
    numbers: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def cite(self, evidence: Iterable[Evidence]) -> list[int]:
        """The numbers of the first few sentences among these, which from now on are cited."""
        distinct = {(piece.paper, piece.start, piece.end): piece for piece in evidence}
        first = [*distinct.items()][:_SENTENCES]
        for place, piece in first:
            if self.numbers.setdefault(place, len(self.pieces)) == len(self.pieces):
                self.pieces.append(piece)
        return [self.numbers[place] for place, _ in first]


def _details(store: Store, iri: str, graph: nx.MultiDiGraph, cited: _Cited) -> dict[str, Any]:
    """What the side panel says of a node: its names, its relations and claims with their sentences.

    Of many relations and claims it holds the first, and the numbers of all.
    """
    node = NamedNode(iri)
    relations = sorted(_relations(store, node), key=lambda r: (-r["papers"], r["type"], r["other"], r["out"]))
    claims = sorted(_claims(store, node), key=lambda c: (-len(c["slots"]), c["node"].value))
    numbers = Counter(claim["kind"] for claim in claims)
    return {
        "label": label_of(store, node),
        "names": sorted(texts(store, node, v.ALT_LABEL)),
        "relations": [_shown_relation(store, entry, graph, cited) for entry in relations[:_RELATIONS]],
        "relationsInAll": len(relations),
        "claims": [
            {"kind": kind, "slots": claim["slots"], "sentences": cited.cite(evidence_of(store, claim["node"]))}
            for kind in v.CLAIM_KINDS
            for claim in [claim for claim in claims if claim["kind"] == kind][:_CLAIMS]
        ],
        "claimsInAll": {kind: numbers[kind] for kind in v.CLAIM_KINDS if numbers[kind]},
    }


def _relations(store: Store, node: NamedNode) -> Iterator[dict[str, Any]]:
    for end in (v.SUBJECT, v.OBJECT):
        for statement in subjects(store, end, node):
            said = read_statement(store, statement)
            yield {
                "type": said.predicate.removeprefix(v.KG),
                "out": end == v.SUBJECT,
                "other": said.object if end == v.SUBJECT else said.subject,
                "papers": sum(1 for _ in objects(store, statement, v.SUPPORT)),
                "node": statement,
            }


def _shown_relation(store: Store, entry: dict[str, Any], graph: nx.MultiDiGraph, cited: _Cited) -> dict[str, Any]:
    """The entry with its sentences, and with the other end's name where the page does not hold that node."""
    other = {} if entry["other"] in graph else {"label": label_of(store, NamedNode(entry["other"]))}
    sentences = cited.cite(evidence_of(store, entry["node"]))
    return {key: value for key, value in entry.items() if key != "node"} | other | {"sentences": sentences}


def _claims(store: Store, node: NamedNode) -> Iterator[dict[str, Any]]:
    about = (claim for predicate in (v.ABOUT, v.kg("subject")) for claim in subjects(store, predicate, node))
    for claim in {*objects(store, node, v.STATES), *about}:
        kinds = set(objects(store, claim, v.TYPE))
        slots = ((slot, _slot(store, claim, v.kg(slot))) for slot in _SLOTS)
        yield {
            "kind": next(kind for kind in v.CLAIM_KINDS if v.kg(kind) in kinds),
            "slots": [[slot, value] for slot, value in slots if value],
            "node": claim,
        }


def _slot(store: Store, claim: NamedNode, predicate: NamedNode) -> str | None:
    entity = next(objects(store, claim, predicate), None)
    return text_of(store, claim, predicate) if entity is None else label_of(store, entity)


def _sentences(store: Store, cited: _Cited) -> dict[str, Any]:
    """The cited sentences in order, each with its text, its paper, and which slices of it name which entity.

    Papers come with their titles; entities, named over and over, as numbers of a list.
    """
    titles = {piece.paper: label_of(store, NamedNode(piece.paper)) for piece in cited.pieces}
    marks = _marks(store, titles)
    entities = sorted({entity for found in marks.values() for _, _, entity in found})
    numbers = {entity: number for number, entity in enumerate(entities)}
    sentences = [
        {
            "text": piece.quote,
            "paper": piece.paper,
            "marks": [
                (start - piece.start, end - piece.start, numbers[entity])
                for start, end, entity in marks[piece.paper]
                if piece.start <= start and end <= piece.end
            ],
        }
        for piece in cited.pieces
    ]
    return {"sentences": sentences, "titles": dict(sorted(titles.items())), "entities": entities}


def _marks(store: Store, papers: Collection[str]) -> Mapping[str, list[tuple[int, int, str]]]:
    """Where each of these papers names which entity, in order."""
    found: defaultdict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for paper in papers:
        for node in subjects(store, v.SOURCE, NamedNode(paper)):
            if (entity := next(objects(store, node, v.NAMES), None)) is not None:
                mention = read_evidence(store, node)
                found[paper].append((mention.start, mention.end, entity.value))
        found[paper].sort()
    return found
