"""From mentions to entities: which names, over all papers, name one thing, and why.

Within a paper a name has one meaning: an acronym that the paper defines is its long form. An acronym that a paper uses
undefined takes the meaning on which nearly all papers that define it agree, else the one that its neighbours point to,
else it stays by itself. Then names that the scorer finds alike are joined, the surest first, never across a veto.
Every join is a :class:`~kg.records.Merge`; people's decisions (:mod:`kg.curation`) come before all rules.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from kg.acronyms import stands_for
from kg.alike import Profile, load_scorer, veto
from kg.blocking import candidate_pairs
from kg.curation import NO_DECISIONS, Action, Curation, Decision
from kg.identity import canonical_key, surface_form
from kg.records import Entity, EntityType, Extraction, Merge, MergeRule, RelationType

__all__ = ["Resolution", "resolve_entities"]


AGREEMENT = 0.8
"""The share of the papers that define an acronym which must agree before others are read so: a slip of the pen in
one paper of ten does not split an entity, two current meanings do."""
NEIGHBOURLY, AHEAD = 0.15, 2.0
"""How alike an undefined acronym's neighbours must be to those of a meaning; how many times more than to any other."""
SECOND_TYPE_SHARE, SECOND_TYPE_MENTIONS = 0.3, 5
"""An entity has a second type if so large a share of its votes and so many of its mentions say so."""

Papers = Sequence[tuple[str, Extraction]]
Place = tuple[str, int, int]
"""A slice of an abstract: the paper's IRI, start and end."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The entities by key, the key of each name in each paper, and how they came about."""

    entities: Mapping[str, Entity]
    keys: Mapping[tuple[str, str], str]
    merges: Sequence[Merge] = ()
    blocked: frozenset[str] = frozenset()
    """The keys of names that people said name nothing."""
    unapplied: Sequence[Decision] = ()
    """People's decisions about names that no paper has."""

    def entity(self, paper: str, name: str) -> Entity:
        """What `name` means in the paper with this IRI."""
        return self.entities[self.keys[paper, name]]

    def names_nothing(self, name: str) -> bool:
        """Whether people said that `name` names nothing."""
        return _key(name) in self.blocked


@lru_cache(maxsize=1_000_000)
def _key(name: str) -> str:
    return canonical_key(name)


@lru_cache(maxsize=1_000_000)
def _surface(name: str) -> str:
    return surface_form(name)


@lru_cache(maxsize=100_000)
def _stands_for(short: str, long: str) -> bool:
    return stands_for(short, long)


def resolve_entities(extractions: Iterable[tuple[str, Extraction]], curation: Curation = NO_DECISIONS) -> Resolution:
    """The entities that the mentions of all papers name; each extraction comes with its paper's IRI.

    The outcome does not depend on the order of the extractions. They are passed over several times, so all are held.
    """
    hand = _Hand(curation)
    papers = list(extractions)
    own: defaultdict[str, dict[str, str]] = defaultdict(dict)
    defined: defaultdict[str, dict[str, tuple[str, int, int]]] = defaultdict(dict)
    for iri, extraction in papers:
        own[iri].update((mention.name, hand.key(mention.name)) for mention in extraction.mentions)
        defined[iri].update(_definitions(extraction, hand))
    meanings = _Meanings(papers, own, defined)
    keys = {
        (iri, name): meanings.key(iri, key)
        for iri, names in own.items()
        for name, key in names.items()
        if key not in hand.blocked
    }
    profiles = _profiles(papers, keys, meanings)
    clusters = _Clusters(profiles, hand)
    clusters.join_by_hand()
    clusters.join_alike()
    groups = clusters.groups()
    into = {key: head for head, members in groups.items() for key in members}
    entities = {head: _entity(head, [profiles[key] for key in members], hand) for head, members in groups.items()}
    return Resolution(
        dict(sorted(entities.items())),
        {place: into[key] for place, key in keys.items()},
        _combined((*meanings.merges(into), *clusters.merges(into))),
        frozenset(hand.blocked),
        hand.unapplied({key for names in own.values() for key in names.values()}),
    )


