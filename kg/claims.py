"""Claims: the sentences in which the authors assert something, by cue, with the slots of their results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from kg.records import Claim, ClaimKind, Direction, Mention, Proposal, Sentence

__all__ = ["find_claims", "has_claim_cue"]

_CUES = {
    ClaimKind.CONTRIBUTION: re.compile(
        r"\b(?:we|this (?:paper|work|study|article))\b(?:,? \w+,?){0,3}? (?:propos|introduc|present|develop|provid"
        r"|explor|examin|investigat|design|releas|establish|formulat|conduct|stud)(?:y|e|es|ies|s)\b",
        re.IGNORECASE,
    ),
    ClaimKind.RESULT: re.compile(
        r"\b(?:outperform|surpass|exceed)\w*"
        r"|\b(?:reduc|improv|increas|enhanc|boost|accelerat|lower|achiev|gain|speed)\w*\b[^.]{0,90}?"
        r"(?:\d|compar|over |than )|compar\w+ (?:to|with)[^.]{0,60}?\b(?:superior|better|higher|lower|improv)"
        r"|state-of-the-art (?:results|performance)",
        re.IGNORECASE,
    ),
    ClaimKind.FINDING: re.compile(
        r"\b(?:we|results|findings?|experiments|analys[ie]s|theory|study)\b[^.]{0,50}?\b(?:show|find|prove|reveal|demonstrate|establish"
        r"|uncover|identify|indicate|suggest|validate|explain|characteri[sz]e|illustrate|confirm)s?\b",
        re.IGNORECASE,
    ),
    ClaimKind.LIMITATION: re.compile(
        r"\b(?:suffer|struggle|hinder\w*|limited|overlook|fail|lack|challeng\w+|costly|expensive|unclear|inadequate|cannot|neglect|ignore"
        r"|prohibitive|remains? (?:an )?open|poor\w*|limitations?|under-? ?explor\w+|difficult)\b",
        re.IGNORECASE,
    ),
}
_NEGATED = re.compile(r"\b(?:not|no|never|neither|cannot|without improving)\b", re.IGNORECASE)
_HEDGED = re.compile(r"\b(?:may|might|could|suggests?|potentially|appears?|seems?|likely|possibly)\b", re.IGNORECASE)
_OWN_WORK = re.compile(r"\b(?:our|we|it|proposed|this (?:method|approach|framework|model))\b", re.IGNORECASE)

_NUMBER = re.compile(
    r"(?:(?P<qualifier>over|under|up to|at least|at most|about|approximately|nearly|an average of)\s+)?"
    r"(?<![\w.-])(?P<value>\d+(?:\.\d+)?)\s*(?P<unit>%p\b|%|percentage points\b|points\b|×|x\b|times\b|-?fold\b)"
)
_UNITS = {"%p": "percentage points", "x": "×", "times": "×", "fold": "×", "-fold": "×"}
_QUALIFIERS = {"approximately": "about", "an average of": "average"}
_DIRECTIONS = (
    (Direction.DECREASE, re.compile(r"\b(?:reduc|decreas|lower|cut|fewer)\w*", re.IGNORECASE)),
    (Direction.INCREASE, re.compile(r"\b(?:increas|accelerat|rais|speed|faster|higher)\w*", re.IGNORECASE)),
    (
        Direction.BETTER,
        re.compile(r"\b(?:outperform|surpass|exceed|improv|enhanc|boost|superior|better)\w*", re.IGNORECASE),
    ),
    (Direction.WORSE, re.compile(r"\b(?:worse|underperform|degrad)\w*", re.IGNORECASE)),
    (Direction.EQUAL, re.compile(r"\b(?:on par|comparable|match\w*)\b", re.IGNORECASE)),
)
_CONTRAST = re.compile(
    r"compar\w+ (?:to|with)|\b(?:outperform|surpass|exceed)\w*|\bthan\b|\bover\b|\bversus\b|\bagainst\b", re.IGNORECASE
)
_LIST_GAP = re.compile(r"[\s,]*(?:and|or|including|such as)?[\s,]*(?:[\w-]+[\s,]+){0,4}")
_CONFIDENCE = 0.6


def has_claim_cue(sentence: str) -> bool:
    """Whether the sentence holds a word that claims are made with."""
    return any(cue.search(sentence) for cue in _CUES.values())


def find_claims(
    text: str, sentences: Sequence[Sentence], mentions: Sequence[Mention], proposals: Sequence[Proposal]
) -> tuple[Claim, ...]:
    """The claims of each sentence, in order; a result that gives several numbers makes one claim for each."""
    return tuple(claim for sentence in sentences for claim in _claims_in(text, sentence, mentions, proposals))


def _claims_in(
    text: str, sentence: Sentence, mentions: Sequence[Mention], proposals: Sequence[Proposal]
) -> Iterator[Claim]:
    words = text[sentence.start : sentence.end]
    inside = tuple(m for m in mentions if sentence.start <= m.start and m.end <= sentence.end)
    for kind in _kinds(words):
        plain = Claim(
            kind,
            sentence.start,
            sentence.end,
            _CONFIDENCE,
            about=inside,
            negated=_NEGATED.search(words) is not None,
            hedged=_HEDGED.search(words) is not None,
        )
        if kind is ClaimKind.RESULT:
            yield from _results(plain, words, inside, proposals)
        else:
            yield plain


def _kinds(words: str) -> Iterator[ClaimKind]:
    found = [kind for kind, cue in _CUES.items() if cue.search(words)]
    for kind in found:
        weaker = kind is ClaimKind.FINDING and ClaimKind.RESULT in found
        weaker |= kind is ClaimKind.LIMITATION and len(found) > 1
        if not weaker:
            yield kind


def _results(plain: Claim, words: str, inside: Sequence[Mention], proposals: Sequence[Proposal]) -> Iterator[Claim]:
    direction = next((d for d, cue in _DIRECTIONS if cue.search(words)), None)
    numbers: list[tuple[Decimal | None, str | None, str | None]] = [
        (
            Decimal(n["value"]),
            _UNITS.get(n["unit"], n["unit"]),
            _QUALIFIERS.get(n["qualifier"], n["qualifier"]),
        )
        for n in _NUMBER.finditer(words)
    ]
    subject = _subject(words, inside, proposals)
    baselines: list[Mention | None] = [*_baselines(plain.start, words, inside)] or [None]
    for value, unit, qualifier in numbers or [(None, None, None)]:
        for baseline in baselines:
            yield Claim(
                plain.kind,
                plain.start,
                plain.end,
                plain.confidence,
                plain.about,
                subject=subject if subject != baseline else None,
                direction=direction,
                value=value,
                unit=unit,
                qualifier=qualifier,
                baseline=baseline,
                negated=plain.negated,
                hedged=plain.hedged,
            )


def _subject(words: str, inside: Sequence[Mention], proposals: Sequence[Proposal]) -> Mention | None:
    proposed = [p.mention for p in proposals]
    named = next((m for m in inside if any(m.name == p.name for p in proposed)), None)
    if named is None and proposed and _OWN_WORK.search(words):
        return proposed[-1]
    return named or next(iter(inside), None)


def _baselines(offset: int, words: str, inside: Sequence[Mention]) -> list[Mention]:
    contrast = _CONTRAST.search(words)
    if contrast is None:
        return []
    found: list[Mention] = []
    position = offset + contrast.end()
    for mention in (m for m in inside if m.start >= position):
        if not _LIST_GAP.fullmatch(words[position - offset : mention.start - offset]):
            break
        found.append(mention)
        position = mention.end
    return found
