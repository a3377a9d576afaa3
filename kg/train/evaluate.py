"""Scores of the shipped extractor on a corpus file; needs no torch.

`kg evaluate FILE` reads SciER's JSON Lines, CSAbstruct's, or the project's own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path

from kg.errors import InputError
from kg.model import Model, Reading
from kg.train.claim_scores import score_claims
from kg.train.corpora import Document, Link, Span, read_csabstruct, read_own, read_scier
from kg.train.scores import Score, score_documents

__all__ = ["as_json", "as_table", "evaluate", "predicted", "read_corpus"]

READERS = {"ner": read_scier, "labels": read_csabstruct, "mentions": read_own}
"""The field that tells a form of corpus, and its reader."""
WINDOWS = {"ner": 192}
"""Forms of whole papers, read in windows as in training; abstracts are read whole."""


def read_corpus(path: Path) -> tuple[list[Document], int | None]:
    """The documents of a corpus file whose form its first line tells, and the window for them, if not the default."""
    try:
        with path.open(encoding="utf-8") as lines:
            first = json.loads(next(islice(lines, 1), "{}"))
    except (OSError, ValueError) as error:
        raise InputError("corpus file cannot be read", where=str(path), hint=str(error)) from error
    for field, reader in READERS.items():
        if field in first:
            return list(reader(path)), WINDOWS.get(field)
    hint = "SciER's and CSAbstruct's JSON Lines and those of kg/train/data are"
    raise InputError("the form of the corpus is not known", where=str(path), hint=hint)


def evaluate(path: Path, model: Model, *, min_confidence: float = 0.0) -> dict[str, dict[str, Score]]:
    """Measure ("ner", "rel", "rel+", "role") to label to score, of what `model` reads in the corpus at `path`.

    Of the project's own abstracts also "claim", "result" and "slot", of what the shipped extractor finds in them.
    """
    documents, longest = read_corpus(path)
    texts, sentences = [each.text for each in documents], [each.sentences for each in documents]
    readings = model.read(texts, sentences, longest=longest)
    found = [
        predicted(document, reading, min_confidence=min_confidence)
        for document, reading in zip(documents, readings, strict=True)
    ]
    scores = score_documents(zip(documents, found, strict=True))
    return scores | score_claims(path) if _has_claims(path) else scores


def _has_claims(path: Path) -> bool:
    with path.open(encoding="utf-8") as lines:
        return "claims" in json.loads(next(islice(lines, 1), "{}"))


def predicted(document: Document, reading: Reading, *, min_confidence: float = 0.0) -> Document:
    """`document` with what the model read in place of its annotation, as far as it is confident enough."""
    mentions = [Span(span.start, span.end, span.type) for span in reading.spans]
    sure = {number for number, span in enumerate(reading.spans) if span.confidence >= min_confidence}
    numbers = {old: new for new, old in enumerate(sorted(sure))}
    relations = tuple(
        Link(numbers[relation.head], numbers[relation.tail], relation.type)
        for relation in reading.relations
        if relation.confidence >= min_confidence and {relation.head, relation.tail} <= sure
    )
    return replace(
        document,
        mentions=tuple(mentions[number] for number in sorted(sure)),
        relations=relations,
        roles=tuple(found.role for found in reading.roles),
    )


def as_json(scores: dict[str, dict[str, Score]]) -> str:
    """The scores as JSON: measure, label, then precision, recall, f1 (0 to 1), right, proposed and gold."""
    content = {
        measure: {
            label: {"precision": score.precision, "recall": score.recall, "f1": score.f1, **asdict(score)}
            for label, score in labels.items()
        }
        for measure, labels in scores.items()
    }
    return json.dumps(content, indent=1)


def as_table(scores: dict[str, dict[str, Score]]) -> str:
    """The scores as lines of text, in percent."""
    lines = [f"{'':6}{'label':16}{'P':>7}{'R':>7}{'F1':>7}{'gold':>7}"]
    lines += [_line(measure, label, score) for measure, labels in scores.items() for label, score in labels.items()]
    return "\n".join(lines)


def _line(measure: str, label: str, score: Score) -> str:
    percents: Sequence[float] = (score.precision, score.recall, score.f1)
    return f"{measure:6}{label:16}" + "".join(f"{100 * each:7.2f}" for each in percents) + f"{score.gold:7}"