def _combined(merges: Iterable[Merge]) -> list[Merge]:
    """One record for each key, entity and rule, in a fixed order."""
    found: dict[tuple[str, str, MergeRule], Merge] = {}
    for merge in merges:
        known = found.setdefault((merge.into, merge.key, merge.rule), merge)
        if known is not merge:
            places = tuple(sorted({*known.places, *merge.places}))
            joined = replace(merge, score=max(known.score, merge.score), places=places)
            found[merge.into, merge.key, merge.rule] = joined
    return [found[each] for each in sorted(found)]


class _Hand:
    """People's decisions, by key."""

    def __init__(self, curation: Curation) -> None:
        self._curation = curation
        self.blocked = {_key(each.subject) for each in curation.of(Action.BLOCK)}
        self._own_keys = {
            surface_form(each.subject): _key(each.subject) + "~"
            for each in curation.of(Action.SPLIT)
            if _key(each.subject) == _key(each.object)
        }
        self.apart = {frozenset((self.key(d.subject), _key(d.object))) for d in curation.of(Action.SPLIT)}
        self.together = [(self.key(d.subject), self.key(d.object)) for d in curation.of(Action.MERGE)]
        self.labels = {self.key(each.subject): each.object for each in curation.of(Action.RENAME)}
        self.types = {self.key(each.subject): EntityType(each.object) for each in curation.of(Action.RETYPE)}

    def key(self, name: str) -> str:
        """The key of a name; one of its own where people said that it is not what its key says."""
        return (self._own_keys.get(surface_form(name)) if self._own_keys else None) or _key(name)

    def unapplied(self, known: set[str]) -> tuple[Decision, ...]:
        """The decisions about names that are not among the known keys."""
        return tuple(each for each in self._curation.decisions if not set(self._needed(each)) <= known)

    def _needed(self, decision: Decision) -> Iterator[str]:
        yield self.key(decision.subject)
        if decision.action is Action.MERGE:
            yield self.key(decision.object)


def _definitions(extraction: Extraction, hand: _Hand) -> dict[str, tuple[str, int, int]]:
    """The keys of the short forms that this paper defines: the key of the long form, and where the text says so.

    That two mentions name one thing counts only where the one can be the acronym of the other.
    """
    found: dict[str, tuple[str, int, int]] = {}
    for relation in extraction.relations:
        if relation.type is RelationType.SAME_ENTITY:
            long, short = sorted((relation.head.name, relation.tail.name), key=lambda name: (-len(name), name))
            long_key, short_key = hand.key(long), hand.key(short)
            if long_key == short_key or frozenset((long_key, short_key)) in hand.apart:
                continue
            if short_key.casefold() in long_key.casefold().split("_"):
                continue  # LiDAR is a word of LiDAR-inertial odometry, not its acronym
            if _stands_for(short, _surface(long)):
                found.setdefault(short_key, (long_key, relation.start, relation.end))
    return {short: (_end_of_chain(found, short), start, end) for short, (_, start, end) in found.items()}


def _end_of_chain(links: Mapping[str, tuple[str, int, int]], key: str) -> str:
    seen = {key}
    while (following := links.get(key, ("", 0, 0))[0]) and following not in seen:
        seen.add(following)
        key = following
    return key


