"""Which kinds of claim a sentence makes: logistic regression over its words, its place and its rhetorical role.

The weights (`kg/weights/kinds.json`) are learned from the project's annotated abstracts by `kg/train/kinds.py`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kg.errors import ModelError
from kg.records import ClaimKind, Mention, Role, Sentence

__all__ = ["KindModel", "features", "load_kinds"]

WEIGHTS = Path(__file__).with_name("weights") / "kinds.json"
KINDS = tuple(ClaimKind)

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
"""Words that often make each kind of claim: features among others, not rules."""

_TOKEN = re.compile(r"[A-Za-z']+|\d+(?:\.\d+)?|%")
_LONGEST = 3  # words in an n-gram
_WORDS_SHARE = 3.0  # how much the words weigh against place and role


def features(
    text: str, sentences: Sequence[Sentence], number: int, mentions: Sequence[Mention]
) -> Iterator[tuple[str, float]]:
    """The features of sentence `number` of an abstract: names and values.

    Mentions stand in the words by their type and numbers as 0, so that what is learned holds for other names.
    """
    sentence = sentences[number]
    grams = set(_grams(_masked(text, sentence, mentions)))
    for gram in sorted(grams):
        yield gram, _WORDS_SHARE / math.sqrt(len(grams))
    inside = [m for m in mentions if sentence.start <= m.start and m.end <= sentence.end]
    words = text[sentence.start : sentence.end]
    cued = [kind for kind, cue in _CUES.items() if cue.search(words)]
    yield from ((f"#cue={kind}", 1.0) for kind in cued)
    if not cued:
        yield "#cue=none", 1.0
    yield "#place", number / len(sentences)
    yield "#mentions", min(len(inside), 5) / 5
    if number == 0:
        yield "#first", 1.0
    if number == len(sentences) - 1:
        yield "#last", 1.0
    for name, other in (("#role", number), ("#before", number - 1), ("#after", number + 1)):
        role: Role | None = sentences[other].role if 0 <= other < len(sentences) else None
        if role is not None:
            yield f"{name}={role}", 1.0


def _masked(text: str, sentence: Sentence, mentions: Sequence[Mention]) -> str:
    pieces, position = [], sentence.start
    for mention in mentions:
        if position <= mention.start and mention.end <= sentence.end:
            pieces += [text[position : mention.start], f" {mention.type.upper()} "]
            position = mention.end
    return "".join([*pieces, text[position : sentence.end]])


def _grams(words: str) -> Iterator[str]:
    tokens = [token if token.isupper() else token.lower() for token in _TOKEN.findall(words)]
    tokens = ["^", *("0" if token[0].isdigit() else token for token in tokens)]
    for length in range(1, _LONGEST + 1):
        for start in range(len(tokens) - length + 1):
            yield " ".join(tokens[start : start + length])


@dataclass(frozen=True, slots=True)
class KindModel:
    """Weights of each feature for each kind, biases, and the probability from which on a kind is claimed."""

    weights: Mapping[str, Sequence[float]]
    biases: Sequence[float]
    thresholds: Sequence[float]

    def probabilities(self, found: Mapping[str, float]) -> dict[ClaimKind, float]:
        """How likely the sentence with these features makes a claim of each kind, 0 to 1."""
        scores = list(self.biases)
        for name, value in found.items():
            for column, weight in enumerate(self.weights.get(name, ())):
                scores[column] += value * weight
        return {kind: 1 / (1 + math.exp(-score)) for kind, score in zip(KINDS, scores, strict=True)}

    def kinds(self, found: Mapping[str, float]) -> dict[ClaimKind, float]:
        """The kinds that are likely enough, with their probabilities."""
        chances = self.probabilities(found)
        return {k: chances[k] for k, least in zip(KINDS, self.thresholds, strict=True) if chances[k] >= least}


@cache
def load_kinds(path: Path = WEIGHTS) -> KindModel:
    """The shipped model. Raises ModelError when its file is missing or damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return KindModel(content["weights"], content["biases"], content["thresholds"])
    except (OSError, ValueError, KeyError) as error:
        fault = f"the weights for claims cannot be read: {error}"
        raise ModelError(fault, where=str(path), hint="reinstall paperkg") from error
