"""JSON and JSON Lines: one record or many, of any source that is told by the keys of its records."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from kg.errors import InputError, RecordError
from kg.readers.arxiv import ARXIV
from kg.readers.csl import CROSSREF, CSL
from kg.readers.fields import Fields, Format, Record, bibliographic_paper, identifiers, kind_of, paper, text_at
from kg.readers.json_text import JsonText
from kg.readers.openalex import OPENALEX
from kg.readers.openreview import OPENREVIEW
from kg.readers.paperswithcode import PAPERS_WITH_CODE
from kg.readers.semanticscholar import S2ORC, SEMANTIC_SCHOLAR
from kg.readers.shape import Json, Shape
from kg.readers.source import HEAD_BYTES, Source
from kg.readers.zotero import ZOTERO

__all__ = ["JSON", "JSON_SHAPES", "SHAPES", "read_object"]

SHAPES = (OPENALEX, ZOTERO, OPENREVIEW, SEMANTIC_SCHOLAR, S2ORC, ARXIV, PAPERS_WITH_CODE, CROSSREF, CSL)
"""In the order in which they are tried on a record; what matches none has the fields of paperkg's own."""

WRAPPERS = frozenset({"results", "data", "items", "notes", "papers", "works"})
"""Keys under which the objects that APIs answer with hold the records."""

Place = Callable[[int], str]


def is_json(sample: str) -> bool:
    """Whether a text begins as JSON or JSON Lines do."""
    return _is_json_lines(sample) or BEGINNING.match(sample) is not None


BEGINNING = re.compile(r"\s*(?:\[\s*[\[\]{\"]|\[\s*\Z|\{\s*[\"}]|\{\s*\Z)")


def _is_json_lines(sample: str) -> bool:
    """Whether each line is an object: most begin one, or the first is complete or the only one."""
    lines = [line for line in sample.split("\n") if line.strip()]
    objects = sum(re.match(r'\s*\{\s*"', line) is not None for line in lines)
    if not objects or (lines[0].lstrip().startswith("[") and not _is_complete(lines[0])):
        return False
    if len(lines) == 1:
        return len(sample.encode()) < HEAD_BYTES - 4  # a longer line is read value by value
    return objects * 2 >= len(lines) or _is_complete(lines[0])


