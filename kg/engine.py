"""Tables that are too large for memory, and what computes on them: DuckDB here, Spark on a cluster (kg.spark).

Both run the same SQL, kept to joins, group-bys and windows, and the same functions in Python from rows to rows: all
that the two would do differently, such as regular expressions or keys, is computed in Python.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import deque
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
    "batches_by",
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
"""How many rows a function of rows is given at a time; one of groups is given whole groups, about ROWS of them."""


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

    With `folder`, the file lies there; without, or for a `few` rows, all is in memory until the limit. Functions run in
    so many `workers`, if there is enough for them to do.
    """

    def __init__(
        self, folder: Path | None = None, *, memory: str = "512MB", workers: int = 1, few: bool = False
    ) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix=".tables-", dir=folder))
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        place = ":memory:" if folder is None or few else str(self._folder / "tables.duckdb")
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
        self.rest()
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
        lots = (lot for batch in self.batches(sql) for lot in _cut(batch, ROWS_A_TASK))
        self._make(name, columns, function, lots)

    def grouped(self, name: str, columns: Columns, sql: str, function: GroupFunction, *, by: int = 1) -> None:
        """Make a table of what `function` makes of each group of rows that are alike in their first `by` columns."""
        lots = _whole_groups(self.batches(f"SELECT * FROM ({sql}) ORDER BY ALL"), by)
        self._make(name, columns, partial(over_groups, function, by), lots)

    def _make(self, name: str, columns: Columns, function: Function, lots: Iterator[pa.RecordBatch]) -> None:
        """Make a table of what `function` makes of each lot; in other processes, if there are several lots."""
        self._begin(name, columns)
        first = list(islice(lots, 2))
        lots = chain(first, lots)
        if self._workers == 1 or len(first) < 2:
            self._insert(name, batches_by(function, columns, lots))
            return
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._workers, mp_context=get_context("spawn"))
        self._insert(name, _in_processes(self._pool, self._workers, partial(_made_of, function, columns), lots))

    def rest(self) -> None:
        """End the other processes, and free their memory, until they are needed again."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def rows(self, sql: str) -> Iterator[Row]:
        """The rows that the query finds."""
        return rows_of(self.batches(sql))

    def batches(self, sql: str, rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """The rows that the query finds, about so many at a time."""
        with self._base.cursor() as cursor:
            try:
                yield from cursor.sql(sql).to_arrow_reader(rows)
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
    function: Callable[[bytes], list[pa.RecordBatch]],
    lots: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """What `function` makes of the lots, in order; no more of them wait than keep the workers busy."""
    waiting = deque(pool.submit(function, _packed(lot)) for lot in islice(lots, 2 * workers))
    while waiting:
        yield from waiting.popleft().result()
        waiting.extend(pool.submit(function, _packed(lot)) for lot in islice(lots, 1))


def _packed(lot: pa.RecordBatch) -> bytes:
    """The lot for another process; if pickled, a slice would bring along all that it is a slice of."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, lot.schema) as stream:
        stream.write_batch(lot)
    return bytes(sink.getvalue())


def _made_of(function: Function, columns: Columns, packed: bytes) -> list[pa.RecordBatch]:
    with pa.ipc.open_stream(packed) as stream:
        return list(batches_by(function, columns, stream))


def _cut(batch: pa.RecordBatch, rows: int) -> Iterator[pa.RecordBatch]:
    return (batch.slice(start, rows) for start in range(0, batch.num_rows, rows))


def _whole_groups(batches: Iterable[pa.RecordBatch], by: int) -> Iterator[pa.RecordBatch]:
    """Sorted rows in other lots, so that those that are alike in their first `by` columns stand in one lot."""
    open_: list[pa.RecordBatch] = []
    for batch in batches:
        start = _last_group(batch, by)
        if start > 0 or (open_ and _place(open_[0], 0, by) != _place(batch, 0, by)):
            open_.append(batch.slice(0, start))
            yield _joined(open_)
            open_ = []
        open_.append(batch.slice(start))
    if open_:
        yield _joined(open_)


def _last_group(batch: pa.RecordBatch, by: int) -> int:
    """Where the last group of a batch starts."""
    start: int = batch.num_rows - 1
    last = _place(batch, start, by)
    while start > 0 and _place(batch, start - 1, by) == last:
        start -= 1
    return start


def _place(batch: pa.RecordBatch, row: int, by: int) -> tuple[Any, ...]:
    return tuple(batch.column(place)[row].as_py() for place in range(by))


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    (joined,) = pa.Table.from_batches(batches).combine_chunks().to_batches()
    return joined


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


def batches_by(function: Function, columns: Columns, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What `function` makes of the rows of Arrow batches, as such."""
    return batches_of(columns, function(rows_of(batches)))


def batches_of(columns: Columns, rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
    """The rows as Arrow batches."""
    schema = pa.schema(list(columns.items()))
    waiting = iter(rows)
    while some := list(islice(waiting, ROWS)):
        arrays = (
            pa.array(values, kind) for values, kind in zip(zip(*some, strict=True), columns.values(), strict=True)
        )
        yield pa.RecordBatch.from_arrays(list(arrays), schema=schema)
