"""What the side panel of the page says of each node: its names, its relations and claims, each with its sentences.

Most of it stays as it is when a few papers come or go, so the page before is taken up where it still holds.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
from pyoxigraph import NamedNode, Store, Triple

from kg import vocabulary as v
from kg.reading import label_of, matches, texts
from kg.records import Evidence
from kg.selection import TRIED, Known, Partners

__all__ = ["Earlier", "panel", "read_page", "touched_by"]

_RELATIONS, _CLAIMS, _SENTENCES = 30, 8, 2
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


_ENDS = """
SELECT ?node {
  { $about ?about rdf:subject ?node } UNION { $about ?about rdf:object ?node }
  UNION { $about ?about kg:about ?node } UNION { $about ?about kg:subject ?node }
  UNION { $about ?node kg:states ?about }
}"""
"""The nodes that a statement or a claim is about."""
_RESTING = "SELECT ?about { $piece ?about kg:evidence ?piece }"
_SHOWING = f"""
SELECT ?about {{
  {{ $node ?about rdf:subject ?node }} UNION {{ $node ?about rdf:object ?node }}
  UNION {{ $node ?about ?slot ?node {_IS_SLOT} }}
}}"""
"""The statements and claims in which a node is shown by its name."""

Details = dict[str, dict[str, Any]]
"""What is said of each node; a sentence is a _Sentence, or on the page its number."""


class _Sentence(NamedTuple):
    """A slice of a paper's abstract, which begins at `start`."""

    paper: str
    start: int
    text: str


Marks = dict[tuple[_Sentence, str], list[tuple[int, int]]]
"""Where a sentence names an entity that it is cited about."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The data of the page of a graph before a change, what else was known then, what came and went, and the nodes that
    the change touches."""

    data: Mapping[str, Any]
    before: Known
    removed: Collection[Triple]
    added: Collection[Triple]
    touched: Collection[str]

    def partners(self, store: Store, top: int) -> Partners | None:
        """The most connected entities of the graph as it is now, where they can be told without counting anew."""
        if self.data["partners"] is None:
            return None
        ends = {
            end.value
            for triple in chain(self.removed, self.added)
            if triple.predicate in v.RELATING
            for end in (triple.subject, triple.object)
            if isinstance(end, NamedNode)
        }
        return Partners(*self.data["partners"]).changed(store, ends, TRIED * top)

    def known(self) -> Known:
        """What still holds of all that was known, and of the nodes that the page shows, with the edges among them."""
        return self.before.without(self.touched, self._part())

    def _part(self) -> nx.MultiDiGraph:
        """The nodes that the page shows and of which it still holds, with the edges among them, each with its years.

        None of them where a paper that stays has another year, as that changes what no triple names.
        """
        graph = nx.MultiDiGraph()
        changed = [*self.removed, *self.added]
        papers = {triple.subject for triple in changed if triple.object == v.PAPER}
        if any(triple.predicate == v.ISSUED and triple.subject not in papers for triple in changed):
            return graph
        for node in self.data["nodes"]:
            if node["id"] not in self.touched:
                graph.add_node(node["id"], **{name: node[name] for name in ("label", "type", "papers", "years")})
        for edge in self.data["edges"]:
            if edge["from"] in graph and edge["to"] in graph:
                told = {name: edge[name] for name in ("type", "support", "confidence", "years")}
                graph.add_edge(edge["from"], edge["to"], key=edge["type"], **told)
        return graph

    def details(self) -> Details:
        """What the page says of the nodes of which it still holds."""
        return {
            node: said
            for node, said in self.data["details"].items()
            if node not in self.touched
            and not any(sentence.paper in self.touched for entry in _entries(said) for sentence in entry["sentences"])
        }

    def marks(self) -> Marks:
        """What the page marks, and what it would mark if there were something, in papers that are not touched."""
        known: Marks = {
            (sentence, entity): []
            for sentence, about in _cited(self.data["details"]).items()
            if sentence.paper not in self.touched
            for entity in about
        }
        for sentence, marks in self.data["marks"].items():
            for start, end, entity in marks:
                if (sentence, entity) in known:
                    known[sentence, entity].append((start, end))
        return known

    def titles(self) -> dict[str, str]:
        """The titles of the papers that are not touched."""
        return {paper: title for paper, title in self.data["titles"].items() if paper not in self.touched}


