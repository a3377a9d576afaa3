"""Learns which kinds of claim a sentence makes, from the project's annotated abstracts (see :mod:`kg.kinds`).

    python -m kg.train.kinds

The rhetorical roles and the mentions are those that the shipped model reads, so that training sees what run time
will see. Thresholds are chosen on held-out folds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kg.clean import clean
from kg.kinds import KINDS, WEIGHTS, KindModel, features
from kg.model import Model, load_model
from kg.records import CleanText, EntityType, Mention, Role, Sentence
from kg.train.logistic import FOLDS, best_threshold, f1, fit_columns, write_weights
from kg.train.reads import DATA

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

STRENGTH = 1.0  # inverse of the regularisation


@dataclass(frozen=True, slots=True)
class Abstract:
    """A cleaned abstract with its sentences, mentions, and the kinds of claim of each sentence."""

    text: str
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...]
    kinds: tuple[frozenset[str], ...]


def read_abstracts(path: Path) -> Iterator[Abstract]:
    """The annotated abstracts of a corpus file, in cleaned text."""
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        cleaned = clean(record["abstract"])
        starts = _clean_places(cleaned)
        sentences = tuple(Sentence(*_span(starts, s), Role(s["role"])) for s in record["sentences"])
        mentions = tuple(_mention(cleaned, _span(starts, m), m["type"]) for m in record["mentions"])
        kinds = [
            frozenset(c["kind"] for c in record["claims"] if s["start"] <= c["start"] < s["end"])
            for s in record["sentences"]
        ]
        yield Abstract(cleaned.text, sentences, mentions, tuple(kinds))


def _clean_places(cleaned: CleanText) -> NDArray[np.int64]:
    """For each place in the source, how many clean characters start before it."""
    starts = np.array([start for start, _ in cleaned.offsets] or [0])
    return np.searchsorted(starts, np.arange(len(cleaned.source) + 1))


def _span(places: NDArray[np.int64], slice_: dict[str, int]) -> tuple[int, int]:
    return int(places[slice_["start"]]), int(places[slice_["end"]])


def _mention(cleaned: CleanText, span: tuple[int, int], kind: str) -> Mention:
    return Mention(*span, EntityType(kind), cleaned.text[slice(*span)])


def as_read(model: Model, abstracts: Sequence[Abstract]) -> Iterator[Abstract]:
    """The abstracts with the roles and mentions that the model reads in place of the annotated ones."""
    spans = [[(s.start, s.end) for s in abstract.sentences] for abstract in abstracts]
    readings = model.read([abstract.text for abstract in abstracts], spans)
    for abstract, reading in zip(abstracts, readings, strict=True):
        sentences = tuple(replace(s, role=r.role) for s, r in zip(abstract.sentences, reading.roles, strict=True))
        mentions = tuple(Mention(s.start, s.end, s.type, abstract.text[s.start : s.end]) for s in reading.spans)
        yield replace(abstract, sentences=sentences, mentions=mentions)


def examples(abstracts: Iterable[Abstract]) -> tuple[list[dict[str, float]], Bools]:
    """The features of each sentence, and which kinds of claim it makes: (n_sentences, n_kinds)."""
    found, wanted = [], []
    for abstract in abstracts:
        for number in range(len(abstract.sentences)):
            found.append(dict(features(abstract.text, abstract.sentences, number, abstract.mentions)))
            wanted.append([kind.value in abstract.kinds[number] for kind in KINDS])
    return found, np.array(wanted)


def fit(abstracts: Sequence[Abstract]) -> dict[str, Any]:
    """The weights as `kinds.json` holds them, with a threshold of one half for each kind."""
    found, wanted = examples(abstracts)
    biases, weights = fit_columns(found, wanted, C=STRENGTH, class_weight="balanced")
    return {"biases": biases, "thresholds": [0.5] * len(KINDS), "weights": weights}


def with_thresholds(content: dict[str, Any], abstracts: Sequence[Abstract]) -> dict[str, Any]:
    """The weights with the thresholds that are best on abstracts that a fit has not seen, fold by fold."""
    folds = [abstracts[number::FOLDS] for number in range(FOLDS)]
    chances, wanted = [], []
    for number, held in enumerate(folds):
        seen = [a for other, fold in enumerate(folds) if other != number for a in fold]
        found = probabilities(fit(seen), held)
        chances.append(found[0])
        wanted.append(found[1])
    all_chances, all_wanted = np.concatenate(chances), np.concatenate(wanted)
    best = [best_threshold(all_chances[:, k], all_wanted[:, k]) for k in range(len(KINDS))]
    return {**content, "thresholds": best}


def probabilities(content: dict[str, Any], abstracts: Sequence[Abstract]) -> tuple[Floats, Bools]:
    """How likely each sentence makes each kind of claim, and whether it does: both (n_sentences, n_kinds)."""
    model = KindModel(**content)
    found, wanted = examples(abstracts)
    return np.array([list(model.probabilities(f).values()) for f in found]), wanted


def report(content: dict[str, Any], abstracts: Sequence[Abstract]) -> dict[str, float]:
    """F1 of each kind and of all together, on sentences."""
    chances, wanted = probabilities(content, abstracts)
    proposed = chances >= np.array(content["thresholds"])
    scores = {kind.value: f1(proposed[:, k], wanted[:, k]) for k, kind in enumerate(KINDS)}
    return {name: round(score, 4) for name, score in ({**scores, "all": f1(proposed, wanted)}).items()}


def main() -> None:
    """Fits on train and dev, writes the weights, prints F1 on what was fitted and on test."""
    model = load_model()
    splits = {name: list(read_abstracts(DATA / f"{name}.jsonl")) for name in ("train", "dev", "test")}
    read = {name: list(as_read(model, abstracts)) for name, abstracts in splits.items()}
    known = [*read["train"], *read["dev"]]
    content = with_thresholds(fit(known), known)
    write_weights(WEIGHTS, content)
    for name, abstracts in (("fitted", known), ("test", read["test"])):
        print(name, report(content, abstracts))


if __name__ == "__main__":
    main()
