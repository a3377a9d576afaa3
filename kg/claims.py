"""Claims: the sentences in which the authors assert something, of which kinds, and what the results among them say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kg.kinds import features, load_kinds
from kg.proposals import own_name
from kg.records import Claim, ClaimKind, Mention, Proposal, Sentence
from kg.slots import Scene, fill_results

__all__ = ["find_claims"]

_NEGATED = re.compile(r"\b(?:not|no|never|neither|nor|cannot|without improving)\b|n't\b", re.IGNORECASE)
_HEDGED = re.compile(r"\b(?:may|might|could|suggests?|potentially|appears?|seems?|likely|possibly)\b", re.IGNORECASE)


def find_claims(
    text: str, sentences: Sequence[Sentence], mentions: Sequence[Mention], proposals: Sequence[Proposal]
) -> tuple[Claim, ...]:
    """The claims of each sentence, in order; a sentence may make claims of several kinds, and several results."""
    own = own_name(proposals)
    numbers = range(len(sentences))
    return tuple(claim for number in numbers for claim in _claims_in(text, sentences, number, mentions, own))


def _claims_in(
    text: str, sentences: Sequence[Sentence], number: int, mentions: Sequence[Mention], own: Mention | None
) -> Iterator[Claim]:
    sentence = sentences[number]
    words = text[sentence.start : sentence.end]
    inside = tuple(m for m in mentions if sentence.start <= m.start and m.end <= sentence.end)
    found = dict(features(text, sentences, number, mentions))
    for kind, confidence in load_kinds().kinds(found).items():
        claim = Claim(
            kind,
            sentence.start,
            sentence.end,
            confidence,
            about=inside,
            negated=_NEGATED.search(words) is not None,
            hedged=_HEDGED.search(words) is not None,
        )
        if kind is ClaimKind.RESULT:
            yield from fill_results(Scene(text, sentences, number, mentions, own), claim)
        else:
            yield claim
