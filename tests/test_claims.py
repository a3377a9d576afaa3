from __future__ import annotations

import pytest
from conftest import mention

from kg.claims import find_claims
from kg.records import Claim, ClaimKind, Proposal, Role, Sentence
from kg.sentences import split_sentences

ABSTRACT = (
    "Graph neural networks are widely used for molecules. However, their expressive power is poorly understood. "
    "In this paper, we study the expressive power of graph neural networks. "
    "We show that deep networks are no more expressive than shallow ones. "
    "Experiments show that SOAP outperforms AdamW by 3% on QM9."
)
ROLES = (Role.BACKGROUND, Role.BACKGROUND, Role.OBJECTIVE, Role.RESULT, Role.RESULT)


def claims(text: str) -> tuple[Claim, ...]:
    spans = list(split_sentences(text))
    sentences = [Sentence(*span, role) for span, role in zip(spans, ROLES, strict=True)]
    mentions = [mention(text, name) for name in ("SOAP", "AdamW")]
    return find_claims(text, sentences, mentions, [Proposal(mentions[0], 0, 1)])


def test_each_sentence_that_asserts_something_is_a_claim_of_its_kind() -> None:
    found = {ABSTRACT[claim.start : claim.end].split()[0]: claim.kind for claim in claims(ABSTRACT)}
    assert found == {
        "However,": ClaimKind.LIMITATION,
        "In": ClaimKind.CONTRIBUTION,
        "We": ClaimKind.FINDING,
        "Experiments": ClaimKind.RESULT,
    }


def test_a_claim_is_about_what_its_sentence_names_and_as_sure_as_the_model() -> None:
    result = claims(ABSTRACT)[-1]
    assert [m.name for m in result.about] == ["SOAP", "AdamW"]
    assert 0.5 < result.confidence < 1


@pytest.mark.parametrize(
    ("text", "negated", "hedged"),
    [
        ("SOAP does not outperform AdamW by 3%", True, False),
        ("SOAP may outperform AdamW by 3%", False, True),
        ("SOAP outperforms AdamW by 3%", False, False),
    ],
)
def test_negation_and_hedging_are_told_apart(text: str, negated: bool, hedged: bool) -> None:
    found = claims(ABSTRACT.replace("SOAP outperforms AdamW by 3%", text))
    assert (found[-1].kind, found[-1].negated, found[-1].hedged) == (ClaimKind.RESULT, negated, hedged)
