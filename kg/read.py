"""Reading: papers out of files, directories and standard input, in the formats and encodings that people have.

Bytes become lines of text (`_lines`), the first of them tell the format (`FORMATS`), and the format's reader
makes records of them. What cannot be read becomes an error in the record's place, and reading goes on after it.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import itertools
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from kg.errors import InputError, RecordError
from kg.records import Paper

__all__ = ["ABSTRACT_LIMIT", "read_papers"]

ABSTRACT_LIMIT = 100_000
"""Longest abstract in characters, some 15,000 words: above it stands a whole paper, or a quote left open."""

SUFFIXES = frozenset({".txt", ".jsonl", ".ndjson", ".json", ".csv", ".tsv"})
"""What is read of a directory, each also with .gz."""

HEAD_BYTES = 65_536
"""How much of a file is looked at to tell its encoding and format."""

FIELDS = ("title", "abstract", "id", "year", "venue", "authors", "url", "keywords")

Record = Paper | InputError
Lines = Iterator[str]


def read_papers(
    paths: Iterable[str | os.PathLike[str]], *, stdin: BinaryIO | None = None
) -> Iterator[Paper | InputError]:
    """Every paper of the files, of the directories with all below them, and of standard input for "-".

    A record that cannot be used comes as a :class:`RecordError` in its place, a file or directory that cannot be
    read at all as an :class:`InputError`; nothing is raised for bad data.
    """
    for path in paths:
        name = _harmless(os.fspath(path))
        if name == "-":
            yield from _read_stream(stdin or sys.stdin.buffer, "standard input")
        elif os.path.isdir(path):  # noqa: PTH112  (Path.is_dir raises for names with NUL)
            yield from _read_directory(Path(path), name)
        else:
            yield from _read_file(path, name)


# Files and directories


def _read_directory(directory: Path, name: str) -> Iterator[Record]:
    problems: list[OSError] = []
    walk = os.walk(directory, onerror=problems.append)
    files = sorted(Path(folder, file) for folder, _, names in walk for file in names)
    readable = [file for file in files if _suffix(file) in SUFFIXES]
    for problem in problems:
        yield _unreadable(problem, _harmless(str(problem.filename)))
    for file in readable:
        yield from _read_file(file, _harmless(str(file)))
    if not readable and not problems:
        expected = ", ".join(sorted(SUFFIXES))
        yield InputError("no file to read in this directory", where=name, hint=f"expected files named {expected}")


def _suffix(file: Path) -> str:
    return (file.with_suffix("") if file.suffix.lower() == ".gz" else file).suffix.lower()


def _read_file(path: str | os.PathLike[str], name: str) -> Iterator[Record]:
    try:
        stream = Path(path).open("rb")  # noqa: SIM115  (closed below)
    except (OSError, ValueError) as error:
        yield _unreadable(error, name)
        return
    with stream:
        yield from _read_stream(stream, name)


def _read_stream(stream: BinaryIO, name: str) -> Iterator[Record]:
    """The records of a stream, and an error for one that holds none or breaks off."""
    try:
        records = _records(stream, name)
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


def _records(stream: BinaryIO, name: str) -> Iterator[Record]:
    head, stream = _head(stream)
    if head.startswith(b"\x1f\x8b"):
        head, stream = _head(gzip.GzipFile(fileobj=stream))
    encoding = _encoding(head)
    sample = "".join(_lines(io.BytesIO(head), encoding))
    if not sample.strip():
        raise InputError("the file is empty", where=name, hint="expected abstracts")
    if (binary := _binary(head, sample)) is not None:
        raise InputError(f"this is {binary}, not text", where=name, hint="save the abstracts as text, JSON or CSV")
    for file_format in FORMATS:
        if file_format.recognises(sample):
            yield from file_format.read(_lines(stream, encoding), name)
            return


# From bytes to lines


class _Replayed(io.RawIOBase):
    """A stream whose first bytes have been read already, from its start again."""

    def __init__(self, head: bytes, rest: BinaryIO | gzip.GzipFile) -> None:
        self._head = io.BytesIO(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        data = self._head.read(len(view)) or self._rest.read(len(view))
        view[: len(data)] = data
        return len(data)


def _head(stream: BinaryIO | gzip.GzipFile) -> tuple[bytes, BinaryIO]:
    """The first bytes of a stream, and a stream that still begins with them."""
    head = b""
    while len(head) < HEAD_BYTES and (data := stream.read(HEAD_BYTES - len(head))):
        head += data
    return head, io.BufferedReader(_Replayed(head, stream))


def _encoding(head: bytes) -> str:
    """The encoding of a text by its first bytes; "utf-8" may hold stray bytes of Windows-1252 or Latin-1."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if len(head) > 3 and max(even, odd) > 0.4 * len(head) / 2 and min(even, odd) < 0.1 * len(head) / 2:
        return "utf-16-le" if odd > even else "utf-16-be"
    high = sum(byte > 127 for byte in head)
    stray = len(STRAY.findall(head.decode("utf-8", "surrogateescape")))
    if stray > 0.1 * high and high > 0.2 * len(head):
        return _guessed_encoding(head)
    return "utf-8"


BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
STRAY = re.compile(r"[\udc80-\udcff]")
"""What Python makes of a byte that is no UTF-8, under the error handler "surrogateescape"."""


def _guessed_encoding(head: bytes) -> str:
    """The likeliest encoding of a text that is mostly not ASCII, such as Big5, GB 18030 or KOI8-R."""
    import charset_normalizer

    whole_lines = head[: head.rfind(b"\n") + 1] or head
    best = charset_normalizer.from_bytes(whole_lines).best()
    return best.encoding if best is not None else "utf-8"


def _lines(stream: BinaryIO, encoding: str) -> Lines:
    """The lines of a text, each with a line feed for whatever ended it, but for the last."""
    decoded = _utf8_lines(stream) if encoding == "utf-8" else _decoded_lines(stream, encoding)
    first = True
    for line in decoded:
        text = line.removeprefix("\ufeff") if first else line
        first = False
        yield from io.StringIO(text.replace("\r\n", "\n").replace("\r", "\n")) if "\r" in text else (text,)


def _utf8_lines(stream: BinaryIO) -> Lines:
    for line in stream:
        yield STRAY.sub(_western, line.decode("utf-8", "surrogateescape"))


def _western(stray: re.Match[str]) -> str:
    return bytes([ord(stray[0]) - 0xDC00]).decode("cp1252", "replace")


def _decoded_lines(stream: BinaryIO, encoding: str) -> Lines:
    text = io.TextIOWrapper(stream, encoding=encoding, errors="replace", newline=None)
    try:
        yield from text
    finally:
        text.detach()


def _binary(head: bytes, sample: str) -> str | None:
    """What a file is that is no text, in words."""
    for magic, kind in MAGIC:
        if head.startswith(magic):
            return kind
    controls = len(CONTROLS.findall(sample))
    return "binary data" if controls > 3 and controls > 0.05 * len(sample) else None


MAGIC = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "a database"),
)
CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\x81\x8d\x8f\x90\x9d\ufffd]")


# Text


class Paragraph(NamedTuple):
    """A paragraph of a text list, the heading right before it, and the number of its first line."""

    text: str
    line: int
    heading: str | None = None


def _is_text(sample: str) -> bool:
    return bool(sample)


def _read_text(lines: Lines, name: str) -> Iterator[Record]:
    """The paragraphs that are no headings; a heading is a title where the paragraphs have one each."""
    entries = _entries(_paragraphs(lines))
    opening = list(itertools.islice(entries, 2))
    titled = all(entry.heading is not None for entry in opening)
    for entry in itertools.chain(opening, entries):
        fields = {"abstract": entry.text, "title": entry.heading if titled else None}
        yield _paper(fields, f"{name}, line {entry.line}")


def _paragraphs(lines: Lines) -> Iterator[Paragraph]:
    """The runs of lines between blank lines."""
    numbered = enumerate(lines, start=1)
    for blank, run in itertools.groupby(numbered, key=lambda numbered_line: not numbered_line[1].strip()):
        if not blank:
            first, *rest = run
            yield Paragraph("".join([first[1], *(line for _, line in rest)]).rstrip(), first[0])


