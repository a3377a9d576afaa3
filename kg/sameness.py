"""Why two names are one entity, or are not: from the graph's records of merges, and from the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.alike import Judgement, Profile, load_scorer
from kg.identity import canonical_key, surface_form
from kg.lookup import find_entity
from kg.reading import evidence_of, label_of, objects, subjects, text_of, texts
from kg.records import EntityType, Evidence

__all__ = ["Sameness", "Step", "key_name", "key_of", "profile_of", "why_same"]


@dataclass(frozen=True, slots=True)
class Step:
    """What leads from a name to its entity: a rule, how sure it is (0 to 1), and the sentences that say so."""

    name: str
    rule: str
    score: float
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Sameness:
    """Whether two names are one entity in a graph, and why; of two entities the rules' judgement and threshold."""

    one: NamedNode
    other: NamedNode
    steps: tuple[Step, ...] = ()
    judgement: Judgement | None = None
    threshold: float = 0.0

    @property
    def same(self) -> bool:
        """Whether they are one entity."""
        return self.one == self.other


def why_same(store: Store, one: str, other: str) -> Sameness:
    """Why the names `one` and `other` are the same entity or are not. Raises NameUnknownError for an unknown name."""
    nodes = find_entity(store, one), find_entity(store, other)
    if nodes[0] == nodes[1]:
        steps = tuple(step for name in dict.fromkeys((one, other)) for step in _steps(store, name, nodes[0]))
        return Sameness(*nodes, steps)
    scorer = load_scorer()
    judgement = scorer.judge(profile_of(store, nodes[0]), profile_of(store, nodes[1]))
    return Sameness(*nodes, judgement=judgement, threshold=scorer.threshold)


def _steps(store: Store, name: str, node: NamedNode) -> Iterator[Step]:
    key = canonical_key(name)
    if key == key_of(node):
        yield Step(name, "its plain spelling", 1.0)
        return
    for merge in sorted(subjects(store, v.INTO, node), key=lambda each: each.value):
        origin = next(objects(store, merge, v.FROM), None)
        if origin is not None and key_of(origin) == key:
            rule, score = text_of(store, merge, v.RULE) or "", float(text_of(store, merge, v.SCORE) or 0)
            yield Step(name, rule, score, tuple(evidence_of(store, merge)))


def key_of(node: NamedNode) -> str:
    """The key of an entity, or of what became one, from its IRI."""
    return unquote(node.value.rpartition("/entity/")[2])


def key_name(store: Store, node: NamedNode) -> str:
    """A name that has the entity's own key, so that it means this entity in every later build."""
    key = key_of(node)
    names = sorted(_names(store, node), key=lambda name: (name != label_of(store, node), name))
    return next((name for name in names if canonical_key(name) == key), key)


def profile_of(store: Store, node: NamedNode) -> Profile:
    """What the graph tells of an entity, as the rules see it."""
    types = set(objects(store, node, v.TYPE))
    origins = subjects(store, v.FROM, node)
    return Profile(
        key_of(node),
        Counter({kind: 1 for kind in EntityType if v.kg(kind) in types}),
        names=Counter(surface_form(name) for name in _names(store, node)),
        papers=sum(1 for _ in subjects(store, v.MENTIONS, node)),
        neighbours=Counter(_related(store, node)),
        expansions=frozenset(key_of(long) for merge in origins for long in objects(store, merge, v.INTO)),
    )


def _related(store: Store, node: NamedNode) -> Iterator[str]:
    for relation in v.RELATIONS:
        yield from (key_of(other) for other in objects(store, node, v.kg(relation)))
        yield from (key_of(other) for other in subjects(store, v.kg(relation), node))


def _names(store: Store, node: NamedNode) -> list[str]:
    return [*texts(store, node, v.PREF_LABEL), *texts(store, node, v.ALT_LABEL)]
