"""The papers of a graph as they are kept beside it: segments of Parquet files that never change.

A change adds a segment, and lists in `segments.json` which papers of the earlier ones are gone; small segments are
joined as they pile up, so that there are never more than a few. What the graph says is made from them and from nothing
else: `kg update` makes it again, and `kg add` what a few papers change (:mod:`kg.change`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kg.engine import DuckEngine
from kg.errors import GraphError
from kg.store import link_file

__all__ = [
    "PAPERS_FOLDER",
    "TABLES",
    "Segment",
    "link_segments",
    "piled_up",
    "read_segments",
    "select",
    "without",
    "write_segment",
    "write_segments",
]

PAPERS_FOLDER = "papers"
"""The folder's name, beside the graph."""
TABLES = {
    "paper": "SELECT * FROM paper ORDER BY paper",
    "record": "SELECT * FROM record ORDER BY paper",
    "record_key": "SELECT * FROM record_key ORDER BY key",
    "mention": "SELECT * FROM mention ORDER BY key",
    "definition": "SELECT * FROM definition ORDER BY acronym",
    "block": "SELECT * FROM block ORDER BY block",
    "line": "SELECT DISTINCT paper, key FROM mention ORDER BY paper, key",
}
"""The tables of a segment, each sorted by that by which it is looked up, so that a part of the file is read."""
LIST = "segments.json"
ROW_GROUP = 20_480
"""Rows that a look-up reads at least."""
GROWTH = 2
"""A segment is joined with the one before it unless that has so many times its papers."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment: its folder's name, how many papers it was written with, and which of them are gone."""

    name: str
    papers: int
    gone: tuple[str, ...] = ()


def read_segments(folder: Path) -> list[Segment]:
    """The segments in the folder `papers`. Raises GraphError where there are none to be read."""
    try:
        listed = json.loads((folder / LIST).read_text(encoding="utf-8"))
        return [Segment(each["name"], each["papers"], tuple(each["gone"])) for each in listed]
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "the graph was built by an earlier paperkg, or its folder papers is damaged: build it anew"
        raise GraphError("the papers of the graph cannot be read", where=str(folder), hint=hint) from error


def write_segments(folder: Path, segments: Iterable[Segment]) -> None:
    """Write down which segments there are."""
    listed = [{"name": each.name, "papers": each.papers, "gone": sorted(each.gone)} for each in segments]
    (folder / LIST).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")


def write_segment(engine: DuckEngine, folder: Path, name: str) -> Segment:
    """Write the engine's tables as the segment with this name."""
    place = folder / name
    place.mkdir(parents=True)
    for table, query in TABLES.items():
        engine.write(query, place / f"{table}.parquet", ROW_GROUP)
    ((papers,),) = engine.rows("SELECT COUNT(*) FROM paper")
    return Segment(name, papers)


def link_segments(old: Path, new: Path, segments: Iterable[Segment]) -> None:
    """Let the folder `new` have these segments of `old` too, without a copy where the file system can."""
    for segment in segments:
        (new / segment.name).mkdir(parents=True)
        for table in TABLES:
            link_file(*(folder / segment.name / f"{table}.parquet" for folder in (old, new)))


def select(table: str, folder: Path, segments: Sequence[Segment]) -> str:
    """The query for all rows of a table in these segments, but for those of papers that are gone.

    A row of `block` stands for as long as its segment does, whether or not a paper that is left has the key.
    """
    parts = []
    for segment in segments:
        source = f"read_parquet({quoted(str(folder / segment.name / f'{table}.parquet'))})"
        gone = ", ".join(map(quoted, segment.gone)) if table != "block" else ""
        kept = f" WHERE paper NOT IN ({gone})" if gone else ""
        parts.append(f"SELECT * FROM {source}{kept}")
    return " UNION ALL ".join(parts)


def quoted(text: str) -> str:
    """The text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def without(segments: Sequence[Segment], gone: Iterable[str]) -> list[Segment]:
    """The segments without these papers; a name that a segment does not have does no harm."""
    lost = set(gone)
    return (
        [replace(segment, gone=tuple(sorted({*segment.gone, *lost}))) for segment in segments] if lost else [*segments]
    )


def piled_up(segments: Sequence[Segment]) -> int:
    """How many of the last segments are to be joined into one."""
    papers, number = segments[-1].papers, 1
    while number < len(segments) and segments[-1 - number].papers <= GROWTH * papers:
        papers += segments[-1 - number].papers
        number += 1
    return number