def _entries(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """The abstracts among paragraphs, each with its heading."""
    heading: str | None = None
    for paragraph in itertools.chain.from_iterable(map(_split, paragraphs)):
        if LABEL.fullmatch(paragraph.text.strip()):
            continue
        if _is_heading(paragraph.text):
            heading = TITLE_LABEL.sub("", " ".join(paragraph.text.split()))
        else:
            yield paragraph._replace(text=LABEL.sub("", paragraph.text, count=1).strip(), heading=heading)
            heading = None


def _split(paragraph: Paragraph) -> Iterator[Paragraph]:
    """The parts of a paragraph: a title line or a label above the text, or one whole abstract in each line."""
    lines = paragraph.text.split("\n")
    long_lines = len(lines) > 1 and all(len(line) > LONG_LINE and SENTENCE_END.search(line) for line in lines)
    if long_lines:
        yield from (Paragraph(line, paragraph.line + number) for number, line in enumerate(lines))
    elif len(lines) > 1 and (LABEL.fullmatch(lines[0].strip()) or _is_title_above(lines)):
        yield Paragraph(lines[0], paragraph.line)
        yield from _split(Paragraph("\n".join(lines[1:]), paragraph.line + 1))
    else:
        yield paragraph


def _is_title_above(lines: Sequence[str]) -> bool:
    """Whether the first of the lines is a title; in a hard-wrapped text the lines are about equally long."""
    labelled = TITLE_LABEL.match(lines[0]) is not None or LABEL.match(lines[1]) is not None
    return _is_heading(lines[0]) and (labelled or len(lines[1]) > max(LONG_LINE / 2, 2 * len(lines[0])))


def _is_heading(text: str) -> bool:
    """Whether a paragraph is no abstract by its shape: short, and not a sentence; or without any letter."""
    if not LETTER.search(text):
        return len(text) < 200
    return text.startswith("#") or (len(text) < 200 and SENTENCE_END.search(text) is None)


LONG_LINE = 300
"""A line of more characters is not one of a hard-wrapped paragraph."""
LETTER = re.compile(r"[^\W\d_]")
SENTENCE_END = re.compile(r"[.!?…。！？．؟।][\"'”’»)\]}*_$]*\s*\Z")
LABEL = re.compile(r"(?:#+ *)?\W{0,3}(?:abstract|summary|摘要)\W{0,3}(?:[:：.—–-]\s*|\s*\Z)", re.IGNORECASE)
TITLE_LABEL = re.compile(r"^(?:#+\s*|title\s*:\s*)", re.IGNORECASE)


# JSON


def _is_json(sample: str) -> bool:
    return re.match(r"\s*(?:\[\s*[\[\]{\"]|\[\s*\Z|\{\s*[\"}]|\{\s*\Z)", sample) is not None


def _is_json_lines(sample: str) -> bool:
    """Whether each line is an object: most begin one, or the first is complete or the only one."""
    lines = [line for line in sample.split("\n") if line.strip()]
    objects = sum(re.match(r'\s*\{\s*"', line) is not None for line in lines)
    if not objects or (lines[0].lstrip().startswith("[") and not _is_complete(lines[0])):
        return False
    return objects * 2 >= len(lines) > 1 or _is_complete(lines[0]) or len(lines) == 1


def _is_complete(line: str) -> bool:
    try:
        json.loads(line, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _read_json(lines: Lines, name: str) -> Iterator[Record]:
    text = "".join(lines)
    try:
        value = json.loads(text.rstrip(), strict=False)
    except json.JSONDecodeError as error:
        yield _bad_json(error, InputError, f"{name}, line {error.lineno}")
    except (ValueError, RecursionError) as error:
        yield InputError(f"not usable as JSON: {_plain(error)}", where=name)
    else:
        yield from _read_value(value, lambda number: f"{name}, record {number}")


def _read_json_lines(lines: Lines, name: str) -> Iterator[Record]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield from _read_json_line(line, f"{name}, line {number}")


def _read_json_line(line: str, where: str) -> Iterator[Record]:
    try:
        value = json.loads(line.rstrip(), strict=False)
    except json.JSONDecodeError as error:
        yield _bad_json(error, RecordError, where)
    except (ValueError, RecursionError) as error:
        yield RecordError(f"not usable as JSON: {_plain(error)}", where=where)
    else:
        several = isinstance(value, list) or (isinstance(value, dict) and _held_list(value) is not None)
        yield from _read_value(value, lambda number: f"{where}, record {number}" if several else where)


def _read_value(value: object, place: Callable[[int], str]) -> Iterator[Record]:
    """The papers of an array, of an object that holds one, or of a single object."""
    held = _held_list(value) if isinstance(value, dict) else None
    items = value if isinstance(value, list) else held if held is not None else [value]
    for number, item in enumerate(items, start=1):
        if isinstance(item, dict):
            yield _paper({str(key): content for key, content in item.items()}, place(number))
        else:
            fault = f"expected an object with an abstract, found {_kind(item)}"
            yield RecordError(fault, where=place(number), hint='such as {"title": "...", "abstract": "..."}')


def _held_list(value: Mapping[str, object]) -> list[object] | None:
    if any(key.strip().lower() == "abstract" for key in value):
        return None
    lists = (held for held in value.values() if isinstance(held, list))
    return next((held for held in lists if held and all(isinstance(item, dict) for item in held)), None)


def _bad_json(error: json.JSONDecodeError, kind: type[InputError], where: str) -> InputError:
    cut_off = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    fault = "the JSON breaks off" if cut_off else f"not valid JSON: {error.msg[0].lower()}{error.msg[1:]}"
    hint = "is it complete? expected a closing brace" if cut_off else "expected one JSON object for each paper"
    return kind(f"{fault} at column {error.colno}", where=where, hint=hint)


def _plain(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else "a number with too many digits"


def _kind(value: object) -> str:
    """What a JSON value is, in words."""
    return KINDS.get(type(value), type(value).__name__)


KINDS = {
    type(None): "nothing (null)",
    bool: "true or false",
    dict: "an object",
    float: "a number",
    int: "a number",
    list: "a list",
    str: "a text",
}


# Tables


def _is_table(sample: str) -> bool:
    return _delimiter(sample) is not None


def _delimiter(sample: str) -> str | None:
    """What separates the columns, if the first line is a header: names that are known, or that look like names."""
    if re.match(r'\s*"?abstract"?[ \t]*\n"', sample, re.IGNORECASE):
        return ","
    for looks_like_header in (_has_known_names, _has_names):
        for delimiter in "\t,;|":
            if looks_like_header(_opening_rows(sample, delimiter)):
                return delimiter
    return None


def _opening_rows(sample: str, delimiter: str) -> list[list[str]]:
    try:
        return list(itertools.islice(_rows(io.StringIO(sample.lstrip("\n")), delimiter), 2))
    except csv.Error:
        return []


def _has_known_names(rows: Sequence[Sequence[str]]) -> bool:
    names = _column_names(rows[0]) if rows else []
    known = sum(name in FIELDS for name in names)
    return len(names) > 1 and ("abstract" in names or known > 1) and all(len(name) <= 60 for name in names)


def _has_names(rows: Sequence[Sequence[str]]) -> bool:
    if len(rows) < 2 or not 1 < len(rows[0]) == len(rows[1]):
        return False
    return all(re.fullmatch(r"[^\W\d][\w-]{0,40}", name) for name in _column_names(rows[0]))


def _column_names(header: Sequence[str]) -> list[str]:
    return [name.strip().lower() for name in header]


def _rows(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(2**31 - 1)  # an abstract that is too long is reported with its line, by `_abstract`
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _read_table(lines: Lines, name: str) -> Iterator[Record]:
    opening = list(itertools.islice(lines, 200))
    delimiter = _delimiter("".join(opening)) or ","
    numbered = _numbered_rows(itertools.chain(opening, lines), delimiter)
    line, header = next(numbered)
    names = _column_names(header)
    if "abstract" not in names:
        found = ", ".join(_harmless(column.strip()) for column in header[:20])
        fault = f"no column is named abstract; the columns are: {found}"
        yield InputError(fault, where=f"{name}, line {line}", hint="name the column with the abstracts so")
        return
    for line, row in numbered:
        yield _read_row(names, row, f"{name}, line {line}")


def _numbered_rows(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the number of its first line."""
    read = 0

    def counted() -> Lines:
        nonlocal read
        for line in lines:
            read += 1
            yield line

    start = 1
    for row in _rows(counted(), delimiter):
        if any(cell.strip() for cell in row):
            yield start, row
        start = read + 1


def _read_row(names: Sequence[str], row: Sequence[str], where: str) -> Record:
    if any(cell.strip() for cell in row[len(names) :]):
        fault = f"{len(row)} cells, but the header names {len(names)} columns"
        return RecordError(fault, where=where, hint="put quotation marks around a text with a separator in it")
    return _paper(dict(zip(names, row, strict=False)), where)


# From fields to a paper


def _paper(fields: Mapping[str, object], where: str) -> Record:
    """The paper of a record, or what is wrong with it. Fields of other names are ignored, letter case too."""
    values = {name.strip().lower(): value for name, value in fields.items()}
    try:
        return Paper(
            abstract=_abstract(values, where),
            title=_text(values, "title", where),
            id=_text(values, "id", where),
            year=_year(values.get("year")),
            venue=_text(values, "venue", where),
            authors=_authors(values.get("authors"), where),
            url=_text(values, "url", where),
            keywords=_keywords(values.get("keywords"), where),
            source=where,
        )
    except RecordError as error:
        return error


def _abstract(values: Mapping[str, object], where: str) -> str:
    value = values.get("abstract")
    if value is None:
        found = ", ".join(_harmless(name) for name in list(values)[:20]) or "none"
        fault = "the abstract is missing" if "abstract" not in values else "the abstract is null"
        raise RecordError(fault, where=where, hint=f"the fields are: {found}")
    if not isinstance(value, str):
        raise RecordError(f"the abstract is {_kind(value)}", where=where, hint="expected a text")
    if not value.strip():
        raise RecordError("the abstract is empty", where=where, hint="expected a text")
    if LETTER.search(value) is None:
        raise RecordError("the abstract has no word in it", where=where, hint="expected a text")
    if len(value) > ABSTRACT_LIMIT:
        fault = f"the abstract has {len(value):,} characters, more than {ABSTRACT_LIMIT:,}"
        raise RecordError(fault, where=where, hint="is it a whole paper, or a quotation mark left open?")
    return _harmless(value)


def _text(values: Mapping[str, object], name: str, where: str) -> str | None:
    value = values.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RecordError(f"the {name} is {_kind(value)}", where=where, hint="expected a text or null")
    return _harmless(" ".join(str(value).split())) or None


def _year(value: object) -> int | None:
    """The year from 1500 to 2199 in "2025", 2025.0 or "2025-04-24"; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    found = re.search(r"(?<!\d)(?:1[5-9]|2[01])\d\d(?!\d)", str(value))
    return int(found[0]) if found else None


def _authors(value: object, where: str) -> tuple[str, ...]:
    return _tidy(_split_authors(value) if isinstance(value, str) else _listed(value, "authors", where))


def _keywords(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return _tidy(re.split(r"[;\n]" if ";" in value else r"[,\n]", value))
    return _tidy(part for text in _listed(value, "keywords", where) for part in text.split(";"))


def _listed(value: object, field: str, where: str) -> list[str]:
    """The names in a list of texts or of objects with a name each; nothing for null."""
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    names = [item.get("name") if isinstance(item, dict) else item for item in items if item is not None]
    texts = [name for name in names if isinstance(name, str)]
    if len(texts) < len(names):
        hint = 'expected a text or a list such as ["Ada Lovelace", "Alan Turing"]'
        raise RecordError(f"the {field} are not a list of names", where=where, hint=hint)
    return texts


def _split_authors(text: str) -> Iterator[str]:
    """The authors between ";", "and", and those commas that stand between full names."""
    for part in re.split(r";|\band\b|&|\n", text):
        pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
        full_names = len(pieces) > 1 and all(" " in piece for piece in pieces)
        yield from pieces if full_names else [part.strip(" ,")]


def _tidy(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(tidy for text in texts if (tidy := _harmless(" ".join(text.split()))))


def _harmless(text: str) -> str:
    """The text with U+FFFD for what XML and UTF-8 cannot hold: lone surrogates and most control characters."""
    return UNWRITABLE.sub("\ufffd", text)


UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


# The formats, in the order in which they are tried


class Format(NamedTuple):
    """How papers may be written: `recognises` judges the first characters, `read` takes the lines and a name."""

    name: str
    recognises: Callable[[str], bool]
    read: Callable[[Lines, str], Iterator[Record]]


FORMATS = (
    Format("JSON Lines", _is_json_lines, _read_json_lines),
    Format("JSON", _is_json, _read_json),
    Format("table", _is_table, _read_table),
    Format("text", _is_text, _read_text),
)
