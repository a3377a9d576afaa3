"""Acronym definitions: a long form and the short form that stands for it, found by their letters.

The letters of the short form must occur in the long form in order, the first at the start of a word
(Schwartz and Hearst, PSB 2003), looked for on both sides of a bracket.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Definition", "find_definitions", "stands_for"]

_BRACKET = re.compile(r"\(([^()]{1,120})\)")
_SHORT = re.compile(r"[A-Za-z0-9][\w+³²./-]{0,14}")
_FIRST_PART = re.compile(r"\s*([^,;:]+)")
_CLAUSE = re.compile(r"[.;:!?()\[\]]|,\s")


@dataclass(frozen=True, slots=True)
class Definition:
    """A long form and its short form, as slices of one text."""

    long: tuple[int, int]
    short: tuple[int, int]


def find_definitions(text: str) -> Iterator[Definition]:
    """The definitions "long form (SF)" and "SF (long form)" in `text`, in order.

    >>> [text[slice(*d.long)] for text in ["We study graph neural networks (GNNs)."] for d in find_definitions(text)]
    ['graph neural networks']
    """
    for bracket in _BRACKET.finditer(text):
        if definition := _short_inside(text, bracket) or _long_inside(text, bracket):
            yield definition


def stands_for(short: str, long: str) -> bool:
    """Whether `short` can be an acronym of `long`, by its letters.

    >>> stands_for("GNNs", "graph neural networks"), stands_for("CNN", "three stabilizers")
    (True, False)
    """
    return any(c.isalnum() for c in short) and _long_form_start(long, short) == 0


def _short_inside(text: str, bracket: re.Match[str]) -> Definition | None:
    part = _FIRST_PART.match(bracket[1])
    if part is None or not _is_short_form(short := part[1].strip()):
        return None
    before = text[: bracket.start()].rstrip()
    floor = max((match.end() for match in _CLAUSE.finditer(before)), default=0)
    start = _long_form_start(before[floor:], short)
    if start is None:
        return None
    first = bracket.start(1) + bracket[1].index(short)
    return Definition((floor + start, len(before)), (first, first + len(short)))


def _long_inside(text: str, bracket: re.Match[str]) -> Definition | None:
    before = text[: bracket.start()].rstrip()
    word = re.search(r"[\w+./-]+$", before)
    if word is None or not _is_short_form(word[0]) or " " not in bracket[1].strip():
        return None
    if _long_form_start(bracket[1], word[0]) != 0:
        return None
    return Definition((bracket.start(1), bracket.end(1)), (word.start(), word.end()))


def _is_short_form(word: str) -> bool:
    letters = [c for c in word if c.isalpha()]
    capitals = sum(c.isupper() for c in letters)
    return _SHORT.fullmatch(word) is not None and capitals >= 2 and capitals * 2 >= len(letters)


def _long_form_start(text: str, short: str) -> int | None:
    """Where in `text`, whose end must belong to the long form, the long form of `short` starts.

    A number at the end of the short form may count letters, as in HGM³, and is left out when it finds no match.
    """
    letters = [c.lower() for c in re.sub(r"(?<=[A-Z0-9])s$", "", short) if c.isalnum()]
    start = _match_backwards(text, letters)
    if start is None and letters[-1].isdigit():
        start = _match_backwards(text, letters[:-1])
    if start is None or len(text) - start <= len(short) or _SHORT.fullmatch(text[start:]):
        return None
    return start


def _match_backwards(text: str, wanted: list[str]) -> int | None:
    words = list(re.finditer(r"\S+", text))[-(len(wanted) * 2 + 2) :]
    position = len(text)
    for index in range(len(wanted) - 1, -1, -1):
        position -= 1
        while position >= 0 and not _matches(text, position, wanted[index], first=index == 0):
            position -= 1
        if position < 0 or not words or position < words[0].start():
            return None
    compound = re.search(r"[^\s-]+-(?:[^\s-]+-)*$", text[:position])
    return compound.start() if compound and compound[0][0].lower() == wanted[0] else position


def _matches(text: str, position: int, letter: str, *, first: bool) -> bool:
    if text[position].lower() != letter:
        return False
    return not first or position == 0 or not text[position - 1].isalnum()
