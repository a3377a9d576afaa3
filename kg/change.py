"""What a few papers change in a graph, found from their neighbourhood: so that a change costs what they are worth.

A paper touches the keys of its names, and what those mean, look like and are joined with. Around these keys the
entities are resolved twice, as the papers were and as they will be (:func:`kg.resolve.resolve`, on the rows of these
keys only); where a name in another paper comes to mean something else, that paper is touched too. What the touched
papers and entities said before is taken away, and what they say now is added; statements and claims that other
papers support as well are put together with what the graph has of those. The outcome is the graph that a build of all
papers would make, triple by triple.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

import pyarrow as pa
from pyoxigraph import Literal, NamedNode, Store, Triple

from kg import vocabulary as v
from kg.alignment import Alignment
from kg.assemble import (
    CLAIMS_SAID,
    EVIDENCE_SAID,
    NAMES,
    SAID,
    TRIPLE,
    TRIPLES,
    read_triples,
    said_rows,
    say_of_entities,
    say_together,
    write_names,
)
from kg.blocking import LARGEST
from kg.engine import Columns, DuckEngine, Row
from kg.identity import canonical_key, entity_iri, statement_iri
from kg.reading import objects, read_evidence, subjects, text_of
from kg.resolve import Hand, block_rows, compare, unite
from kg.sameness import key_of

__all__ = ["Difference", "State", "difference"]

TEXT, WHOLE, REAL = pa.string(), pa.int64(), pa.float64()
KEY: Columns = {"key": TEXT}
IRI: Columns = {"paper": TEXT}
EVIDENCE: Columns = {**TRIPLE, "paper": TEXT, "begins": WHOLE, "ends": WHOLE, "quote": TEXT, "confidence": REAL}
CLAIM: Columns = {"about": TEXT, "iri": TEXT, "paper": TEXT, "direction": TEXT, "negated": WHOLE}

TIMES = ("old", "new")


@dataclass(frozen=True, slots=True)
class State:
    """The papers at one time: for each table of :mod:`kg.segments`, the query that finds all its rows."""

    tables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """The triples that a change takes away and adds; no triple is in both."""

    removed: frozenset[Triple]
    added: frozenset[Triple]


def difference(
    engine: DuckEngine,
    store: Store,
    states: tuple[State, State],
    papers: Iterable[str],
    hand: Hand,
    *,
    base: str,
    links: Sequence[Alignment] = (),
) -> Difference:
    """What changes in the graph in `store` when the papers with these IRIs go from the first state to the second."""
    around = _Neighbourhood(engine, dict(zip(TIMES, states, strict=True)), hand)
    touched = around.settle(set(papers))
    said = _Said(engine, store, touched, base)
    for time in TIMES:
        around.open(time)
        said.hear(time)
    said.add_what_others_say()
    for time in TIMES:
        said.conclude(time, links)
    triples = [
        frozenset(read_triples(engine.rows(f"SELECT * FROM {one}_triple EXCEPT SELECT * FROM {other}_triple")))
        for one, other in (TIMES, TIMES[::-1])
    ]
    return Difference(*triples)


class _Neighbourhood:
    """The keys around a change, resolved in both states."""

    def __init__(self, engine: DuckEngine, states: Mapping[str, State], hand: Hand) -> None:
        self._engine = engine
        self._states = states
        self._hand = hand

    def open(self, time: str) -> None:
        """Let the names `all_paper`, `all_mention` and so on stand for the tables of this time."""
        for name, query in self._states[time].tables.items():
            self._engine.view(f"all_{name}", query)

    def settle(self, papers: set[str]) -> set[str]:
        """The papers, and those others in which a name comes to mean something else.

        Leaves the tables `named`, `cluster` and `merge` of both times, with the time before their names.
        """
        known: set[str] = set()
        settled: set[str] = set()
        for step in count():
            known |= self._resolved(self._keys(papers - settled) - known, step)
            settled = papers
            changed = {
                iri
                for one, other in (TIMES, TIMES[::-1])
                for (iri,) in self._engine.rows(
                    f"SELECT DISTINCT paper FROM (SELECT * FROM {one}_named EXCEPT SELECT * FROM {other}_named) AS c"
                )
            }
            papers = papers | changed
            if papers == settled:
                break
        return papers

    def _keys(self, papers: set[str]) -> set[str]:
        """The keys of the names in these papers, at both times; what those that are acronyms mean anywhere; and the
        others in a block that becomes too large, or is so no more."""
        engine = self._engine
        engine.put("touched", IRI, ((iri,) for iri in sorted(papers)))
        found: set[str] = set()
        for time in TIMES:
            self.open(time)
            engine.table(f"{time}_own", "SELECT DISTINCT l.key FROM all_line l JOIN touched t ON t.paper = l.paper")
            found |= {key for (key,) in engine.rows(f"SELECT key FROM {time}_own")}
        engine.put("own", KEY, ((key,) for key in sorted(found)))
        self._put_near(found)
        for time in TIMES:
            self.open(time)
            found |= {k for (k,) in engine.rows("SELECT d.sense FROM all_definition d JOIN own o ON o.key = d.acronym")}
            engine.table(f"{time}_near", _LIVE_BLOCKS)
        large = [f"SELECT block FROM {time}_near GROUP BY block HAVING COUNT(*) > {LARGEST}" for time in TIMES]
        for one, other in (large, large[::-1]):
            for time in TIMES:
                found |= {
                    key
                    for (key,) in engine.rows(
                        f"SELECT n.key FROM {time}_near n JOIN ({one} EXCEPT {other}) c ON c.block = n.block"
                    )
                }
        return found

    def _put_near(self, keys: Iterable[str]) -> None:
        """The table of the blocks in which these keys stand."""
        found = {block for block, _, _ in block_rows((key,) for key in keys)}
        self._engine.put("near", {"block": TEXT}, ((block,) for block in sorted(found)))

    def _resolved(self, core: set[str], step: int) -> set[str]:
        """The keys, with all those that the scorer joins with them at either time; resolved at both.

        No key of an earlier step is joined with one of them, or it would be one of that step.
        """
        done: dict[str, set[str]] = {}
        while stale := next((time for time in reversed(TIMES) if done.get(time) != core), None):
            self.open(stale)
            core = done[stale] = self._closed(core)
            self._keep(stale, step)
        return core

    def _closed(self, core: set[str]) -> set[str]:
        """The keys, with all those that the scorer joins with them; the tables of :func:`kg.resolve.resolve` are right
        for these keys."""
        engine = self._engine
        while True:
            core = core | self._partners(core)
            engine.put("core", KEY, ((key,) for key in sorted(core)))
            self._put_near(core)
            engine.table("block", _LIVE_BLOCKS)
            engine.table("scope", "SELECT key FROM core UNION SELECT key FROM block")
            engine.table(
                "acronym",
                "SELECT key FROM scope UNION SELECT d.acronym FROM all_definition d JOIN scope s ON s.key = d.sense",
            )
            engine.table("definition", "SELECT d.* FROM all_definition d JOIN acronym a ON a.key = d.acronym")
            engine.table("mention", "SELECT m.* FROM all_mention m JOIN acronym a ON a.key = m.key")
            compare(engine, self._hand, everywhere="all_line")
            grown = _joined(core, list(engine.rows("SELECT one, other FROM edge")))
            if grown == core:
                unite(engine, self._hand)
                return core
            core = grown

    def _partners(self, core: set[str]) -> set[str]:
        """The keys that people joined with these."""
        return {key for pair in self._hand.together if core.intersection(pair) for key in pair}

    def _keep(self, time: str, step: int) -> None:
        engine = self._engine
        heads = f"(SELECT DISTINCT head FROM {time}_cluster_{step})"
        engine.table(f"{time}_cluster_{step}", "SELECT x.* FROM cluster x JOIN core c ON c.key = x.key")
        for name in ("named", "merge"):
            engine.table(f"{time}_{name}_{step}", f"SELECT n.* FROM {name} n JOIN {heads} h ON h.head = n.head")
        for name in ("cluster", "named", "merge"):
            steps = (f"SELECT * FROM {time}_{name}_{each}" for each in range(step + 1))
            engine.view(f"{time}_{name}", " UNION ALL ".join(steps))


_LIVE_BLOCKS = """
SELECT DISTINCT b.block, b.side, b.key FROM near n JOIN all_block b ON b.block = n.block
WHERE b.key IN (SELECT key FROM all_line)"""
"""The rows of these blocks whose key a paper has."""


def _joined(core: set[str], edges: Sequence[Row]) -> set[str]:
    """The keys, with all that edges lead to from them."""
    while more := {key for ends in edges if not core.isdisjoint(ends) for key in ends} - core:
        core = core | more
    return core


class _Said:
    """What the touched papers and entities say, and with what others it goes together."""

    def __init__(self, engine: DuckEngine, store: Store, papers: set[str], base: str) -> None:
        self._engine = engine
        self._store = store
        self._papers = papers
        self._base = base
        engine.put("touched", IRI, ((iri,) for iri in sorted(papers)))

    def hear(self, time: str) -> None:
        """The table of what the touched papers say at the time whose tables are open."""
        engine = self._engine
        engine.grouped(
            "names",
            NAMES,
            f"SELECT n.paper, n.name, n.head, n.types FROM {time}_named n JOIN touched t ON t.paper = n.paper",
            write_names,
        )
        papers = """
            SELECT p.paper, p.extraction, n.names FROM all_paper p JOIN touched t ON t.paper = p.paper
            LEFT JOIN names n ON n.paper = p.paper"""
        engine.mapped(f"{time}_said", SAID, papers, partial(said_rows, base=self._base))

    def add_what_others_say(self) -> None:
        """The evidence and the claims of other papers that go together with those of the touched ones."""
        engine = self._engine
        statements = self._common("evidence", "subject, predicate, object")
        engine.put("other_evidence", EVIDENCE, (row for each in statements for row in self._evidence(each)))
        things = self._common("claim", "subject")
        engine.put("other_claim", CLAIM, (row for (about,) in things for row in self._claims(about)))

    def _common(self, part: str, columns: str) -> list[Row]:
        parts = (f"SELECT {columns} FROM {time}_said WHERE part = '{part}'" for time in TIMES)
        return list(self._engine.rows(" UNION ".join(parts)))

    def _evidence(self, statement: Row) -> Iterator[Row]:
        node = NamedNode(statement_iri(self._base, *statement))
        for piece in objects(self._store, node, v.HAS_EVIDENCE):
            evidence = read_evidence(self._store, piece)
            if evidence.paper not in self._papers:
                place = (evidence.paper, evidence.start, evidence.end, evidence.quote, evidence.confidence)
                yield *statement, *place

    def _claims(self, about: str) -> Iterator[Row]:
        store = self._store
        subject = NamedNode(entity_iri(self._base, json.loads(about)[0]))
        for claim in subjects(store, v.kg("subject"), subject):
            direction = text_of(store, claim, v.kg("direction"))
            paper = next(subjects(store, v.STATES, claim)).value
            told = [self._told(claim, slot) for slot in ("subject", "metric", "baseline")]
            if direction is not None and paper not in self._papers and json.dumps(told, ensure_ascii=False) == about:
                negated = text_of(store, claim, v.kg("polarity")) == "negated"
                yield about, claim.value, paper, direction, int(negated)

    def _told(self, claim: NamedNode, slot: str) -> str | None:
        filled = next((quad.object for quad in self._store.quads_for_pattern(claim, v.kg(slot), None)), None)
        if isinstance(filled, NamedNode):
            return key_of(filled)
        return canonical_key(filled.value) if isinstance(filled, Literal) else None

    def conclude(self, time: str, links: Sequence[Alignment]) -> None:
        """The table of all triples that the touched papers and entities have a part in at this time."""
        engine = self._engine
        engine.view("said", f"SELECT * FROM {time}_said")
        say_together(
            engine,
            self._base,
            evidence=f"{EVIDENCE_SAID} UNION ALL SELECT * FROM other_evidence",
            claims=f"{CLAIMS_SAID} UNION ALL SELECT * FROM other_claim",
        )
        say_of_entities(engine, self._base, links, cluster=f"{time}_cluster", merge=f"{time}_merge")
        engine.table(f"{time}_triple", TRIPLES)
