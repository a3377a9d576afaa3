"""BibTeX and BibLaTeX, entry by entry; an entry that is broken ends where the next one begins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kg.errors import RecordError
from kg.readers.fields import Format, Record, arxiv_in, bibliographic_paper, given_first, identifiers
from kg.readers.latex import plain_latex
from kg.readers.source import Source

__all__ = ["BIBTEX"]


class Entry(NamedTuple):
    """The source text of an entry from its "@", the number of its first line, and whether its braces close."""

    text: str
    line: int
    closed: bool


def _is_bibtex(sample: str) -> bool:
    """Whether an entry begins near the top, where only a few lines of comment may stand before it."""
    lines = sample.split("\n", PREAMBLE_LINES)[:PREAMBLE_LINES]
    for line in lines:
        if line.lstrip().startswith(("```", "<", "{", "[")):
            return False
        if START.match(line.lstrip()):
            return True
    return False


PREAMBLE_LINES = 40


def _read(source: Source, name: str) -> Iterator[Record]:
    macros = dict(MONTHS)
    for entry in _entries(source.lines()):
        where = f"{name}, line {entry.line}"
        kind = re.match(r"@\s*(\w+)", entry.text)
        if kind is None or kind[1].lower() in ("comment", "preamble"):
            continue
        try:
            key, fields = _parse(entry, macros)
        except ValueError as error:
            yield RecordError(f"not a valid BibTeX entry: {error}", where=where, hint="it was left out")
            continue
        if kind[1].lower() == "string":
            macros.update(fields)
        else:
            yield bibliographic_paper(_fields(key, fields), where)


# Entries


START = re.compile(r"(?<!\w)@\s{0,3}[A-Za-z]{2,30}\s{0,3}[{(]")
BRACE = re.compile(r"\\.|[{}()]", re.DOTALL)


def _entries(lines: Iterable[str]) -> Iterator[Entry]:
    """The entries; text between them is a comment."""
    begun: list[str] = []
    opened = closing = ""
    first = depth = 0
    for number, line in enumerate(lines, start=1):
        rest = line
        if begun and START.match(line.lstrip()):
            yield Entry("".join(begun), first, closed=False)
            begun = []
        while rest:
            if not begun:
                start = START.search(rest)
                if start is None:
                    break
                opened, rest = rest[start.start() : start.end()], rest[start.end() :]
                begun, first, depth, closing = [opened], number, 1, ")" if opened.endswith("(") else "}"
            end, depth = _scanned(rest, depth, closing)
            begun.append(rest[:end])
            rest = rest[end:]
            if depth == 0:
                yield Entry("".join(begun), first, closed=True)
                begun = []
    if begun:
        yield Entry("".join(begun), first, closed=False)


def _scanned(text: str, depth: int, closing: str) -> tuple[int, int]:
    """How far a text belongs to what `closing` closes, and the depth in braces at that place, 0 for closed."""
    for token in BRACE.finditer(text):
        if depth == 1 and token[0] == closing:
            return token.end(), 0
        if token[0] == "{":
            depth += 1
        elif token[0] == "}" and depth > 1:
            depth -= 1
    return len(text), depth


# Fields


KEY = re.compile(r"([^,={}]*)(?:,|\Z)")
SEPARATORS = re.compile(r"[\s,]*")
NAME = re.compile(r"([^\s,={}\"#()]+)\s*=\s*")
WORD = re.compile(r"[^\s,{}\"#]+")
JOINED = re.compile(r"\s*#\s*")

MONTHS = {
    month: month for month in ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
}


def _parse(entry: Entry, macros: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The key of an entry and its fields by their names in lower case. Raises ValueError for a broken one."""
    if not entry.closed:
        raise ValueError("its braces do not close")
    start = START.match(entry.text)
    body = entry.text[start.end() if start else 0 : -1]
    key = KEY.match(body)
    position = key.end() if key else 0
    fields: dict[str, str] = {}
    while (position := _after(SEPARATORS, body, position)) < len(body):
        name = NAME.match(body, position)
        if name is None:
            raise ValueError(f'expected "name = value", found "{" ".join(body[position : position + 40].split())}"')
        value, position = _value(body, name.end(), macros)
        fields.setdefault(name[1].lower(), value)
    return key[1].strip() if key else "", fields


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position


def _value(body: str, position: int, macros: Mapping[str, str]) -> tuple[str, int]:
    """A value, of parts that "#" joins, and where it ends."""
    parts = []
    while True:
        part, position = _part(body, position, macros)
        parts.append(part)
        joined = JOINED.match(body, position)
        if joined is None:
            return "".join(parts).strip(), position
        position = joined.end()


def _part(body: str, position: int, macros: Mapping[str, str]) -> tuple[str, int]:
    """A text in braces or quotation marks, a number, or what a macro stands for."""
    mark = body[position : position + 1]
    if mark in ("{", '"'):
        end = _end_of_text(body, position + 1, "}" if mark == "{" else '"')
        return body[position + 1 : end - 1], end
    word = WORD.match(body, position)
    if word is None:
        raise ValueError("a value is missing")
    return macros.get(word[0].lower(), word[0]), word.end()


TEXT_TOKEN = re.compile(r"\\.|[{}\"]", re.DOTALL)


def _end_of_text(body: str, position: int, closing: str) -> int:
    depth = 0
    for token in TEXT_TOKEN.finditer(body, position):
        if depth == 0 and token[0] == closing:
            return token.end()
        depth += (token[0] == "{") - (token[0] == "}")
    raise ValueError("a text is left open")


# From an entry to a paper


def _fields(key: str, entry: Mapping[str, str]) -> dict[str, object]:
    venue = next((entry[name] for name in VENUES if entry.get(name)), None)
    return {
        "title": plain_latex(entry["title"]) if entry.get("title") else None,
        "abstract": entry.get("abstract"),
        **identifiers(doi=entry.get("doi"), arxiv=_arxiv(entry), own=key or None),
        "year": entry.get("year") or entry.get("date"),
        "venue": plain_latex(venue) if venue else None,
        "authors": [name for name in map(_author, _names(entry.get("author", ""))) if name],
        "url": entry.get("url", "").replace("\\", "") or None,
        "keywords": plain_latex(entry.get("keywords") or entry.get("keyword") or ""),
    }


VENUES = ("journal", "journaltitle", "booktitle", "eventtitle", "school", "institution", "publisher")


def _arxiv(entry: Mapping[str, str]) -> str | None:
    kind = entry.get("archiveprefix") or entry.get("eprinttype") or "arXiv"
    if entry.get("eprint") and kind.lower() == "arxiv":
        return entry["eprint"]
    return arxiv_in(*(entry.get(name) for name in ("url", "journal", "howpublished", "note", "doi")))


def _names(authors: str) -> Iterator[str]:
    """The names between "and", but for such as stand in braces."""
    name: list[str] = []
    for part in " ".join(authors.split()).split(" and "):
        name.append(part)
        whole = " and ".join(name)
        if whole.count("{") == whole.count("}"):
            yield whole
            name = []
    yield from name


def _author(name: str) -> str | None:
    if name.strip().lower() == "others":
        return None
    institution = name.startswith("{") and name.endswith("}") and name.count("{") == 1
    return plain_latex(name).strip() if institution else given_first(plain_latex(name))


BIBTEX = Format("bibtex", "BibTeX and BibLaTeX", _is_bibtex, _read)
