"""From mentions to entities: which names, over all papers, name one thing, and why.

Within a paper a name has one meaning: an acronym that the paper defines is its long form, its sense. An acronym that a
paper uses undefined takes the sense on which nearly all papers that define it agree, else the one that its neighbours
point to, else it stays by itself. Then names that the scorer finds alike are joined, the surest first, never across a
veto. Every join is a :class:`~kg.records.Merge`; people's decisions (:mod:`kg.curation`) come before all rules.

All of it is joins and group-bys over two tables, MENTION and DEFINITION, on an engine of :mod:`kg.engine`; what is
computed of a name, a pair or a group is a function here. Each outcome depends only on the rows that it names, so that a
change of some papers changes no more than their neighbourhood (:mod:`kg.change`).
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa

from kg.acronyms import long_form_at_end
from kg.alike import Profile, load_scorer, veto
from kg.blocking import LARGEST, blocks
from kg.curation import NO_DECISIONS, Action, Curation, Decision
from kg.engine import Columns, DuckEngine, Engine, Row, first_of
from kg.identity import as_compound, canonical_key, surface_form
from kg.records import Entity, EntityType, Extraction, Merge, MergeRule, RelationType
from kg.wordlists import is_adjective, word_list

__all__ = [
    "BLOCK",
    "DEFINITION",
    "MENTION",
    "Hand",
    "PaperRows",
    "Resolution",
    "block_rows",
    "compare",
    "known_keys",
    "paper_rows",
    "read_entity",
    "resolve",
    "resolve_entities",
    "unite",
]

TEXT, WHOLE, REAL = pa.string(), pa.int64(), pa.float64()

MENTION: Columns = {
    "paper": TEXT,
    "key": TEXT,
    "name": TEXT,
    "surface": TEXT,
    "type": TEXT,
    "weight": WHOLE,
    "before": TEXT,
    "after": TEXT,
}
"""A mention: the paper's IRI, the key, name and bare form of the name, its type, its confidence in thousandths (whole
numbers add up in any order), and the keys of the mentions beside it, if any."""
DEFINITION: Columns = {
    "paper": TEXT,
    "acronym": TEXT,
    "sense": TEXT,
    "rule": TEXT,
    "begins": WHOLE,
    "ends": WHOLE,
    "quote": TEXT,
}
"""A paper says that names with the key `acronym` mean those with the key `sense`, in this slice of its abstract; by
another rule than that it defines an acronym, this holds in the paper alone."""
BLOCK: Columns = {"block": TEXT, "side": TEXT, "key": TEXT}
"""A key stands in a block; where `side` is not empty, it is compared with those of the other side only."""

PROFILE: Columns = {"key": TEXT, "profile": TEXT}
EDGE: Columns = {"one": TEXT, "other": TEXT, "score": REAL, "rule": TEXT}
CONTEXT: Columns = {"acronym": TEXT, "paper": TEXT, "sense": TEXT, "score": REAL}
CLUSTER: Columns = {"key": TEXT, "head": TEXT, "types": TEXT, "rule": TEXT, "score": REAL, "entity": TEXT}

AGREEMENT = 5, 4
"""So many papers of those that define an acronym must agree before others are read so, if they are that many to so
many: a slip of the pen in one paper of ten does not split an entity, two current meanings do."""
NEIGHBOURLY, AHEAD = 0.15, 2.0
"""How alike an undefined acronym's neighbours must be to those of a meaning; how many times more than to any other."""
NEIGHBOURS = 50
"""Of how many of its most frequent neighbours a key's profile tells."""
SECOND_TYPE_SHARE, SECOND_TYPE_MENTIONS = 0.3, 5
"""An entity has a second type if so large a share of its votes and so many of its mentions say so."""

_FORMS = word_list("representation representations problem problems formulation formulations instance instances")
"""Nouns that say in which form a paper meets what its acronym names, and name nothing else."""

Papers = Iterable[tuple[str, Extraction]]


@lru_cache(maxsize=200_000)
def _key(name: str) -> str:
    return canonical_key(name)


@lru_cache(maxsize=200_000)
def _surface(name: str) -> str:
    return surface_form(name)


@lru_cache(maxsize=100_000)
def _long_form(short: str, text: str) -> str | None:
    return long_form_at_end(short, text)


# People's decisions


