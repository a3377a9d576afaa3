"""The graph as one page that needs nothing else: pyvis holds the network, our template draws it.

The page asks no other host for anything and runs no script but its own: its content security policy lists their
hashes, and every text of a paper stands in it as JSON data, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup
from pyoxigraph import NamedNode, Store
from pyvis.network import Network

from kg import vocabulary as v
from kg.errors import GraphError
from kg.layout import layout
from kg.looks import LINES, LOOKS, PAPER_SIZE, short, size_of, width_of
from kg.reading import label_of, literals, matches, texts
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

_IS_SLOT = "FILTER(?slot IN (" + ", ".join(f"kg:{slot}" for slot in _SLOTS) + "))"
_IS_KIND = "FILTER(?kind IN (" + ", ".join(f"kg:{kind}" for kind in v.CLAIM_KINDS) + "))"
_NAMING = "SELECT ?node ?paper { $node ?paper kg:mentions ?node }"
_SUPPORTING = "SELECT ?said ?paper { $said ?said kg:support ?paper }"
_SAID_OF = """
SELECT ?node ?said ?type ?other (COUNT(?paper) AS ?papers) {
  $node ?said rdf:subject ?node ; rdf:predicate ?type ; rdf:object ?other ; kg:support ?paper
} GROUP BY ?node ?said ?type ?other"""
_SAID_TO = _SAID_OF.replace("subject", "OBJECT").replace("object", "subject").replace("OBJECT", "object")
_CLAIMED = """
SELECT DISTINCT ?node ?claim {
  $node { ?node kg:states ?claim } UNION { ?claim kg:about ?node } UNION { ?claim kg:subject ?node }
}"""
_KINDS = f"SELECT ?claim ?kind {{ $claim ?claim a ?kind {_IS_KIND} }}"
_FILLED = f"SELECT ?claim (COUNT(DISTINCT ?slot) AS ?n) {{ $claim ?claim ?slot ?value {_IS_SLOT} }} GROUP BY ?claim"
_SLOT_VALUES = f"""
SELECT ?claim ?slot ?value ?label {{
  $claim ?claim ?slot ?value {_IS_SLOT} OPTIONAL {{ ?value skos:prefLabel ?label }}
}}"""
_EVIDENCE = """
SELECT ?said ?paper ?start ?end ?quote ?confidence {
  $said ?said kg:evidence ?piece .
  ?piece kg:source ?paper ; kg:start ?start ; kg:end ?end ; kg:quote ?quote ; kg:confidence ?confidence
}"""
_PLACES = """
SELECT ?paper ?entity ?start ?end {
  $paper__entity { SELECT ?paper ?entity ?mention { $entity ?mention kg:names ?entity ; kg:source ?paper } }
  ?mention kg:start ?start ; kg:end ?end
}"""


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
    related = _all_related(store, graph)
    network = _network(graph, _years(store, graph, related), with_papers=with_papers)
    cited = _Cited()
    data: dict[str, Any] = {
        "nodes": network.nodes,
        "edges": network.edges,
        "details": _all_details(store, graph, related, cited),
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


def _years(store: Store, graph: nx.MultiDiGraph, related: Iterable[_Related]) -> Years:
    issued = {paper.value: int(year) for paper, year in literals(store, v.ISSUED) if year.isdecimal()}
    papers: defaultdict[str | tuple[str, str, str], list[str]] = defaultdict(list)
    for node, kind in graph.nodes(data="type"):
        if kind == "Paper":
            papers[node].append(node)
    for node, paper in matches(store, _NAMING, node=map(NamedNode, graph)):
        papers[node].append(paper)
    drawn = {entry.said: (entry.node, entry.type, entry.other) for entry in related if entry.out}
    drawn = {said: (head, kind, tail) for said, (head, kind, tail) in drawn.items() if graph.has_edge(head, tail, kind)}
    for said, paper in matches(store, _SUPPORTING, said=map(NamedNode, drawn)):
        papers[drawn[said]].append(paper)
    keys = (*graph, *drawn.values())
    return {key: sorted(Counter(issued[paper] for paper in papers[key] if paper in issued).items()) for key in keys}


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
    """The sentences that the side panel may show, in the order in which they were first cited.

    `about` holds for each the entities that it is cited about; only those are marked in it.
    """

    pieces: list[Evidence] = field(default_factory=list)
    about: list[set[str]] = field(default_factory=list)
    numbers: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def cite(self, evidence: Iterable[Evidence], about: Collection[str]) -> list[int]:
        """The numbers of the first few sentences among these, which from now on are cited."""
        distinct = {(piece.paper, piece.start, piece.end): piece for piece in evidence}
        first = [*distinct.items()][:_SENTENCES]
        for place, piece in first:
            if self.numbers.setdefault(place, len(self.pieces)) == len(self.pieces):
                self.pieces.append(piece)
                self.about.append(set())
            self.about[self.numbers[place]].update(about)
        return [self.numbers[place] for place, _ in first]


class _Related(NamedTuple):
    """A statement `said` about a node, which leads from it to another node or, where not `out`, to it."""

    node: str
    said: str
    type: str
    out: bool
    other: str
    papers: int


class _Claimed(NamedTuple):
    """A claim about a node, with how many of its slots are filled."""

    node: str
    claim: str
    kind: str
    slots: int


def _all_related(store: Store, nodes: Iterable[str]) -> list[_Related]:
    iris = [NamedNode(node) for node in nodes]
    return [
        _Related(node, said, predicate.removeprefix(v.KG), out, other, int(papers))
        for out, query in ((True, _SAID_OF), (False, _SAID_TO))
        for node, said, predicate, other, papers in matches(store, query, node=iris)
    ]


def _all_claimed(store: Store, nodes: Iterable[str]) -> list[_Claimed]:
    found = [*matches(store, _CLAIMED, node=map(NamedNode, nodes))]
    counts = matches(store, _FILLED, claim=map(NamedNode, {claim for _, claim in found}))
    filled = {claim: int(number) for claim, number in counts}
    kinds: dict[str, set[str]] = defaultdict(set)
    for claim, kind in matches(store, _KINDS, claim=map(NamedNode, {claim for _, claim in found})):
        kinds[claim].add(kind.removeprefix(v.KG))
    return [
        _Claimed(node, claim, next(kind for kind in v.CLAIM_KINDS if kind in kinds[claim]), filled.get(claim, 0))
        for node, claim in found
    ]


def _all_details(
    store: Store, graph: nx.MultiDiGraph, related: Iterable[_Related], cited: _Cited
) -> dict[str, dict[str, Any]]:
    """What the side panel says of each node: its names, its relations and claims with their sentences.

    Of many relations and claims it holds the first, and the numbers of all.
    """
    relations: defaultdict[str, list[_Related]] = defaultdict(list)
    for entry in sorted(related, key=lambda r: (-r.papers, r.type, r.other, r.out)):
        relations[entry.node].append(entry)
    claims: defaultdict[str, dict[str, list[_Claimed]]] = defaultdict(lambda: {kind: [] for kind in v.CLAIM_KINDS})
    for claim in sorted(_all_claimed(store, graph), key=lambda c: (-c.slots, c.claim)):
        claims[claim.node][claim.kind].append(claim)
    shown = _Shown.of(
        store,
        [entry for node in graph for entry in relations[node][:_RELATIONS]],
        [claim for node in graph for found in claims[node].values() for claim in found[:_CLAIMS]],
    )
    return {
        node: {
            "label": shown.label(node),
            "names": sorted(texts(store, NamedNode(node), v.ALT_LABEL)),
            "relations": [shown.relation(entry, graph, cited) for entry in relations[node][:_RELATIONS]],
            "relationsInAll": len(relations[node]),
            "claims": [shown.claim(claim, cited) for found in claims[node].values() for claim in found[:_CLAIMS]],
            "claimsInAll": {kind: len(found) for kind, found in claims[node].items() if found},
        }
        for node in graph
    }


@dataclass(slots=True)
class _Shown:
    """The evidence and the slots of what the side panel shows, read in one go."""

    store: Store
    evidence: Mapping[str, list[Evidence]]
    slots: Mapping[str, Mapping[str, str]]
    labels: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store, related: Iterable[_Related], claimed: Iterable[_Claimed]) -> _Shown:
        """What is to show of these."""
        claims = {claim.claim: claim.slots for claim in claimed}
        said = {*claims, *(entry.said for entry in related)}
        evidence: defaultdict[str, list[Evidence]] = defaultdict(list)
        for node, paper, start, end, quote, confidence in matches(store, _EVIDENCE, said=map(NamedNode, said)):
            evidence[node].append(Evidence(paper, int(start), int(end), quote, float(confidence)))
        for pieces in evidence.values():
            pieces.sort(key=lambda e: (-e.confidence, e.paper, e.start, e.end))
        slots: defaultdict[str, dict[str, str]] = defaultdict(dict)
        filled = (NamedNode(claim) for claim, number in claims.items() if number)
        for claim, slot, value, label in matches(store, _SLOT_VALUES, claim=filled):
            slots[claim][slot.removeprefix(v.KG)] = label or value
        return cls(store, evidence, slots)

    def label(self, node: str) -> str:
        """The name to show for a node."""
        if node not in self.labels:
            self.labels[node] = label_of(self.store, NamedNode(node))
        return self.labels[node]

    def relation(self, entry: _Related, graph: nx.MultiDiGraph, cited: _Cited) -> dict[str, Any]:
        """The relation with its sentences, and with the other end's name where the page does not hold that node."""
        return {
            "type": entry.type,
            "out": entry.out,
            "other": entry.other,
            "papers": entry.papers,
            **({} if entry.other in graph else {"label": self.label(entry.other)}),
            "sentences": cited.cite(self.evidence[entry.said], (entry.node, entry.other)),
        }

    def claim(self, claimed: _Claimed, cited: _Cited) -> dict[str, Any]:
        """The claim with its slots and its sentence."""
        slots = self.slots.get(claimed.claim, {})
        return {
            "kind": claimed.kind,
            "slots": [[slot, slots[slot]] for slot in _SLOTS if slots.get(slot)],
            "sentences": cited.cite(self.evidence[claimed.claim], (claimed.node,)),
        }


