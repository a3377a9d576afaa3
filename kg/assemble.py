"""From papers and entities to the triples of the graph, on an engine: what each says, and what they say together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

import pyarrow as pa
from pyoxigraph import RdfFormat, Triple, parse

from kg import vocabulary as v
from kg.agreement import Comparable
from kg.alignment import Alignment, alignment_triples
from kg.engine import ROWS, Columns, DuckEngine, Engine, Row, first_of
from kg.graph import Named, agreement_triples, entity_triples, merge_triples, paper_says, statement_triples
from kg.packing import unpack
from kg.records import Direction, EntityType, Evidence, Merge, MergeRule, Statement
from kg.resolve import read_entity

__all__ = [
    "CLAIMS_SAID",
    "EVIDENCE_SAID",
    "NAMES",
    "ORDER",
    "PAPER",
    "SAID",
    "TRIPLE",
    "TRIPLES",
    "assemble",
    "read_lines",
    "read_triples",
    "said_rows",
    "say_of_entities",
    "say_together",
    "write_names",
]

TEXT, WHOLE, REAL = pa.string(), pa.int64(), pa.float64()

PAPER: Columns = {"paper": TEXT, "extraction": pa.binary()}
"""A paper's IRI, and what was read in it (:mod:`kg.packing`)."""
TRIPLE: Columns = {"subject": TEXT, "predicate": TEXT, "object": TEXT}
"""A triple; its terms as N-Triples writes them."""
SAID: Columns = {
    "part": TEXT,
    **TRIPLE,
    "paper": TEXT,
    "begins": WHOLE,
    "ends": WHOLE,
    "quote": TEXT,
    "confidence": REAL,
}
"""What a paper says. By `part`: a triple; the evidence of the statement that the triple's IRIs make; or a claim that
may agree with others, with what it is about, its direction, its IRI, its paper and whether it is negated."""
NAMES: Columns = {"paper": TEXT, "names": TEXT}
LINKED: Columns = {"key": TEXT, "place": WHOLE}
SHARED = ("statements", "agreements", "entities", "merges", "links")
"""The tables of triples that several papers support together."""


def assemble(engine: Engine, base: str, links: Sequence[Alignment] = ()) -> None:
    """Make the table `triple` from `paper`, the tables of :func:`kg.resolve.resolve` and links to vocabularies."""
    engine.grouped("names", NAMES, "SELECT paper, name, head, types FROM named", write_names)
    engine.mapped(
        "said",
        SAID,
        "SELECT p.paper, p.extraction, n.names FROM paper p LEFT JOIN names n ON n.paper = p.paper",
        partial(said_rows, base=base),
    )
    say_together(engine, base)
    say_of_entities(engine, base, links)
    engine.table("triple", TRIPLES)


EVIDENCE_SAID = """
SELECT subject, predicate, object, paper, begins, ends, quote, confidence FROM said WHERE part = 'evidence'"""
CLAIMS_SAID = """
SELECT subject AS about, object AS iri, paper, predicate AS direction, begins AS negated
FROM said WHERE part = 'claim'"""

_PARTS = " UNION ALL ".join(f"SELECT * FROM {part}" for part in SHARED)
TRIPLES = f"""
SELECT DISTINCT subject, predicate, object FROM (
    SELECT subject, predicate, object FROM said WHERE part = 'triple' UNION ALL {_PARTS}) AS triples"""
ORDER = f"subject, predicate <> '{v.TYPE}', predicate, object"
"""The order of the triples in a file: by subject, types first."""
LINES = f"SELECT CONCAT(subject, ' ', predicate, ' ', object, ' .\n') AS line FROM triple ORDER BY {ORDER}"
TOGETHER = 100_000
"""About so many triples are written and stored at a time."""


def say_together(engine: Engine, base: str, *, evidence: str = EVIDENCE_SAID, claims: str = CLAIMS_SAID) -> None:
    """Make the tables `statements` and `agreements`, of what several papers say."""
    engine.grouped("statements", TRIPLE, evidence, partial(statement_rows, base=base), by=3)
    engine.grouped("agreements", TRIPLE, claims, agreement_rows)


def say_of_entities(
    engine: Engine, base: str, links: Sequence[Alignment], *, cluster: str = "cluster", merge: str = "merge"
) -> None:
    """Make the tables `entities`, `merges` and `links` of the entities in the table `cluster`."""
    entities = f"SELECT entity FROM {cluster} WHERE entity <> ''"
    engine.mapped("entities", TRIPLE, entities, partial(entity_rows, base=base))
    engine.grouped("merges", TRIPLE, f"SELECT * FROM {merge}", partial(merge_rows, base=base), by=3)
    engine.put("linked", LINKED, ((link.key, place) for place, link in enumerate(links)))
    linked = f"SELECT DISTINCT l.place FROM linked l JOIN {cluster} c ON c.head = l.key"
    engine.mapped("links", TRIPLE, linked, partial(link_rows, links=links, base=base))