class Hand:
    """People's decisions, by key."""

    def __init__(self, curation: Curation = NO_DECISIONS) -> None:
        self._curation = curation
        self.blocked = frozenset(_key(each.subject) for each in curation.of(Action.BLOCK))
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

    def names_nothing(self, name: str) -> bool:
        """Whether people said that `name` names nothing."""
        return bool(self.blocked) and _key(name) in self.blocked

    def needed(self) -> set[str]:
        """The keys that the decisions are about."""
        return {key for decision in self._curation.decisions for key in self._needed(decision)}

    def unapplied(self, known: set[str]) -> tuple[Decision, ...]:
        """The decisions about names that are not among the known keys."""
        return tuple(each for each in self._curation.decisions if not set(self._needed(each)) <= known)

    def _needed(self, decision: Decision) -> Iterator[str]:
        yield self.key(decision.subject)
        if decision.action is Action.MERGE:
            yield self.key(decision.object)


# What a paper says, as rows


class PaperRows(NamedTuple):
    """The rows of MENTION and DEFINITION that one paper makes."""

    mentions: list[Row]
    definitions: list[Row]


def paper_rows(iri: str, extraction: Extraction, hand: Hand) -> PaperRows:
    """The rows that the paper with this IRI makes; a name that names nothing makes none."""
    named = [(m, hand.key(m.name)) for m in extraction.mentions if not hand.names_nothing(m.name)]
    keys = ["", *(key for _, key in named), ""]
    mentions = [
        (iri, key, m.name, _surface(m.name), m.type.value, round(m.confidence * 1000), *keys[place : place + 3 : 2])
        for place, (m, key) in enumerate(named)
    ]
    definitions = [
        (iri, key, sense, rule.value, start, end, extraction.paper.abstract[start:end])
        for key, (sense, rule, start, end) in _definitions(extraction, hand).items()
    ]
    return PaperRows(mentions, definitions)


class _Meaning(NamedTuple):
    """The key that a paper gives a name beside its own, by which rule, and where the text says so."""

    sense: str
    rule: MergeRule
    start: int
    end: int


def _definitions(extraction: Extraction, hand: Hand) -> dict[str, _Meaning]:
    """What this paper defines, by key: its acronyms, and the names with which it describes what these stand for.

    That two mentions name one thing counts only where the one can be the acronym of the other, or of its end.
    """
    found: dict[str, _Meaning] = {}
    described: dict[str, _Meaning] = {}
    types: dict[str, EntityType] = {}
    for relation in extraction.relations:
        if relation.type is not RelationType.SAME_ENTITY:
            continue
        name, short = sorted((relation.head.name, relation.tail.name), key=lambda name: (-len(name), name))
        key, short_key = hand.key(name), hand.key(short)
        if short_key.casefold() in key.casefold().split("_"):
            continue  # LiDAR is a word of LiDAR-inertial odometry, not its acronym
        long = _long_form(short, plain := _surface(name))
        if long is None:
            continue
        sense = key if long == plain else hand.key(long)
        if sense == short_key or frozenset((sense, short_key)) in hand.apart:
            continue
        found.setdefault(short_key, _Meaning(sense, MergeRule.DEFINED_ACRONYM, relation.start, relation.end))
        types.setdefault(short_key, relation.head.type)
        if _describes(plain.removesuffix(long)):
            described[key] = _Meaning(sense, MergeRule.DESCRIBED, relation.start, relation.end)
    for mention in extraction.mentions:
        short, _, noun = mention.name.rpartition(" ")
        if noun.lower() in _FORMS and types.get(short_key := hand.key(short)) is mention.type:
            described[hand.key(mention.name)] = _Meaning(short_key, MergeRule.DESCRIBED, mention.start, mention.end)
    described |= _spelled_out(extraction, hand)
    allowed = {k: meaning for k, meaning in described.items() if frozenset((k, meaning.sense)) not in hand.apart}
    found = allowed | found
    return {key: meaning._replace(sense=_end_of_chain(found, key)) for key, meaning in found.items()}


def _spelled_out(extraction: Extraction, hand: Hand) -> Iterator[tuple[str, _Meaning]]:
    """The names that with "for" and the next name say a compound of the paper: distributed algorithms for LPs."""
    keys = {hand.key(mention.name) for mention in extraction.mentions}
    for mention, after in pairwise(sorted(extraction.mentions, key=lambda mention: mention.start)):
        if extraction.paper.abstract[mention.end : after.start] == " for ":
            key, sense = hand.key(mention.name), hand.key(as_compound(mention.name, after.name))
            if sense in keys - {key}:
                yield key, _Meaning(sense, MergeRule.DESCRIBED, mention.start, after.end)