class _Meanings:
    """What acronyms mean: in the paper that defines them, and in the others."""

    def __init__(
        self,
        papers: Papers,
        own: Mapping[str, Mapping[str, str]],
        defined: Mapping[str, Mapping[str, tuple[str, int, int]]],
    ) -> None:
        self._defined = defined
        self._places: defaultdict[tuple[str, str], list[Place]] = defaultdict(list)
        self.senses: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for iri, definitions in defined.items():
            for short, (long, start, end) in definitions.items():
                self._places[short, long].append((iri, start, end))
                self.senses[short][long] += 1
        self._agreed = {short: agreed for short, longs in self.senses.items() if (agreed := _agreed_sense(longs))}
        self._by_context = self._read_contexts(papers, own)

    def key(self, iri: str, own: str) -> str:
        """What a name with this key means in this paper."""
        if own in self._defined[iri]:
            return self._defined[iri][own][0]
        return self._agreed.get(own) or self._by_context.get((iri, own), (own, 0.0))[0]

    def _read_contexts(
        self, papers: Papers, own: Mapping[str, Mapping[str, str]]
    ) -> dict[tuple[str, str], tuple[str, float]]:
        """The meaning that its neighbours point to, for every paper that leaves an ambiguous acronym undefined."""
        ambiguous = {short for short in self.senses if short not in self._agreed}
        if not ambiguous:
            return {}
        around: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        open_places = []
        for iri, _ in papers:
            present = set(own[iri].values())
            for short in present & ambiguous:
                if short in self._defined[iri]:
                    around[short, self._defined[iri][short][0]].update(present - {short})
                else:
                    open_places.append((iri, short, present - {short}))
        usual = Counter(key for iri, _ in papers for key in set(own[iri].values()))
        found = {}
        for iri, short, present in open_places:
            scores = sorted(
                ((_overlap(present, around[short, long], usual), long) for long in self.senses[short]), reverse=True
            )
            best = scores[0]
            if best[0] >= NEIGHBOURLY and (len(scores) < 2 or best[0] >= AHEAD * scores[1][0]):
                found[iri, short] = (best[1], best[0])
        return found

    def merges(self, into: Mapping[str, str]) -> Iterator[Merge]:
        """A record for every acronym that is read as its long form."""
        for (short, long), places in self._places.items():
            if long in into:
                yield Merge(short, into[long], MergeRule.DEFINED_ACRONYM, 1.0, tuple(sorted(places)))
        for short, long in self._agreed.items():
            if long in into:
                share = self.senses[short][long] / self.senses[short].total()
                yield Merge(short, into[long], MergeRule.AGREED_ACRONYM, share)
        for (_, short), (long, score) in self._by_context.items():
            if long in into:
                yield Merge(short, into[long], MergeRule.ACRONYM_BY_CONTEXT, score)


def _agreed_sense(longs: Counter[str]) -> str | None:
    """The long form of an acronym on which enough of the papers that define it agree."""
    long, papers = min(longs.items(), key=lambda item: (-item[1], item[0]))
    return long if papers >= AGREEMENT * longs.total() else None


def _overlap(present: set[str], around: Counter[str], usual: Counter[str]) -> float:
    """The share of a paper's entities, rare ones counting more, that papers with a meaning of the acronym mention."""
    weights = {key: 1 / math.log(2 + usual[key]) for key in sorted(present)}
    total = sum(weights.values())
    return sum(weight for key, weight in weights.items() if around[key]) / total if total else 0.0


def _profiles(papers: Papers, keys: Mapping[tuple[str, str], str], meanings: _Meanings) -> dict[str, Profile]:
    """What all papers tell of each key."""
    profiles: dict[str, Profile] = {}
    for iri, extraction in papers:
        line = []
        for mention in extraction.mentions:
            key = keys.get((iri, mention.name))
            if key is None:
                continue
            profile = profiles.get(key)
            if profile is None:
                profile = profiles[key] = Profile(key, expansions=frozenset(meanings.senses.get(key, ())))
            profile.votes[mention.type] += round(mention.confidence * 1000)  # whole numbers add up in any order
            profile.mentions[mention.type] += 1
            profile.names[_surface(mention.name)] += 1
            line.append(key)
        for key in set(line):
            profiles[key].papers += 1
        for one, other in pairwise(line):
            if one != other:
                profiles[one].neighbours[other] += 1
                profiles[other].neighbours[one] += 1
    return profiles


