from __future__ import annotations

from pathlib import Path

import pytest
from conftest import mention

from kg.errors import ModelError
from kg.kinds import KindModel, features, load_kinds
from kg.records import ClaimKind, Role, Sentence

TEXT = "Old. We propose SOAP with 3 tricks."
SENTENCES = (Sentence(0, 4, Role.BACKGROUND), Sentence(5, len(TEXT), Role.OBJECTIVE))


def test_names_and_numbers_do_not_become_features() -> None:
    found = dict(features(TEXT, SENTENCES, 1, [mention(TEXT, "SOAP")]))
    assert "we propose METHOD" in found
    assert "with 0 tricks" in found
    assert not any("soap" in name.lower() or "3" in name for name in found)


def test_place_and_roles_are_features() -> None:
    found = dict(features(TEXT, SENTENCES, 1, []))
    assert (found["#last"], found["#role=objective"], found["#before=background"]) == (1.0, 1.0, 1.0)
    assert "#first" not in found


def test_a_kind_is_claimed_from_its_threshold_on() -> None:
    model = KindModel({"x": [2.0, 0.0, 0.0, 0.0]}, [0.0, 0.0, 0.0, -9.0], [0.8, 0.5, 0.6, 0.5])
    found = model.kinds({"x": 1.0, "unknown": 1.0})
    assert set(found) == {ClaimKind.CONTRIBUTION, ClaimKind.RESULT}
    assert found[ClaimKind.RESULT] == 0.5
    assert round(found[ClaimKind.CONTRIBUTION], 3) == 0.881


@pytest.mark.parametrize("content", [None, "{", "{}"])
def test_missing_or_damaged_weights_say_so(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "kinds.json").write_text(content)
    with pytest.raises(ModelError, match="weights for claims"):
        load_kinds(tmp_path / "kinds.json")


def test_the_shipped_weights_load() -> None:
    assert len(load_kinds().weights) > 1000