def _describes(words: str) -> bool:
    """Whether the words before a name only say how it is, such as "message-passing based"."""
    plain = re.sub(r"\s+based(?=\s|$)", "-based", words.strip())
    return bool(plain) and all(is_adjective(word) and "supervised" not in word for word in plain.split())


def _end_of_chain(links: Mapping[str, _Meaning], key: str) -> str:
    seen = {key}
    while key in links and links[key].sense not in seen:
        key = links[key].sense
        seen.add(key)
    return key


def block_rows(keys: Iterable[Row]) -> Iterator[Row]:
    """The rows of BLOCK of each key (a row of one column)."""
    for (key,) in keys:
        yield from ((block, side, key) for block, side in sorted(blocks(Profile(key))))


# The plan


def resolve(engine: Engine, hand: Hand) -> None:
    """Make the tables `named`, `cluster` and `merge` from `mention`, `definition` and `block`.

    `named` tells what each name in each paper means: paper, name, the key of its entity, and the entity's types;
    `cluster` has each key's entity; `merge` why names are one.
    """
    compare(engine, hand)
    unite(engine, hand)


def compare(engine: Engine, hand: Hand, *, everywhere: str = "mention") -> None:
    """Make the table `edge`, of keys that are to be one, with what tells so.

    Where the tables hold some keys' rows only, `everywhere` is one that holds all keys of each paper.
    """
    _tell_meanings(engine, everywhere)
    engine.grouped("profile", PROFILE, _FACTS, _profile)
    _pair(engine, hand)


def unite(engine: Engine, hand: Hand) -> None:
    """Make the tables that :func:`resolve` makes from `edge`."""
    _components(engine)
    engine.grouped("cluster", CLUSTER, _MEMBERS, partial(_cluster, hand=hand))
    engine.table(
        "named",
        "SELECT DISTINCT t.paper, t.name, c.head, c.types FROM told t JOIN cluster c ON c.key = t.key",
    )
    engine.table("merge", _MERGES)


def _tell_meanings(engine: Engine, everywhere: str) -> None:
    """The table `told`: each mention by the key of what it means in its paper."""
    engine.table(
        "senses",
        f"""
        SELECT acronym, sense, COUNT(*) AS papers FROM definition
        WHERE rule = '{MergeRule.DEFINED_ACRONYM}' GROUP BY acronym, sense""",
    )
    most, least = AGREEMENT
    engine.table(
        "agreed",
        f"""
        SELECT acronym, sense, papers, total FROM (
            SELECT acronym, sense, papers, CAST(SUM(papers) OVER (PARTITION BY acronym) AS BIGINT) AS total,
                ROW_NUMBER() OVER (PARTITION BY acronym ORDER BY papers DESC, sense) AS place
            FROM senses) AS ranked
        WHERE place = 1 AND papers * {most} >= total * {least}""",
    )
    engine.table("ambiguous", "SELECT acronym FROM senses EXCEPT SELECT acronym FROM agreed")
    engine.table(
        "line",
        f"""
        SELECT DISTINCT e.paper, e.key FROM {everywhere} e
        JOIN (SELECT DISTINCT m.paper FROM mention m JOIN ambiguous q ON q.acronym = m.key) u ON u.paper = e.paper""",
    )
    engine.grouped("context", CONTEXT, _CONTEXTS, _read_contexts)
    engine.table(
        "told",
        """
        SELECT m.paper, m.name, m.surface, m.type, m.weight, m.before, m.after,
            COALESCE(d.sense, a.sense, c.sense, m.key) AS key
        FROM mention m
        LEFT JOIN definition d ON d.paper = m.paper AND d.acronym = m.key
        LEFT JOIN agreed a ON a.acronym = m.key
        LEFT JOIN context c ON c.paper = m.paper AND c.acronym = m.key""",
    )


_CONTEXTS = """
SELECT q.acronym, u.paper, COALESCE(d.sense, '') AS sense, o.key
FROM ambiguous q JOIN line u ON u.key = q.acronym
JOIN line o ON o.paper = u.paper AND o.key <> u.key
LEFT JOIN definition d ON d.paper = u.paper AND d.acronym = u.key"""
"""For every acronym with several meanings: the other keys of the papers that use it, with its meaning if they tell."""