class _Clusters:
    """Keys that are joined, with what joined them."""

    def __init__(self, profiles: Mapping[str, Profile], hand: _Hand) -> None:
        self._profiles = profiles
        self._hand = hand
        self._members: dict[str, list[str]] = {key: [key] for key in profiles}
        self._head = {key: key for key in profiles}
        self._joins: list[tuple[str, str, MergeRule, float]] = []

    def join_by_hand(self) -> None:
        """Join what people said is one."""
        for one, other in self._hand.together:
            if one in self._head and other in self._head:
                self._join(one, other, MergeRule.BY_HAND, 1.0)

    def join_alike(self) -> None:
        """Join the names that the scorer finds alike, the surest first, unless any two of the two groups may not be."""
        scorer = load_scorer()
        alike = []
        for one, other in candidate_pairs(self._profiles.values()):
            judgement = scorer.judge(one, other)
            if judgement.same:
                rule = MergeRule.SAME_LETTERS if one.squashed == other.squashed else MergeRule.ALIKE
                alike.append((-judgement.score, one.key, other.key, rule))
        for score, left, right, rule in sorted(alike):
            if self._head[left] != self._head[right] and not self._ruled_out(left, right):
                self._join(left, right, rule, -score)

    def _ruled_out(self, one: str, other: str) -> bool:
        groups = self._members[self._head[one]], self._members[self._head[other]]
        return any(
            frozenset((left, right)) in self._hand.apart or veto(self._profiles[left], self._profiles[right])
            for left in groups[0]
            for right in groups[1]
        )

    def _join(self, one: str, other: str, rule: MergeRule, score: float) -> None:
        self._joins.append((one, other, rule, score))
        kept, gone = self._head[one], self._head[other]
        if kept == gone:
            return
        for key in self._members[gone]:
            self._head[key] = kept
        self._members[kept] += self._members.pop(gone)

    def groups(self) -> dict[str, list[str]]:
        """The members of each group by the key that stands for it.

        That is the one that people merged into, else the one that most papers use.
        """
        merged = {one for one, _, rule, _ in self._joins if rule is MergeRule.BY_HAND}
        chosen = {other for _, other, rule, _ in self._joins if rule is MergeRule.BY_HAND} - merged
        groups = {}
        for members in self._members.values():
            head = min(members, key=lambda key: (key not in chosen, *_plainness(self._profiles[key])))
            groups[head] = sorted(members)
        return groups

    def merges(self, into: Mapping[str, str]) -> Iterator[Merge]:
        """A record for every key that stands for its group no more, by the join that is surest of it."""
        best: dict[str, tuple[float, MergeRule]] = {}
        for one, other, rule, score in self._joins:
            for key in (one, other):
                if into[key] != key and score > best.get(key, (0.0, rule))[0]:
                    best[key] = (score, rule)
        for key, (score, rule) in best.items():
            yield Merge(key, into[key], rule, score)


def _plainness(profile: Profile) -> tuple[bool, int, int, str]:
    return profile.is_acronym, -profile.papers, len(profile.key), profile.key


def _entity(head: str, profiles: Sequence[Profile], hand: _Hand) -> Entity:
    votes, names, mentions = Counter[EntityType](), Counter[str](), Counter[EntityType]()
    for profile in profiles:
        votes.update(profile.votes)
        names.update(profile.names)
        mentions.update(profile.mentions)
    order = list(EntityType)
    kinds = sorted(votes, key=lambda t: (-votes[t], order.index(t)))
    by_hand = next((hand.types[p.key] for p in profiles if p.key in hand.types), None)
    kind, second = by_hand or kinds[0], None
    if by_hand is None and len(kinds) > 1:
        strong = votes[kinds[1]] >= SECOND_TYPE_SHARE * votes.total() and mentions[kinds[1]] >= SECOND_TYPE_MENTIONS
        second = kinds[1] if strong else None
    own = {profile.key for profile in profiles}
    full = {name: count for name, count in names.items() if _key(name) in own} or names
    label = min(full, key=lambda name: (-full[name], _key(name) != head, name))
    label = next((hand.labels[p.key] for p in profiles if p.key in hand.labels), label)
    variants = {unicodedata.normalize("NFKC", name) for name in names} | set(names)
    return Entity(head, kind, label, tuple(sorted(variants)), second)
