"""The ontology, its context and what uses them: every term of ours is defined, explained and in one place."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest
from pyoxigraph import NamedNode, Store
from rdflib import DCTERMS, OWL, PROV, RDF, RDFS, SDO, SKOS, Graph, URIRef
from rdflib.namespace import DefinedNamespace

from kg import vocabulary as v

FOLDER = files("kg.schemas")
ONTOLOGY = Graph().parse(data=(FOLDER / "ontology.ttl").read_text(encoding="utf-8"), format="turtle")
TERMS = sorted(str(term) for term in ONTOLOGY.subjects(RDFS.isDefinedBy, None) if isinstance(term, URIRef))


def test_the_ontology_defines_the_terms_of_the_vocabulary() -> None:
    named = {value.value for value in vars(v).values() if isinstance(value, NamedNode) and value.value.startswith(v.KG)}
    named |= {v.KG + name for name in (*v.ENTITY_TYPES, *v.CLAIM_KINDS, *v.RELATIONS)}
    assert named <= set(TERMS)


@pytest.mark.parametrize("term", TERMS)
def test_a_term_has_one_label_and_one_comment_in_english_and_is_a_class_or_property(term: str) -> None:
    node = URIRef(term)
    for predicate in (RDFS.label, RDFS.comment):
        (text,) = ONTOLOGY.objects(node, predicate)
        assert getattr(text, "language", None) == "en"
    kinds = set(ONTOLOGY.objects(node, RDF.type))
    assert kinds & {OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty, RDF.Property}


@pytest.mark.parametrize("term", TERMS)
def test_a_term_is_aligned_with_what_the_field_uses_or_says_that_nothing_fits(term: str) -> None:
    node = URIRef(term)
    mappings = (RDFS.subClassOf, SKOS.closeMatch, SKOS.broadMatch, SKOS.relatedMatch)
    foreign = [o for p in mappings for o in ONTOLOGY.objects(node, p) if not str(o).startswith(v.KG)]
    assert bool(foreign) != bool(ONTOLOGY.value(node, SKOS.scopeNote))


def test_no_two_classes_and_no_two_properties_have_one_label() -> None:
    for is_class in (True, False):
        terms = [URIRef(t) for t in TERMS if ((URIRef(t), RDF.type, OWL.Class) in ONTOLOGY) == is_class]
        labels = [str(ONTOLOGY.value(term, RDFS.label)) for term in terms]
        assert len(labels) == len(set(labels))


def test_domains_and_ranges_of_our_own_are_classes_that_are_defined() -> None:
    ends = {str(o) for p in (RDFS.domain, RDFS.range) for o in ONTOLOGY.objects(None, p)}
    assert {end for end in ends if end.startswith(v.KG)} <= set(TERMS)


@pytest.mark.parametrize("namespace", [PROV, SKOS, DCTERMS, SDO], ids=["prov", "skos", "dcterms", "schema"])
def test_a_borrowed_term_exists_in_its_vocabulary(namespace: type[DefinedNamespace]) -> None:
    used = {str(node) for triple in ONTOLOGY for node in triple if str(node).startswith(str(namespace))}
    assert all(URIRef(iri) in namespace for iri in used), used


def test_shapes_and_queries_use_only_terms_that_are_defined() -> None:
    texts = [(FOLDER / "shapes.ttl").read_text(encoding="utf-8")]
    texts += [f.read_text(encoding="utf-8") for f in (FOLDER / "queries").iterdir() if f.name.endswith(".rq")]
    used = {name for text in texts for name in re.findall(r"\bkg:(\w+)", text) if not name.endswith("Shape")}
    assert {v.KG + name for name in used} <= set(TERMS)


def test_a_graph_uses_only_terms_that_are_defined(seed_store: Store) -> None:
    used = {q.predicate.value for q in seed_store.quads_for_pattern(None, None, None)}
    used |= {
        q.object.value for q in seed_store.quads_for_pattern(None, v.TYPE, None) if isinstance(q.object, NamedNode)
    }
    assert {iri for iri in used if iri.startswith(v.KG)} <= set(TERMS)


def test_the_context_gives_every_term_its_iri() -> None:
    context = json.loads((FOLDER / "context.jsonld").read_text(encoding="utf-8"))
    names = {term.removeprefix(v.KG) for term in TERMS}
    document = {
        **context,
        "id": "http://a.org/1",
        "type": "Method",
        "prefLabel": "SOAP",
        "usedFor": "http://a.org/2",
        "value": "1.5",
    }
    graph = Graph().parse(data=json.dumps(document), format="json-ld")
    assert names <= set(context["@context"])
    assert (URIRef("http://a.org/1"), URIRef(v.KG + "usedFor"), URIRef("http://a.org/2")) in graph
    assert (URIRef("http://a.org/1"), RDF.type, URIRef(v.KG + "Method")) in graph
    assert str(graph.value(URIRef("http://a.org/1"), URIRef(v.KG + "value")).datatype).endswith("decimal")  # type: ignore[union-attr]