def row_of(triple: Triple) -> Row:
    """The triple as a row of TRIPLE."""
    return str(triple.subject), str(triple.predicate), str(triple.object)


def write_names(group: Iterable[Row]) -> Iterator[Row]:
    """A row of NAMES of the rows of one paper."""
    (paper, *_), rows = first_of(group)
    yield paper, json.dumps({name: (head, types) for _, name, head, types in rows}, ensure_ascii=False)


def said_rows(papers: Iterable[Row], base: str) -> Iterator[Row]:
    """The rows of SAID of papers: of an IRI, an extraction and what the names in it mean."""
    for iri, extraction, names in papers:
        naming = {
            name: Named(head, tuple(map(EntityType, types.split())))
            for name, (head, types) in json.loads(names or "{}").items()
        }
        for said in paper_says(iri, unpack(extraction), naming, base=base):
            if isinstance(said, Triple):
                yield "triple", *row_of(said), "", 0, 0, "", 0.0
            elif isinstance(said, Comparable):
                about = json.dumps(said.about, ensure_ascii=False)
                yield "claim", about, said.direction.value, said.iri, said.paper, int(said.negated), 0, "", 0.0
            else:
                statement, evidence = said
                yield (
                    "evidence",
                    *(statement.subject, statement.predicate, statement.object),
                    *(evidence.paper, evidence.start, evidence.end, evidence.quote, evidence.confidence),
                )


def statement_rows(rows: Iterable[Row], base: str) -> Iterator[Row]:
    """The triples of a statement, of rows of its IRIs and of its evidence."""
    known = list(rows)
    statement = Statement(*known[0][:3])
    evidence = (Evidence(*row[3:]) for row in known)
    yield from map(row_of, statement_triples(statement, evidence, base=base))


def agreement_rows(rows: Iterable[Row]) -> Iterator[Row]:
    """The triples that join claims about one thing: rows of that thing, claim, paper, direction, negated."""
    claims = (
        Comparable(iri, paper, tuple(json.loads(about)), Direction(direction), bool(negated))
        for about, iri, paper, direction, negated in rows
    )
    yield from map(row_of, agreement_triples(claims))


def entity_rows(rows: Iterable[Row], base: str) -> Iterator[Row]:
    """The triples of entities (rows of one column)."""
    for (entity,) in rows:
        yield from map(row_of, entity_triples(read_entity(entity), base))


def merge_rows(rows: Iterable[Row], base: str) -> Iterator[Row]:
    """The triples of a merge, of rows of entity, key, rule, score, and a sentence that says so."""
    known = list(rows)
    head, key, rule = known[0][:3]
    merge = Merge(key, head, MergeRule(rule), max(row[3] for row in known))
    evidence = (Evidence(paper, begins, ends, quote, merge.score) for *_, paper, begins, ends, quote in known if paper)
    yield from map(row_of, merge_triples(merge, evidence, base))


def link_rows(rows: Iterable[Row], links: Sequence[Alignment], base: str) -> Iterator[Row]:
    """The triples of links, of rows of the place of each among `links`."""
    for (place,) in rows:
        yield from map(row_of, alignment_triples(links[place], base=base))


def read_lines(engine: DuckEngine) -> Iterator[bytes]:
    """The triples of the graph as N-Triples, in order and in parts; no subject stands in two of these."""
    kept = b""
    for batch in engine.batches(LINES, TOGETHER):
        part = kept + b"".join(batch.column(0).cast(pa.binary()).to_pylist())
        subject = part[part.rfind(b"\n", 0, -1) + 1 :].partition(b" ")[0]
        start = part.find(b"\n" + subject + b" ") + 1  # 0 if it is the only one
        if start:
            yield part[:start]
        kept = part[start:]
    if kept:
        yield kept


def read_triples(rows: Iterable[Row]) -> Iterator[Triple]:
    """The triples of rows of TRIPLE."""
    waiting = iter(rows)
    while some := list(islice(waiting, ROWS)):
        lines = "".join(f"{subject} {predicate} {object_} .\n" for subject, predicate, object_ in some)
        yield from (quad.triple for quad in parse(lines.encode(), format=RdfFormat.N_TRIPLES))
