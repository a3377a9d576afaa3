"""Every shape holds for one valid graph, and one change to that graph breaks each rule of each shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from importlib.resources import files

import pytest
from conftest import mention
from pyoxigraph import Store
from rdflib import SH, Graph

from kg.records import EntityType, Extraction, Relation, RelationType
from kg.store import content, memory_store
from kg.turtle import prefixes
from kg.validate import validate, verify

AsStore = Callable[..., Store]

BREAKING = {
    "A paper has one abstract.": "DELETE { ?p dcterms:abstract ?a } WHERE { ?p dcterms:abstract ?a }",
    "A paper has at most one title.": "INSERT { ?p dcterms:title 'Another' } WHERE { ?p a kg:Paper }",
    "A paper has at most one year.": "INSERT { ?p dcterms:issued 2025 } WHERE { ?p a kg:Paper }",
    "What a paper mentions is an entity.": "INSERT { ?p kg:mentions ?p } WHERE { ?p a kg:Paper }",
    "What a paper proposes is an entity.": "INSERT { ?p kg:proposes ?p } WHERE { ?p a kg:Paper }",
    "What a paper states is a claim.": "INSERT { ?p kg:states ?p } WHERE { ?p a kg:Paper }",
    "A link to code or data is an IRI.": "INSERT { ?p kg:code 'github' } WHERE { ?p a kg:Paper }",
    "An entity has one preferred label.": "INSERT { ?e skos:prefLabel 'Another' } WHERE { ?e a kg:Task }",
    "Another name of an entity differs from its preferred label.": (
        "INSERT { ?e skos:altLabel ?l } WHERE { ?e a kg:Task ; skos:prefLabel ?l }"
    ),
    "An entity is a method, task, dataset or metric.": "DELETE { ?e a kg:Task } WHERE { ?e a kg:Task }",
    "An entity is named by at least one mention.": "DELETE { ?m kg:names ?e } WHERE { ?m kg:names ?e }",
    "A claim is of one kind: contribution, result, finding or limitation.": (
        "INSERT { ?c a kg:Finding } WHERE { ?c a kg:Result }"
    ),
    "A claim has evidence.": "DELETE { ?c kg:evidence ?e } WHERE { ?c a kg:Claim ; kg:evidence ?e }",
    "One paper states the claim.": "DELETE { ?p kg:states ?c } WHERE { ?p kg:states ?c }",
    "What a claim is about is an entity.": "INSERT { ?c kg:about ?c } WHERE { ?c a kg:Claim }",
    "A direction is increase, decrease, better, worse or equal.": (
        "INSERT { ?c kg:direction 'up' } WHERE { ?c a kg:Claim }"
    ),
    "A value is one decimal.": "INSERT { ?c kg:value '40' } WHERE { ?c a kg:Claim }",
    "A polarity is affirmed or negated.": "INSERT { ?c kg:polarity 'no' } WHERE { ?c a kg:Claim }",
    "A certainty is asserted or hedged.": "DELETE { ?c kg:certainty ?x } WHERE { ?c kg:certainty ?x }",
    "A statement has one subject.": "DELETE { ?s rdf:subject ?x } WHERE { ?s rdf:subject ?x }",
    "A statement has one predicate.": "DELETE { ?s rdf:predicate ?x } WHERE { ?s rdf:predicate ?x }",
    "A statement has one object.": "INSERT { ?s rdf:object ?s } WHERE { ?s a kg:Statement }",
    "A statement has evidence.": "DELETE { ?s kg:evidence ?e } WHERE { ?s a kg:Statement ; kg:evidence ?e }",
    "A statement is supported by a paper.": "DELETE { ?s kg:support ?p } WHERE { ?s kg:support ?p }",
    "A statement has one confidence, from 0 to 1.": "INSERT { ?s kg:confidence 1.5 } WHERE { ?s a kg:Statement }",
    "The plain triple of a statement stands in the graph.": "DELETE { ?m kg:usedFor ?t } WHERE { ?m kg:usedFor ?t }",
    "Evidence comes from one paper.": "DELETE { ?e kg:source ?p } WHERE { ?e kg:source ?p }",
    "Evidence has one quote.": "INSERT { ?e kg:quote 'Another' } WHERE { ?e a kg:Evidence }",
    "Evidence has one start, before its end.": "DELETE { ?e kg:end ?x } INSERT { ?e kg:end -1 } WHERE { ?e kg:end ?x }",
    "Evidence has one end.": "DELETE { ?e kg:end ?x } WHERE { ?e kg:end ?x }",
    "Evidence has one confidence, from 0 to 1.": "INSERT { ?e kg:confidence -0.5 } WHERE { ?e a kg:Evidence }",
    "A merge has one origin.": "INSERT { ?p a kg:Merge } WHERE { ?p a kg:Paper }",
    "A merge leads into one entity.": "INSERT { ?p a kg:Merge ; kg:into ?p } WHERE { ?p a kg:Paper }",
    "A merge has one rule.": "INSERT { ?p a kg:Merge ; kg:rule 1 } WHERE { ?p a kg:Paper }",
    "A merge has one score, from 0 to 1.": "INSERT { ?p a kg:Merge ; kg:score 1.5 } WHERE { ?p a kg:Paper }",
    "A mention names one entity.": "INSERT { ?m kg:names ?e } WHERE { ?m a kg:Mention . ?e a kg:Task }",
    "usedFor leads from a method to a task or method.": "INSERT { ?d kg:usedFor ?d } WHERE { ?d a kg:Dataset }",
    "partOf leads from a method to a method.": "INSERT { ?m kg:partOf ?d } WHERE { ?m a kg:Method . ?d a kg:Dataset }",
    "kindOf leads from a method to a method.": "INSERT { ?m kg:kindOf ?d } WHERE { ?m a kg:Method . ?d a kg:Task }",
    "subTaskOf leads from a task to a task.": "INSERT { ?t kg:subTaskOf ?d } WHERE { ?t a kg:Task . ?d a kg:Method }",
    "evaluatedOn leads from a method to a dataset.": "INSERT { ?m kg:evaluatedOn ?m } WHERE { ?m a kg:Method }",
    "trainedOn leads from a method to a dataset.": "INSERT { ?m kg:trainedOn ?m } WHERE { ?m a kg:Method }",
    "benchmarkFor leads from a dataset to a task.": "INSERT { ?d kg:benchmarkFor ?d } WHERE { ?d a kg:Dataset }",
    "comparedWith joins two entities.": "INSERT { ?m kg:comparedWith ?p } WHERE { ?m a kg:Method . ?p a kg:Paper }",
}


@pytest.fixture
def complete(soap: Extraction, as_store: AsStore) -> Store:
    """A valid graph that holds every class and every relation."""
    text = soap.paper.abstract
    method, other, data, task = soap.mentions
    second = mention(text, "code", EntityType.TASK)
    pairs = [
        (method, RelationType.PART_OF, other),
        (method, RelationType.KIND_OF, other),
        (task, RelationType.SUB_TASK_OF, second),
        (method, RelationType.TRAINED_ON, data),
        (data, RelationType.BENCHMARK_FOR, task),
    ]
    more = tuple(Relation(head, kind, tail, 0, len(text), 0.5) for head, kind, tail in pairs)
    claim = replace(soap.claims[0], value=Decimal(40))
    return as_store(
        replace(soap, mentions=(*soap.mentions, second), relations=(*soap.relations, *more), claims=(claim,))
    )


def test_a_valid_graph_breaks_no_shape(complete: Store) -> None:
    assert validate(complete) == []


def test_every_rule_has_a_graph_that_breaks_it() -> None:
    shapes = Graph().parse(data=(files("kg.schemas") / "shapes.ttl").read_text(encoding="utf-8"), format="turtle")
    assert {str(message) for message in shapes.objects(None, SH.message)} == set(BREAKING)


@pytest.mark.parametrize("message", BREAKING)
def test_a_broken_rule_is_reported_in_words(complete: Store, message: str) -> None:
    broken = memory_store(content(complete))
    broken.update(BREAKING[message], prefixes=prefixes())
    assert message in {violation.message for violation in validate(broken)}


def test_a_quote_that_is_not_in_its_abstract_is_found(soap: Extraction, as_store: AsStore) -> None:
    store = as_store(soap)
    store.update("DELETE { ?e kg:start ?x } INSERT { ?e kg:start 3 } WHERE { ?e kg:start ?x }", prefixes=prefixes())
    total, misquotes = verify(store)
    assert len(misquotes) == total
    assert misquotes[0].found != misquotes[0].quote


def test_an_empty_graph_is_valid() -> None:
    assert validate(Store()) == []
    assert verify(Store()) == (0, [])
