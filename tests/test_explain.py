from __future__ import annotations

from collections.abc import Callable

from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.explain import explain
from kg.identity import BASE, entity_iri
from kg.records import Extraction

AsStore = Callable[..., Store]
SOAP, ADAMW = (NamedNode(entity_iri(BASE, key)) for key in ("SOAP", "adamw"))


def test_a_triple_is_explained_by_its_sentence_with_both_ends_marked(soap: Extraction, as_store: AsStore) -> None:
    (explanation,) = explain(as_store(soap), SOAP, v.kg("comparedWith"), ADAMW)
    (quote,) = explanation.quotes
    assert (explanation.subject, explanation.predicate, explanation.object) == ("SOAP", "comparedWith", "AdamW")
    assert (quote.title, quote.evidence.quote) == ("SOAP: improving Shampoo", soap.paper.abstract)
    assert [quote.evidence.quote[a:b] for a, b in quote.marks] == ["SOAP", "AdamW"]


def test_an_entity_is_explained_by_all_that_is_said_of_it(soap: Extraction, as_store: AsStore) -> None:
    found = {explanation.predicate for explanation in explain(as_store(soap), SOAP)}
    assert found == {"comparedWith", "evaluatedOn", "usedFor", "proposes"}


def test_a_directed_relation_is_not_explained_backwards(soap: Extraction, as_store: AsStore) -> None:
    task = NamedNode(entity_iri(BASE, "pretraining"))
    assert explain(as_store(soap), task, v.kg("usedFor"), SOAP) == []


def test_what_the_graph_does_not_say_has_no_explanation(soap: Extraction, as_store: AsStore) -> None:
    assert explain(as_store(soap), ADAMW, v.kg("usedFor")) == []
