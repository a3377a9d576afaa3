"""From mentions to entities: which names, over all papers, name one thing.

Within a paper a name has one meaning: an acronym that the paper defines is its long form. An acronym that a
paper uses undefined takes the meaning that the papers that define it give it, where nearly all of them agree.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kg.acronyms import stands_for
from kg.identity import canonical_key, surface_form
from kg.records import Entity, EntityType, Extraction, RelationType

__all__ = ["Resolution", "resolve_entities"]


AGREEMENT = 0.8
"""The share of the papers that define an acronym which must agree before others are read so: a slip of the pen in
one paper of ten does not split an entity, two current meanings do."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The entities by key, and the key of each name in each paper."""

    entities: Mapping[str, Entity]
    keys: Mapping[tuple[str, str], str]

    def entity(self, paper: str, name: str) -> Entity:
        """What `name` means in the paper with this IRI."""
        return self.entities[self.keys[paper, name]]


def resolve_entities(extractions: Iterable[tuple[str, Extraction]]) -> Resolution:
    """The entities that the mentions of all papers name; each extraction comes with its paper's IRI.

    The outcome does not depend on the order of the extractions. They are passed over twice, so all are held.
    """
    papers = list(extractions)
    defined = {iri: _definitions(extraction) for iri, extraction in papers}
    senses = _agreed_senses(defined.values())
    keys: dict[tuple[str, str], str] = {}
    votes: defaultdict[str, Counter[EntityType]] = defaultdict(Counter)
    names: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for iri, extraction in papers:
        for mention in extraction.mentions:
            own = canonical_key(mention.name)
            key = defined[iri].get(own) or senses.get(own) or own
            keys[iri, mention.name] = key
            votes[key][mention.type] += round(mention.confidence * 1000)  # whole numbers add up in any order
            names[key][surface_form(mention.name)] += 1
    entities = {key: _entity(key, votes[key], names[key]) for key in sorted(names)}
    return Resolution(entities, keys)


def _definitions(extraction: Extraction) -> dict[str, str]:
    """The keys of the short forms that this paper defines, each with the key of its long form.

    That two mentions name one thing counts only where the one can be the acronym of the other.
    """
    found: dict[str, str] = {}
    for relation in extraction.relations:
        if relation.type is RelationType.SAME_ENTITY:
            long, short = sorted((relation.head.name, relation.tail.name), key=lambda name: (-len(name), name))
            if canonical_key(long) != canonical_key(short) and stands_for(short, surface_form(long)):
                found.setdefault(canonical_key(short), canonical_key(long))
    return {short: _end_of_chain(found, short) for short in found}


def _end_of_chain(links: Mapping[str, str], key: str) -> str:
    seen = {key}
    while (following := links.get(key)) and following not in seen:
        seen.add(following)
        key = following
    return key


def _agreed_senses(definitions: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The long form of each acronym on which enough of the papers that define it agree."""
    senses: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for paper in definitions:
        for short, long in paper.items():
            senses[short][long] += 1
    agreed = {}
    for short, longs in senses.items():
        long, papers = min(longs.items(), key=lambda item: (-item[1], item[0]))
        if papers >= AGREEMENT * longs.total():
            agreed[short] = long
    return agreed


def _entity(key: str, votes: Counter[EntityType], names: Counter[str]) -> Entity:
    order = list(EntityType)
    kind = min(votes, key=lambda t: (-votes[t], order.index(t)))
    full = {name: count for name, count in names.items() if canonical_key(name) == key} or names
    label = min(full, key=lambda name: (-full[name], name))
    variants = {unicodedata.normalize("NFKC", name) for name in names} | set(names)
    return Entity(key, kind, label, tuple(sorted(variants)))
