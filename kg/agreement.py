"""Claims of different papers about one thing: which agree, and which do not.

Two results are about one thing when they have the same entity as subject and the same metric and baseline, where the
text names them; they agree when they go the same way. A quantity that rises or falls is compared with one that does,
better with worse.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from kg.records import Claim, Direction

__all__ = ["Comparable", "agreements", "comparable"]

OPPOSITE = {
    Direction.INCREASE: Direction.DECREASE,
    Direction.DECREASE: Direction.INCREASE,
    Direction.BETTER: Direction.WORSE,
    Direction.WORSE: Direction.BETTER,
}
PREFERENCES = frozenset({Direction.BETTER, Direction.WORSE})
MOST = 200
"""Of more claims about one thing than this, none are linked: it is too wide a thing to agree on."""


@dataclass(frozen=True, slots=True)
class Comparable:
    """A claim that may agree with others: its IRI and its paper's, what it is about, and which way it goes."""

    iri: str
    paper: str
    about: tuple[str | None, ...]
    direction: Direction
    negated: bool


def comparable(iri: str, paper: str, claim: Claim, about: tuple[str | None, ...]) -> Comparable | None:
    """The claim, if it says which way it goes and names its subject and a metric or baseline.

    `about` holds what subject, metric and baseline are, the same text for the same thing.
    """
    subject, *measured = about
    if claim.direction is None or subject is None or not any(measured):
        return None
    return Comparable(iri, paper, about, claim.direction, claim.negated)


def agreements(claims: Iterable[Comparable]) -> Iterator[tuple[str, str, bool]]:
    """The IRIs of every two claims of different papers about one thing, and whether they agree."""
    groups: defaultdict[tuple[str | None, ...], list[Comparable]] = defaultdict(list)
    for claim in claims:
        groups[claim.about].append(claim)
    for about in sorted(groups, key=str):
        group = sorted(groups[about], key=lambda claim: claim.iri)
        if len(group) > MOST:
            continue
        for one, other in combinations(group, 2):
            if one.paper != other.paper and (agree := _agree(one, other)) is not None:
                yield one.iri, other.iri, agree


def _agree(one: Comparable, other: Comparable) -> bool | None:
    """Whether two claims about one thing agree; None where their directions cannot be compared."""
    if one.direction is other.direction:
        return one.negated == other.negated
    if OPPOSITE.get(one.direction) is other.direction and not (one.negated and other.negated):
        return one.negated != other.negated
    if Direction.EQUAL in (one.direction, other.direction) and {one.direction, other.direction} & PREFERENCES:
        return False if not (one.negated or other.negated) else None
    return None
