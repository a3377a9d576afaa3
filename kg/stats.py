"""What a graph holds, counted, and where its papers assert something of which it holds nothing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.reading import label_of, links, literals, matches, nodes, read_evidence
from kg.sentences import split_sentences

__all__ = ["Coverage", "Stats", "Trends", "coverage", "stats", "trends"]

_BY_RELATION = "SELECT ?relation (COUNT(?said) AS ?n) { ?said rdf:predicate ?relation } GROUP BY ?relation"
_MENTIONED = "SELECT ?node (COUNT(?paper) AS ?n) { ?paper kg:mentions ?node } GROUP BY ?node"
_ASSERTS = re.compile(
    r"\b(?:we|our|this (?:paper|work|study)|results|experiments)\b.*?\b(?:propos|introduc|present|develop|show|find"
    r"|found|prov|reveal|demonstrat|achiev|outperform|improv|reduc)\w*|\b(?:outperform|surpass|suffer|fail|struggle|overlook"
    r"|hinder)\w*|\bremains? (?:challenging|unclear|difficult|open)\b",
    re.IGNORECASE,
)
"""Words that sentences assert something with; kept apart from the extractor, to see what it may have missed."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of papers, entities by type, statements by relation and claims by kind, and the most used entities.

    `top` lists, for each entity type, (name, number of papers that mention it), the most used first.
    """

    papers: int
    entities: Mapping[str, int]
    statements: Mapping[str, int]
    claims: Mapping[str, int]
    evidence: int
    top: Mapping[str, tuple[tuple[str, int], ...]]


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of the sentences that hold a claim cue, those on which the graph rests nothing; `missed` shows them."""

    sentences: int
    with_cue: int
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trends:
    """The most used methods, each with its number of papers by year, and the most used tasks with theirs.

    Papers without a year count under the year 0 when no paper has one, and else not at all.
    """

    methods: Mapping[str, Mapping[int, int]]
    tasks: Mapping[str, int]


def stats(store: Store, *, top: int = 10) -> Stats:
    """The counts of the graph; `top` entities of each type are named."""
    relations = {said.removeprefix(v.KG): int(number) for said, number in matches(store, _BY_RELATION)}
    mentioned = {node: int(number) for node, number in matches(store, _MENTIONED)}
    return Stats(
        papers=_count(store, v.PAPER),
        entities={kind: _count(store, v.kg(kind)) for kind in v.ENTITY_TYPES},
        statements=dict(sorted(relations.items(), key=lambda item: (-item[1], item[0]))),
        claims={kind: _count(store, v.kg(kind)) for kind in v.CLAIM_KINDS},
        evidence=_count(store, v.EVIDENCE),
        top={kind: _most_used(store, kind, mentioned, top) for kind in v.ENTITY_TYPES},
    )


def _count(store: Store, kind: NamedNode) -> int:
    ((number,),) = matches(store, f"SELECT (COUNT(?node) AS ?n) {{ ?node a {kind} }}")
    return int(number)


def _most_used(store: Store, kind: str, mentioned: Mapping[str, int], top: int) -> tuple[tuple[str, int], ...]:
    counts = {node: mentioned.get(node.value, 0) for node in nodes(store, v.kg(kind))}
    least = min(sorted(counts.values(), reverse=True)[:top], default=0)
    ranked = sorted((-count, label_of(store, node)) for node, count in counts.items() if count >= least)
    return tuple((label, -count) for count, label in ranked[:top])


def coverage(store: Store) -> Coverage:
    """How much of what the abstracts assert has reached the graph as a claim or statement."""
    used: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for _, piece in links(store, v.HAS_EVIDENCE):
        evidence = read_evidence(store, piece)
        used[evidence.paper].append((evidence.start, evidence.end))
    sentences = with_cue = 0
    missed = []
    for paper, abstract in literals(store, v.ABSTRACT):
        for start, end in split_sentences(abstract):
            sentences += 1
            if _ASSERTS.search(abstract[start:end]):
                with_cue += 1
                if not any(a < end and start < b for a, b in used[paper.value]):
                    missed.append(abstract[start:end])
    return Coverage(sentences, with_cue, tuple(sorted(missed)))


def trends(store: Store, *, methods: int = 8, tasks: int = 15) -> Trends:
    """How often papers mention the most used of each, by year."""
    years = {paper: int(year) for paper, year in literals(store, v.ISSUED) if year.isdecimal()}
    papers: defaultdict[NamedNode, Counter[int]] = defaultdict(Counter)
    for paper, entity in links(store, v.MENTIONS):
        if not years or paper in years:
            papers[entity][years.get(paper, 0)] += 1
    return Trends(
        methods={
            label: dict(sorted(papers[node].items())) for label, node in _most_named(store, "Method", papers, methods)
        },
        tasks={label: papers[node].total() for label, node in _most_named(store, "Task", papers, tasks)},
    )


def _most_named(
    store: Store, kind: str, papers: Mapping[NamedNode, Counter[int]], number: int
) -> list[tuple[str, NamedNode]]:
    named = [node for node in nodes(store, v.kg(kind)) if node in papers]
    ranked = sorted((-papers[node].total(), label_of(store, node), node.value) for node in named)
    return [(label, NamedNode(iri)) for _, label, iri in ranked[:number]]
