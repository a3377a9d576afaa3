from __future__ import annotations

import pytest
from conftest import mention

from kg.proposals import find_proposals
from kg.records import EntityType, Sentence
from kg.sentences import split_sentences


def proposed(text: str, *names: str, kind: EntityType = EntityType.METHOD) -> list[str]:
    sentences = [Sentence(start, end) for start, end in split_sentences(text)]
    return [p.mention.name for p in find_proposals(text, sentences, [mention(text, name, kind) for name in names])]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We propose SOAP for pre-training.", ["SOAP"]),
        ("In this paper, we introduce a novel method, SOAP.", ["SOAP"]),
        ("This paper presents SOAP, an optimizer.", ["SOAP"]),
        ("It is called SOAP.", ["SOAP"]),
        ("Specifically, the proposed SOAP is fast.", ["SOAP"]),
    ],
)
def test_a_cue_leads_to_what_is_proposed(text: str, names: list[str]) -> None:
    assert proposed(text, "SOAP") == names


@pytest.mark.parametrize(
    "text", ["SOAP is fast.", "We compare with SOAP.", "SOAP was proposed by others. We propose it again, SOAP."]
)
def test_what_is_only_used_is_not_proposed(text: str) -> None:
    assert proposed(text, "SOAP") == []


def test_a_proper_name_goes_before_a_common_one() -> None:
    assert proposed("We present an optimizer with momentum, SOAP.", "momentum", "SOAP") == ["SOAP"]


def test_what_is_listed_with_it_is_proposed_too() -> None:
    assert proposed("We propose SOAP and RINSE for washing.", "SOAP", "RINSE", "washing") == ["SOAP", "RINSE"]


@pytest.mark.parametrize(
    "text",
    ["We propose a framework for SOAP.", "We present an evaluation of SOAP.", "We introduce a trick (e.g., SOAP)."],
)
def test_what_the_new_thing_is_for_is_not_proposed(text: str) -> None:
    assert proposed(text, "SOAP") == []


def test_a_name_given_later_in_the_sentence_is_what_is_proposed() -> None:
    text = "We propose a framework for domain generalization, namely SOAP."
    assert proposed(text, "domain generalization", "SOAP") == ["SOAP"]


def test_a_metric_is_not_proposed() -> None:
    assert proposed("We introduce SOAP.", "SOAP", kind=EntityType.METRIC) == []
