"""From extractions to triples: plain ones, so that simple SPARQL works, and for each its statement and evidence."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import NamedTuple

from pyoxigraph import Literal, NamedNode, Triple

from kg import vocabulary as v
from kg.agreement import Comparable, agreements, comparable
from kg.identity import canonical_key, entity_iri, hashed_iri, statement_iri
from kg.records import (
    DOMAIN_AND_RANGE,
    SLOTS,
    Claim,
    Entity,
    EntityType,
    Evidence,
    Extraction,
    Mention,
    Merge,
    Paper,
    Relation,
    RelationType,
    Statement,
    map_slots,
)

__all__ = [
    "Named",
    "Naming",
    "Said",
    "agreement_triples",
    "decimal_literal",
    "entity_triples",
    "merge_triples",
    "paper_says",
    "paper_triples",
    "statement_triples",
    "with_mentions",
]

Term = NamedNode | Literal


class Named(NamedTuple):
    """What a name means: the key of its entity, and the types that most mentions give that."""

    key: str
    types: tuple[EntityType, ...]


Naming = Mapping[str, Named]
"""What the names in one paper mean. A name that is not in it names nothing."""
Said = Triple | tuple[Statement, Evidence] | Comparable
"""A triple that a paper alone supports, or a part of what several papers support together."""


def paper_says(iri: str, extraction: Extraction, naming: Naming, *, base: str) -> Iterator[Said]:
    """All that the paper with this IRI says, each once or more."""
    extraction = _meaningful(extraction, naming)
    yield from paper_triples(iri, extraction.paper)
    yield from _mention_triples(iri, extraction, naming, base)
    for claim in extraction.claims:
        node = yield from _claim_triples(iri, claim, extraction, naming, base)
        about = tuple(_told(getattr(claim, name), naming) for name in ("subject", "metric", "baseline"))
        if isinstance(claim.subject, Mention) and (found := comparable(node, iri, claim, about)):
            yield found
    yield from _statements(iri, extraction, naming, base)


def _meaningful(extraction: Extraction, naming: Naming) -> Extraction:
    """The extraction without the mentions that name nothing."""
    kept = {mention for mention in extraction.mentions if mention.name in naming}
    return extraction if len(kept) == len(set(extraction.mentions)) else with_mentions(extraction, kept)


def with_mentions(extraction: Extraction, kept: Set[Mention]) -> Extraction:
    """The extraction with these mentions only; a claim's slot keeps the words of any other."""
    claims = (
        replace(map_slots(c, lambda m: m if m in kept else m.name), about=tuple(m for m in c.about if m in kept))
        for c in extraction.claims
    )
    return replace(
        extraction,
        mentions=tuple(m for m in extraction.mentions if m in kept),
        relations=tuple(r for r in extraction.relations if {r.head, r.tail} <= kept),
        proposals=tuple(p for p in extraction.proposals if p.mention in kept),
        claims=tuple(claims),
    )


def agreement_triples(claims: Iterable[Comparable]) -> Iterator[Triple]:
    """Which of the claims agree and which do not, said of both."""
    for one, other, agree in agreements(claims):
        predicate = v.kg("agreesWith" if agree else "disagreesWith")
        yield Triple(NamedNode(one), predicate, NamedNode(other))
        yield Triple(NamedNode(other), predicate, NamedNode(one))


def paper_triples(iri: str, paper: Paper) -> Iterator[Triple]:
    """What is known of the paper itself."""
    node = NamedNode(iri)
    yield Triple(node, v.TYPE, v.PAPER)
    yield Triple(node, v.ABSTRACT, Literal(paper.abstract))
    single = ((v.TITLE, paper.title), (v.IDENTIFIER, paper.id), (v.VENUE, paper.venue), (v.PAGE, paper.url))
    many = ((v.CREATOR, paper.authors), (v.KEYWORD, paper.keywords))
    yield from (Triple(node, predicate, Literal(value)) for predicate, value in single if value)
    for alias in paper.aliases:
        yield Triple(node, v.PAGE if alias.startswith(("http://", "https://")) else v.IDENTIFIER, Literal(alias))
    yield from (Triple(node, predicate, Literal(value)) for predicate, values in many for value in values)
    if paper.year is not None:
        yield Triple(node, v.ISSUED, _typed(f"{paper.year:04d}", "gYear"))