def read_page(path: Path) -> dict[str, Any] | None:
    """The data in a page that a build wrote, with each sentence in the place of its number, or None if there is none.

    `marks` holds what is marked in each sentence.
    """
    try:
        found = _DATA.search(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
    if found is None:
        return None
    data: dict[str, Any] = json.loads(found[1])
    entities = data["entities"]
    sentences = [_Sentence(told["paper"], told["start"], told["text"]) for told in data["sentences"]]
    data["marks"] = {
        sentence: [(start, end, entities[entity]) for start, end, entity in told["marks"]]
        for sentence, told in zip(sentences, data["sentences"], strict=True)
    }
    _tell_sentences(data["details"], sentences.__getitem__)
    return data


_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def touched_by(store: Store, changed: Iterable[Triple]) -> set[str]:
    """The nodes of which something else is to be said, now that these triples have come to the store or gone."""
    touched: set[str] = set()
    renamed: set[str] = set()
    for triple in changed:
        touched.update(end.value for end in (triple.subject, triple.object) if isinstance(end, NamedNode))
        if triple.predicate in (v.PREF_LABEL, v.TITLE, v.ABSTRACT) and isinstance(triple.subject, NamedNode):
            renamed.add(triple.subject.value)
    about = touched | {node for (node,) in matches(store, _RESTING, piece=_iris(touched))}
    about |= {node for (node,) in matches(store, _SHOWING, node=_iris(renamed))}
    return touched | {node for (node,) in matches(store, _ENDS, about=_iris(about))}


def _iris(nodes: Iterable[str]) -> Iterator[NamedNode]:
    return map(NamedNode, sorted(nodes))


def panel(store: Store, graph: nx.MultiDiGraph, earlier: Earlier | None = None) -> dict[str, Any]:
    """The details of the nodes of the graph, the sentences that they cite, and the titles of the papers of those.

    Of many relations and claims a node has the first, and the numbers of all. A sentence has its place, and marks of
    what it is cited about.
    """
    kept, known, titles = (earlier.details(), earlier.marks(), earlier.titles()) if earlier else ({}, {}, {})
    new = _details(store, [node for node in graph if node not in kept])
    details = {node: new.get(node) or kept[node] for node in graph}
    _name_others(store, details)
    about = _cited(details)
    numbers = {sentence: number for number, sentence in enumerate(about)}
    _tell_sentences(details, numbers.__getitem__)
    papers = sorted({sentence.paper for sentence in about})
    return {
        "details": details,
        "titles": {paper: titles.get(paper) or label_of(store, NamedNode(paper)) for paper in papers},
        **_marked(about, _marks(store, about, known)),
    }


def _entries(said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    return chain(said["relations"], said["claims"])


def _tell_sentences(details: Details, other: Callable[[Any], Any]) -> None:
    """Write each sentence that is cited in another way."""
    for said in details.values():
        for entry in _entries(said):
            entry["sentences"] = list(map(other, entry["sentences"]))


def _cited(details: Details) -> dict[_Sentence, set[str]]:
    """The sentences in the order in which they are first cited, and the nodes that each is cited about."""
    cited: defaultdict[_Sentence, set[str]] = defaultdict(set)
    for node, said in details.items():
        for entry in _entries(said):
            for sentence in entry["sentences"]:
                cited[sentence].update((node, entry["other"]) if "other" in entry else (node,))
    return cited


def _name_others(store: Store, details: Details) -> None:
    """Give each relation the name of its other end where that is no node of the page, and only there."""
    for said in details.values():
        for entry in said["relations"]:
            if entry["other"] in details:
                entry.pop("label", None)
            elif "label" not in entry:
                entry["label"] = label_of(store, NamedNode(entry["other"]))


def _marks(store: Store, about: Mapping[_Sentence, set[str]], known: Marks) -> Marks:
    """Where each sentence names which of the nodes that it is cited about."""
    wanted = [(sentence, entity) for sentence, entities in about.items() for entity in entities]
    unknown = {(sentence.paper, entity) for sentence, entity in wanted if (sentence, entity) not in known}
    named: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    rows = ((NamedNode(paper), NamedNode(entity)) for paper, entity in sorted(unknown))
    found = matches(store, _PLACES, paper__entity=rows, entity=_iris({entity for _, entity in unknown}))
    for paper, entity, start, end in found:
        named[paper, entity].append((int(start), int(end)))
    new = {
        (sentence, entity): [
            (start - sentence.start, end - sentence.start)
            for start, end in named[sentence.paper, entity]
            if sentence.start <= start and end <= sentence.start + len(sentence.text)
        ]
        for sentence, entity in wanted
        if (sentence, entity) not in known
    }
    return {**known, **new}


def _marked(about: Mapping[_Sentence, set[str]], marks: Marks) -> dict[str, Any]:
    """The sentences with their marks; entities, named over and over, are numbers of a list there."""
    entities = sorted({entity for sentence, found in about.items() for entity in found if marks[sentence, entity]})
    numbers = {entity: number for number, entity in enumerate(entities)}
    sentences = [
        {
            "text": sentence.text,
            "paper": sentence.paper,
            "start": sentence.start,
            "marks": sorted([(*place, numbers[entity]) for entity in found for place in marks[sentence, entity]]),
        }
        for sentence, found in about.items()
    ]
    return {"sentences": sentences, "entities": entities}


# From the store


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


def _related(store: Store, nodes: Iterable[str]) -> list[_Related]:
    iris = [NamedNode(node) for node in nodes]
    return [
        _Related(node, said, predicate.removeprefix(v.KG), out, other, int(papers))
        for out, query in ((True, _SAID_OF), (False, _SAID_TO))
        for node, said, predicate, other, papers in matches(store, query, node=iris)
    ]


def _claimed(store: Store, nodes: Iterable[str]) -> list[_Claimed]:
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


def _details(store: Store, nodes: Collection[str]) -> Details:
    relations: defaultdict[str, list[_Related]] = defaultdict(list)
    for entry in sorted(_related(store, nodes), key=lambda r: (-r.papers, r.type, r.other, r.out)):
        relations[entry.node].append(entry)
    claims: defaultdict[str, dict[str, list[_Claimed]]] = defaultdict(lambda: {kind: [] for kind in v.CLAIM_KINDS})
    for claim in sorted(_claimed(store, nodes), key=lambda c: (-c.slots, c.claim)):
        claims[claim.node][claim.kind].append(claim)
    shown = _Shown.of(
        store,
        [entry for node in nodes for entry in relations[node][:_RELATIONS]],
        [claim for node in nodes for found in claims[node].values() for claim in found[:_CLAIMS]],
    )
    return {
        node: {
            "label": label_of(store, NamedNode(node)),
            "names": sorted(texts(store, NamedNode(node), v.ALT_LABEL)),
            "relations": [shown.relation(entry) for entry in relations[node][:_RELATIONS]],
            "relationsInAll": len(relations[node]),
            "claims": [shown.claim(claim) for found in claims[node].values() for claim in found[:_CLAIMS]],
            "claimsInAll": {kind: len(found) for kind, found in claims[node].items() if found},
        }
        for node in nodes
    }


@dataclass(slots=True)
class _Shown:
    """The evidence and the slots of what the side panel shows, read in one go."""

    evidence: Mapping[str, list[Evidence]]
    slots: Mapping[str, Mapping[str, str]]

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
        return cls(evidence, slots)

    def relation(self, entry: _Related) -> dict[str, Any]:
        """The relation with its sentences."""
        return {
            "type": entry.type,
            "out": entry.out,
            "other": entry.other,
            "papers": entry.papers,
            "sentences": self._first(entry.said),
        }

    def claim(self, claimed: _Claimed) -> dict[str, Any]:
        """The claim with its slots and its sentence."""
        slots = self.slots.get(claimed.claim, {})
        return {
            "kind": claimed.kind,
            "slots": [[slot, slots[slot]] for slot in _SLOTS if slots.get(slot)],
            "sentences": self._first(claimed.claim),
        }

    def _first(self, said: str) -> list[_Sentence]:
        """The first few sentences on which this rests."""
        distinct = dict.fromkeys(_Sentence(piece.paper, piece.start, piece.quote) for piece in self.evidence[said])
        return [*distinct][:_SENTENCES]
