"""Tables that are too large for memory, and what computes on them: DuckDB here, Spark on a cluster (kg.spark).

Both run the same SQL, kept to joins, group-bys and windows, and the same functions in Python from rows to rows: all
that the two would do differently, such as regular expressions or keys, is computed in Python.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain, groupby, islice
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import duckdb
import pyarrow as pa

from kg.errors import GraphError

__all__ = [
    "Columns",
    "DuckEngine",
    "Engine",
    "Function",
    "GroupFunction",
    "Row",
    "batches_of",
    "over_groups",
    "rows_of",
]

Row = tuple[Any, ...]
Function = Callable[[Iterator[Row]], Iterable[Row]]
"""From rows to rows, each by itself; it is given some of a table at a time, and pickled for other processes."""
GroupFunction = Callable[[Iterator[Row]], Iterable[Row]]
"""From the rows of one group, sorted, to rows."""
Columns = Mapping[str, pa.DataType]
"""The columns of a table in order: texts, 64-bit integers, doubles or bytes."""

ROWS = 20_000
"""How many rows are handed on at a time."""
ROWS_A_TASK = 100
"""How many rows another process is given at a time."""


class Engine(Protocol):
    """Named tables, and ways to make one from others."""

    def table(self, name: str, sql: str) -> None:
        """Make a table of what the query finds, in the place of one of that name."""

    def put(self, name: str, columns: Columns, rows: Iterable[Row]) -> None:
        """Make a table of these rows."""

    def mapped(self, name: str, columns: Columns, sql: str, function: Function) -> None:
        """Make a table of what `function` makes of the rows that the query finds."""

    def grouped(self, name: str, columns: Columns, sql: str, function: GroupFunction, *, by: int = 1) -> None:
        """Make a table of what `function` makes of each group of rows that are alike in their first `by` columns."""

    def rows(self, sql: str) -> Iterator[Row]:
        """The rows that the query finds."""


class DuckEngine:
    """Tables in DuckDB, in a file of a temporary folder once they outgrow `memory` (such as "1GB").

    With `folder`, the file lies there; without, all is in memory until the limit. Row-by-row functions run in so many
    `workers`.
    """

    def __init__(self, folder: Path | None = None, *, memory: str = "512MB", workers: int = 1) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix=".tables-", dir=folder))
        self._workers = workers
        place = ":memory:" if folder is None else str(self._folder / "tables.duckdb")
        try:
            self._base = duckdb.connect(place)
        except duckdb.Error as error:
            raise _failed(error) from error
        for name, value in {
            "memory_limit": memory,
            "temp_directory": str(self._folder / "spill"),
            "threads": os.cpu_count() or 1,
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }.items():
            self._base.execute(f"SET {name} = ?", [value])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._base.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def table(self, name: str, sql: str) -> None:
        """Make a table of what the query finds, in the place of one of that name."""
        _run(self._base, f"CREATE OR REPLACE TABLE {name} AS {sql}")

    def view(self, name: str, sql: str) -> None:
        """Let `name` stand for what the query finds whenever it is asked."""
        _run(self._base, f"CREATE OR REPLACE VIEW {name} AS {sql}")

    def put(self, name: str, columns: Columns, rows: Iterable[Row]) -> None:
        """Make a table of these rows."""
        self._begin(name, columns)
        self.add(name, columns, rows)

    def add(self, name: str, columns: Columns, rows: Iterable[Row]) -> None:
        """Add these rows to a table."""
        self._insert(name, batches_of(columns, rows))

    def _insert(self, name: str, batches: Iterable[pa.RecordBatch]) -> None:
        for some in _in_lots(batches):
            with self._base.cursor() as cursor:
                cursor.register("batch", pa.Table.from_batches(some))
                _run(cursor, f"INSERT INTO {name} SELECT * FROM batch")

    def mapped(self, name: str, columns: Columns, sql: str, function: Function) -> None:
        """Make a table of what `function` makes of the rows that the query finds."""
        if self._workers == 1:
            self.put(name, columns, function(self.rows(sql)))
            return
        self._begin(name, columns)
        with ProcessPoolExecutor(self._workers, mp_context=get_context("spawn")) as pool:
            self._insert(name, _in_processes(pool, self._workers, partial(_done, function, columns), self.rows(sql)))

    def grouped(self, name: str, columns: Columns, sql: str, function: GroupFunction, *, by: int = 1) -> None:
        """Make a table of what `function` makes of each group of rows that are alike in their first `by` columns."""
        self.put(name, columns, over_groups(function, by, self.rows(f"SELECT * FROM ({sql}) ORDER BY ALL")))

    def rows(self, sql: str) -> Iterator[Row]:
        """The rows that the query finds."""
        with self._base.cursor() as cursor:
            try:
                yield from rows_of(cursor.sql(sql).to_arrow_reader(ROWS))
            except duckdb.Error as error:
                raise _failed(error) from error

    def write(self, sql: str, path: Path, row_group: int) -> None:
        """Write what the query finds to a Parquet file with so many rows in a group."""
        place = str(path).replace("'", "''")
        _run(self._base, f"COPY ({sql}) TO '{place}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {row_group})")

    def _begin(self, name: str, columns: Columns) -> None:
        kinds = ", ".join(f'"{column}" {_KINDS[kind]}' for column, kind in columns.items())
        _run(self._base, f"CREATE OR REPLACE TABLE {name} ({kinds})")


_KINDS = {pa.string(): "VARCHAR", pa.int64(): "BIGINT", pa.float64(): "DOUBLE", pa.binary(): "BLOB"}
"""What DuckDB calls the types of columns."""


def _run(base: duckdb.DuckDBPyConnection, sql: str) -> None:
    try:
        base.execute(sql)
    except duckdb.Error as error:
        raise _failed(error) from error


def _failed(error: duckdb.Error) -> Exception:
    """What a user can do something about, as our error; a fault of the program as it is."""
    full = duckdb.OutOfMemoryException | duckdb.IOException | duckdb.TransactionException | duckdb.FatalException
    if isinstance(error, full):
        return GraphError(f"the tables of the build do not fit: {error}", hint="free some disk space, or set TMPDIR")
    return error


def _in_processes(
    pool: ProcessPoolExecutor,
    workers: int,
    function: Callable[[list[Row]], list[pa.RecordBatch]],
    rows: Iterator[Row],
) -> Iterator[pa.RecordBatch]:
    """What `function` makes of the rows, in order; no more tasks wait than keep the workers busy."""
    tasks = iter(lambda: list(islice(rows, ROWS_A_TASK)), [])
    waiting = [pool.submit(function, task) for task in islice(tasks, 4 * workers)]
    while waiting:
        yield from waiting.pop(0).result()
        waiting += [pool.submit(function, task) for task in islice(tasks, 1)]


def _done(function: Function, columns: Columns, rows: list[Row]) -> list[pa.RecordBatch]:
    return list(batches_of(columns, function(iter(rows))))


def _in_lots(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """The batches together until they hold enough rows to be handed on."""
    lot: list[pa.RecordBatch] = []
    for batch in batches:
        lot.append(batch)
        if sum(each.num_rows for each in lot) >= ROWS:
            yield lot
            lot = []
    if lot:
        yield lot


def over_groups(function: GroupFunction, by: int, rows: Iterable[Row]) -> Iterator[Row]:
    """What `function` makes of each group of sorted rows that are alike in their first `by` columns."""
    for _, group in groupby(rows, key=lambda row: row[:by]):
        yield from function(group)


def first_of(group: Iterable[Row]) -> tuple[Row, Iterator[Row]]:
    """The first row of a group, which is not empty, and all of its rows."""
    rows = iter(group)
    first = next(rows)
    return first, chain([first], rows)


def rows_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
    """The rows of Arrow batches."""
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def batches_of(columns: Columns, rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
    """The rows as Arrow batches."""
    schema = pa.schema(list(columns.items()))
    waiting = iter(rows)
    while some := list(islice(waiting, ROWS)):
        arrays = (
            pa.array(values, kind) for values, kind in zip(zip(*some, strict=True), columns.values(), strict=True)
        )
        yield pa.RecordBatch.from_arrays(list(arrays), schema=schema)
