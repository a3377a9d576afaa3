"""XML, read record by record and safely: no entity is declared or fetched, and a broken record is passed over.

Below is the parser of Python itself, expat. It fetches nothing by itself; a document that declares entities is
refused, so that none can grow; a record is let go of before the next one is read.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from kg.errors import InputError, RecordError
from kg.readers.fields import harmless

__all__ = ["begins_with", "child_text", "read_elements", "text_of"]

RECORD_LIMIT = 16 * 2**20
"""Longest text of a record in characters."""


def begins_with(*roots: str) -> Callable[[str], bool]:
    """Whether a text is XML with a root of one of these names, whatever its namespace."""
    root = re.compile(rf"<(?:\w{{1,40}}:)?(?:{'|'.join(roots)})[\s>/]")

    def recognises(sample: str) -> bool:
        beginning = PROLOG.match(sample)
        return beginning is not None and root.match(sample, beginning.end()) is not None

    return recognises


PROLOG = re.compile(
    r"\s*(?:<\?[^>]{0,1000}\?>\s*|<!--(?:[^-]|-(?!->)){0,5000}-->\s*|<!DOCTYPE[^>\[]{0,1000}(?:\[[^\]]{0,5000}\]\s*)?>\s*)*"
)


def read_elements(pieces: Iterator[str], names: set[str], where: str) -> Iterator[tuple[Element, str] | InputError]:
    """The elements of these names, without prefixes, each with its place, and an error for each broken one.

    Raises InputError for a document that declares entities.
    """
    records = _Records(names, where)
    for piece in pieces:
        records.feed(harmless(piece))
        yield from records.taken()
    records.close()
    yield from records.taken()


class _Records:
    """A parser that is begun anew after each fault, at the next record."""

    def __init__(self, names: set[str], where: str) -> None:
        self._names = names
        self._where = where
        self._opening = re.compile(rf"<(?:[\w.-]{{1,40}}:)?(?:{'|'.join(sorted(names))})[\s>/]")
        self._done: list[tuple[Element, str] | InputError] = []
        self._lines = 0
        self._resumed = self._lost = False
        self._kept = ""
        self._begin()

    def feed(self, text: str) -> None:
        """Parses some more text."""
        while text:
            if self._lost:
                text = self._from_next_record(text)
            text = self._parse(text.encode("utf-8", "replace"))

    def close(self) -> None:
        """Ends the document."""
        try:
            if not self._lost:
                self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            if self._builder is not None or not self._resumed:
                self._report("the XML breaks off", error.lineno, "is it complete?")

    def taken(self) -> Iterator[tuple[Element, str] | InputError]:
        """What has been found since the last call."""
        done, self._done = self._done, []
        yield from done

    def _begin(self) -> None:
        parser = expat.ParserCreate("utf-8")
        parser.UseForeignDTD(True)  # an entity that is not declared is given to `_skipped` and is no error
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.EntityDeclHandler = self._refuse
        parser.SkippedEntityHandler = self._skipped
        self._parser = parser
        self._builder: TreeBuilder | None = None
        self._depth = self._size = self._fed = 0
        self._record_line = 1

    def _parse(self, data: bytes) -> str:
        """Parses; what is left of the data after a fault."""
        try:
            self._parser.Parse(data, False)
        except expat.ExpatError as error:
            fault = max(0, self._parser.ErrorByteIndex - self._fed)
            whole = error.code == JUNK_AFTER_DOCUMENT
            if not whole and (self._builder is not None or not self._resumed or error.code != TAG_MISMATCH):
                self._report(f"not valid XML: {expat.ErrorString(error.code)}", error.lineno, "it was passed over")
            self._lost = True
            self._lines += error.lineno - 1
            return data[fault if whole else fault + 1 :].decode("utf-8", "ignore")
        self._fed += len(data)
        return ""

    def _from_next_record(self, text: str) -> str:
        """The text from the next record on, where a new parser begins."""
        text = self._kept + text
        found = self._opening.search(text)
        passed = found.start() if found else max(0, len(text) - 80)  # a tag may go on in the next piece
        self._lines += text.count("\n", 0, passed)
        self._kept = "" if found else text[passed:]
        if found is None:
            return ""
        self._lost, self._resumed = False, True
        self._begin()
        self._fed = self._parser.Parse(b"<records>", False) and len(b"<records>")
        return text[passed:]

    def _report(self, fault: str, line: int, hint: str) -> None:
        self._done.append(RecordError(fault, where=f"{self._where}, line {self._lines + line}", hint=hint))

    # What the parser calls

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        if self._builder is None and local in self._names:
            self._builder = TreeBuilder()
            self._size = 0
            self._record_line = self._parser.CurrentLineNumber
        if self._builder is not None:
            self._depth += 1
            if self._grows(len(local) + ELEMENT_SIZE):
                self._builder.start(local, attributes)

    def _end(self, name: str) -> None:
        if self._builder is None:
            return
        self._depth -= 1
        if self._size <= RECORD_LIMIT:
            self._builder.end(name.rpartition(":")[2])
        if self._depth == 0:
            if self._size <= RECORD_LIMIT:
                where = f"{self._where}, line {self._lines + self._record_line}"
                self._done.append((self._builder.close(), where))
            else:
                self._report("a record of more than 16 million characters", self._record_line, "it was passed over")
            self._builder = None

    def _data(self, text: str) -> None:
        if self._builder is not None and self._grows(len(text)):
            self._builder.data(text)

    def _skipped(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            self._data(html.unescape(f"&{name};"))

    def _grows(self, by: int) -> bool:
        """Whether the record may be longer by so many characters."""
        self._size += by
        return self._size <= RECORD_LIMIT

    def _refuse(self, name: str, *_: object) -> None:
        fault = f'the XML declares an entity, "{name[:40]}", which no reader here expands'
        raise InputError(fault, where=self._where, hint="remove its <!ENTITY ...> declarations")


ELEMENT_SIZE = 64
TAG_MISMATCH = 7
JUNK_AFTER_DOCUMENT = 9
"""Codes of expat; see `xml.parsers.expat.errors`."""


# Out of elements


def text_of(element: Element | None) -> str:
    """All text in an element, on one line; "" if there is no element."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def child_text(element: Element, *paths: str) -> str | None:
    """The text of the first of these descendants that has any, as it is written."""
    texts = ("".join(found.itertext()).strip() for path in paths for found in element.iterfind(path))
    return next(filter(None, texts), None)