def _read_contexts(group: Iterable[Row]) -> Iterator[Row]:
    """The meaning that its neighbours point to, for every paper that leaves the acronym undefined."""
    (acronym, *_), rows = first_of(group)
    around: defaultdict[str, set[str]] = defaultdict(set)
    usual = Counter[str]()
    undefined: defaultdict[str, list[str]] = defaultdict(list)
    for _, paper, sense, key in rows:
        usual[key] += 1
        if sense:
            around[sense].add(key)
        else:
            undefined[paper].append(key)
    for paper, present in undefined.items():
        scores = sorted(((_overlap(present, around[sense], usual), sense) for sense in around), reverse=True)
        score, sense = scores[0]
        if score >= NEIGHBOURLY and (len(scores) < 2 or score >= AHEAD * scores[1][0]):
            yield acronym, paper, sense, score


def _overlap(present: Sequence[str], around: set[str], usual: Counter[str]) -> float:
    """The share of a paper's entities, rare ones counting more, that papers with a meaning of the acronym mention."""
    weights = {key: 1 / math.log(2 + usual[key]) for key in present}
    return math.fsum(weights[key] for key in present if key in around) / math.fsum(weights.values())


_FACTS = """
SELECT key, 'vote' AS fact, type AS said, CAST(SUM(weight) AS BIGINT) AS times FROM told GROUP BY key, type
UNION ALL SELECT key, 'type', type, COUNT(*) FROM told GROUP BY key, type
UNION ALL SELECT key, 'name', surface, COUNT(*) FROM told GROUP BY key, surface
UNION ALL SELECT key, 'papers', '', COUNT(DISTINCT paper) FROM told GROUP BY key
UNION ALL SELECT key, 'beside', said, COUNT(*) FROM (
    SELECT key, before AS said FROM told UNION ALL SELECT key, after FROM told) AS beside
    WHERE said <> '' AND said <> key GROUP BY key, said
UNION ALL SELECT acronym, 'sense', sense, papers FROM senses"""
"""What all papers tell of each key."""


def _profile(group: Iterable[Row]) -> Iterator[Row]:
    (key, *_), rows = first_of(group)
    facts: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for _, fact, said, times in rows:
        facts[fact][said] = times
    if not facts["vote"]:
        return  # an acronym that means something else wherever it stands
    beside = sorted(facts["beside"].items(), key=lambda each: (-each[1], each[0]))[:NEIGHBOURS]
    content = [facts["vote"], facts["type"], facts["name"], facts["papers"][""], dict(beside), sorted(facts["sense"])]
    yield key, json.dumps(content, ensure_ascii=False)


@lru_cache(maxsize=50_000)
def _read_profile(key: str, content: str) -> Profile:
    votes, types, names, papers, beside, senses = json.loads(content)
    return Profile(
        key,
        Counter({EntityType(kind): count for kind, count in votes.items()}),
        Counter({EntityType(kind): count for kind, count in types.items()}),
        Counter(names),
        papers,
        Counter(beside),
        frozenset(senses),
    )


def _pair(engine: Engine, hand: Hand) -> None:
    """The table `edge`: keys that are one thing by the scorer or by hand, with what says so."""
    engine.table(
        "pair",
        f"""
        SELECT DISTINCT a.key AS one, b.key AS other
        FROM (SELECT block FROM block GROUP BY block HAVING COUNT(*) BETWEEN 2 AND {LARGEST}) n
        JOIN block a ON a.block = n.block
        JOIN block b ON b.block = n.block AND a.key < b.key AND (a.side = '' OR a.side <> b.side)""",
    )
    engine.mapped(
        "alike",
        EDGE,
        """
        SELECT p.one, p.other, a.profile, b.profile
        FROM pair p JOIN profile a ON a.key = p.one JOIN profile b ON b.key = p.other""",
        _judge,
    )
    engine.put("by_hand", EDGE, ((one, other, 1.0, MergeRule.BY_HAND.value) for one, other in hand.together))
    engine.table(
        "edge",
        """
        SELECT * FROM alike UNION ALL
        SELECT h.* FROM by_hand h JOIN profile a ON a.key = h.one JOIN profile b ON b.key = h.other""",
    )


def _judge(rows: Iterable[Row]) -> Iterator[Row]:
    scorer = load_scorer()
    for one_key, other_key, *profiles in rows:
        one, other = map(_read_profile, (one_key, other_key), profiles)
        judgement = scorer.judge(one, other)
        if judgement.same:
            rule = MergeRule.SAME_LETTERS if one.squashed == other.squashed else MergeRule.ALIKE
            yield one_key, other_key, judgement.score, rule.value


