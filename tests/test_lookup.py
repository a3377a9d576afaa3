from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.errors import NameUnknownError, QueryError
from kg.identity import BASE, entity_iri
from kg.lookup import find_entity, find_node, find_paper, find_property
from kg.records import EntityType, Extraction

AsStore = Callable[..., Store]


@pytest.mark.parametrize(
    "name", ["AdamW", "adamw", "the AdamW", "entity:adamw", f"{BASE}entity/adamw", f"<{BASE}entity/adamw>"]
)
def test_an_entity_is_found_by_any_spelling_of_its_name(soap: Extraction, as_store: AsStore, name: str) -> None:
    assert find_entity(as_store(soap), name) == NamedNode(entity_iri(BASE, "adamw"))


def test_an_unknown_name_comes_with_near_ones(soap: Extraction, as_store: AsStore) -> None:
    with pytest.raises(NameUnknownError, match="near: AdamW") as raised:
        find_entity(as_store(soap), "AdanW")
    assert raised.value.candidates == ("AdamW",)


def test_an_entity_of_another_type_is_not_meant(soap: Extraction, as_store: AsStore) -> None:
    with pytest.raises(NameUnknownError):
        find_entity(as_store(soap), "AdamW", (EntityType.TASK,))


def test_a_name_of_two_entities_is_asked_back(as_store: AsStore) -> None:
    from test_resolve import defining

    store = as_store(defining("logit adjustment machine", "LAM"), defining("latent attention map", "LAM"))
    with pytest.raises(QueryError, match=r"several things here: latent attention map .* logit adjustment machine"):
        find_entity(store, "LAM")


def test_a_meaning_that_nearly_all_papers_have_is_the_one_meant(as_store: AsStore) -> None:
    from test_resolve import defining

    usual = [defining(f"{word} language models", "LLMs") for word in ("large", "large", "large", "large", "large")]
    papers = [replace(e, paper=replace(e.paper, title=str(number))) for number, e in enumerate(usual)]
    store = as_store(*papers, defining("little language models", "LLMs"))
    assert find_entity(store, "LLM") == NamedNode(entity_iri(BASE, "large_language_model"))


@pytest.mark.parametrize(
    "name", ["arXiv:2409.11321", "SOAP: improving Shampoo", "improving shampoo", "paper:arxiv:2409.11321"]
)
def test_a_paper_is_found_by_identifier_title_part_of_title_and_iri(
    soap: Extraction, as_store: AsStore, name: str
) -> None:
    assert find_paper(as_store(soap), name) == NamedNode(f"{BASE}paper/arxiv:2409.11321")


def test_part_of_two_titles_is_not_enough(soap: Extraction, as_store: AsStore) -> None:
    other = replace(soap, paper=replace(soap.paper, id="arXiv:2409.99999", title="SOAP again"))
    with pytest.raises(QueryError, match="titles of 2 papers"):
        find_paper(as_store(soap, other), "soap")


def test_a_node_is_an_entity_first_and_a_paper_else(soap: Extraction, as_store: AsStore) -> None:
    store = as_store(soap)
    assert find_node(store, "SOAP") == NamedNode(entity_iri(BASE, "SOAP"))
    assert find_node(store, "improving Shampoo") == NamedNode(f"{BASE}paper/arxiv:2409.11321")
    with pytest.raises(NameUnknownError):
        find_node(store, "nobody")


@pytest.mark.parametrize("name", ["usedFor", "kg:usedFor", "used for", "USED_FOR", "used-for", v.KG + "usedFor"])
def test_a_relation_is_found_by_any_spelling(name: str) -> None:
    assert find_property(name) == v.kg("usedFor")


def test_an_unknown_relation_names_those_there_are() -> None:
    with pytest.raises(NameUnknownError, match="comparedWith"):
        find_property("likes")


def test_a_broken_iri_is_refused(soap: Extraction, as_store: AsStore) -> None:
    with pytest.raises(QueryError, match="not a valid IRI"):
        find_entity(as_store(soap), "http://a.org/<x>")
