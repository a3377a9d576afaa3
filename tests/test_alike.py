from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from kg.alike import Profile, Scorer, load_scorer, veto
from kg.blocking import candidate_pairs
from kg.identity import canonical_key
from kg.records import EntityType

PAIRS = Path(__file__).parent / "identity" / "pairs.tsv"
METHOD, TASK, DATASET, METRIC = EntityType


def profile(name: str, kind: EntityType = METHOD, **more: object) -> Profile:
    return Profile(canonical_key(name), Counter({kind: 1000}), names=Counter({name: 1}), papers=1, **more)  # type: ignore[arg-type]


def rows() -> Iterator[dict[str, str]]:
    with PAIRS.open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return load_scorer()


def same(scorer: Scorer, one: Profile, other: Profile) -> bool:
    return one.key == other.key or scorer.judge(one, other).same


def test_hard_pairs_are_told_apart(scorer: Scorer) -> None:
    judged = [
        same(scorer, profile(r["name"], EntityType(r["type"])), profile(r["other"], EntityType(r["other type"])))
        == (r["verdict"] == "same")
        for r in rows()
    ]
    assert len(judged) >= 200
    assert sum(judged) / len(judged) >= 0.95


def test_the_order_of_two_names_makes_no_difference(scorer: Scorer) -> None:
    for row in rows():
        one, other = profile(row["name"], EntityType(row["type"])), profile(row["other"], EntityType(row["other type"]))
        there, back = scorer.judge(one, other), scorer.judge(other, one)
        assert (there.same, there.score, there.reasons) == (back.same, back.score, back.reasons)


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("GPT-3", "GPT-4", "different numbers"),
        ("BERT-base", "BERT-large", "different versions or sizes"),
        ("supervised learning", "unsupervised learning", "unsupervised"),
        ("text-to-image generation", "image-to-text generation", "another order"),
        ("text-to-image", "text image", 'only one has "to"'),
        ("convex optimization", "nonconvex optimization", "nonconvex"),
    ],
)
def test_a_veto_says_what_rules_a_pair_out(one: str, other: str, why: str) -> None:
    found = veto(profile(one), profile(other))
    assert found is not None
    assert why in found


def test_an_acronym_is_not_a_common_noun_of_the_same_letters() -> None:
    assert veto(profile("SOAP"), profile("soap")) == "an acronym and a common noun"
    assert veto(profile("Flux"), profile("FLUX")) is None


def test_acronyms_with_other_long_forms_are_two_things() -> None:
    one = profile("MLA", expansions=frozenset({"multihead_latent_attention"}))
    other = Profile("mla", Counter({METHOD: 1000}), expansions=frozenset({"multiplicative_logit_adjustment"}))
    assert veto(one, other) == "acronyms of different long forms"


def test_a_dataset_is_not_a_method() -> None:
    assert veto(profile("Alpaca Eval", DATASET), profile("AlpacaEval", METHOD)) == "a Dataset and a Method"
    assert veto(profile("in context learning", TASK), profile("in-context learning", METHOD)) is None


def test_only_names_that_share_a_block_are_compared() -> None:
    names = [
        "positional encoding",
        "position encoding",
        "U-Net",
        "UNet",
        "GAN",
        "generative adversarial network",
        "BERT",
    ]
    pairs = {frozenset((a.key, b.key)) for a, b in candidate_pairs(map(profile, names))}
    assert pairs == {
        frozenset({"positional_encoding", "position_encoding"}),
        frozenset({"u_net", "unet"}),
        frozenset({"GAN", "generative_adversarial_network"}),
    }


def test_the_candidates_do_not_depend_on_the_order_of_the_names() -> None:
    profiles = [profile(name) for name in ("position encoding", "positional encoding", "positioned encoding")]
    orders = [[(a.key, b.key) for a, b in candidate_pairs(order)] for order in permutations(profiles)]
    assert all(order == orders[0] for order in orders)
    assert orders[0]
