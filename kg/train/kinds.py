"""Learns which kinds of claim a sentence makes, from the project's annotated abstracts (see :mod:`kg.kinds`).

    python -m kg.train.kinds

The rhetorical roles are those that the shipped model reads, so that training sees what run time will see; the
mentions are the annotated ones in one copy of each abstract and the model's in another.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kg.clean import clean
from kg.kinds import KINDS, WEIGHTS, features
from kg.model import Model, load_model
from kg.records import CleanText, EntityType, Mention, Role, Sentence

DATA = Path(__file__).with_name("data")


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


def _clean_places(cleaned: CleanText) -> np.ndarray[Any, np.dtype[np.int64]]:
    """For each place in the source, how many clean characters start before it."""
    starts = np.array([start for start, _ in cleaned.offsets] or [0])
    return np.searchsorted(starts, np.arange(len(cleaned.source) + 1))


def _span(places: np.ndarray[Any, np.dtype[np.int64]], slice_: dict[str, int]) -> tuple[int, int]:
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


def examples(abstracts: Iterable[Abstract]) -> tuple[list[dict[str, float]], np.ndarray[Any, np.dtype[np.bool_]]]:
    """The features of each sentence, and which kinds of claim it makes: (n_sentences, n_kinds)."""
    found, wanted = [], []
    for abstract in abstracts:
        for number in range(len(abstract.sentences)):
            found.append(dict(features(abstract.text, abstract.sentences, number, abstract.mentions)))
            wanted.append([kind.value in abstract.kinds[number] for kind in KINDS])
    return found, np.array(wanted)


def fit(train: Sequence[Abstract], dev: Sequence[Abstract]) -> dict[str, Any]:
    """The weights as `kinds.json` holds them; the thresholds are those with the best F1 on `dev`."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    found, wanted = examples(train)
    vectors = DictVectorizer()
    inputs = vectors.fit_transform(found)
    frequent = np.asarray((inputs > 0).sum(axis=0)).ravel() >= 3
    columns = [
        LogisticRegression(C=2.0, class_weight="balanced", max_iter=1000).fit(inputs[:, frequent], wanted[:, k])
        for k in range(len(KINDS))
    ]
    names = np.array(vectors.get_feature_names_out())[frequent]
    table = np.stack([column.coef_[0] for column in columns], axis=1)
    kept = np.abs(table).max(axis=1) > 0.02
    weights = {str(name): [round(float(w), 3) for w in row] for name, row in zip(names[kept], table[kept], strict=True)}
    content = {"biases": [round(float(c.intercept_[0]), 4) for c in columns], "thresholds": [0.5] * len(KINDS)}
    return {**content, "thresholds": _thresholds({**content, "weights": weights}, dev), "weights": weights}


def _thresholds(content: dict[str, Any], dev: Sequence[Abstract]) -> list[float]:
    chances, wanted = _chances(content, dev)
    steps = np.arange(0.3, 0.75, 0.05)
    return [
        round(float(max(steps, key=lambda least: f1(chances[:, k] >= least, wanted[:, k]))), 2)
        for k in range(len(KINDS))
    ]


def _chances(content: dict[str, Any], abstracts: Sequence[Abstract]) -> tuple[Any, Any]:
    from kg.kinds import KindModel

    model = KindModel(**content)
    found, wanted = examples(abstracts)
    return np.array([list(model.probabilities(f).values()) for f in found]), wanted


def f1(proposed: Any, wanted: Any) -> float:
    """Twice the shared over the sum of both, 0 to 1; 1 when both are empty."""
    total = int(proposed.sum() + wanted.sum())
    return float(2 * (proposed & wanted).sum() / total) if total else 1.0


def report(content: dict[str, Any], abstracts: Sequence[Abstract]) -> dict[str, float]:
    """F1 of each kind and of all together, on sentences."""
    chances, wanted = _chances(content, abstracts)
    proposed = chances >= np.array(content["thresholds"])
    scores = {kind.value: f1(proposed[:, k], wanted[:, k]) for k, kind in enumerate(KINDS)}
    return {name: round(score, 4) for name, score in ({**scores, "all": f1(proposed, wanted)}).items()}


def main() -> None:
    """Fits on train, chooses thresholds on dev, writes the weights, prints F1 on all three splits."""
    model = load_model()
    splits = {name: list(read_abstracts(DATA / f"{name}.jsonl")) for name in ("train", "dev", "test")}
    read = {name: list(as_read(model, abstracts)) for name, abstracts in splits.items()}
    gold_mentions = [replace(r, mentions=a.mentions) for a, r in zip(splits["train"], read["train"], strict=True)]
    content = fit([*read["train"], *gold_mentions], read["dev"])
    WEIGHTS.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True), encoding="utf-8")
    for name, abstracts in read.items():
        print(name, report(content, abstracts))


if __name__ == "__main__":
    main()
