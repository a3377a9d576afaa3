"""Fits the scorer of name pairs on labelled pairs: `python -m kg.train.alike [PAIRS] [OUT]`.

The pairs (`data/pairs.tsv`: names, types, cosine of their neighbours if known, verdict) were judged by reading; those
of `tests/identity/pairs.tsv` were held out. The threshold is where the cross-validated accuracy is best, and
among equals the highest: a wrong merge costs more than a missed one.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kg.alike import FEATURES, Profile, Scorer, veto
from kg.identity import canonical_key
from kg.model import WEIGHTS
from kg.records import EntityType

__all__ = ["Pair", "fit", "read_pairs"]

PAIRS = Path(__file__).with_name("data") / "pairs.tsv"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two names as a judge saw them, and whether they are one thing."""

    one: Profile
    other: Profile
    same: bool


def read_pairs(path: Path) -> Iterator[Pair]:
    """The labelled pairs in a TSV file."""
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            one, other = _profile(row["name"], row["type"]), _profile(row["other"], row["other type"])
            _share_neighbours(one, other, float(row["neighbours"] or 0))
            yield Pair(one, other, row["verdict"] == "same")


def _profile(name: str, type_: str) -> Profile:
    return Profile(canonical_key(name), Counter({EntityType(type_): 1000}), names=Counter({name: 1}), papers=1)


def _share_neighbours(one: Profile, other: Profile, cosine: float) -> None:
    """Give the two as many common neighbours as make this cosine."""
    common = round(cosine * 100)
    one.neighbours = Counter({"common": common, "only one": round((100**2 - common**2) ** 0.5)})
    other.neighbours = Counter({"common": 1})


def fit(pairs: list[Pair]) -> Scorer:
    """The scorer with the weights and the threshold that these pairs teach."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict

    open_pairs = [pair for pair in pairs if pair.one.key != pair.other.key and veto(pair.one, pair.other) is None]
    scorer = Scorer((0.0,) * len(FEATURES), 0.5)
    inputs = np.array([scorer.features(pair.one, pair.other)[:-1] for pair in open_pairs])
    right = np.array([pair.same for pair in open_pairs])
    model = LogisticRegression(C=3.0, max_iter=5000)
    chances = cross_val_predict(model, inputs, right, cv=5, method="predict_proba")[:, 1]
    thresholds = np.linspace(0.5, 0.9, 17)
    accuracies = [float(np.mean((chances >= each) == right)) for each in thresholds]
    threshold = max(zip(accuracies, thresholds, strict=True))[1]
    model.fit(inputs, right)
    print(f"{len(open_pairs)} pairs, {right.sum()} the same; cross-validated accuracy {max(accuracies):.3f}")
    return Scorer((*map(float, model.coef_[0]), float(model.intercept_[0])), round(float(threshold), 3))


def main(arguments: list[str]) -> None:
    """Fit on the pairs and write the weights."""
    pairs, out = [*map(Path, arguments), *(PAIRS, WEIGHTS / "alike.json")[len(arguments) :]]
    scorer = fit(list(read_pairs(pairs)))
    weights = {name: round(weight, 4) for name, weight in zip(FEATURES, scorer.weights, strict=True)}
    out.write_text(json.dumps({"threshold": scorer.threshold, "weights": weights}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
