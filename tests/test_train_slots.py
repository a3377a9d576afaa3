"""Learning what fills a slot."""

from __future__ import annotations

import pytest

pytest.importorskip("scipy", reason="comes with scikit-learn, of the extra `train`")

from kg.slots import LEARNED, SlotModel
from kg.train.slots import Choice, accuracy, fit


def test_a_feature_that_tells_the_right_candidates_gets_weight() -> None:
    known = [
        Choice(
            slot, (frozenset({"good", f"odd {n}"}), frozenset({"bad"}), frozenset({"kind=none"})), (True, False, False)
        )
        for slot in LEARNED
        for n in range(9)
    ]
    weights = fit(known)
    assert weights["subject"]["good"] > 0 > weights["subject"]["bad"]
    assert "odd 1" not in weights["subject"]
    assert accuracy(SlotModel(weights), known) == dict.fromkeys(LEARNED, 1.0)
