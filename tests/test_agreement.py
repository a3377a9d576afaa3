from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import mention
from pyoxigraph import Store

from kg import vocabulary as v
from kg.agreement import MOST, Comparable, agreements, comparable
from kg.query import run_named
from kg.reading import links
from kg.records import Claim, ClaimKind, Direction, Extraction, Paper

ABOUT = ("soap", "speed", "adam")


def claim(number: int, direction: Direction, *, negated: bool = False, paper: str | None = None) -> Comparable:
    return Comparable(f"claim{number}", paper or f"paper{number}", ABOUT, direction, negated)


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (Direction.BETTER, Direction.BETTER, True),
        (Direction.BETTER, Direction.WORSE, False),
        (Direction.INCREASE, Direction.DECREASE, False),
        (Direction.INCREASE, Direction.BETTER, None),
        (Direction.EQUAL, Direction.BETTER, False),
        (Direction.EQUAL, Direction.INCREASE, None),
        (Direction.EQUAL, Direction.EQUAL, True),
    ],
)
def test_directions_are_compared(one: Direction, other: Direction, agree: bool | None) -> None:
    expected = [] if agree is None else [("claim1", "claim2", agree)]
    assert list(agreements([claim(1, one), claim(2, other)])) == expected
    assert list(agreements([claim(2, other), claim(1, one)])) == expected


def test_a_negation_turns_it_round() -> None:
    better, not_better = claim(1, Direction.BETTER), claim(2, Direction.BETTER, negated=True)
    assert list(agreements([better, not_better])) == [("claim1", "claim2", False)]
    assert list(agreements([claim(1, Direction.WORSE), not_better])) == [("claim1", "claim2", True)]


def test_claims_of_one_paper_are_not_compared() -> None:
    assert not list(agreements([claim(1, Direction.BETTER, paper="p"), claim(2, Direction.WORSE, paper="p")]))


def test_a_thing_that_everybody_makes_claims_about_is_too_wide() -> None:
    assert not list(agreements(claim(number, Direction.BETTER) for number in range(MOST + 1)))


def test_a_claim_needs_a_subject_a_direction_and_a_measure() -> None:
    better = Claim(ClaimKind.RESULT, 0, 1, direction=Direction.BETTER)
    assert comparable("c", "p", better, ("soap", None, "adam"))
    assert comparable("c", "p", better, ("soap", None, None)) is None
    assert comparable("c", "p", better, (None, "speed", None)) is None
    assert comparable("c", "p", Claim(ClaimKind.RESULT, 0, 1), ABOUT) is None


def result(text: str, direction: Direction) -> Extraction:
    subject, baseline = mention(text, "SOAP"), mention(text, "Adam")
    found = Claim(
        ClaimKind.RESULT,
        0,
        len(text),
        about=(subject, baseline),
        subject=subject,
        baseline=baseline,
        direction=direction,
    )
    return Extraction(Paper(text), mentions=(subject, baseline), claims=(found,))


def test_the_graph_links_claims_both_ways_and_a_query_lists_the_contested(as_store: Callable[..., Store]) -> None:
    store = as_store(
        result("SOAP beats Adam.", Direction.BETTER),
        result("SOAP outperforms Adam.", Direction.BETTER),
        result("SOAP is worse than Adam.", Direction.WORSE),
    )
    assert len(list(links(store, v.kg("agreesWith")))) == 2
    assert len(list(links(store, v.kg("disagreesWith")))) == 4
    rows = list(run_named(store, "contested-claims", {"about": "SOAP"}))
    assert len(rows) == 2
    assert all("worse" in row["sentence"].value + row["other_sentence"].value for row in rows)