def _is_complete(line: str) -> bool:
    try:
        json.loads(line, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _read(source: Source, name: str, shape: Shape | None = None) -> Iterator[Record]:
    if _is_json_lines(source.sample):
        for number, line in enumerate(source.lines(), start=1):
            if line.strip():
                yield from _read_line(line, f"{name}, line {number}", shape)
    else:
        yield from _read_values(JsonText(source.pieces()), name, shape)


# JSON Lines


def _read_line(line: str, where: str, shape: Shape | None) -> Iterator[Record]:
    try:
        value = json.loads(line.rstrip(), strict=False)
    except (ValueError, RecursionError) as error:
        yield _bad_json(error, where)
    else:
        several = isinstance(value, list) or (isinstance(value, dict) and _held(value) is not None)
        yield from _read_value(value, lambda number: f"{where}, record {number}" if several else where, shape)


def _read_value(value: object, place: Place, shape: Shape | None) -> Iterator[Record]:
    """The papers of an array, of an object that holds one, or of a single object."""
    held = _held(value) if isinstance(value, dict) else None
    found = value if isinstance(value, list) else held if held is not None else [value]
    for number, item in enumerate(found, start=1):
        yield from read_object(item, place(number), shape)


def _held(value: Mapping[str, Any]) -> list[object] | None:
    """The records that an object holds and is no record itself."""
    message = value.get("message")
    if isinstance(message, dict):  # the envelope of Crossref
        return _held(message) or [message]
    if any(key.strip().lower() == "abstract" for key in value) or _shape_of(value) is not None:
        return None
    lists = (held for held in value.values() if isinstance(held, list))
    return next((held for held in lists if held and all(isinstance(item, dict) for item in held)), None)


# JSON


def _read_values(text: JsonText, name: str, shape: Shape | None) -> Iterator[Record]:
    """The records of one value after another, of which there is nearly always one."""
    while (character := text.peek()) != "":
        where = f"{name}, line {text.line}"
        if character == "[":
            text.take("[")
            yield from _read_items(text, name, shape)
        elif character == "{":
            yield from _read_members(text, name, shape)
        else:
            yield InputError("not valid JSON: expecting an object or an array", where=where, hint=JSON_HINT)
            return


def _read_items(text: JsonText, name: str, shape: Shape | None) -> Iterator[Record]:
    """The records of an array whose bracket has been read; one that is no valid JSON is passed over."""
    number = 0
    while not text.take("]"):
        number += 1
        try:
            item = text.value()
        except (ValueError, RecursionError) as error:
            yield _bad_json(error, f"{name}, line {_line(text, error)}")
            if text.peek() not in ("{", "[") or not text.skip():
                _drain(text)
                return
        else:
            yield from read_object(item, f"{name}, record {number}", shape)
        if not text.take(",") and text.peek() == "":
            yield InputError("the JSON breaks off", where=f"{name}, line {text.line}", hint=CUT_OFF_HINT)
            return


def _read_members(text: JsonText, name: str, shape: Shape | None) -> Iterator[Record]:
    """The record that an object is, or those that it holds: in a list as APIs answer with, item by item."""
    where = f"{name}, line {text.line}"
    text.take("{")
    members: dict[str, Any] = {}
    streamed = False
    while not text.take("}"):
        try:
            key = str(text.value())
            if not text.take(":"):
                raise ValueError("expecting ':' after a name")
            if key in WRAPPERS and text.peek() == "[" and "abstract" not in members:
                streamed = text.take("[")
                yield from _read_items(text, name, shape)
            elif key == "message" and text.peek() == "{":
                streamed = True
                yield from _read_members(text, name, shape)
            else:
                members[key] = text.value()
        except (ValueError, RecursionError) as error:
            yield _bad_json(error, f"{name}, line {_line(text, error)}")
            _drain(text)
            return
        if not text.take(",") and text.peek() == "":
            yield InputError("the JSON breaks off", where=f"{name}, line {text.line}", hint=CUT_OFF_HINT)
            return
    if not streamed:
        held = _held(members) is not None
        yield from _read_value(members, lambda number: f"{name}, record {number}" if held else where, shape)


def _drain(text: JsonText) -> None:
    """Passes over what follows a fault from which reading cannot go on."""
    while text.peek() != "":
        text.skip()


def _line(text: JsonText, error: Exception) -> int:
    return text.line_at(error.pos) if isinstance(error, json.JSONDecodeError) else text.line


JSON_HINT = "expected one JSON object for each paper"
CUT_OFF_HINT = "is it complete? expected a closing brace"


def _bad_json(error: Exception, where: str) -> RecordError:
    if not isinstance(error, json.JSONDecodeError):
        return RecordError(f"not usable as JSON: {_plain(error)}", where=where)
    cut_off = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    fault = "the JSON breaks off" if cut_off else f"not valid JSON: {error.msg[0].lower()}{error.msg[1:]}"
    return RecordError(f"{fault} at column {error.colno}", where=where, hint=CUT_OFF_HINT if cut_off else JSON_HINT)


def _plain(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "a number with too many digits" if "digits" in str(error) else str(error)


# A record


def read_object(item: object, where: str, shape: Shape | None = None) -> Iterator[Record]:
    """The paper of an object of this shape, or of the shape that its keys tell; nothing for what is no paper."""
    if not isinstance(item, dict):
        fault = f"expected an object with an abstract, found {kind_of(item)}"
        yield RecordError(fault, where=where, hint='such as {"title": "...", "abstract": "..."}')
        return
    record = {str(key): content for key, content in item.items()}
    told = shape if shape is not None and shape.matches(record) else _shape_of(record)
    if told is None:
        yield paper(_own_fields(record), where)
    elif (fields := told.fields(record)) is not None:
        yield bibliographic_paper(fields, where)


def _shape_of(record: Json) -> Shape | None:
    return next((shape for shape in SHAPES if shape.matches(record)), None)


def _own_fields(record: Json) -> Fields:
    """The fields as they are; for want of an id one from a DOI or arXiv number, for want of authors an "author"."""
    given = {name.strip().lower(): value for name, value in record.items()}
    known = identifiers(doi=text_at(given, "doi"), arxiv=text_at(given, "arxiv_id"))
    wanted = {**known, "authors": given.get("author")}
    added = {name: value for name, value in wanted.items() if value is not None and given.get(name) is None}
    return {**given, **added}


def _formats(shapes: Iterable[Shape]) -> Iterator[Format]:
    for shape in shapes:
        yield Format(shape.name, shape.about, is_json, partial(_read, shape=shape))


JSON = Format("json", "JSON and JSON Lines: objects with an abstract, or of the sources below", is_json, _read)
JSON_SHAPES = tuple(_formats(SHAPES))
