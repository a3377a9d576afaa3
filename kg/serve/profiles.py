"""What a page says of an entity or a paper, read from the store: relations, results, claims, with their sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.reading import evidence_of, label_of, objects, read_evidence, read_statement, subjects, text_of, texts
from kg.records import Evidence

__all__ = [
    "Claim",
    "EntityProfile",
    "Group",
    "PaperProfile",
    "Passage",
    "Piece",
    "Ref",
    "Relation",
    "Slot",
    "entity_profile",
    "kind_of",
    "paper_profile",
    "paper_ref",
    "read_claim",
]

FEW = 20
"""How many of a list a page shows unless asked for the whole of it."""

_SENTENCES = 3
_MOST = 2000
"""How many of a list a page ever shows."""

_SLOTS = ("subject", "metric", "dataset", "task", "baseline")
_OUT = {
    "usedFor": "Used for",
    "partOf": "Part of",
    "kindOf": "Kind of",
    "subTaskOf": "Subtask of",
    "evaluatedOn": "Evaluated on",
    "trainedOn": "Trained on",
    "benchmarkFor": "Benchmark for",
    "comparedWith": "Compared with",
}
_IN = {
    "proposes": "Proposed by",
    "usedFor": "Methods used for it",
    "partOf": "Its parts",
    "kindOf": "Kinds of it",
    "subTaskOf": "Its subtasks",
    "evaluatedOn": "Methods evaluated on it",
    "trainedOn": "Methods trained on it",
    "benchmarkFor": "Benchmarks for it",
}
"""What stands above the relations that begin and that end at an entity, in the order in which people read them."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A node to link to: its IRI, the words for it, its kind, and, of a paper, its year."""

    iri: str
    label: str
    kind: str
    year: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of a sentence; `iri` is the entity that they name, if they name one."""

    text: str
    iri: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of a paper in pieces, with how sure the extractor is of what it supports."""

    paper: Ref
    pieces: tuple[Piece, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation of an entity to another: how many papers say so, how surely, and the first sentences."""

    other: Ref
    papers: int
    confidence: float
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Relations of one kind in one direction, those that most papers support first; `total` counts those left out."""

    name: str
    title: str
    total: int
    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """What fills a slot of a claim: words, and the IRI of the entity that they name, if any."""

    text: str
    iri: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim: its kind, its sentence, and, of a result, what fills its slots."""

    iri: str
    kind: str
    passage: Passage
    slots: Mapping[str, Slot]
    amount: str


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of one kind; `total` counts those left out as well."""

    kind: str
    total: int
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class EntityProfile:
    """All that the page of an entity says."""

    ref: Ref
    names: tuple[str, ...]
    groups: tuple[Group, ...]
    claims: tuple[Claims, ...]
    papers: tuple[Ref, ...]
    mentioned_by: int


@dataclass(frozen=True, slots=True)
class PaperProfile:
    """All that the page of a paper says."""

    ref: Ref
    authors: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    addresses: tuple[str, ...]
    code: tuple[str, ...]
    abstract: tuple[Piece, ...]
    proposes: tuple[Ref, ...]
    entities: tuple[tuple[str, tuple[Ref, ...]], ...]
    relations: tuple[tuple[Ref, str, Ref, Passage], ...]
    claims: tuple[Claims, ...]


class _Reader:
    """Reads for one page; what it has looked up once, it keeps."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.ref = lru_cache(None)(self._ref)
        self.marks = lru_cache(None)(self._marks)

    def _ref(self, node: NamedNode) -> Ref:
        kind = kind_of(self.store, node)
        year = (text_of(self.store, node, v.ISSUED) or "")[:4] if kind == "Paper" else ""
        return Ref(node.value, label_of(self.store, node), kind, year)

    def _marks(self, paper: str) -> tuple[tuple[int, int, str], ...]:
        """Where the paper names which entity, in order."""
        found = []
        for node in subjects(self.store, v.SOURCE, NamedNode(paper)):
            for entity in objects(self.store, node, v.NAMES):
                mention = read_evidence(self.store, node)
                found.append((mention.start, mention.end, entity.value))
        return tuple(sorted(found))

    def passage(self, evidence: Evidence) -> Passage:
        pieces = _pieces(evidence.quote, evidence.start, self.marks(evidence.paper))
        return Passage(self.ref(NamedNode(evidence.paper)), pieces, evidence.confidence)


def kind_of(store: Store, node: NamedNode) -> str:
    """The local name of the most telling of our classes that a node is in, empty where it is in none."""
    found = {kind.value for kind in objects(store, node, v.TYPE)}
    known = ("Paper", *v.ENTITY_TYPES, *v.CLAIM_KINDS, "Statement", "Mention", "Evidence", "Build")
    return next((kind for kind in known if v.KG + kind in found), "")


def _pieces(text: str, start: int, marks: Iterable[tuple[int, int, str]]) -> tuple[Piece, ...]:
    """The text, which begins at `start` in its abstract, cut where it names entities; of two that overlap the first."""
    found, place = [], 0
    for begin, end, entity in ((b - start, e - start, entity) for b, e, entity in marks):
        if place <= begin and end <= len(text):
            found += [Piece(text[place:begin]), Piece(text[begin:end], entity)]
            place = end
    return tuple(piece for piece in (*found, Piece(text[place:])) if piece.text)


def entity_profile(store: Store, node: NamedNode, *, whole: str = "") -> EntityProfile:
    """The profile of an entity; of the list that `whole` names (a relation, a kind of claim, papers) all is shown."""
    reader = _Reader(store)
    papers = sorted(subjects(store, v.MENTIONS, node), key=lambda paper: paper.value)
    named = [reader.ref(paper) for paper in papers] if len(papers) <= _MOST else list(map(reader.ref, papers[:_MOST]))
    named.sort(key=lambda ref: (ref.year or "0", ref.label), reverse=True)
    return EntityProfile(
        reader.ref(node),
        tuple(sorted(texts(store, node, v.ALT_LABEL))),
        tuple(_groups(reader, node, whole)),
        tuple(_claims(reader, _about(store, node), whole)),
        tuple(named[: _shown("papers", whole)]),
        len(papers),
    )


def _shown(name: str, whole: str) -> int:
    return _MOST if name == whole else FEW


def _groups(reader: _Reader, node: NamedNode, whole: str) -> Iterator[Group]:
    found: defaultdict[tuple[str, bool], list[tuple[int, float, NamedNode, NamedNode]]] = defaultdict(list)
    for end, out in ((v.SUBJECT, True), (v.OBJECT, False)):
        for statement in subjects(reader.store, end, node):
            said = read_statement(reader.store, statement)
            other = NamedNode(said.object if out else said.subject)
            support = sum(1 for _ in objects(reader.store, statement, v.SUPPORT))
            sure = float(text_of(reader.store, statement, v.CONFIDENCE) or 0)
            name = said.predicate.removeprefix(v.KG)
            both_ways = name == "comparedWith"
            found[name, out or both_ways].append((support, sure, other, statement))
    for titles, out in ((_IN, False), (_OUT, True)):
        for name, title in titles.items():
            if rows := found.get((name, out)):
                yield _group(reader, name if out else f"{name}-in", title, rows, whole)


def _group(
    reader: _Reader, name: str, title: str, rows: list[tuple[int, float, NamedNode, NamedNode]], whole: str
) -> Group:
    rows.sort(key=lambda row: (-row[0], -row[1], row[2].value))
    kept = rows[: _shown(name, whole)]
    return Group(name, title, len(rows), tuple(_relation(reader, *row) for row in kept))


def _relation(reader: _Reader, support: int, sure: float, other: NamedNode, statement: NamedNode) -> Relation:
    evidence = evidence_of(reader.store, statement)[:_SENTENCES]
    return Relation(reader.ref(other), support, sure, tuple(map(reader.passage, evidence)))


def _about(store: Store, node: NamedNode) -> set[NamedNode]:
    return {claim for name in ("about", *_SLOTS) for claim in subjects(store, v.kg(name), node)}


def _claims(reader: _Reader, nodes: Iterable[NamedNode], whole: str) -> Iterator[Claims]:
    by_kind: defaultdict[str, list[NamedNode]] = defaultdict(list)
    for node in nodes:
        by_kind[kind_of(reader.store, node)].append(node)
    for kind in ("Result", "Contribution", "Finding", "Limitation"):
        if found := sorted(by_kind[kind], key=lambda node: node.value):
            read = [_claim(reader, node, kind) for node in found[: _shown(kind, whole)]]
            yield Claims(kind, len(found), tuple(sorted(read, key=_reading_order)))


def _reading_order(claim: Claim) -> tuple[str, str, tuple[str, ...]]:
    slots = (claim.slots.get(name) for name in ("metric", "dataset"))
    words = "".join(piece.text for piece in claim.passage.pieces)
    return claim.passage.paper.label, words, tuple(slot.text if slot else "" for slot in slots)


def read_claim(store: Store, node: NamedNode) -> Claim:
    """The claim that this node is."""
    return _claim(_Reader(store), node, kind_of(store, node))


def _claim(reader: _Reader, node: NamedNode, kind: str) -> Claim:
    slots = {name: slot for name in _SLOTS if (slot := _slot(reader, node, name))}
    if condition := text_of(reader.store, node, v.kg("condition")):
        slots["condition"] = Slot(condition)
    passage = reader.passage(evidence_of(reader.store, node)[0])
    return Claim(node.value, kind, passage, slots, _amount(reader.store, node))


def _slot(reader: _Reader, node: NamedNode, name: str) -> Slot | None:
    entity = next(objects(reader.store, node, v.kg(name)), None)
    if entity is not None:
        return Slot(reader.ref(entity).label, entity.value)
    words = text_of(reader.store, node, v.kg(name))
    return Slot(words) if words else None


def _amount(store: Store, node: NamedNode) -> str:
    """How much and which way, in words: "increase over 4.5 %"."""
    parts = [text_of(store, node, v.kg(name)) or "" for name in ("direction", "qualifier", "value", "unit")]
    if not parts[2]:
        parts[3] = ""
    return " ".join(filter(None, parts))


def paper_ref(store: Store, node: NamedNode) -> Ref:
    """The reference to a paper."""
    return _Reader(store).ref(node)


def paper_profile(store: Store, node: NamedNode) -> PaperProfile:
    """The profile of a paper."""
    reader = _Reader(store)
    facts = (("Identifier", v.IDENTIFIER), ("Venue", v.VENUE))
    mentioned = Counter(entity for _, _, entity in reader.marks(node.value))
    entities = [reader.ref(NamedNode(iri)) for iri, _ in mentioned.most_common()]
    abstract = text_of(store, node, v.ABSTRACT) or ""
    return PaperProfile(
        reader.ref(node),
        tuple(texts(store, node, v.CREATOR)),
        tuple((name, value) for name, predicate in facts for value in texts(store, node, predicate)),
        tuple(texts(store, node, v.PAGE)),
        tuple(target.value for target in objects(store, node, v.CODE)),
        _pieces(abstract, 0, reader.marks(node.value)),
        tuple(sorted((reader.ref(e) for e in objects(store, node, v.PROPOSES)), key=lambda ref: ref.label)),
        tuple((kind, of_kind) for kind in v.ENTITY_TYPES if (of_kind := tuple(e for e in entities if e.kind == kind))),
        tuple(islice(_said_by(reader, node), _MOST)),
        tuple(_claims(reader, objects(store, node, v.STATES), "")),
    )


def _said_by(reader: _Reader, paper: NamedNode) -> Sequence[tuple[Ref, str, Ref, Passage]]:
    """The relations between entities that this paper states, each with its surest sentence."""
    found = []
    for statement in subjects(reader.store, v.SUPPORT, paper):
        said = read_statement(reader.store, statement)
        name = said.predicate.removeprefix(v.KG)
        own = [e for e in evidence_of(reader.store, statement) if e.paper == paper.value]
        if name in _OUT and own:
            ends = reader.ref(NamedNode(said.subject)), reader.ref(NamedNode(said.object))
            found.append((ends[0], _OUT[name].lower(), ends[1], reader.passage(own[0])))
    return sorted(found, key=lambda row: (row[0].label, row[1], row[2].label))
