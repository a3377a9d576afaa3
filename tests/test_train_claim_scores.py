from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from conftest import mention

from kg.records import Claim, ClaimKind, Direction, EntityType, Extraction, Paper
from kg.train.claim_scores import score_extractions

TEXT = "We present Bridge. Bridge (BR) cuts latency by 40% compared to Adam in the dark."


def line() -> dict[str, Any]:
    def at(name: str, start: int = 0) -> dict[str, Any]:
        place = TEXT.index(name, start)
        return {"start": place, "end": place + len(name), "type": "Method"}

    cut = TEXT.index("Bridge (BR)")
    return {
        "abstract": TEXT,
        "sentences": [{"start": 0, "end": cut - 1}, {"start": cut, "end": len(TEXT)}],
        "mentions": [at("Bridge"), at("Bridge", cut), at("BR"), at("latency"), at("Adam")],
        "relations": [{"head": 2, "tail": 1, "type": "sameEntity"}],
        "claims": [
            {"kind": "Contribution", "start": 0, "end": cut - 1, "about": [0]},
            {
                "kind": "Result",
                "start": cut,
                "end": len(TEXT),
                "about": [],
                "subject": 1,
                "metric": 3,
                "baseline": 4,
                "direction": "decrease",
                "value": "40",
                "unit": "%",
                "condition": "in the dark",
            },
        ],
    }


def extraction() -> Extraction:
    cut = TEXT.index("Bridge (BR)")
    found = Claim(
        ClaimKind.RESULT,
        cut,
        len(TEXT),
        subject=replace(mention(TEXT, "BR", EntityType.METHOD)),
        metric="latency",
        baseline="Adam",
        direction=Direction.DECREASE,
        value=Decimal(40),
        unit="%",
        condition="in the dark",
    )
    return Extraction(Paper(TEXT), claims=(Claim(ClaimKind.FINDING, 0, 10), found))


def test_all_slots_right_is_a_strict_hit_and_another_name_of_the_entity_is_right() -> None:
    scores = score_extractions([(line(), extraction())])
    assert scores["result"]["strict"].f1 == scores["result"]["relaxed"].f1 == 1.0
    assert scores["claim"]["all"].right == 1
    assert (scores["claim"]["Contribution"].gold, scores["claim"]["Contribution"].right) == (1, 0)
    assert scores["claim"]["Finding"].proposed == 1


def test_one_wrong_slot_is_no_strict_hit() -> None:
    found = extraction()
    wrong = replace(found, claims=(found.claims[0], replace(found.claims[1], condition=None)))
    scores = score_extractions([(line(), wrong)])
    assert scores["result"]["strict"].right == 0
    assert scores["result"]["relaxed"].right == 1
    assert scores["slot"]["condition"].right == 0


def test_a_result_in_another_sentence_is_none() -> None:
    found = extraction()
    moved = replace(found, claims=(replace(found.claims[1], start=0, end=10),))
    assert score_extractions([(line(), moved)])["result"]["strict"].right == 0


def test_words_that_mostly_agree_are_right_but_not_exact() -> None:
    found = extraction()
    other = replace(found, claims=(found.claims[0], replace(found.claims[1], condition="within dark rooms")))
    scores = score_extractions([(line(), other)])["result"]
    assert (scores["strict"].right, scores["exact"].right) == (1, 0)


def test_a_slot_that_the_annotation_leaves_empty_counts_in_closed_alone() -> None:
    found = extraction()
    other = replace(found, claims=(found.claims[0], replace(found.claims[1], task="vision")))
    scores = score_extractions([(line(), other)])
    assert (scores["result"]["strict"].right, scores["result"]["closed"].right) == (1, 0)
    assert (scores["slot"]["task"].proposed, scores["slot"]["task"].gold) == (1, 0)


def test_each_result_is_paired_with_the_one_that_fits_it_best() -> None:
    both = line()
    gold = both["claims"][1]
    both["claims"] = [{**gold, "value": "50"}, gold]
    assert score_extractions([(both, extraction())])["result"]["strict"].right == 1


def test_a_value_that_is_no_number_is_not_right() -> None:
    worded = line()
    worded["claims"][1]["value"] = "half"
    assert score_extractions([(worded, extraction())])["result"]["relaxed"].right == 0
