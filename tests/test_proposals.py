from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from conftest import mention

from kg.errors import ModelError
from kg.proposals import Naming, ProposalModel, find_proposals, load_proposals, namings
from kg.records import EntityType, Role, Sentence
from kg.sentences import split_sentences


def proposed(text: str, *names: str, kind: EntityType = EntityType.METHOD, role: Role = Role.OBJECTIVE) -> list[str]:
    sentences = [Sentence(start, end, role) for start, end in split_sentences(text)]
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
    "text",
    [
        "SOAP is fast.",
        "We compare with SOAP.",
        "SOAP was proposed by others. We try it again.",
        "SOAP was proposed by others. We propose it again, SOAP.",
    ],
)
def test_what_is_only_used_is_not_proposed(text: str) -> None:
    assert proposed(text, "SOAP", role=Role.RESULT) == []


def test_a_proper_name_goes_before_a_common_one() -> None:
    assert proposed("We present an optimizer with momentum, SOAP.", "momentum", "SOAP") == ["SOAP"]


@pytest.mark.parametrize(
    "text",
    [
        "We introduce two new optimizers, SOAP and RINSE, for washing.",
        "We present SOAP, an optimizer, and RINSE, a benchmark for washing.",
        "We propose SOAP and introduce RINSE, a benchmark for washing.",
        pytest.param(
            "We propose SOAP and RINSE for washing.",
            marks=pytest.mark.xfail(reason="the weights find only the first of a bare pair", strict=True),
        ),
    ],
)
def test_what_is_listed_with_it_is_proposed_too(text: str) -> None:
    assert proposed(text, "SOAP", "RINSE", "washing") == ["SOAP", "RINSE"]


def test_an_acronym_is_one_name_with_the_long_form_that_the_text_gives_it() -> None:
    text = "Rinsing of samples (RoS) is old. RoS is slow."
    spoken = mention(text, "Rinsing of samples"), mention(text, "RoS")
    (naming,) = namings(text, [Sentence(0, len(text))], spoken)
    assert (naming.key, naming.mentions) == ("rinsing_of_sample", spoken)
    assert proposed("We propose rinsing of samples (RoS). RoS is fast.", "rinsing of samples", "RoS") in (
        ["rinsing of samples"],
        ["RoS"],
    )


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


def test_names_and_numbers_do_not_become_features() -> None:
    text = "We propose SOAP with 3 tricks. It beats Adam."
    sentences = [Sentence(start, end) for start, end in split_sentences(text)]
    soap, adam = namings(text, sentences, [mention(text, "SOAP"), mention(text, "Adam")])
    assert (soap.key, adam.key) == ("SOAP", "adam")
    assert {"< we propose", "> with 0 tricks", "#time=0", "#cue=object"} <= soap.together.keys()
    assert "#cue=none" in adam.together


def test_all_mentions_of_a_name_are_looked_at_together() -> None:
    text = "SOAP is fast. We propose SOAP."
    sentences = [Sentence(start, end) for start, end in split_sentences(text)]
    first = mention(text, "SOAP")
    second = replace(first, start=text.rindex("SOAP"), end=text.rindex("SOAP") + 4)
    (naming,) = namings(text, sentences, [first, second])
    assert naming.mentions == (first, second)
    assert {"< ^", "< we propose", "#time=1"} <= naming.together.keys()


def test_the_probability_grows_with_what_speaks_for_it() -> None:
    model = ProposalModel({"good": 2.0, "bad": -1.0}, -1.0, 0.5)
    chances = [model.probability(Naming("soap", (), features)) for features in [(), ({"bad": 1.0},), ({"good": 1.0},)]]
    assert [round(chance, 3) for chance in chances] == [0.269, 0.119, 0.731]


@pytest.mark.parametrize("content", [None, "{", "{}", "[]"])
def test_missing_or_damaged_weights_say_so(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "proposals.json").write_text(content)
    with pytest.raises(ModelError, match="weights for what a paper introduces"):
        load_proposals(tmp_path / "proposals.json")
