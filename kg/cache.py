"""Extractions kept from one build to the next, so that what was read once is not read again.

One file of SQLite beside the graph. An extraction is found by its abstract and the hash of the extractor, so that
another extractor or another abstract never meets it. A damaged file is only a cache: it is set aside and begun anew.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from kg.errors import GraphError
from kg.identity import content_hash
from kg.packing import pack, unpack
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

    def extractions(
        self, papers: Iterable[Paper], extract: Callable[[Iterable[Paper | Extraction]], Iterable[Extraction]]
    ) -> Iterator[Extraction]:
        """The extraction of each paper, in order; `extract` is given those that are known, and papers where not."""
        unknown: deque[bool] = deque()
        made = 0
        for extraction in extract(self._looked_up(papers, unknown)):
            if unknown.popleft():
                self._keep(extraction)
                made += 1
                if made % KEPT_EVERY == 0:
                    self._file.commit()
            yield extraction
        self._file.commit()

    def _looked_up(self, papers: Iterable[Paper], unknown: deque[bool]) -> Iterator[Paper | Extraction]:
        for paper in papers:
            known = self._known(paper)
            unknown.append(known is None)
            yield paper if known is None else known

    def _key(self, paper: Paper) -> str:
        return content_hash(self._model, paper.abstract)

    def _known(self, paper: Paper) -> Extraction | None:
        row = self._file.execute("SELECT content FROM extractions WHERE key = ?", (self._key(paper),)).fetchone()
        try:
            return replace(unpack(row[0]), paper=paper) if row else None
        except (ValueError, TypeError, zlib.error):
            return None  # damaged: read again

    def _keep(self, extraction: Extraction) -> None:
        content = pack(replace(extraction, paper=UNKNOWN_PAPER))
        key = self._key(extraction.paper)
        self._file.execute("INSERT OR REPLACE INTO extractions VALUES (?, ?)", (key, content))
