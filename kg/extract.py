"""From papers to extractions: the spaCy pipeline, and the way back from cleaned text to the original.

The components work in any spaCy pipeline::

    nlp = spacy.blank("en")
    nlp.add_pipe("kg_sentences")
    nlp.add_pipe("kg_extractor")
    doc = nlp("We propose SOAP for language model pre-training.")
    doc.spans["kg_mentions"], doc._.kg_relations, doc._.kg_claims

There, every offset counts characters of `doc.text`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import spacy
from spacy.attrs import SENT_START
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, SpanGroup

from kg.acronyms import Definition, find_definitions
from kg.claims import find_claims
from kg.clean import clean
from kg.links import find_links
from kg.model import FoundSpan, Model, Reading, load_model
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
from kg.sentences import split_sentences

if TYPE_CHECKING:
    from kg.records import Link

__all__ = ["extract_one", "find_sections_in", "load_pipeline"]

SPANS_KEY = "kg_mentions"
"""Where a `Doc` keeps its mentions, as a span group whose labels are the entity types."""

_ADJECTIVE = re.compile(r"\S+-(?:[a-z]+ed|aware|driven|free|specific|like|style|centric|agnostic)")
"""A word such as "GNN-augmented" says how something is, and names nothing."""

_MOST = 0.7  # share of a long form that a mention must cover to be it

Doc.set_extension("kg_sections", default=None, force=True)  # where the labels of a structured abstract stand
for _name in ("kg_sentences", "kg_mentions", "kg_relations", "kg_proposals", "kg_claims"):
    Doc.set_extension(_name, default=(), force=True)


@Language.factory("kg_sentences")
def make_sentences(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """A component that sets sentence boundaries fit for abstracts."""
    del nlp, name
    return _set_sentences


def _set_sentences(doc: Doc) -> Doc:
    starts = {start for start, _ in split_sentences(doc.text)} | {section.label for section in _sections(doc)}
    marks: Any = np.array([[1 if token.i == 0 or token.idx in starts else -1] for token in doc], dtype=np.int64)
    # All at once: setting token by token takes time in the square of their number.
    return doc.from_array([SENT_START], marks.astype(np.uint64)) if len(doc) else doc


def _sections(doc: Doc) -> tuple[Section, ...]:
    if doc._.kg_sections is None:
        doc._.kg_sections = find_sections(doc.text)
    found: tuple[Section, ...] = doc._.kg_sections
    return found


@Language.factory("kg_extractor")
def make_extractor(nlp: Language, name: str) -> Extractor:
    """A component that finds mentions, relations, proposals and claims; it needs sentence boundaries."""
    del nlp, name
    return Extractor(_model())


@lru_cache(maxsize=1)
def _model() -> Model:
    return load_model()


class Extractor:
    """The component `kg_extractor`: what the model reads, and what cues and patterns find in it."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def __call__(self, doc: Doc) -> Doc:
        """The document with its mentions, relations, proposals and claims set."""
        spans = [(sentence.start_char, sentence.end_char) for sentence in doc.sents]
        (reading,) = self.model.read([doc.text], [spans])
        return _set_extractions(doc, reading)

    def pipe(self, stream: Iterable[Doc], **_: object) -> Iterator[Doc]:
        """The documents, each read by itself: a quantised model would let its neighbours in a batch change it."""
        return map(self, stream)


def _set_extractions(doc: Doc, reading: Reading) -> Doc:
    text = doc.text
    sections = _sections(doc)
    sentences = tuple(
        sentence
        for span, found in zip(doc.sents, reading.roles, strict=True)
        if (sentence := _labelled(Sentence(span.start_char, span.end_char, found.role), sections))
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
        if m in full or not (_ADJECTIVE.fullmatch(m.name) or any(m.start < f.end and f.start < m.end for f in full))
    }
    relations = [
        Relation(read[r.head], r.type, read[r.tail], *_around(sentences, read[r.head]), r.confidence)
        for r in reading.relations
        if {read[r.head], read[r.tail]} <= kept
    ]
    mentions = tuple(sorted(kept | full, key=lambda m: m.start))
    proposals = find_proposals(text, sentences, mentions)
    doc._.kg_sentences = sentences
    doc._.kg_mentions = mentions
    doc._.kg_relations = (*relations, *defined)
    doc._.kg_proposals = proposals
    doc._.kg_claims = find_claims(text, sentences, mentions, proposals)
    spans = [doc.char_span(m.start, m.end, label=m.type.value, alignment_mode="expand") for m in mentions]
    doc.spans[SPANS_KEY] = SpanGroup(doc, name=SPANS_KEY, spans=[span for span in spans if span is not None])
    return doc


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


def _around(sentences: Sequence[Sentence], mention: Mention) -> tuple[int, int]:
    """The slice of the sentence that holds the mention, or of the mention itself where it crosses a boundary."""
    inside = (s for s in sentences if s.start <= mention.start and mention.end <= s.end)
    found = next(inside, None) or mention
    return found.start, found.end


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
def load_pipeline() -> Language:
    """The pipeline that :func:`extract_one` runs: our two components over words that white space parts.

    spaCy's English tokenizer takes time in the square of a run of brackets, and our components read characters.
    """
    nlp = spacy.blank("en")
    nlp.tokenizer = Tokenizer(nlp.vocab)
    nlp.max_length = 10_000_000  # no parser and no tagger: memory grows with the text alone
    nlp.add_pipe("kg_sentences")
    nlp.add_pipe("kg_extractor")
    return nlp


def extract_one(paper: Paper) -> Extraction:
    """What the paper's abstract says, with offsets into the original abstract."""
    text = clean(paper.abstract)
    nlp = load_pipeline()
    doc = nlp.make_doc(text.text)
    doc._.kg_sections = find_sections_in(text)
    return _to_extraction(nlp(doc), text, paper)


def find_sections_in(text: CleanText) -> tuple[Section, ...]:
    """The sections of the text that was cleaned, with offsets into the cleaned one."""
    return tuple(_moved(find_sections(text.source), text))


def _moved(sections: Iterable[Section], text: CleanText) -> Iterator[Section]:
    """The sections with offsets into the cleaned text, whose lines, at which labels stand, are no more to be seen."""
    starts = [start for start, _ in text.offsets]
    for section in sections:
        label, start, end = (bisect_left(starts, place) for place in section[:3])
        yield section._replace(label=label, start=start, end=end)


def _to_extraction(doc: Doc, text: CleanText, paper: Paper) -> Extraction:
    back = _Back(text)
    return Extraction(
        paper,
        sentences=tuple(map(back.sentence, doc._.kg_sentences)),
        mentions=tuple(map(back.mention, doc._.kg_mentions)),
        relations=tuple(map(back.relation, doc._.kg_relations)),
        proposals=tuple(map(back.proposal, doc._.kg_proposals)),
        claims=tuple(map(back.claim, doc._.kg_claims)),
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
