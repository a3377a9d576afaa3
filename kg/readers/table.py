"""Tables: CSV and its relatives, with the columns of paperkg's own or of Scopus, Web of Science and others."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kg.errors import InputError, RecordError
from kg.readers.fields import (
    FIELDS,
    Format,
    Record,
    best_id,
    bibliographic_paper,
    given_first,
    harmless,
    paper,
)
from kg.readers.source import Source

__all__ = ["SCOPUS", "TABLE", "WOS_TABLE"]


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
    return (
        len(names) > 1
        and ("abstract" in names or known > 1 or _export_of(names) is not None)
        and all(len(name) <= 60 for name in names)
    )


def _has_names(rows: Sequence[Sequence[str]]) -> bool:
    if len(rows) < 2 or not 1 < len(rows[0]) == len(rows[1]):
        return False
    return all(re.fullmatch(r"[^\W\d][\w-]{0,40}", name) for name in _column_names(rows[0]))


def _column_names(header: Sequence[str]) -> list[str]:
    return [name.strip().lower() for name in header]


def _rows(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(2**31 - 1)  # an abstract that is too long is reported with its line, by `paper`
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _read(source: Source, name: str) -> Iterator[Record]:
    lines = source.lines()
    opening = list(itertools.islice(lines, 200))
    delimiter = _delimiter("".join(opening)) or ","
    numbered = _numbered_rows(itertools.chain(opening, lines), delimiter)
    line, header = next(numbered, (1, []))
    names = _column_names(header)
    export = _export_of(names)
    if "abstract" not in names and export is None:
        found = ", ".join(harmless(column.strip()) for column in header[:20])
        fault = f"no column is named abstract; the columns are: {found}"
        yield InputError(fault, where=f"{name}, line {line}", hint="name the column with the abstracts so")
        return
    for line, row in numbered:
        yield _read_row(names, row, f"{name}, line {line}", export)


def _numbered_rows(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the number of its first line."""
    read = 0

    def counted() -> Iterator[str]:
        nonlocal read
        for line in lines:
            read += 1
            yield line

    start = 1
    for row in _rows(counted(), delimiter):
        if any(cell.strip() for cell in row):
            yield start, row
        start = read + 1


def _read_row(names: Sequence[str], row: Sequence[str], where: str, export: Columns | None) -> Record:
    if any(cell.strip() for cell in row[len(names) :]):
        fault = f"{len(row)} cells, but the header names {len(names)} columns"
        return RecordError(fault, where=where, hint="put quotation marks around a text with a separator in it")
    cells = dict(zip(names, row, strict=False))
    return paper(cells, where) if export is None else bibliographic_paper(_fields(cells, export), where)


# Exports


Columns = Mapping[str, Sequence[str]]
"""The columns, in lower case, in which an export has each field; the first that is filled counts."""

SCOPUS_COLUMNS: Columns = {
    "abstract": ("abstract",),
    "title": ("title",),
    "doi": ("doi",),
    "own": ("eid",),
    "year": ("year",),
    "venue": ("source title", "conference name"),
    "authors": ("author full names", "authors"),
    "url": ("link",),
    "keywords": ("author keywords",),
}
WOS_COLUMNS: Columns = {
    "abstract": ("ab", "abstract"),
    "title": ("ti", "article title"),
    "doi": ("di", "doi"),
    "own": ("ut", "ut (unique wos id)", "ut (unique id)"),
    "year": ("py", "publication year"),
    "venue": ("so", "source title", "conference title"),
    "authors": ("af", "author full names", "au", "authors"),
    "url": ("doi link",),
    "keywords": ("de", "author keywords"),
}
OTHER_COLUMNS: Columns = {
    "abstract": ("abstract note", "abstract"),
    "title": ("title", "document title", "article title", "item title"),
    "doi": ("doi",),
    "own": ("key", "item doi", "pmid", "lens id"),
    "year": ("publication year", "year", "date"),
    "venue": ("publication title", "source title", "journal", "conference name"),
    "authors": ("author", "authors", "author/s"),
    "url": ("url", "link", "pdf link"),
    "keywords": ("author keywords", "keywords", "manual tags"),
}
MARKS: Sequence[tuple[frozenset[str], Columns]] = (
    (frozenset({"pt", "ti", "ab", "ut"}), WOS_COLUMNS),
    (frozenset({"article title", "abstract", "publication year"}), WOS_COLUMNS),
    (frozenset({"title", "abstract", "eid"}), SCOPUS_COLUMNS),
    (frozenset({"title", "abstract", "source title", "author keywords"}), SCOPUS_COLUMNS),
    (frozenset({"title", "abstract note"}), OTHER_COLUMNS),
    (frozenset({"document title", "abstract"}), OTHER_COLUMNS),
    (frozenset({"title", "abstract", "doi"}), OTHER_COLUMNS),
)
"""What columns an export has that tell it from others, tried in this order."""


def _export_of(names: Sequence[str]) -> Columns | None:
    if "id" in names and "abstract" in names:
        return None  # the columns of paperkg's own
    return next((columns for marks, columns in MARKS if marks <= set(names)), None)


def _fields(cells: Mapping[str, str], columns: Columns) -> dict[str, object]:
    found = {field: _filled(cells, names) for field, names in columns.items()}
    abstract = found["abstract"]
    return {
        "title": found["title"],
        "abstract": None if abstract and NO_ABSTRACT.match(abstract) else abstract,
        "id": best_id(doi=found["doi"], arxiv=None, own=found["own"]),
        "year": found["year"],
        "venue": found["venue"],
        "authors": list(_names(found["authors"] or "")),
        "url": found["url"],
        "keywords": found["keywords"],
    }


NO_ABSTRACT = re.compile(r"\s*\[no abstract available\]", re.IGNORECASE)


def _filled(cells: Mapping[str, str], names: Iterable[str]) -> str | None:
    return next((cell.strip() for name in names if (cell := cells.get(name)) and cell.strip()), None)


def _names(text: str) -> Iterator[str]:
    """The names in "Pan, Yanjun (57225); Yu, C." or, without semicolons, in "Pan, Y., Yu, C."."""
    if ";" in text:
        names: Iterable[str] = text.split(";")
    elif pairs := PAIRS.fullmatch(text):
        names = PAIR.findall(pairs[0])
    else:
        names = text.split(",") if " " in text.split(",")[0].strip() else [text]
    yield from (given_first(AUTHOR_NUMBER.sub("", name)) for name in names if name.strip())


AUTHOR_NUMBER = re.compile(r"\s{0,3}\(\d+\)")
PAIR = re.compile(r"([^,]+,[^,]*\.)(?:,|\Z)")
PAIRS = re.compile(r"(?:[^,]+,[^,]*\.(?:,|\Z))+")

TABLE = Format("table", "CSV, TSV and the like, with a header; also the exports below", _is_table, _read)
SCOPUS = Format("scopus", "Scopus, CSV", _is_table, _read)
WOS_TABLE = Format("wos-table", "Web of Science, CSV or tab-delimited", _is_table, _read)
