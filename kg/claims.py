"""Claims: the sentences in which the authors assert something, by cue, with the slots of their results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kg.records import Claim, ClaimKind, Mention, Proposal, Sentence
from kg.results import find_results

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
            own = proposals[0].mention if proposals else None
            yield from find_results(text, plain, inside, own=own)
        else:
            yield plain


def _kinds(words: str) -> Iterator[ClaimKind]:
    found = [kind for kind, cue in _CUES.items() if cue.search(words)]
    for kind in found:
        weaker = kind is ClaimKind.FINDING and ClaimKind.RESULT in found
        weaker |= kind is ClaimKind.LIMITATION and len(found) > 1
        if not weaker:
            yield kind