def _components(engine: Engine) -> None:
    """The table `component`: each key with the least one that edges lead to, by large-star and small-star.

    Kiveris et al., "Connected Components in MapReduce and Beyond", SoCC 2014: in turn each node hangs its larger
    neighbours, then its smaller ones, on the least of them, until nothing changes.
    """
    engine.table("link", "SELECT DISTINCT GREATEST(one, other) AS node, LEAST(one, other) AS low FROM edge")
    changed = 1
    while changed:
        engine.table("sides", "SELECT node, low FROM link UNION ALL SELECT low AS node, node AS low FROM link")
        engine.table(
            "large",
            """
            SELECT DISTINCT b.low AS node, m.least AS low
            FROM sides b
            JOIN (SELECT node, LEAST(node, MIN(low)) AS least FROM sides GROUP BY node) m ON m.node = b.node
            WHERE b.low > b.node AND b.low <> m.least""",
        )
        engine.table(
            "small",
            """
            SELECT DISTINCT node, low FROM (
                SELECT l.low AS node, m.least AS low
                FROM large l JOIN (SELECT node, MIN(low) AS least FROM large GROUP BY node) m ON m.node = l.node
                WHERE l.low <> m.least
                UNION ALL SELECT node, MIN(low) AS low FROM large GROUP BY node) AS stars""",
        )
        ((changed,),) = engine.rows(
            """
            SELECT COUNT(*) FROM (
                (SELECT node, low FROM small EXCEPT SELECT node, low FROM link)
                UNION ALL (SELECT node, low FROM link EXCEPT SELECT node, low FROM small)) AS changes"""
        )
        engine.table("link", "SELECT node, low FROM small")
    engine.table(
        "component",
        "SELECT p.key, COALESCE(l.low, p.key) AS component FROM profile p LEFT JOIN link l ON l.node = p.key",
    )


_MEMBERS = """
SELECT c.component, 0 AS part, c.key AS one, '' AS other, 0.0 AS score, '' AS rule, p.profile
FROM component c JOIN profile p ON p.key = c.key
UNION ALL SELECT c.component, 1, e.one, e.other, e.score, e.rule, '' FROM edge e JOIN component c ON c.key = e.one"""
"""By component: the keys and their profiles, then the edges between them."""


def _cluster(rows: Iterable[Row], hand: Hand) -> Iterator[Row]:
    """A row of CLUSTER for each key of a component; the one that stands for its group has the entity itself."""
    profiles: dict[str, Profile] = {}
    edges: list[tuple[str, str, float, MergeRule]] = []
    for _, is_edge, one, other, score, rule, profile in rows:
        if is_edge:
            edges.append((one, other, score, MergeRule(rule)))
        else:
            profiles[one] = _read_profile(one, profile)
    clusters = _Clusters(profiles, hand)
    clusters.join_by_hand(edges)
    clusters.join_alike(edges)
    groups = clusters.groups()
    why = clusters.reasons({key: head for head, members in groups.items() for key in members})
    for head, members in groups.items():
        entity = _entity(head, [profiles[key] for key in members], hand)
        types = " ".join(entity.types)
        for key in members:
            score, rule_of = why.get(key, (0.0, ""))
            yield key, head, types, str(rule_of), score, _write_entity(entity) if key == head else ""


def _write_entity(entity: Entity) -> str:
    return json.dumps([entity.key, " ".join(entity.types), entity.label, entity.names], ensure_ascii=False)


def read_entity(content: str) -> Entity:
    """The entity that the table `cluster` tells of."""
    key, types, label, names = json.loads(content)
    kind, *second = map(EntityType, types.split())
    return Entity(key, kind, label, tuple(names), second[0] if second else None)


_MERGES = f"""
SELECT DISTINCT * FROM (
    SELECT c.head, d.acronym AS key, d.rule, 1.0 AS score, d.paper, d.begins, d.ends, d.quote
    FROM definition d JOIN cluster c ON c.key = d.sense
    UNION ALL
    SELECT c.head, a.acronym, '{MergeRule.AGREED_ACRONYM}', CAST(a.papers AS DOUBLE) / CAST(a.total AS DOUBLE),
        '', 0, 0, ''
    FROM agreed a JOIN cluster c ON c.key = a.sense
    UNION ALL
    SELECT c.head, x.acronym, '{MergeRule.ACRONYM_BY_CONTEXT}', x.score, '', 0, 0, ''
    FROM context x JOIN cluster c ON c.key = x.sense
    UNION ALL
    SELECT head, key, rule, score, '', 0, 0, '' FROM cluster WHERE rule <> '') AS merges"""
