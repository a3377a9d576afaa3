"""Records read back from a store: the other direction of :mod:`kg.graph`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product
from typing import cast

from pyoxigraph import Literal, NamedNode, QuerySolutions, Store

from kg import vocabulary as v
from kg.records import Evidence, Statement

__all__ = [
    "evidence_of",
    "label_of",
    "leading",
    "leading_to",
    "links",
    "literals",
    "matches",
    "nodes",
    "objects",
    "read_evidence",
    "read_statement",
    "subjects",
    "text_of",
    "texts",
]


def nodes(store: Store, kind: NamedNode) -> Iterator[NamedNode]:
    """The nodes of this class."""
    return subjects(store, v.TYPE, kind)


def subjects(store: Store, predicate: NamedNode, target: NamedNode | Literal) -> Iterator[NamedNode]:
    """The nodes that this predicate leads from to the target."""
    found = (quad.subject for quad in store.quads_for_pattern(None, predicate, target))
    return (node for node in found if isinstance(node, NamedNode))


def objects(store: Store, node: NamedNode, predicate: NamedNode) -> Iterator[NamedNode]:
    """The nodes that this predicate leads to."""
    found = (quad.object for quad in store.quads_for_pattern(node, predicate, None))
    return (target for target in found if isinstance(target, NamedNode))


def leading(
    store: Store, some: Iterable[NamedNode], predicates: Collection[NamedNode]
) -> Iterator[tuple[str, NamedNode, str]]:
    """Where these nodes lead to by one of these predicates: node, predicate, and the IRI of the other node."""
    for node in some:
        for quad in store.quads_for_pattern(node, None, None):
            if quad.predicate in predicates and isinstance(quad.object, NamedNode):
                yield node.value, quad.predicate, quad.object.value


def leading_to(
    store: Store, some: Iterable[NamedNode], predicates: Collection[NamedNode]
) -> Iterator[tuple[str, NamedNode, str]]:
    """What leads to these nodes by one of these predicates: the IRI of the other node, predicate, node."""
    for node, predicate in product(some, predicates):
        yield from ((other.value, predicate, node.value) for other in subjects(store, predicate, node))


def texts(store: Store, node: NamedNode, predicate: NamedNode) -> Iterator[str]:
    """The texts of the literals that this predicate leads to."""
    found = (quad.object for quad in store.quads_for_pattern(node, predicate, None))
    return (target.value for target in found if isinstance(target, Literal))


def text_of(store: Store, node: NamedNode, predicate: NamedNode) -> str | None:
    """The first of :func:`texts`, or None."""
    return next(texts(store, node, predicate), None)


def links(store: Store, predicate: NamedNode) -> Iterator[tuple[NamedNode, NamedNode]]:
    """Every pair of nodes that this predicate joins."""
    for quad in store.quads_for_pattern(None, predicate, None):
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode):
            yield quad.subject, quad.object


def literals(store: Store, predicate: NamedNode) -> Iterator[tuple[NamedNode, str]]:
    """Every node with a text that this predicate leads to."""
    for quad in store.quads_for_pattern(None, predicate, None):
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal):
            yield quad.subject, quad.object.value


def matches(store: Store, query: str, **given: Iterable[NamedNode | Sequence[NamedNode]]) -> Iterator[tuple[str, ...]]:
    """What a SELECT query finds, as texts: IRIs and the values of literals; "" for what stays unbound.

    `given` holds, for a variable of the query, the terms that it may stand for; of several variables, joined by two
    underscores, the rows of terms. They take the place of ``$name`` in the query. To ask for many nodes at once is
    far faster than to ask for each.
    """
    for name, terms in given.items():
        variables = " ".join(f"?{variable}" for variable in name.split("__"))
        rows = " ".join(str(term) if isinstance(term, NamedNode) else f"({' '.join(map(str, term))})" for term in terms)
        head = f"({variables})" if "__" in name else variables
        query = query.replace(f"${name} ", f"VALUES {head} {{ {rows} }} ")
    found = cast(QuerySolutions, store.query(query, prefixes=v.PREFIXES))
    return (tuple("" if term is None else term.value for term in row) for row in found)


def label_of(store: Store, node: NamedNode) -> str:
    """The name to show for a node: its preferred label, its title, the start of its abstract, or its IRI."""
    if label := text_of(store, node, v.PREF_LABEL) or text_of(store, node, v.TITLE):
        return label
    words = (text_of(store, node, v.ABSTRACT) or node.value.removeprefix(v.KG)).split()
    return " ".join(words[:8]) + (" …" if len(words) > 8 else "")


def read_statement(store: Store, node: NamedNode) -> Statement:
    """The statement that this node is about."""
    subject, predicate, target = (next(objects(store, node, p)).value for p in (v.SUBJECT, v.PREDICATE, v.OBJECT))
    return Statement(subject, predicate, target)


def read_evidence(store: Store, node: NamedNode) -> Evidence:
    """The piece of evidence or the mention that this node is."""
    facts = {quad.predicate: quad.object for quad in store.quads_for_pattern(node, None, None)}
    start, end, quote, confidence = (str(facts[p].value) for p in (v.START, v.END, v.QUOTE, v.CONFIDENCE))  # type: ignore[union-attr]
    paper = facts[v.SOURCE]
    return Evidence(paper.value if isinstance(paper, NamedNode) else "", int(start), int(end), quote, float(confidence))


def evidence_of(store: Store, node: NamedNode) -> list[Evidence]:
    """The evidence for a statement or claim, the surest first, then by paper and place."""
    found = (read_evidence(store, piece) for piece in objects(store, node, v.HAS_EVIDENCE))
    return sorted(found, key=lambda e: (-e.confidence, e.paper, e.start, e.end))
