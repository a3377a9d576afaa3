"""Parquet: a row for each paper, with the columns of any source that is told in JSON."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO, BinaryIO

from kg.errors import InputError
from kg.readers.fields import Format, Record
from kg.readers.json_papers import read_object
from kg.readers.source import Source

__all__ = ["PARQUET"]

BATCH = 256
"""Rows in memory at a time."""


def _is_parquet(sample: str) -> bool:
    return sample.startswith("PAR1")


def _read(source: Source, name: str) -> Iterator[Record]:
    import pyarrow as pa  # here: most runs read no Parquet, and it takes a while
    from pyarrow import parquet

    with _seekable(source.binary()) as file:
        number = 0
        try:
            table = parquet.ParquetFile(file, thrift_string_size_limit=LIMIT, thrift_container_size_limit=LIMIT)
            for batch in table.iter_batches(batch_size=BATCH):
                for row in batch.to_pylist():
                    number += 1
                    yield from read_object(row, f"{name}, record {number}")
        except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
            fault = f"damaged Parquet: {str(error).splitlines()[0][:200] if str(error) else type(error).__name__}"
            yield InputError(fault, where=f"{name}, after record {number}", hint="fetch the file again")


LIMIT = 2**26


def _seekable(stream: BinaryIO) -> IO[bytes]:
    """The stream's bytes in a temporary file: its directory stands at the end."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  (closed by the caller)
    while piece := stream.read(2**20):
        file.write(piece)
    file.seek(0)
    return file


PARQUET = Format("parquet", "Parquet, with the columns of paperkg's own or of a source above", _is_parquet, _read)
