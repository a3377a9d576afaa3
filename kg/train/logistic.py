"""Logistic regression over named features, as the small models beside the network use it, and how weights are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FOLDS", "THRESHOLDS", "best_threshold", "f1", "fit_columns", "write_weights"]

FOLDS = 8
FEWEST = 3  # examples that must have a feature
LEAST = 0.02  # weights below are left out
THRESHOLDS = np.arange(0.2, 0.85, 0.05)  # those that are tried


def fit_columns(
    found: Sequence[dict[str, float]], wanted: NDArray[np.bool_], **options: Any
) -> tuple[list[float], dict[str, list[float]]]:
    """One regression a column of `wanted` (n_examples, n_columns): the biases, and the weights of each feature.

    `options` are those of scikit-learn's LogisticRegression.
    """
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    vectors = DictVectorizer()
    inputs = vectors.fit_transform(found)
    frequent = np.asarray((inputs > 0).sum(axis=0)).ravel() >= FEWEST
    columns = [
        LogisticRegression(max_iter=3000, **options).fit(inputs[:, frequent], column) for column in wanted.transpose()
    ]
    names = np.array(vectors.get_feature_names_out())[frequent]
    table = np.stack([column.coef_[0] for column in columns], axis=1)
    kept = np.abs(table).max(axis=1) > LEAST
    weights = {str(name): [round(float(w), 3) for w in row] for name, row in zip(names[kept], table[kept], strict=True)}
    return [round(float(column.intercept_[0]), 4) for column in columns], weights


def f1(proposed: Any, wanted: Any) -> float:
    """Twice the shared over the sum of both, 0 to 1; 1 when both are empty."""
    total = int(proposed.sum() + wanted.sum())
    return float(2 * (proposed & wanted).sum() / total) if total else 1.0


def best_threshold(chances: NDArray[np.float64], wanted: NDArray[np.bool_]) -> float:
    """The probability from which on to say yes, for the best F1."""
    return round(float(max(THRESHOLDS, key=lambda step: f1(chances >= step, wanted))), 2)


def write_weights(path: Path, content: Mapping[str, Any]) -> None:
    """Write the weights as JSON: the same content gives the same bytes."""
    path.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True), encoding="utf-8")