"""Why names with a key are the entity `head`: by which rule, how sure, and a sentence that says so, if one does."""


def known_keys(engine: Engine, hand: Hand) -> set[str]:
    """Those of the keys that people's decisions are about which a paper has."""
    needed = hand.needed()
    if not needed:
        return set()
    engine.put("needed", {"key": TEXT}, ((key,) for key in sorted(needed)))
    return {key for (key,) in engine.rows("SELECT DISTINCT n.key FROM needed n JOIN mention m ON m.key = n.key")}


class _Clusters:
    """Keys of one component that are joined, with what joined them."""

    def __init__(self, profiles: Mapping[str, Profile], hand: Hand) -> None:
        self._profiles = profiles
        self._hand = hand
        self._members: dict[str, list[str]] = {key: [key] for key in profiles}
        self._head = {key: key for key in profiles}
        self._joins: list[tuple[str, str, MergeRule, float]] = []

    def join_by_hand(self, edges: Iterable[tuple[str, str, float, MergeRule]]) -> None:
        """Join what people said is one."""
        for one, other, score, rule in edges:
            if rule is MergeRule.BY_HAND:
                self._join(one, other, rule, score)

    def join_alike(self, edges: Iterable[tuple[str, str, float, MergeRule]]) -> None:
        """Join the names that the scorer finds alike, the surest first, unless any two of the two groups may not be."""
        alike = ((-score, one, other, rule) for one, other, score, rule in edges if rule is not MergeRule.BY_HAND)
        for score, one, other, rule in sorted(alike):
            if self._head[one] != self._head[other] and not self._ruled_out(one, other):
                self._join(one, other, rule, -score)

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

    def reasons(self, into: Mapping[str, str]) -> dict[str, tuple[float, MergeRule]]:
        """For every key that stands for its group no more, the join that is surest of it."""
        best: dict[str, tuple[float, MergeRule]] = {}
        for one, other, rule, score in self._joins:
            for key in (one, other):
                if into[key] != key and score > best.get(key, (0.0, rule))[0]:
                    best[key] = (score, rule)
        return best


def _plainness(profile: Profile) -> tuple[bool, int, int, str]:
    return profile.is_acronym, -profile.papers, len(profile.key), profile.key


def _entity(head: str, profiles: Sequence[Profile], hand: Hand) -> Entity:
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


# In memory


@dataclass(frozen=True, slots=True)
class Resolution:
    """The entities by key, the key of each name in each paper, and how they came about."""

    entities: Mapping[str, Entity]
    keys: Mapping[tuple[str, str], str]
    merges: Sequence[Merge] = ()
    unapplied: Sequence[Decision] = ()
    """People's decisions about names that no paper has."""

    def entity(self, paper: str, name: str) -> Entity:
        """What `name` means in the paper with this IRI."""
        return self.entities[self.keys[paper, name]]


def resolve_entities(extractions: Papers, curation: Curation = NO_DECISIONS) -> Resolution:
    """The entities that the mentions of all papers name; each extraction comes with its paper's IRI.

    The outcome does not depend on the order of the extractions.
    """
    hand = Hand(curation)
    with DuckEngine() as engine:
        papers = [paper_rows(iri, extraction, hand) for iri, extraction in extractions]
        engine.put("mention", MENTION, (row for rows in papers for row in rows.mentions))
        engine.put("definition", DEFINITION, (row for rows in papers for row in rows.definitions))
        engine.mapped("block", BLOCK, "SELECT DISTINCT key FROM mention", block_rows)
        resolve(engine, hand)
        found = (read_entity(content) for (content,) in engine.rows("SELECT entity FROM cluster WHERE entity <> ''"))
        return Resolution(
            {entity.key: entity for entity in sorted(found, key=lambda entity: entity.key)},
            {(paper, name): head for paper, name, head, _ in engine.rows("SELECT * FROM named")},
            _merges(engine),
            hand.unapplied(known_keys(engine, hand)),
        )


def _merges(engine: Engine) -> list[Merge]:
    """One record for each key, entity and rule, in a fixed order."""
    found: dict[tuple[str, str, str], Merge] = {}
    for head, key, rule, score, paper, begins, ends, _ in engine.rows("SELECT * FROM merge ORDER BY ALL"):
        places = ((paper, begins, ends),) if paper else ()
        known = found.get((head, key, rule))
        if known is not None:
            score, places = max(score, known.score), (*known.places, *places)
        found[head, key, rule] = Merge(key, head, MergeRule(rule), score, places)
    return list(found.values())
