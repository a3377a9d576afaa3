"""What fills the slots of a result, by score."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import mention

from kg.errors import ModelError
from kg.records import Claim, ClaimKind, EntityType, Sentence
from kg.results import find_drafts
from kg.slots import LEARNED, Scene, SlotModel, candidates, features, fill_results, load_slots

TEXT = "FOO cuts latency by 40% compared to BAR on CIFAR under heavy load."
NAMES = {
    "FOO": EntityType.METHOD,
    "latency": EntityType.METRIC,
    "BAR": EntityType.METHOD,
    "CIFAR": EntityType.DATASET,
}
CLAIM = Claim(ClaimKind.RESULT, 0, len(TEXT))


def scene() -> Scene:
    mentions = tuple(mention(TEXT, name, kind) for name, kind in NAMES.items())
    return Scene(TEXT, (Sentence(0, len(TEXT)),), 0, mentions, mentions[0])


def test_a_phrase_that_a_preposition_leads_may_be_the_condition_and_so_may_nothing() -> None:
    (draft,) = find_drafts(TEXT, CLAIM, scene().inside, own=scene().own)
    values = [each.value for each in candidates(scene(), "condition", draft)]
    assert "under heavy load" in values
    assert values[-1] is None


@pytest.mark.parametrize("slot", LEARNED)
def test_each_value_is_a_candidate_once_at_its_place(slot: str) -> None:
    (draft,) = find_drafts(TEXT, CLAIM, scene().inside, own=scene().own)
    found = candidates(scene(), slot, draft)
    assert len({(str(each.value), each.start) for each in found}) == len(found)
    assert len(list(features(scene(), draft, slot, found))) == len(found)


def test_weights_decide_what_fills_a_slot() -> None:
    (draft,) = find_drafts(TEXT, CLAIM, scene().inside, own=scene().own)
    model = SlotModel({slot: {"rule": 1.0} for slot in LEARNED} | {"condition": {"first under": 1.0}})
    assert model.filled(scene(), draft).condition == "under heavy load"
    assert model.filled(scene(), draft).subject == draft.claim.subject


def test_a_condition_that_only_repeats_the_dataset_is_none() -> None:
    (draft,) = find_drafts(TEXT, CLAIM, scene().inside, own=scene().own)
    model = SlotModel({slot: {"rule": 1.0} for slot in LEARNED} | {"condition": {"first on": 1.0}})
    assert model.filled(scene(), draft).condition is None


def test_the_shipped_weights_read_a_plain_sentence() -> None:
    (found,) = fill_results(scene(), CLAIM)
    named = {slot: getattr(getattr(found, slot), "name", None) for slot in ("subject", "metric", "baseline", "dataset")}
    assert named == {"subject": "FOO", "metric": "latency", "baseline": "BAR", "dataset": "CIFAR"}
    assert (str(found.direction), str(found.value), found.unit) == ("decrease", "40", "%")


@pytest.mark.parametrize("content", [None, "{", "{}"])
def test_missing_or_damaged_weights_say_so(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "slots.json").write_text(content)
    with pytest.raises(ModelError, match="weights for results"):
        load_slots(tmp_path / "slots.json")
