"""From papers to extractions: what the model and the rules find in a text, and the way back to the original of it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from kg.acronyms import Definition, find_definitions
from kg.claims import find_claims
from kg.clean import clean
from kg.links import find_links
from kg.model import FoundSpan, Model, load_model
from kg.proposals import find_proposals
from kg.records import (
    Claim,
    CleanText,
    Extraction,
    Mention,
    Paper,
    Proposal,
    Relation,
    RelationType,
    Sentence,
    map_slots,
)
from kg.sections import Section, find_sections
from kg.sentences import around, split_sentences
from kg.variants import find_families
from kg.wordlists import is_adjective

if TYPE_CHECKING:
    from kg.records import Link

__all__ = [
    "Found",
    "Names",
    "extract_one",
    "layout",
    "read_clean",
    "read_names",
    "read_text",
    "sentence_spans",
    "sentence_starts",
    "shipped_model",
]

_WORD = re.compile(r"\S+")
_MOST = 0.7  # share of a long form that a mention must cover to be it


class Names(NamedTuple):
    """What a text names, in which sentences, and how that is related; every offset counts its characters."""

    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...]
    relations: tuple[Relation, ...]


class Found(NamedTuple):
    """What a text says; every offset counts its characters."""

    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...]
    relations: tuple[Relation, ...]
    proposals: tuple[Proposal, ...]
    claims: tuple[Claim, ...]


def read_text(text: str, spans: Sequence[tuple[int, int]], sections: Sequence[Section], model: Model) -> Found:
    """What the model and the smaller models beside it find in the text, whose sentences are these slices.

    A text is read by itself: a quantised model would let its neighbours in a batch change it.
    """
    sentences, mentions, relations = read_names(text, spans, sections, model)
    proposals = find_proposals(text, sentences, mentions)
    claims = find_claims(text, sentences, mentions, proposals)
    families = tuple(find_families(mentions, sentences))
    named = sorted({*mentions, *(relation.tail for relation in families)}, key=lambda m: (m.start, m.end))
    return Found(sentences, tuple(named), (*relations, *families), proposals, claims)


def read_names(text: str, spans: Sequence[tuple[int, int]], sections: Sequence[Section], model: Model) -> Names:
    """What the model reads in the text, made to agree with the acronyms that the text defines."""
    (reading,) = model.read([text], [spans])
    sentences = tuple(
        sentence
        for (start, end), found in zip(spans, reading.roles, strict=True)
        if (sentence := _labelled(Sentence(start, end, found.role), sections))
    )
    definitions = list(find_definitions(text))
    read = [_mention(text, found, definitions) for found in reading.spans]
    labels = {m for m in read if any(m.start < section.start and section.label < m.end for section in sections)}
    defined = tuple(_defined(text, read, definitions))
    full = {mention for relation in defined for mention in (relation.head, relation.tail)}
    kept = {
        m
        for m in read
        if m not in labels
        if m in full or not (is_adjective(m.name) or any(m.start < f.end and f.start < m.end for f in full))
    }
    relations = [
        Relation(read[r.head], r.type, read[r.tail], *around(sentences, read[r.head]), r.confidence)
        for r in reading.relations
        if {read[r.head], read[r.tail]} <= kept
    ]
    return Names(sentences, tuple(sorted(kept | full, key=lambda m: m.start)), (*relations, *defined))


def sentence_starts(text: str, sections: Iterable[Section]) -> set[int]:
    """Where the sentences of a text begin; so does one at the label of each section."""
    return {start for start, _ in split_sentences(text)} | {section.label for section in sections}


def sentence_spans(text: str, sections: Iterable[Section]) -> list[tuple[int, int]]:
    """The slices of the sentences of a text, each from its first word to the end of its last."""
    starts = sentence_starts(text, sections)
    spans: list[tuple[int, int]] = []
    for word in _WORD.finditer(text):
        first = word.start() if not spans or word.start() in starts else spans.pop()[0]
        spans.append((first, word.end()))
    return spans


def _labelled(sentence: Sentence, sections: Sequence[Section]) -> Sentence | None:
    """The sentence without a label before it, and of the role that its section's label names; None for a mere label."""
    inside = (section for section in sections if section.label < sentence.end and sentence.start < section.end)
    section = next(inside, None)
    if section is None:
        return sentence
    start = max(sentence.start, section.start)
    return Sentence(start, sentence.end, section.role or sentence.role) if start < sentence.end else None


