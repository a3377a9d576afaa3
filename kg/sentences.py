"""Sentence boundaries for abstracts: text that holds "e.g.", "et al.", decimals and names with dots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kg.records import Mention, Sentence

__all__ = ["around", "split_sentences"]

_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)|\n\s*\n")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:e\.\s?g|i\.\s?e|et\s+al|al|vs|cf|resp|w\.\s?r\.\s?t|a\.\s?k\.\s?a|approx|figs?|eqs?|secs?|tabs?|refs?"
    r"|no|dr|prof|st|inc|ltd|etc|[A-Z])\.$",
    re.IGNORECASE,
)
_MAY_END_A_SENTENCE = re.compile(r"(?:etc|al|[A-Z])\.$", re.IGNORECASE)
_OPENER = re.compile(r"[\"'“‘(\[]*(?:[A-Z0-9]|[^\W\d_a-z])")
_PRONOUN_OR_ARTICLE = re.compile(
    r"(?:The|This|These|We|Our|In|It|However|To|A|An|Moreover|Furthermore|Here|While|For)\b"
)


def around(sentences: Iterable[Sentence], mention: Mention) -> tuple[int, int]:
    """The slice of the sentence that holds the mention, or of the mention itself where it crosses a boundary."""
    inside = (s for s in sentences if s.start <= mention.start and mention.end <= s.end)
    found = next(inside, None) or mention
    return found.start, found.end


def split_sentences(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of `text` as (start, end), in order, without the space between them.

    >>> [text[a:b] for text in ["Feng et al. saw 2.5 points. We do not."] for a, b in split_sentences(text)]
    ['Feng et al. saw 2.5 points.', 'We do not.']
    """
    start = 0
    for match in _END.finditer(text):
        if not match[0].isspace() and not _is_boundary(text, match.end()):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def _is_boundary(text: str, end: int) -> bool:
    rest = text[end : end + 60].lstrip()
    if not _OPENER.match(rest):
        return False
    before = text[max(0, end - 24) : end]
    if not _ABBREVIATION.search(before):
        return True
    return bool(_MAY_END_A_SENTENCE.search(before) and _PRONOUN_OR_ARTICLE.match(rest))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if stripped := piece.strip():
        first = start + len(piece) - len(piece.lstrip())
        yield first, first + len(stripped)
