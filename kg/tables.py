"""What the papers of a graph say, as tables: filled as the papers are read, kept beside the graph for later changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import pyarrow as pa

from kg.assemble import PAPER
from kg.duplicates import Same, record_keys
from kg.engine import Columns, DuckEngine
from kg.packing import pack, pack_paper
from kg.records import Extraction, Paper
from kg.resolve import BLOCK, DEFINITION, MENTION, Hand, block_rows, paper_rows

__all__ = ["RECORD", "RECORD_KEY", "keep_records", "take_in"]

RECORD: Columns = {"paper": pa.string(), "record": pa.string()}
"""The records that a paper was put together from, as they were read."""
RECORD_KEY: Columns = {"key": pa.int64(), "paper": pa.string()}
"""What tells that two records are of one paper (:func:`kg.duplicates.record_keys`)."""

PAPERS = 500
"""So many papers are put into the tables at a time."""


def take_in(engine: DuckEngine, extractions: Iterable[tuple[str, Extraction]], hand: Hand) -> None:
    """Make the tables that :func:`kg.resolve.resolve` reads of extractions, each with its paper's IRI."""
    for name, columns in (("paper", PAPER), ("mention", MENTION), ("definition", DEFINITION)):
        engine.put(name, columns, ())
    coming = iter(extractions)
    while some := list(islice(coming, PAPERS)):
        rows = [paper_rows(iri, extraction, hand) for iri, extraction in some]
        engine.add("paper", PAPER, ((iri, pack(extraction)) for iri, extraction in some))
        engine.add("mention", MENTION, (row for each in rows for row in each.mentions))
        engine.add("definition", DEFINITION, (row for each in rows for row in each.definitions))
    engine.mapped("block", BLOCK, "SELECT DISTINCT key FROM mention", block_rows)


def keep_records(engine: DuckEngine, papers: Iterable[tuple[str, Same]]) -> Iterator[Paper]:
    """The papers, each with its IRI, while the records that they were put together from go into the tables."""
    engine.put("record", RECORD, ())
    engine.put("record_key", RECORD_KEY, ())
    coming = iter(papers)
    while some := list(islice(coming, PAPERS)):
        engine.add("record", RECORD, ((iri, pack_paper(record)) for iri, same in some for record in same.records))
        keys = {(key, iri) for iri, same in some for record in same.records for key in record_keys(record)}
        engine.add("record_key", RECORD_KEY, keys)
        yield from (same.paper for _, same in some)
