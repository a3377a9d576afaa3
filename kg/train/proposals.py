"""Learns what a paper introduces, from the project's annotated abstracts (see :mod:`kg.proposals`).

    python -m kg.train.proposals

Mentions are those that the shipped extractor finds. A name is right when it has the key of an annotated one or of its
other name, or covers it for the most part; the threshold is chosen on held-out folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from kg.clean import clean
from kg.identity import canonical_key
from kg.proposals import WEIGHTS, Naming, ProposalModel, namings
from kg.train.claim_scores import Json
from kg.train.logistic import FOLDS, THRESHOLDS, fit_columns, write_weights
from kg.train.reads import DATA, Read, read_lines
from kg.train.scores import Score

STRENGTH = 0.4  # inverse of the regularisation
COVERED = 2 / 3  # of the longer of two spans that are one name
Content = dict[str, Any]


class Annotated(NamedTuple):
    """The names of an abstract, which introduced thing each is (None: none), and how many there are."""

    names: tuple[Naming, ...]
    things: tuple[int | None, ...]
    introduced: int


def annotated(read: Read) -> Annotated:
    """The names that the extractor sees, beside what the annotation says that the paper introduces."""
    introduced = list(_introduced(read.line))
    names = tuple(namings(read.text.text, read.sentences, read.mentions))
    things = tuple(next((n for n, thing in enumerate(introduced) if _is(name, thing, read)), None) for name in names)
    return Annotated(names, things, len(introduced))


class _Thing(NamedTuple):
    keys: set[str]
    spans: list[tuple[int, int]]


def _introduced(line: Json) -> Iterator[_Thing]:
    """Each thing that the paper introduces, by the keys of its names and where these stand."""
    spans = [(m["start"], m["end"]) for m in line["mentions"]]
    keys = [canonical_key(clean(line["abstract"][slice(*span)]).text) for span in spans]
    proposed = {keys[number] for number in line["proposes"]}
    same = [r for r in line["relations"] if r["type"] in ("sameEntity", "same")]
    for group in _joined([*({key} for key in sorted(proposed)), *({keys[r["head"]], keys[r["tail"]]} for r in same)]):
        if group & proposed:
            yield _Thing(group, [span for span, key in zip(spans, keys, strict=True) if key in group])


def _joined(groups: Sequence[set[str]]) -> list[set[str]]:
    """The groups, those that share a key made one."""
    joined: list[set[str]] = []
    for group in groups:
        apart = [other for other in joined if not other & group]
        joined = [*apart, group.union(*(other for other in joined if other & group))]
    return joined


def _is(name: Naming, thing: _Thing, read: Read) -> bool:
    return name.key in thing.keys or any(
        min(end, last) - max(start, first) > COVERED * max(end - start, last - first)
        for mention in name.mentions
        for start, end in [read.text.to_source(mention.start, mention.end)]
        for first, last in thing.spans
    )


def fit(known: Sequence[Annotated]) -> Content:
    """The weights as `proposals.json` holds them, with a threshold of one half."""
    found = [name.together for each in known for name in each.names]
    wanted = np.array([[thing is not None] for each in known for thing in each.things])
    (bias,), weights = fit_columns(found, wanted, C=STRENGTH)
    return {"bias": bias, "threshold": 0.5, "weights": {name: weight for name, (weight,) in weights.items()}}


def with_threshold(content: Content, known: Sequence[Annotated]) -> Content:
    """The weights with the threshold that is best on abstracts that a fit has not seen, fold by fold."""
    chances: dict[int, list[float]] = {}
    for fold in range(FOLDS):
        model = ProposalModel(**fit([each for number, each in enumerate(known) if number % FOLDS != fold]))
        for number in range(fold, len(known), FOLDS):
            chances[number] = list(map(model.probability, known[number].names))
    unseen = [chances[number] for number in range(len(known))]
    best = max(THRESHOLDS, key=lambda threshold: _score(known, unseen, threshold).f1)
    return {**content, "threshold": round(float(best), 2)}


def score(content: Content, known: Sequence[Annotated]) -> Score:
    """Precision, recall and F1 of the things introduced; those of which no name is seen count as missed."""
    model = ProposalModel(**content)
    return _score(known, [list(map(model.probability, each.names)) for each in known], model.threshold)


def _score(known: Sequence[Annotated], chances: Sequence[Sequence[float]], threshold: float) -> Score:
    """The score of the names whose chance, of those of their abstract, reaches the threshold."""
    right = proposed = gold = 0
    for each, own in zip(known, chances, strict=True):
        taken = [thing for thing, chance in zip(each.things, own, strict=True) if chance >= threshold]
        hits = {thing for thing in taken if thing is not None}
        right += len(hits)
        proposed += len(hits) + taken.count(None)
        gold += each.introduced
    return Score(right, proposed, gold)


def main() -> None:
    """Fits on train and dev, writes the weights, prints the scores on what was fitted and on test."""
    splits = {name: list(map(annotated, read_lines(DATA / f"{name}.jsonl"))) for name in ("train", "dev", "test")}
    known = [*splits["train"], *splits["dev"]]
    content = with_threshold(fit(known), known)
    write_weights(WEIGHTS, content)
    for name, abstracts in (("fitted", known), ("test", splits["test"])):
        print(name, score(content, abstracts))


if __name__ == "__main__":
    main()
