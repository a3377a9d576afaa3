"""Why is this in the graph? The sentences that support a statement, with what they are about marked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.reading import evidence_of, label_of, read_evidence, read_statement, subjects
from kg.records import Evidence, Statement

__all__ = ["Explanation", "Quote", "explain"]


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of the paper with this title; `marks` are slices of its quote that name what it is about."""

    evidence: Evidence
    title: str
    marks: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A statement in words, and the sentences that support it."""

    subject: str
    predicate: str
    object: str
    quotes: tuple[Quote, ...]


def explain(
    store: Store, subject: NamedNode, predicate: NamedNode | None = None, other: NamedNode | None = None
) -> list[Explanation]:
    """The explanations of every statement about `subject`, narrowed to a predicate and to the other end where given.

    `subject` may be at either end when no predicate is given or when the predicate is symmetric.
    """
    found = set(subjects(store, v.SUBJECT, subject))
    if predicate is None or predicate == v.kg("comparedWith"):
        found |= set(subjects(store, v.OBJECT, subject))
    statements = ((node, read_statement(store, node)) for node in found)
    explained = (_explained(store, node, s) for node, s in statements if _fits(s, predicate, other))
    return sorted(explained, key=lambda e: (-len(e.quotes), e.subject, e.predicate, e.object))


def _fits(statement: Statement, predicate: NamedNode | None, other: NamedNode | None) -> bool:
    right_kind = predicate is None or statement.predicate == predicate.value
    return right_kind and (other is None or other.value in (statement.subject, statement.object))


def _explained(store: Store, node: NamedNode, statement: Statement) -> Explanation:
    ends = (NamedNode(statement.subject), NamedNode(statement.object))
    marks = sorted(_mentions(store, ends))
    quotes = (Quote(e, label_of(store, NamedNode(e.paper)), tuple(_inside(e, marks))) for e in evidence_of(store, node))
    return Explanation(
        label_of(store, ends[0]),
        statement.predicate.removeprefix(v.KG),
        label_of(store, ends[1]),
        tuple(quotes),
    )


def _mentions(store: Store, entities: tuple[NamedNode, ...]) -> Iterator[tuple[str, int, int]]:
    for entity in entities:
        for node in subjects(store, v.NAMES, entity):
            mention = read_evidence(store, node)
            yield mention.paper, mention.start, mention.end


def _inside(evidence: Evidence, marks: list[tuple[str, int, int]]) -> Iterator[tuple[int, int]]:
    for paper, start, end in marks:
        if paper == evidence.paper and evidence.start <= start and end <= evidence.end:
            yield start - evidence.start, end - evidence.start
