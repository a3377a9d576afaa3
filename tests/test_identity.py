from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.identity import BASE, canonical_key, content_hash, entity_iri, entity_key, paper_iri, surface_form
from kg.records import Paper


@pytest.mark.parametrize(
    "names",
    [
        ("graph neural networks", "Graph Neural Network", "graph-neural networks", "the graph neural networks"),
        ("GNN", "GNNs"),
        ("large language models", "**Large Language Models**", "large  language model"),
        ("state-of-the-art diffusion models", "diffusion model"),
        ("policies", "policy"),
        ("cross-entropy losses", "cross entropy loss"),
        ("HGM³", "HGM3"),
        ("$L$-layer transformers", "transformer"),
        ("k-step Langevin dynamics", "Langevin dynamics"),
        ("ordinary gradient flow", "conventional gradient flow", "gradient flow"),
        ("base LLM", "backbone LLMs", "LLM"),
        ("underlying large language model", "large language models"),
    ],
)
def test_spellings_of_one_name_have_one_key(names: tuple[str, ...]) -> None:
    assert len({canonical_key(name) for name in names}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ordinary differential equations", "differential equations"),
        ("base BERT", "BERT"),
        ("base language", "language"),
        ("SOAP", "soap"),
        ("GPT-3", "GPT-4"),
        ("CIFAR-10", "CIFAR-100"),
        ("C", "C++"),
        ("Rodimus", "Rodimus+"),
        ("Qwen2-1.5B", "Qwen2"),
        ("bias", "bia"),
        ("supervised learning", "unsupervised learning"),
        ("N-way classification", "classification"),
        ("2-layer transformer", "transformer"),
        ("multi-step Langevin dynamics", "Langevin dynamics"),
    ],
)
def test_names_of_different_things_have_different_keys(one: str, other: str) -> None:
    assert canonical_key(one) != canonical_key(other)


@pytest.mark.parametrize(
    "name", ["GPT-3.5", "C++", "CIFAR-10/100", "3D object detection", "RL", "Q*", "ϵ-greedy", "强化学习"]
)
def test_short_and_odd_names_survive(name: str) -> None:
    assert canonical_key(name)
    assert surface_form(name).strip("*") == name.strip("*")


@given(st.text(min_size=1))
def test_an_entity_iri_gives_its_key_back(key: str) -> None:
    key = key.encode("utf-8", "replace").decode()
    assert entity_key(BASE, entity_iri(BASE, key)) == key


@given(st.text(min_size=1), st.text(min_size=1))
def test_no_two_keys_have_one_iri(one: str, other: str) -> None:
    one, other = (text.encode("utf-8", "replace").decode() for text in (one, other))
    assert (entity_iri(BASE, one) == entity_iri(BASE, other)) == (one == other)


@given(st.text())
def test_a_name_always_has_a_key_and_the_key_is_stable(name: str) -> None:
    assert canonical_key(name) == canonical_key(name)
    if any(c.isalnum() for c in name):
        assert canonical_key(name)


def test_a_hash_knows_where_a_part_ends() -> None:
    assert content_hash("ab", "c") != content_hash("a", "bc")


@pytest.mark.parametrize(
    ("given_id", "name"),
    [
        ("2409.11321", "arxiv:2409.11321"),
        ("arXiv:2409.11321v3", "arxiv:2409.11321"),
        ("https://arxiv.org/abs/2409.11321v1", "arxiv:2409.11321"),
        ("cs.LG/0601001", "arxiv:cs.lg%2F0601001"),
        ("https://doi.org/10.1145/3292500.3330919", "doi:10.1145%2F3292500.3330919"),
        ("openreview:FPLNSx1jmL", "openreview:FPLNSx1jmL"),
        ("https://openreview.net/forum?id=FPLNSx1jmL", "openreview:FPLNSx1jmL"),
    ],
)
def test_a_published_identifier_makes_the_iri(given_id: str, name: str) -> None:
    assert paper_iri(BASE, Paper("Text.", id=given_id)) == f"{BASE}paper/{name}"


def test_a_paper_without_identifier_is_known_by_its_text_in_any_spacing_and_case() -> None:
    one = paper_iri(BASE, Paper("We  propose SOAP.", title="Soap"))
    other = paper_iri(BASE, Paper("we propose soap.\n", title="SOAP", source="elsewhere"))
    assert one == other != paper_iri(BASE, Paper("We propose SOAP!", title="Soap"))


def test_an_identifier_of_ones_own_does_not_make_the_iri() -> None:
    assert paper_iri(BASE, Paper("A text.", id="7")) == paper_iri(BASE, Paper("A text.", id="8"))
