"""Reading: papers out of files, directories and standard input, in the formats and encodings that people have.

The first characters of a file tell its format, the first of `FORMATS` that recognises them, and the format's reader,
in `kg.readers`, makes papers of the rest. What cannot be read becomes an error in the record's place, and reading
goes on after it.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from kg.errors import InputError
from kg.readers.arxiv import ARXIV_ATOM
from kg.readers.bibtex import BIBTEX
from kg.readers.endnote import ENDNOTE
from kg.readers.fields import ABSTRACT_LIMIT, Format, Record, harmless
from kg.readers.json_papers import JSON, JSON_SHAPES
from kg.readers.markdown import MARKDOWN
from kg.readers.parquet import PARQUET
from kg.readers.pubmed import NBIB, PUBMED
from kg.readers.ris import RIS
from kg.readers.source import Source, open_source
from kg.readers.table import SCOPUS, TABLE, WOS_TABLE
from kg.readers.text import TEXT
from kg.readers.wos import WOS
from kg.records import Paper

__all__ = ["ABSTRACT_LIMIT", "FORMATS", "SUFFIXES", "format_named", "json_line", "read_papers"]

FORMATS: tuple[Format, ...] = (
    PARQUET,
    JSON,
    *JSON_SHAPES,
    PUBMED,
    ARXIV_ATOM,
    ENDNOTE,
    NBIB,
    RIS,
    WOS,
    BIBTEX,
    TABLE,
    SCOPUS,
    WOS_TABLE,
    MARKDOWN,
    TEXT,
)
"""Every format, in the order in which they are tried; JSON and tables tell their sources apart by themselves."""

SUFFIXES = frozenset(
    {".txt", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".bib", ".bibtex", ".ris", ".xml", ".atom", ".nbib"}
    | {".isi", ".ciw", ".md", ".markdown", ".parquet"}
)
"""What is read of a directory, each also with .gz."""

NO_PAPERS = frozenset({"changelog", "contributing", "copying", "license", "licence", "notice", "readme"})
"""Names of files, without suffix, that a directory holds beside its papers."""


def read_papers(
    paths: Iterable[str | os.PathLike[str]],
    *,
    stdin: BinaryIO | None = None,
    format: str | None = None,  # noqa: A002
) -> Iterator[Paper | InputError]:
    """Every paper of the files, of the directories with all below them, and of standard input for "-".

    `format` is a name of `FORMATS`; without it, each file's content tells. A record that cannot be used comes as a
    :class:`RecordError` in its place, a file or directory that cannot be read at all as an :class:`InputError`;
    nothing is raised for bad data. Raises InputError for an unknown format.
    """
    wanted = format_named(format) if format is not None else None
    return _read_paths(paths, stdin, wanted)


def format_named(name: str) -> Format:
    """The format of this name. Raises InputError if there is none."""
    for known in FORMATS:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in FORMATS)
    raise InputError(f'no format is called "{name}"', hint=f"the formats are: {names}")


def json_line(paper: Paper) -> str:
    """The paper as a line of JSON Lines, without its source, that reads as the same paper again.

    >>> json_line(Paper("We propose A.", year=2025))
    '{"abstract": "We propose A.", "year": 2025}'
    """
    said = {field: value for field, value in asdict(paper).items() if field != "source" and value not in (None, ())}
    return json.dumps(said, ensure_ascii=False)


def _read_paths(
    paths: Iterable[str | os.PathLike[str]], stdin: BinaryIO | None, wanted: Format | None
) -> Iterator[Record]:
    for path in paths:
        name = harmless(os.fspath(path))
        if name == "-":
            yield from _read_stream(stdin or sys.stdin.buffer, "standard input", wanted)
        elif os.path.isdir(path):  # noqa: PTH112  (Path.is_dir raises for names with NUL)
            yield from _read_directory(Path(path), name, wanted)
        else:
            yield from _read_file(path, name, wanted)


# Files and directories


def _read_directory(directory: Path, name: str, wanted: Format | None) -> Iterator[Record]:
    problems: list[OSError] = []
    walk = os.walk(directory, onerror=problems.append)
    files = sorted(Path(folder, file) for folder, _, names in walk for file in names)
    readable = [file for file in files if _suffix(file) in SUFFIXES and _stem(file) not in NO_PAPERS]
    for problem in problems:
        yield _unreadable(problem, harmless(str(problem.filename)))
    for file in readable:
        yield from _read_file(file, harmless(str(file)), wanted)
    if not readable and not problems:
        expected = ", ".join(sorted(SUFFIXES))
        yield InputError("no file to read in this directory", where=name, hint=f"expected files named {expected}")


def _suffix(file: Path) -> str:
    return (file.with_suffix("") if file.suffix.lower() == ".gz" else file).suffix.lower()


def _stem(file: Path) -> str:
    return file.name.partition(".")[0].lower()


def _read_file(path: str | os.PathLike[str], name: str, wanted: Format | None) -> Iterator[Record]:
    try:
        stream = Path(path).open("rb")  # noqa: SIM115  (closed below)
    except (OSError, ValueError) as error:
        yield _unreadable(error, name)
        return
    with stream:
        yield from _read_stream(stream, name, wanted)


def _read_stream(stream: BinaryIO, name: str, wanted: Format | None) -> Iterator[Record]:
    """The records of a stream, and an error for one that holds none or breaks off."""
    try:
        records = _records(stream, name, wanted)
        first = next(records, None)
        if first is None:
            yield InputError("no abstract in it", where=name, hint="expected a paragraph of text for each paper")
            return
        yield first
        yield from records
    except (OSError, EOFError, zlib.error) as error:
        yield _unreadable(error, name)
    except InputError as error:
        yield error


def _unreadable(error: Exception, name: str) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError("no such file or directory", where=name, hint="check the spelling and the folder")
    if isinstance(error, PermissionError):
        return InputError("no permission to read it", where=name, hint="check who may read the file")
    if isinstance(error, EOFError | zlib.error | gzip.BadGzipFile):
        return InputError("the compressed data are damaged or cut off", where=name, hint="fetch the file again")
    return InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", where=name)


def _records(stream: BinaryIO, name: str, wanted: Format | None) -> Iterator[Record]:
    source = open_source(stream)
    if not source.sample.strip():
        raise InputError("the file is empty", where=name, hint="expected abstracts")
    chosen = wanted or _recognised(source, name)
    yield from chosen.read(source, name)


def _recognised(source: Source, name: str) -> Format:
    """The format of a source. Raises InputError for one that holds no papers that can be read."""
    chosen = next(known for known in FORMATS if known.recognises(source.sample))
    if chosen is PARQUET:
        return chosen
    if (kind := _binary(source)) is not None:
        raise InputError(f"this is {kind}, not text", where=name, hint="save the abstracts as text, JSON or CSV")
    if chosen in (MARKDOWN, TEXT) and (page := MARKUP.match(source.sample)):
        root = harmless(page["root"] or "html")[:40]
        raise InputError(
            f"this is markup of an unknown kind, <{root}>", where=name, hint=f"readable XML: {XML_FORMATS}"
        )
    return chosen


MARKUP = re.compile(
    r"\s{0,100}(?:<\?xml[^>]{0,500}>|<!DOCTYPE\s[^>]{0,1000}>|<(?=html\b|feed\b))\s{0,100}"
    r"(?:<!--(?:[^-]|-(?!->)){0,5000}-->\s{0,100}|<!DOCTYPE[^>]{0,5000}>\s{0,100})?<?(?P<root>[\w:.-]{0,200})",
    re.IGNORECASE,
)
XML_FORMATS = ", ".join(known.about for known in (PUBMED, ARXIV_ATOM, ENDNOTE))


def _binary(source: Source) -> str | None:
    """What a file is that is no text, in words."""
    for magic, kind in MAGIC:
        if source.head.startswith(magic):
            return kind
    controls = len(CONTROLS.findall(source.sample))
    return "binary data" if controls > 3 and controls > 0.05 * len(source.sample) else None


MAGIC = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "a database"),
)
CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\x81\x8d\x8f\x90\x9d\ufffd]")
