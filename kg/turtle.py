"""Turtle as a build writes it: sorted by subject, a block for each with a blank line after it, the same bytes for the
same graph; and a change of some blocks that leaves the others as they are.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

from pyoxigraph import Quad, RdfFormat, Triple, parse, serialize

from kg import vocabulary as v
from kg.identity import BASE

__all__ = ["patch_turtle", "prefixes", "turtle", "turtle_parts"]

KINDS = ("paper", "entity", "claim", "statement", "evidence", "mention")
END = b" .\n\n"
"""What stands at the end of a block, and nowhere else: a line break in a text is written as an escape."""


def prefixes(base: str = BASE) -> dict[str, str]:
    """The prefixes of the vocabulary and of the things that live under `base`."""
    return v.PREFIXES | {kind: f"{base}{kind}/" for kind in KINDS}


def turtle(triples: Iterable[Triple], *, base: str = BASE) -> bytes:
    """The triples as Turtle, sorted and with prefixes: the same bytes for the same set of triples.

    Blank nodes have no order of their own, so the graph holds none.
    """
    known = prefixes(base)
    return _header(known) + _blocks(sorted(set(triples), key=reading_order), known)


def turtle_parts(parts: Iterable[bytes], *, base: str = BASE) -> Iterator[bytes]:
    """The same Turtle of N-Triples in the order of :func:`reading_order`, in parts that share no subject."""
    known = prefixes(base)
    yield _header(known)
    yield from (_blocks(parse(part, format=RdfFormat.N_TRIPLES), known) for part in parts)


def reading_order(triple: Triple) -> tuple[str, bool, str, str]:
    """By subject, its types first: the order of the triples in a file."""
    return str(triple.subject), triple.predicate != v.TYPE, str(triple.predicate), str(triple.object)


def _header(known: dict[str, str]) -> bytes:
    return "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in known.items()).encode() + b"\n"


def _blocks(ordered: Iterable[Triple] | Iterable[Quad], known: dict[str, str]) -> bytes:
    written = BytesIO()
    serialize(ordered, written, RdfFormat.TURTLE, prefixes=known)
    skipped = len(_header(known)) - 1  # in another order, with no blank line after them
    return written.getvalue()[skipped:].replace(END[:-1], END)


def patch_turtle(old: Path, new: Path, blocks: dict[str, list[Triple]], *, base: str = BASE) -> None:
    """Write `old`, which a build wrote, as `new` with these blocks in the place of those of their subjects.

    A subject (as N-Triples writes it) without triples is left out. What does not change is copied as it is.
    """
    known = prefixes(base)
    with old.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text, new.open("wb") as out:
        written = _Blocks(text, known)
        place = 0
        for subject, triples in sorted(blocks.items()):
            start = written.first_from(subject, place)
            out.write(memoryview(text)[place:start])
            place = written.after(start) if start < len(text) and written.subject(start) == subject else start
            out.write(_blocks(sorted(triples, key=reading_order), known))
        out.write(memoryview(text)[place:])


class _Blocks:
    """The blocks of a file in the order of their subjects, found by halving."""

    def __init__(self, text: mmap.mmap, known: dict[str, str]) -> None:
        self._text = text
        self._known = known
        self._first = len(_header(known))

    def first_from(self, subject: str, place: int) -> int:
        """Where the first block from `place` on begins whose subject is `subject` or stands after it."""
        low, high = max(place, self._first), len(self._text)
        found = high
        window = high
        while low < window:
            middle = (low + window) // 2
            start = self.after(middle)
            if start < found and self.subject(start) < subject:
                low = start
            else:
                found, window = min(found, start), middle
        while low < found and self.subject(low) < subject:
            low = self.after(low)
        return low

    def after(self, place: int) -> int:
        """Where the next block begins."""
        end = self._text.find(END, place)
        return len(self._text) if end < 0 else end + len(END)

    def subject(self, start: int) -> str:
        """The subject of the block that begins here, as N-Triples writes it."""
        word = self._text[start : self._text.find(b" ", start)].decode()
        if word.startswith("<"):
            return word
        prefix, _, local = word.partition(":")
        return "<" + self._known[prefix] + ESCAPED.sub(r"\1", local) + ">"


ESCAPED = re.compile(r"\\(.)")
