"""Which pairs of names are worth a comparison: those that share a block, never all against all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

from kg.alike import Profile

__all__ = ["candidate_pairs"]

LARGEST = 100
"""A block with more names than this tells too little; its pairs are left to the other blocks."""


def candidate_pairs(profiles: Iterable[Profile]) -> Iterator[tuple[Profile, Profile]]:
    """Pairs that share a block, each once, in an order that does not depend on that of `profiles`.

    A name's blocks are its letters, its stems, its stems without a last "method" and the like, and its initials:
    a pair that shares none of them has never enough that speaks for it.
    """
    blocks: defaultdict[tuple[str, ...], list[Profile]] = defaultdict(list)
    for profile in profiles:
        for block in _blocks(profile):
            blocks[block].append(profile)
    seen: set[tuple[str, str]] = set()
    for block in sorted(block for block, members in blocks.items() if 1 < len(members) <= LARGEST):
        for one, other in combinations(sorted(blocks[block], key=lambda each: each.key), 2):
            if block[0] == "initials" and one.is_acronym == other.is_acronym:
                continue
            if (one.key, other.key) not in seen:
                seen.add((one.key, other.key))
                yield one, other


def _blocks(profile: Profile) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = {("letters", profile.squashed)}
    if len(profile.initials) > 2:
        found.add(("initials", profile.initials))
    if not profile.is_acronym:
        found |= {("stems", *profile.stems), ("stems", *profile.core[0])}
    return found
