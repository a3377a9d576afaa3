"""Which pairs of names are worth a comparison: those that share a block, never all against all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

from kg.alike import Profile

__all__ = ["LARGEST", "blocks", "candidate_pairs"]

LARGEST = 100
"""A block with more names than this tells too little; its pairs are left to the other blocks."""


def blocks(profile: Profile) -> set[tuple[str, str]]:
    """The blocks of a name, and on which side of each it stands: it is compared with those on other sides only.

    They are its letters, its stems, its stems without a last "method" and the like, and its initials: a pair that
    shares none of them has never enough that speaks for it. All depend on the key alone. An empty side is every side.
    """
    found = {(f"letters {profile.squashed}", "")}
    if len(profile.initials) > 2:
        found.add((f"initials {profile.initials}", "acronym" if profile.is_acronym else "words"))
    if not profile.is_acronym:
        found |= {(f"stems {' '.join(stems)}", "") for stems in (profile.stems, profile.core[0])}
    return found


def candidate_pairs(profiles: Iterable[Profile]) -> Iterator[tuple[Profile, Profile]]:
    """Pairs that share a block, each once, in an order that does not depend on that of `profiles`."""
    members: defaultdict[str, list[tuple[str, Profile]]] = defaultdict(list)
    for profile in profiles:
        for block, side in blocks(profile):
            members[block].append((side, profile))
    seen: set[tuple[str, str]] = set()
    for block in sorted(block for block, found in members.items() if 1 < len(found) <= LARGEST):
        for (side, one), (other_side, other) in combinations(sorted(members[block], key=lambda each: each[1].key), 2):
            if (not side or side != other_side) and (one.key, other.key) not in seen:
                seen.add((one.key, other.key))
                yield one, other
