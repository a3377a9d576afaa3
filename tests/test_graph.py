from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest
from conftest import mention
from pyoxigraph import Literal, NamedNode, Store

from kg import vocabulary as v
from kg.identity import BASE, entity_iri
from kg.reading import evidence_of, nodes, objects, subjects, texts
from kg.records import Claim, ClaimKind, EntityType, Extraction, Link, Paper, Relation, RelationType
from kg.validate import validate, verify

AsStore = Callable[..., Store]
SOAP, ADAMW = (NamedNode(entity_iri(BASE, key)) for key in ("SOAP", "adamw"))


def test_what_an_abstract_says_becomes_a_valid_graph(soap: Extraction, as_store: AsStore) -> None:
    store = as_store(soap)
    assert validate(store) == []
    assert verify(store) == (len(list(nodes(store, v.EVIDENCE))), [])


def test_every_relation_has_its_plain_triple_and_its_statement(soap: Extraction, as_store: AsStore) -> None:
    store = as_store(soap)
    assert list(objects(store, SOAP, v.kg("usedFor"))) == [NamedNode(entity_iri(BASE, "pretraining"))]
    (statement,) = subjects(store, v.PREDICATE, v.kg("usedFor"))
    (evidence,) = evidence_of(store, statement)
    assert evidence.quote == soap.paper.abstract
    assert evidence.confidence == 0.5
    assert list(objects(store, statement, v.SUPPORT)) == [NamedNode(f"{BASE}paper/arxiv:2409.11321")]


def test_two_papers_that_say_the_same_support_one_statement(soap: Extraction, as_store: AsStore) -> None:
    other = replace(
        soap, paper=replace(soap.paper, id="arXiv:2409.99999"), relations=(replace(soap.relations[2], confidence=0.75),)
    )
    store = as_store(soap, other)
    (statement,) = subjects(store, v.PREDICATE, v.kg("usedFor"))
    assert len(list(objects(store, statement, v.SUPPORT))) == 2
    assert list(texts(store, statement, v.CONFIDENCE)) == ["0.75"]


def test_a_sentence_that_says_it_twice_is_one_piece_of_evidence(soap: Extraction, as_store: AsStore) -> None:
    twice = replace(soap, relations=(soap.relations[2], replace(soap.relations[2], confidence=0.8)))
    store = as_store(twice)
    (statement,) = subjects(store, v.PREDICATE, v.kg("usedFor"))
    assert [evidence.confidence for evidence in evidence_of(store, statement)] == [0.8]
    assert validate(store) == []


def test_a_symmetric_relation_has_one_direction_whoever_is_named_first(soap: Extraction, as_store: AsStore) -> None:
    turned = replace(soap.relations[0], head=soap.mentions[1], tail=soap.mentions[0])
    one, other = as_store(replace(soap, relations=(soap.relations[0],))), as_store(replace(soap, relations=(turned,)))
    assert set(one.quads_for_pattern(None, None, None)) == set(other.quads_for_pattern(None, None, None))


@pytest.mark.parametrize(
    ("kind", "head", "tail"),
    [
        (RelationType.USED_FOR, 2, 3),
        (RelationType.EVALUATED_ON, 0, 1),
        (RelationType.PART_OF, 0, 0),
        (RelationType.SAME_ENTITY, 0, 1),
    ],
)
def test_a_relation_between_the_wrong_types_or_of_a_thing_with_itself_makes_no_statement(
    soap: Extraction, as_store: AsStore, kind: RelationType, head: int, tail: int
) -> None:
    relation = Relation(soap.mentions[head], kind, soap.mentions[tail], 0, 10)
    store = as_store(replace(soap, relations=(relation,), proposals=(), links=()))
    assert list(nodes(store, v.STATEMENT)) == []


def test_a_result_carries_its_slots_as_entities_words_and_a_decimal(soap: Extraction, as_store: AsStore) -> None:
    result = replace(soap.claims[0], baseline="existing methods", value=Decimal("40.50"), negated=True, hedged=True)
    store = as_store(replace(soap, claims=(result,)))
    (claim,) = nodes(store, v.kg("Result"))
    facts = {q.predicate.value.removeprefix(v.KG): q.object for q in store.quads_for_pattern(claim, None, None)}
    assert facts["subject"] == SOAP
    assert facts["baseline"] == Literal("existing methods")
    assert facts["value"] == Literal("40.5", datatype=NamedNode(v.XSD + "decimal"))
    assert [facts[slot].value for slot in ("direction", "unit", "polarity", "certainty")] == [
        "better",
        "%",
        "negated",
        "hedged",
    ]
    assert validate(store) == []


def test_two_results_of_one_sentence_are_two_claims(soap: Extraction, as_store: AsStore) -> None:
    claims = tuple(replace(soap.claims[0], value=Decimal(value)) for value in ("40", "35"))
    assert len(list(nodes(as_store(replace(soap, claims=claims)), v.CLAIM))) == 2


def test_a_link_leads_to_its_address(soap: Extraction, as_store: AsStore) -> None:
    store = as_store(soap)
    assert [o.value for _, o in links_of(store)] == ["https://example.org/soap"]


@pytest.mark.parametrize("url", ["https://a.org/<script>", "https://a b", 'https://a.org/"x', "no-scheme"])
def test_an_address_that_is_no_iri_is_left_out(soap: Extraction, as_store: AsStore, url: str) -> None:
    assert links_of(as_store(replace(soap, links=(Link(url, 0, 5),)))) == []


def links_of(store: Store) -> list[tuple[object, NamedNode]]:
    return [(q.subject, q.object) for q in store.quads_for_pattern(None, v.CODE, None)]


@pytest.mark.parametrize(
    "name", ["</script><b>", 'say "hi"', "a b\u00a0c", "\U0001f9fc soap", "a<b>c", "100%", "x/../y", "`$(rm)`"]
)
def test_hostile_names_become_valid_iris(name: str, as_store: AsStore) -> None:
    text = f"We use {name} here."
    named = mention(text, name)
    claim = Claim(ClaimKind.FINDING, 0, len(text), about=(named,))
    store = as_store(Extraction(Paper(text), mentions=(named,), claims=(claim,)))
    assert validate(store) == []
    assert len(list(nodes(store, v.ENTITY))) == 1


def test_the_iris_live_under_the_base_that_was_asked_for(soap: Extraction) -> None:
    from kg.pipeline import graph_of

    known = [("https://me.org/paper/1", soap)]
    triples = graph_of(known, base="https://me.org/")
    ours = {str(node.value) for t in triples for node in (t.subject, t.object) if isinstance(node, NamedNode)}
    assert not any(iri.startswith(BASE) and not iri.startswith(v.KG) for iri in ours)


def test_an_entity_of_a_type_and_its_names(soap: Extraction, as_store: AsStore) -> None:
    again = mention("Adam-W wins", "Adam-W")
    store = as_store(soap, Extraction(Paper("Adam-W wins"), mentions=(again,)))
    assert set(objects(store, ADAMW, v.TYPE)) == {v.ENTITY, v.kg(EntityType.METHOD)}
    assert set(texts(store, ADAMW, v.PREF_LABEL)) == {"AdamW"}
