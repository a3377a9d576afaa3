"""Sentences as they stand in abstracts, and the results that they report."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import mention

from kg.records import SLOTS, Claim, ClaimKind, EntityType, Mention
from kg.results import find_results

M, T, D, X = EntityType.METHOD, EntityType.TASK, EntityType.DATASET, EntityType.METRIC
SHOWN = ("subject", "direction", "value", "unit", "qualifier", "metric", "baseline", "dataset", "task", "condition")


def read(text: str, names: dict[str, EntityType], own: str | None = None) -> list[dict[str, Any]]:
    mentions = sorted((mention(text, name, kind) for name, kind in names.items()), key=lambda m: m.start)
    proposed = None if own is None else Mention(0, 1, M, own)
    found = find_results(text, Claim(ClaimKind.RESULT, 0, len(text)), mentions, own=proposed)
    return [_shown(claim) for claim in found]


def _shown(claim: Claim) -> dict[str, Any]:
    values = {slot: getattr(claim, slot) for slot in SHOWN}
    plain = {s: v.name if s in SLOTS and isinstance(v, Mention) else str(v) for s, v in values.items() if v is not None}
    return {slot: plain[slot] for slot in SHOWN if slot in plain}


@pytest.mark.parametrize(
    ("text", "names", "own", "expected"),
    [
        (
            "FOO outperforms BAR and BAZ by 3.2 points in accuracy on SQuAD.",
            {"FOO": M, "BAR": M, "BAZ": M, "accuracy": X, "SQuAD": D},
            None,
            [
                {
                    "subject": "FOO",
                    "direction": "better",
                    "value": "3.2",
                    "unit": "points",
                    "metric": "accuracy",
                    "baseline": baseline,
                    "dataset": "SQuAD",
                }
                for baseline in ("BAR", "BAZ")
            ],
        ),
        (
            "Our method reduces latency by up to 40% compared to BAR.",
            {"latency": X, "BAR": M},
            "FOO",
            [
                {
                    "subject": "FOO",
                    "direction": "decrease",
                    "value": "40",
                    "unit": "%",
                    "qualifier": "up to",
                    "metric": "latency",
                    "baseline": "BAR",
                }
            ],
        ),
        (
            "It improves accuracy and robustness.",
            {"accuracy": X, "robustness": X},
            "FOO",
            [{"subject": "FOO", "direction": "better", "metric": metric} for metric in ("accuracy", "robustness")],
        ),
        (
            "FOO achieves 46.4% precision and 54.8% recall on DEV.",
            {"FOO": M, "precision": X, "recall": X, "DEV": D},
            None,
            [
                {"subject": "FOO", "value": value, "unit": "%", "metric": metric, "dataset": "DEV"}
                for value, metric in (("46.4", "precision"), ("54.8", "recall"))
            ],
        ),
        (
            "FOO is 2.5x faster than BAR.",
            {"FOO": M, "BAR": M},
            None,
            [{"subject": "FOO", "direction": "increase", "value": "2.5", "unit": "×", "baseline": "BAR"}],
        ),
        (
            "FOO consistently outperforms other methods, including BAR and BAZ, while offering flexibility.",
            {"FOO": M, "BAR": M, "BAZ": M},
            None,
            [{"subject": "FOO", "direction": "better", "baseline": baseline} for baseline in ("BAR", "BAZ")],
        ),
        (
            "FOO outperforms existing methods.",
            {"FOO": M},
            None,
            [{"subject": "FOO", "direction": "better", "baseline": "existing methods"}],
        ),
        (
            "FOO achieves gains of up to +3.1 percentage points in accuracy, +1.3 in recall, and +1.1 in precision.",
            {"FOO": M, "accuracy": X, "recall": X, "precision": X},
            None,
            [
                {
                    "subject": "FOO",
                    "direction": "better",
                    "value": value,
                    "unit": "percentage points",
                    "qualifier": "up to",
                    "metric": metric,
                }
                for value, metric in (("3.1", "accuracy"), ("1.3", "recall"), ("1.1", "precision"))
            ],
        ),
        (
            "FOO cuts the number of steps by over 40% and wall clock time by over 35%.",
            {"FOO": M},
            None,
            [
                {
                    "subject": "FOO",
                    "direction": "decrease",
                    "value": value,
                    "unit": "%",
                    "qualifier": "over",
                    "metric": metric,
                }
                for value, metric in (("40", "number of steps"), ("35", "wall clock time"))
            ],
        ),
        (
            "FOO cuts the number of steps by 40% and latency by 35%.",
            {"FOO": M, "latency": X},
            None,
            [
                {"subject": "FOO", "direction": "decrease", "value": value, "unit": "%", "metric": metric}
                for value, metric in (("40", "number of steps"), ("35", "latency"))
            ],
        ),
        (
            "FOO reaches an accuracy of 81.4% and 79.2% on ONE and TWO, respectively.",
            {"FOO": M, "accuracy": X, "ONE": D, "TWO": D},
            None,
            [
                {"subject": "FOO", "value": value, "unit": "%", "metric": "accuracy", "dataset": data}
                for value, data in (("81.4", "ONE"), ("79.2", "TWO"))
            ],
        ),
        (
            "The accuracy of FOO improved by up to 7.4%.",
            {"FOO": M, "accuracy": X},
            None,
            [
                {
                    "subject": "FOO",
                    "direction": "better",
                    "value": "7.4",
                    "unit": "%",
                    "qualifier": "up to",
                    "metric": "accuracy",
                }
            ],
        ),
        (
            "Under limited data, FOO surpasses BAR.",
            {"FOO": M, "BAR": M},
            None,
            [{"subject": "FOO", "direction": "better", "baseline": "BAR", "condition": "Under limited data"}],
        ),
    ],
)
def test_a_sentence_gives_its_results(
    text: str, names: dict[str, EntityType], own: str | None, expected: list[dict[str, str]]
) -> None:
    assert read(text, names, own) == expected


def test_the_scores_of_what_is_compared_with_are_no_results() -> None:
    text = "FOO reaches 81.8% accuracy compared to BAR (75.2%) and BAZ (70.9%), or 39.7% vs. 17.6% recall, p < 0.05."
    found = read(text, {"FOO": M, "BAR": M, "BAZ": M, "accuracy": X, "recall": X})
    assert {each.get("value") for each in found} <= {"81.8", "39.7", None}


def test_a_result_without_a_cue_still_says_what_it_is_about() -> None:
    assert read("FOO works well.", {"FOO": M}) == [{"subject": "FOO"}]
