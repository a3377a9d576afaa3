"""Text lists: paragraphs between blank lines, with or without titles above them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kg.readers.fields import LETTER, Format, Record, paper
from kg.readers.source import Source
from kg.records import Role
from kg.sections import LABEL_MARKS, opening_label, role_of

__all__ = ["TEXT"]


class Paragraph(NamedTuple):
    """A paragraph of a text list, the heading right before it, and the number of its first line."""

    text: str
    line: int
    heading: str | None = None


def _is_text(sample: str) -> bool:
    return bool(sample)


def read_text(source: Source, name: str) -> Iterator[Record]:
    """The paragraphs that are no headings; a heading is a title where the paragraphs have one each."""
    entries = _entries(_structured(_paragraphs(source.lines())))
    opening = list(itertools.islice(entries, 2))
    titled = all(entry.heading is not None for entry in opening)
    for entry in itertools.chain(opening, entries):
        fields = {"abstract": entry.text, "title": entry.heading if titled else None}
        yield paper(fields, f"{name}, line {entry.line}")


def _paragraphs(lines: Iterable[str]) -> Iterator[Paragraph]:
    """The runs of lines between blank lines."""
    numbered = enumerate(lines, start=1)
    for blank, run in itertools.groupby(numbered, key=lambda numbered_line: not numbered_line[1].strip()):
        if not blank:
            first, *rest = run
            yield Paragraph("".join([first[1], *(line for _, line in rest)]).rstrip(), first[0])


def _structured(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """The paragraphs, those that are the sections of one structured abstract joined."""
    held: list[Paragraph] = []
    labels: list[str] = []
    for paragraph in paragraphs:
        label = opening_label(paragraph.text)
        if not (_goes_on(labels, label) if label is not None else held and _is_bare(held[-1])):
            yield from _joined(held)
            held, labels = [], []
        held.append(paragraph)
        if label is not None:
            labels.append(label)
    yield from _joined(held)


def _is_bare(paragraph: Paragraph) -> bool:
    """Whether a paragraph is nothing but a section's label."""
    return opening_label(paragraph.text) == paragraph.text.strip(LABEL_MARKS).lower()


def _goes_on(labels: Sequence[str], label: str) -> bool:
    """Whether a section of this label may follow those of the labels: a new one, and not of an earlier role."""
    if not labels or label in labels:
        return False
    last, following = role_of(labels[-1]), role_of(label)
    return last is None or following is None or ORDER[last] <= ORDER[following]


ORDER = {role: number for number, role in enumerate(Role)}


def _joined(held: Sequence[Paragraph]) -> Iterator[Paragraph]:
    if held:
        yield held[0]._replace(text="\n\n".join(paragraph.text for paragraph in held))


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
    whole = _first_abstract(lines)
    first = 0
    while first < min(whole, len(lines) - 1) and _is_above(lines, first):
        yield Paragraph(lines[first], paragraph.line + first)
        first += 1
    if first >= whole and first + 1 < len(lines):
        yield from (Paragraph(line, paragraph.line + number) for number, line in enumerate(lines[first:], first))
    else:
        yield paragraph._replace(text="\n".join(lines[first:]), line=paragraph.line + first)


def _first_abstract(lines: Sequence[str]) -> int:
    """The number of the first line from which on each line is a whole abstract, as many as there are if none is."""
    first = len(lines)
    while first and _is_whole(lines[first - 1]):
        first -= 1
    return first


def _is_whole(line: str) -> bool:
    return len(line) > LONG_LINE and SENTENCE_END.search(line) is not None and opening_label(line) is None


def _is_above(lines: Sequence[str], first: int) -> bool:
    """Whether a line is a label, or a title, above the text of the next ones."""
    return LABEL.fullmatch(lines[first].strip()) is not None or _is_title_above(lines[first : first + 2])


def _is_title_above(lines: Sequence[str]) -> bool:
    """Whether the first of the lines is a title; in a hard-wrapped text the lines are about equally long."""
    if opening_label(lines[0]) is not None:
        return False
    labelled = TITLE_LABEL.match(lines[0]) is not None or LABEL.match(lines[1]) is not None
    return _is_heading(lines[0]) and (labelled or len(lines[1]) > max(LONG_LINE / 2, 2 * len(lines[0])))


def _is_heading(text: str) -> bool:
    """Whether a paragraph is no abstract by its shape: short, and not a sentence; or without any letter."""
    if not LETTER.search(text):
        return len(text) < 200
    return text.startswith("#") or (len(text) < 200 and SENTENCE_END.search(text) is None)


LONG_LINE = 300
"""A line of more characters is not one of a hard-wrapped paragraph."""

SENTENCE_END = re.compile(r"[.!?…。！？．؟।][\"'”’»)\]}*_$]*\s*\Z")
LABEL = re.compile(r"\A(?:#{1,6} {0,3})?\W{0,3}(?:abstract|summary|摘要)\W{0,3}(?:[:：.—–-]\s*|\s*\Z)", re.IGNORECASE)
TITLE_LABEL = re.compile(r"^(?:#+\s*|title\s*:\s*)", re.IGNORECASE)


TEXT = Format("text", "abstracts as paragraphs of text, with or without titles", _is_text, read_text)