def entity_triples(entity: Entity, base: str) -> Iterator[Triple]:
    """The entity's types and names."""
    node = NamedNode(entity_iri(base, entity.key))
    yield Triple(node, v.TYPE, v.ENTITY)
    yield from (Triple(node, v.TYPE, v.kg(kind)) for kind in entity.types)
    yield Triple(node, v.PREF_LABEL, Literal(entity.label))
    yield from (Triple(node, v.ALT_LABEL, Literal(name)) for name in entity.names if name != entity.label)


def merge_triples(merge: Merge, evidence: Iterable[Evidence], base: str) -> Iterator[Triple]:
    """The record of a merge; what was merged has no node of its own but keeps its IRI here."""
    node = NamedNode(hashed_iri(base, "merge", merge.key, merge.into, merge.rule))
    yield Triple(node, v.TYPE, v.MERGE)
    yield Triple(node, v.FROM, NamedNode(entity_iri(base, merge.key)))
    yield Triple(node, v.INTO, NamedNode(entity_iri(base, merge.into)))
    yield Triple(node, v.RULE, Literal(str(merge.rule)))
    yield Triple(node, v.SCORE, decimal_literal(merge.score))
    for piece in evidence:
        yield from _supported(node, piece, base)


def _mention_triples(iri: str, extraction: Extraction, naming: Naming, base: str) -> Iterator[Triple]:
    paper = NamedNode(iri)
    for mention in extraction.mentions:
        entity = _node(mention, naming, base)
        quote = extraction.paper.abstract[mention.start : mention.end]
        evidence = Evidence(iri, mention.start, mention.end, quote, mention.confidence)
        node = NamedNode(hashed_iri(base, "mention", iri, mention.start, mention.end, entity.value))
        yield Triple(paper, v.MENTIONS, entity)
        yield Triple(node, v.TYPE, v.MENTION)
        yield Triple(node, v.NAMES, entity)
        yield from _evidence_triples(node, evidence)


def _statements(iri: str, extraction: Extraction, naming: Naming, base: str) -> Iterator[tuple[Statement, Evidence]]:
    abstract = extraction.paper.abstract
    for relation in extraction.relations:
        if statement := _statement(relation, naming, base):
            yield statement, _evidence(iri, abstract, relation.start, relation.end, relation.confidence)
    for proposal in extraction.proposals:
        entity = _node(proposal.mention, naming, base)
        statement = Statement(iri, v.PROPOSES.value, entity.value)
        yield statement, _evidence(iri, abstract, proposal.start, proposal.end, proposal.confidence)
    for link in extraction.links:
        if target := _web_address(link.url):
            around = next((s for s in extraction.sentences if s.start <= link.start and link.end <= s.end), link)
            start, end = around.start, around.end
            yield Statement(iri, v.CODE.value, target), _evidence(iri, abstract, start, end, 1.0)


def _statement(relation: Relation, naming: Naming, base: str) -> Statement | None:
    """The statement that a relation makes of its entities, or None where it makes none.

    The entities have the types that most mentions give them; a relation that fits none of those is left out.
    """
    if relation.type is RelationType.SAME_ENTITY:
        return None
    head, tail = naming[relation.head.name], naming[relation.tail.name]
    if head.key == tail.key or DOMAIN_AND_RANGE[relation.type].isdisjoint(product(head.types, tail.types)):
        return None
    if relation.type is RelationType.COMPARED_WITH:
        head, tail = sorted((head, tail), key=lambda entity: entity.key)
    return Statement(entity_iri(base, head.key), v.KG + relation.type, entity_iri(base, tail.key))


def statement_triples(statement: Statement, evidence: Iterable[Evidence], *, base: str) -> Iterator[Triple]:
    """The plain triple, the statement about it, and its evidence, of each sentence once and at its surest.

    The statement is as sure as its best evidence.
    """
    best = {(e.paper, e.start, e.end): e for e in sorted(evidence, key=lambda e: e.confidence)}
    found = [best[place] for place in sorted(best)]
    triple = tuple(map(NamedNode, (statement.subject, statement.predicate, statement.object)))
    node = NamedNode(statement_iri(base, statement.subject, statement.predicate, statement.object))
    yield Triple(*triple)
    yield Triple(node, v.TYPE, v.STATEMENT)
    yield from (Triple(node, p, o) for p, o in zip((v.SUBJECT, v.PREDICATE, v.OBJECT), triple, strict=True))
    yield Triple(node, v.CONFIDENCE, decimal_literal(max(e.confidence for e in found)))
    for item in found:
        yield Triple(node, v.SUPPORT, NamedNode(item.paper))
        yield from _supported(node, item, base)


