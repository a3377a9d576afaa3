"""The extractor as components of spaCy, for any of its pipelines::

    nlp = spacy.blank("en")
    nlp.add_pipe("kg_sentences")
    nlp.add_pipe("kg_extractor")
    doc = nlp("We propose SOAP for language model pre-training.")
    doc.spans["kg_mentions"], doc._.kg_relations, doc._.kg_claims

Every offset counts characters of `doc.text`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from spacy.attrs import SENT_START
from spacy.language import Language
from spacy.tokens import Doc, SpanGroup

from kg.extract import read_text, sentence_starts, shipped_model
from kg.model import Model
from kg.sections import find_sections

__all__ = ["SPANS_KEY", "Extractor", "make_extractor", "make_sentences"]

SPANS_KEY = "kg_mentions"
"""Where a `Doc` keeps its mentions, as a span group whose labels are the entity types."""

for _name in ("kg_sentences", "kg_mentions", "kg_relations", "kg_proposals", "kg_claims"):
    Doc.set_extension(_name, default=(), force=True)


@Language.factory("kg_sentences")
def make_sentences(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """A component that sets sentence boundaries fit for abstracts."""
    del nlp, name
    return _set_sentences


def _set_sentences(doc: Doc) -> Doc:
    starts = sentence_starts(doc.text, find_sections(doc.text))
    marks: Any = np.array([[1 if token.i == 0 or token.idx in starts else -1] for token in doc], dtype=np.int64)
    # All at once: setting token by token takes time in the square of their number.
    return doc.from_array([SENT_START], marks.astype(np.uint64)) if len(doc) else doc


@Language.factory("kg_extractor")
def make_extractor(nlp: Language, name: str) -> Extractor:
    """A component that finds mentions, relations, proposals and claims; it needs sentence boundaries."""
    del nlp, name
    return Extractor(shipped_model())


class Extractor:
    """The component `kg_extractor`."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def __call__(self, doc: Doc) -> Doc:
        """The document with its mentions, relations, proposals and claims set."""
        text = doc.text
        spans = [(sentence.start_char, sentence.end_char) for sentence in doc.sents]
        found = read_text(text, spans, find_sections(text), self.model)
        for name, value in found._asdict().items():
            setattr(doc._, f"kg_{name}", value)
        marked = (doc.char_span(m.start, m.end, label=m.type.value, alignment_mode="expand") for m in found.mentions)
        doc.spans[SPANS_KEY] = SpanGroup(doc, name=SPANS_KEY, spans=[span for span in marked if span is not None])
        return doc

    def pipe(self, stream: Iterable[Doc], **_: object) -> Iterator[Doc]:
        """The documents, each read by itself."""
        return map(self, stream)
