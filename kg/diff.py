"""What changed between two graphs, in words: papers, entities, statements and claims that came, went or altered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.reading import evidence_of, label_of, nodes, read_statement

__all__ = ["Change", "diff"]


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One thing that differs; `what` is paper, entity, statement or claim, `how` is added, removed or altered."""

    what: str
    words: str
    how: str


def diff(old: Store, new: Store) -> list[Change]:
    """The changes from `old` to `new`, sorted by what they are of; things are the same when their IRIs are."""
    before, after = dict(_things(old)), dict(_things(new))
    removed = (Change(*before[node], "removed") for node in before.keys() - after.keys())
    added = (Change(*after[node], "added") for node in after.keys() - before.keys())
    altered = (
        Change(after[node][0], f"{before[node][1]}  is now  {after[node][1]}", "altered")
        for node in before.keys() & after.keys()
        if before[node] != after[node]
    )
    return sorted((*removed, *added, *altered))


def _things(store: Store) -> Iterator[tuple[NamedNode, tuple[str, str]]]:
    for kind in v.ENTITY_TYPES:
        for node in nodes(store, v.kg(kind)):
            yield node, ("entity", f"{kind} {label_of(store, node)}")
    for node in nodes(store, v.PAPER):
        yield node, ("paper", label_of(store, node))
    for node in nodes(store, v.STATEMENT):
        yield node, ("statement", _in_words(store, node))
    for kind in v.CLAIM_KINDS:
        for node in nodes(store, v.kg(kind)):
            yield node, ("claim", f"{kind}: {' '.join(e.quote for e in evidence_of(store, node))}")


def _in_words(store: Store, node: NamedNode) -> str:
    said = read_statement(store, node)
    return " ".join(label_of(store, NamedNode(iri)) for iri in (said.subject, said.predicate, said.object))