def _claim_triples(
    iri: str, claim: Claim, extraction: Extraction, naming: Naming, base: str
) -> Generator[Triple, None, str]:
    """The claim's triples; returns its IRI."""
    content = list(_claim_content(claim, naming, base))
    facts = sorted((predicate.value, str(value)) for predicate, value in content)
    node = NamedNode(hashed_iri(base, "claim", iri, claim.kind, claim.start, claim.end, facts))
    evidence = _evidence(iri, extraction.paper.abstract, claim.start, claim.end, claim.confidence)
    yield Triple(NamedNode(iri), v.STATES, node)
    yield Triple(node, v.TYPE, v.CLAIM)
    yield Triple(node, v.TYPE, v.kg(claim.kind))
    yield from (Triple(node, predicate, value) for predicate, value in content)
    yield from _supported(node, evidence, base)
    return node.value


def _told(slot: Mention | str | None, naming: Naming) -> str | None:
    """What a slot holds, the same text for the same thing: an entity's key, or words as a key."""
    if slot is None:
        return None
    return naming[slot.name].key if isinstance(slot, Mention) else canonical_key(slot)


def _claim_content(claim: Claim, naming: Naming, base: str) -> Iterator[tuple[NamedNode, Term]]:
    yield v.kg("polarity"), Literal("negated" if claim.negated else "affirmed")
    yield v.kg("certainty"), Literal("hedged" if claim.hedged else "asserted")
    for mention in claim.about:
        yield v.ABOUT, _node(mention, naming, base)
    for name in SLOTS:
        value = getattr(claim, name)
        if value is not None:
            yield (
                v.kg(name),
                _node(value, naming, base) if isinstance(value, Mention) else Literal(value),
            )
    for name in ("direction", "unit", "qualifier", "condition"):
        if value := getattr(claim, name):
            yield v.kg(name), Literal(str(value))
    if claim.value is not None:
        yield v.kg("value"), decimal_literal(claim.value)


def _supported(node: NamedNode, evidence: Evidence, base: str) -> Iterator[Triple]:
    at = (evidence.paper, evidence.start, evidence.end)
    piece = NamedNode(hashed_iri(base, "evidence", node.value, *at))
    yield Triple(node, v.HAS_EVIDENCE, piece)
    yield from _evidence_triples(piece, evidence)


def _evidence_triples(node: NamedNode, evidence: Evidence) -> Iterator[Triple]:
    yield Triple(node, v.TYPE, v.EVIDENCE)
    yield Triple(node, v.SOURCE, NamedNode(evidence.paper))
    yield Triple(node, v.QUOTE, Literal(evidence.quote))
    yield Triple(node, v.START, _typed(str(evidence.start), "integer"))
    yield Triple(node, v.END, _typed(str(evidence.end), "integer"))
    yield Triple(node, v.CONFIDENCE, decimal_literal(evidence.confidence))


def _evidence(iri: str, abstract: str, start: int, end: int, confidence: float) -> Evidence:
    return Evidence(iri, start, end, abstract[start:end], confidence)


def _node(mention: Mention, naming: Naming, base: str) -> NamedNode:
    return NamedNode(entity_iri(base, naming[mention.name].key))


def _web_address(url: str) -> str | None:
    """The address as an IRI, or None where it is none, so that no text can break out of its brackets."""
    try:
        return NamedNode(url).value
    except ValueError:
        return None


def decimal_literal(number: float | Decimal) -> Literal:
    """An xsd:decimal in canonical form, as Oxigraph keeps it; a confidence has four places."""
    exact = number if isinstance(number, Decimal) else Decimal(f"{number:.4f}")
    text = f"{exact:f}"
    return _typed(text.rstrip("0").rstrip(".") if "." in text else text, "decimal")


def _typed(text: str, datatype: str) -> Literal:
    return Literal(text, datatype=NamedNode(v.XSD + datatype))