def _sentences(store: Store, cited: _Cited) -> dict[str, Any]:
    """The cited sentences in order, each with its text, its paper, and which slices of it name what it is cited about.

    Papers come with their titles; entities, named over and over, as numbers of a list.
    """
    titles = {piece.paper: label_of(store, NamedNode(piece.paper)) for piece in cited.pieces}
    marks = _marks(store, cited)
    entities = sorted({entity for found in marks for _, _, entity in found})
    numbers = {entity: number for number, entity in enumerate(entities)}
    sentences = [
        {
            "text": piece.quote,
            "paper": piece.paper,
            "marks": [(start - piece.start, end - piece.start, numbers[entity]) for start, end, entity in found],
        }
        for piece, found in zip(cited.pieces, marks, strict=True)
    ]
    return {"sentences": sentences, "titles": dict(sorted(titles.items())), "entities": entities}


def _marks(store: Store, cited: _Cited) -> list[list[tuple[int, int, str]]]:
    """Where each cited sentence names which of the entities that it is cited about, in order."""
    pairs = {(piece.paper, entity) for piece, about in zip(cited.pieces, cited.about, strict=True) for entity in about}
    named: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    entities = {entity for _, entity in pairs}
    rows = ((NamedNode(paper), NamedNode(entity)) for paper, entity in sorted(pairs))
    found = matches(store, _PLACES, paper__entity=rows, entity=map(NamedNode, sorted(entities)))
    for paper, entity, start, end in found:
        named[paper, entity].append((int(start), int(end)))
    return [
        sorted(
            (start, end, entity)
            for entity in about
            for start, end in named[piece.paper, entity]
            if piece.start <= start and end <= piece.end
        )
        for piece, about in zip(cited.pieces, cited.about, strict=True)
    ]
