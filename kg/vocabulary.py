"""The terms that the graph uses: our own ontology's (`schemas/ontology.ttl`) and those it borrows."""

from __future__ import annotations

from pyoxigraph import NamedNode

KG = "https://w3id.org/paperkg/ontology#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
DCTERMS = "http://purl.org/dc/terms/"
PROV = "http://www.w3.org/ns/prov#"
SCHEMA = "https://schema.org/"

PREFIXES = {
    "kg": KG,
    "rdf": RDF,
    "rdfs": RDFS,
    "xsd": XSD,
    "skos": SKOS,
    "dcterms": DCTERMS,
    "prov": PROV,
    "schema": SCHEMA,
}
"""Prefixes that every Turtle file declares and every query may use."""


def kg(name: str) -> NamedNode:
    """The term `kg:name` of our ontology."""
    return NamedNode(KG + name)


TYPE = NamedNode(RDF + "type")
SUBJECT = NamedNode(RDF + "subject")
PREDICATE = NamedNode(RDF + "predicate")
OBJECT = NamedNode(RDF + "object")
PREF_LABEL = NamedNode(SKOS + "prefLabel")
ALT_LABEL = NamedNode(SKOS + "altLabel")
TITLE = NamedNode(DCTERMS + "title")
ABSTRACT = NamedNode(DCTERMS + "abstract")
IDENTIFIER = NamedNode(DCTERMS + "identifier")
ISSUED = NamedNode(DCTERMS + "issued")
CREATOR = NamedNode(DCTERMS + "creator")
KEYWORD = NamedNode(SCHEMA + "keywords")
PAGE = NamedNode(SCHEMA + "url")

PAPER = kg("Paper")
ENTITY = kg("Entity")
CLAIM = kg("Claim")
STATEMENT = kg("Statement")
EVIDENCE = kg("Evidence")
MENTION = kg("Mention")
MERGE = kg("Merge")
LINK = kg("Link")
BUILD = kg("Build")

MENTIONS = kg("mentions")
PROPOSES = kg("proposes")
STATES = kg("states")
CODE = kg("code")
VENUE = kg("venue")
NAMES = kg("names")
HAS_EVIDENCE = kg("evidence")
SUPPORT = kg("support")
SOURCE = kg("source")
QUOTE = kg("quote")
START = kg("start")
END = kg("end")
CONFIDENCE = kg("confidence")
ABOUT = kg("about")
FROM = kg("from")
INTO = kg("into")
RULE = kg("rule")
SCORE = kg("score")

ENTITY_TYPES = ("Method", "Task", "Dataset", "Metric")
CLAIM_KINDS = ("Contribution", "Result", "Finding", "Limitation")
RELATIONS = (
    "usedFor",
    "partOf",
    "kindOf",
    "subTaskOf",
    "evaluatedOn",
    "trainedOn",
    "benchmarkFor",
    "comparedWith",
)
"""Local names of the properties between entities, in the order in which people read them."""
RELATING = frozenset(map(kg, RELATIONS))