def _mention(text: str, found: FoundSpan, definitions: Sequence[Definition]) -> Mention:
    """What the model found; where that is "long form (SF)", the long form alone."""
    within = (d.long[1] for d in definitions if found.start < d.long[1] <= d.short[0] < found.end)
    end = next(within, found.end)
    return Mention(found.start, end, found.type, text[found.start : end], found.confidence)


def _defined(text: str, mentions: Sequence[Mention], definitions: Sequence[Definition]) -> Iterator[Relation]:
    """The acronym definitions that a mention touches; a side that no mention covers becomes a mention of its own.

    A mention of but a part of a long form, such as Adam in "Shampoo with Adam in the eigenbasis (SOAP)", is not what
    the acronym stands for.
    """
    for definition in definitions:
        spans = (definition.long, definition.short)
        touching = [m for m in mentions if any(m.start < end and start < m.end for start, end in spans)]
        if not touching:
            continue
        kind = max(touching, key=lambda m: (m.end == definition.long[1], m.end - m.start))
        long, short = (
            next((m for m in touching if _covers(m, span)), None)
            or replace(kind, start=span[0], end=span[1], name=text[slice(*span)])
            for span in spans
        )
        if long != short:
            start, end = min(long.start, short.start), max(long.end, short.end)
            yield Relation(long, RelationType.SAME_ENTITY, short, start, end, kind.confidence)


def _covers(mention: Mention, span: tuple[int, int]) -> bool:
    shared = min(mention.end, span[1]) - max(mention.start, span[0])
    return shared >= _MOST * (span[1] - span[0])


@lru_cache(maxsize=1)
def shipped_model() -> Model:
    """The model that the package brings, loaded once in a process."""
    return load_model()


def extract_one(paper: Paper) -> Extraction:
    """What the paper's abstract says, with offsets into the original abstract."""
    text = clean(paper.abstract)
    return _to_extraction(read_clean(text), text, paper)


def read_clean(text: CleanText) -> Found:
    """What the cleaned text says, by its own offsets."""
    return read_text(text.text, *layout(text), shipped_model())


def layout(text: CleanText) -> tuple[list[tuple[int, int]], tuple[Section, ...]]:
    """The slices of the sentences of a cleaned text, and its sections."""
    sections = find_sections_in(text)
    return sentence_spans(text.text, sections), sections


def find_sections_in(text: CleanText) -> tuple[Section, ...]:
    """The sections of the text that was cleaned, with offsets into the cleaned one."""
    return tuple(_moved(find_sections(text.source), text))


def _moved(sections: Iterable[Section], text: CleanText) -> Iterator[Section]:
    """The sections with offsets into the cleaned text, whose lines, at which labels stand, are no more to be seen."""
    starts = [start for start, _ in text.offsets]
    for section in sections:
        label, start, end = (bisect_left(starts, place) for place in section[:3])
        yield section._replace(label=label, start=start, end=end)


def _to_extraction(found: Found, text: CleanText, paper: Paper) -> Extraction:
    back = _Back(text)
    return Extraction(
        paper,
        sentences=tuple(map(back.sentence, found.sentences)),
        mentions=tuple(map(back.mention, found.mentions)),
        relations=tuple(map(back.relation, found.relations)),
        proposals=tuple(map(back.proposal, found.proposals)),
        claims=tuple(map(back.claim, found.claims)),
        links=_links(paper.abstract),
    )


def _links(abstract: str) -> tuple[Link, ...]:
    return tuple({link.url: link for link in find_links(abstract)}.values())


class _Back:
    """Records with offsets into a cleaned text, moved to the original that it came from."""

    def __init__(self, text: CleanText) -> None:
        self.to_source = text.to_source

    def sentence(self, sentence: Sentence) -> Sentence:
        start, end = self.to_source(sentence.start, sentence.end)
        return replace(sentence, start=start, end=end)

    def mention(self, mention: Mention) -> Mention:
        start, end = self.to_source(mention.start, mention.end)
        return replace(mention, start=start, end=end)

    def relation(self, relation: Relation) -> Relation:
        start, end = self.to_source(relation.start, relation.end)
        head, tail = self.mention(relation.head), self.mention(relation.tail)
        return replace(relation, head=head, tail=tail, start=start, end=end)

    def proposal(self, proposal: Proposal) -> Proposal:
        start, end = self.to_source(proposal.start, proposal.end)
        return replace(proposal, mention=self.mention(proposal.mention), start=start, end=end)

    def claim(self, claim: Claim) -> Claim:
        start, end = self.to_source(claim.start, claim.end)
        moved = map_slots(claim, self.mention)
        return replace(moved, start=start, end=end, about=tuple(map(self.mention, claim.about)))
