"""Extractions kept from one build to the next, so that what was read once is not read again.

One file of SQLite beside the graph. An extraction is found by its abstract and the hash of the extractor, so that
another extractor or another abstract never meets it. A damaged file is only a cache: it is set aside and begun anew.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kg import records
from kg.errors import GraphError
from kg.identity import content_hash
from kg.records import Extraction, Paper

__all__ = ["CACHE_FILE", "Cache"]

CACHE_FILE = "extractions.sqlite"
"""Its name, beside the graph."""
KEPT_EVERY = 50
"""After so many new extractions they are written down for good."""
UNKNOWN_PAPER = Paper("")


class Cache:
    """The extractions in the file at `path` that the extractor with the hash `model` made."""

    def __init__(self, path: Path, model: str) -> None:
        self._path = path
        self._model = model
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Write down what is new and let go of the file."""
        self._file.commit()
        self._file.close()

    def _open(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._file = self._opened()
            except sqlite3.DatabaseError:
                self._path.replace(self._path.with_name(self._path.name + ".damaged"))
                self._file = self._opened()
        except (OSError, sqlite3.Error) as error:
            hint = "build into another folder, or with --no-cache"
            raise GraphError(f"the cache cannot be opened: {error}", where=str(self._path), hint=hint) from error

    def _opened(self) -> sqlite3.Connection:
        file = sqlite3.connect(self._path, timeout=30)
        try:
            file.execute("PRAGMA journal_mode=WAL")
            file.execute("CREATE TABLE IF NOT EXISTS extractions (key TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID")
            file.commit()
        except sqlite3.DatabaseError:
            file.close()
            raise
        return file

    def __len__(self) -> int:
        """How many extractions the file holds, of any extractor."""
        return int(self._file.execute("SELECT COUNT(*) FROM extractions").fetchone()[0])

    def known(self, papers: Iterable[Paper]) -> int:
        """How many of these papers need no reading."""
        return sum(self._content(paper) is not None for paper in papers)

    def extractions(
        self, papers: Sequence[Paper], extract: Callable[[Iterable[Paper]], Iterable[Extraction]]
    ) -> Iterator[Extraction]:
        """The extraction of each paper, in order; `extract` reads those that are not known yet, in their order."""
        unknown = [self._content(paper) is None for paper in papers]
        fresh = iter(extract(paper for paper, new in zip(papers, unknown, strict=True) if new))
        made = 0
        for paper, new in zip(papers, unknown, strict=True):
            if not new and (content := self._content(paper)) is not None:
                yield replace(_decoded(content), paper=paper)
                continue
            extraction = next(fresh)
            self._keep(extraction)
            made += 1
            if made % KEPT_EVERY == 0:
                self._file.commit()
            yield extraction
        self._file.commit()

    def _key(self, paper: Paper) -> str:
        return content_hash(self._model, paper.abstract)

    def _content(self, paper: Paper) -> bytes | None:
        row = self._file.execute("SELECT content FROM extractions WHERE key = ?", (self._key(paper),)).fetchone()
        return row[0] if row and _is_whole(row[0]) else None

    def _keep(self, extraction: Extraction) -> None:
        content = _encoded(replace(extraction, paper=UNKNOWN_PAPER))
        key = self._key(extraction.paper)
        self._file.execute("INSERT OR REPLACE INTO extractions VALUES (?, ?)", (key, content))


def _encoded(extraction: Extraction) -> bytes:
    return zlib.compress(json.dumps(_plain(extraction), separators=(",", ":")).encode())


def _decoded(content: bytes) -> Extraction:
    found: Extraction = _record(json.loads(zlib.decompress(content)))
    return found


def _is_whole(content: object) -> bool:
    try:
        return isinstance(content, bytes) and bool(zlib.decompress(content))
    except zlib.error:
        return False


def _plain(value: Any) -> Any:
    """A record as lists and texts: a dataclass with its name in front, enumerations and decimals with theirs."""
    if is_dataclass(value):
        return [type(value).__name__, *(_plain(getattr(value, field.name)) for field in fields(value))]
    if isinstance(value, tuple):
        return ["", *map(_plain, value)]
    if isinstance(value, Enum):
        return [type(value).__name__, value.value]
    if isinstance(value, Decimal):
        return ["Decimal", str(value)]
    return value


def _record(value: Any) -> Any:
    """The record that :func:`_plain` took apart."""
    if not isinstance(value, list):
        return value
    name, *parts = value
    if name == "":
        return tuple(map(_record, parts))
    if name == "Decimal":
        return Decimal(parts[0])
    return getattr(records, name)(*map(_record, parts))
