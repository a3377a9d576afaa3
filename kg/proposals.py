"""What a paper introduces: the mention that a cue such as "we propose" leads to, where it is first named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kg.records import EntityType, Mention, Proposal, Sentence

__all__ = ["find_proposals"]

_CUE = re.compile(
    r"\b(?:we|this (?:paper|work|study)|paper)\b[^.;]{0,60}?\b(?:propos|introduc|present|develop|design|nam)"
    r"(?:e|es|ed|ing|s)?\b|\bthe proposed\b|\bwhich we (?:call|term|name)\b"
    r"|\b(?:called|named|termed|dubbed)\b|^introducing\b",
    re.IGNORECASE,
)
_IS_NAME = re.compile(r".*(?:[A-Z].*[A-Z0-9]|[a-z].*[A-Z]|[A-Z].*\d)")


def find_proposals(text: str, sentences: Sequence[Sentence], mentions: Sequence[Mention]) -> tuple[Proposal, ...]:
    """The first mention after each cue, a proper name before a common one, unless it has been named before."""
    found: dict[str, Proposal] = {}
    before: set[str] = set()
    for sentence in sentences:
        inside = [m for m in mentions if sentence.start <= m.start and m.end <= sentence.end]
        for mention in _introduced(text[sentence.start : sentence.end], sentence.start, inside):
            if mention.name not in before:
                found.setdefault(mention.name, Proposal(mention, sentence.start, sentence.end, mention.confidence))
        before.update(m.name for m in inside)
    return tuple(found.values())


def _introduced(words: str, offset: int, mentions: Sequence[Mention]) -> Iterator[Mention]:
    for cue in _CUE.finditer(words):
        after = [m for m in mentions if m.start >= offset + cue.end() and m.type is not EntityType.METRIC]
        yield from ([m for m in after if _IS_NAME.match(m.name)] or after)[:1]
