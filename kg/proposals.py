"""What a paper introduces: the mentions that a cue such as "we propose" has as its object, where first named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kg.records import EntityType, Mention, Proposal, Sentence

__all__ = ["find_proposals"]

_CUE = re.compile(
    r"\b(?:we|this (?:paper|work|study)|(?:our|the) (?:paper|work|framework|approach))\b[^.;]{0,60}?"
    r"\b(?:propos|introduc|present|develop|design|nam|build|built|releas|curat|devis|construct|creat|contribut"
    r"|formali[sz])(?:e|es|ed|ing|s)?\b"
    r"|\b(?:to this end|therefore|hence|thus),? (?:a|an) (?:novel|new)\b|\bthe proposed\b"
    r"|\bthis (?:motivates|leads to)\b|\b(?:introducing|proposing)\b",
    re.IGNORECASE,
)
_NAMING = re.compile(
    r"\b(?:namely|called|named|termed|dubbed|coined|denoted as|referred to as|(?:we|which we) (?:call|term|name))\W+$"
    r"|(?:^|[,:—(-])\s*(?:a|an|the)?\s*$",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\b(?:called|named|termed|dubbed|coined|(?:we|which we) (?:call|term|name|dub))\W{1,4}$", re.IGNORECASE
)
_EXAMPLE = re.compile(r"\b(?:e\.g\.|such as|like|including)[^.;]*$", re.IGNORECASE)
_NOT_THE_OBJECT = re.compile(
    r"\(|\b(?:for|to|that|which|by|using|with|where|on|of|in|from|leveraging|against|towards?|based)\b", re.IGNORECASE
)
_AND_MORE = re.compile(r"\s*(?:\([^()]*\)\s*)?(?:,?\s*and\s+(?:the\s+|an?\s+)?|,\s*)", re.IGNORECASE)
_APPOSITION = re.compile(
    r"\s*(?:\([^()]*\)\s*)?,\s+(?:our (?:new|novel|own)|a (?:novel|new)|the first)\b", re.IGNORECASE
)
_IS_NAME = re.compile(r".*(?:[A-Z].*[A-Z0-9]|[a-z].*[A-Z]|[A-Z].*\d)")


def find_proposals(text: str, sentences: Sequence[Sentence], mentions: Sequence[Mention]) -> tuple[Proposal, ...]:
    """What the paper introduces, each where it is introduced; what has been named before is not new.

    A proper name goes before a common one, and metrics are left out.
    """
    found: dict[str, Proposal] = {}
    before: set[str] = set()
    for sentence in sentences:
        inside = [m for m in mentions if sentence.start <= m.start and m.end <= sentence.end]
        for mention in _introduced(text, sentence, [m for m in inside if m.type is not EntityType.METRIC]):
            if mention.name not in before:
                found.setdefault(mention.name, Proposal(mention, sentence.start, sentence.end, mention.confidence))
        before.update(m.name for m in inside)
    return tuple(found.values())


def _introduced(text: str, sentence: Sentence, mentions: Sequence[Mention]) -> Iterator[Mention]:
    for cue in _CUE.finditer(text, sentence.start, sentence.end):
        yield from _objects(text, cue.end(), [m for m in mentions if m.start >= cue.end()])
    for mention in mentions:
        called = _CALLED.search(text[max(sentence.start, mention.start - 30) : mention.start])
        if called or (_IS_NAME.match(mention.name) and _APPOSITION.match(text, mention.end, sentence.end)):
            yield mention


def _objects(text: str, cue: int, after: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions that the cue introduces: what it names, else its direct object, and what is listed with it."""
    apart = [m for m in after if _IS_NAME.match(m.name) and not _EXAMPLE.search(text[cue : m.start])]
    named = [m for m in apart if _NAMING.search(text[cue : m.start])]
    direct = [m for m in after if not _NOT_THE_OBJECT.search(text[cue : m.start])]
    named_direct = [m for m in direct if _IS_NAME.match(m.name)]
    first = next(iter(named_direct or named or direct), None)
    while first is not None:
        yield first
        end = first.end
        listed = (m for m in after if m.start > end and (more := _AND_MORE.match(text, end)) and more.end() == m.start)
        first = next((m for m in listed if m.type is first.type), None)
