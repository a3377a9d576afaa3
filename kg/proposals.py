"""What a paper introduces: logistic regression over how its names are spoken of, wherever they stand.

The weights (`kg/weights/proposals.json`) are learned from the project's annotated abstracts by `kg/train/proposals.py`.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

from kg.acronyms import find_definitions
from kg.errors import ModelError
from kg.identity import canonical_key
from kg.records import EntityType, Mention, Proposal, Sentence

__all__ = ["Naming", "ProposalModel", "find_proposals", "load_proposals", "namings", "own_name"]

WEIGHTS = Path(__file__).with_name("weights") / "proposals.json"

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

_TOKEN = re.compile(r"[A-Za-z']+|\d+(?:\.\d+)?|[():,;—%]")
_LONGEST = 3  # words of an n-gram beside a mention
_AROUND = 8  # words before a mention that count in any order
_WORDS_SHARE = 0.5  # how much a word before a mention weighs against the n-grams beside it


@dataclass(frozen=True, slots=True)
class Naming:
    """A name with all its mentions, and the features of each: names and values."""

    key: str
    mentions: tuple[Mention, ...]
    features: tuple[Mapping[str, float], ...]

    @property
    def together(self) -> dict[str, float]:
        """The features that any of its mentions has."""
        return {name: value for features in self.features for name, value in features.items()}


def namings(text: str, sentences: Sequence[Sentence], mentions: Sequence[Mention]) -> Iterator[Naming]:
    """The names of a text, in the order in which they first stand there; metrics are left out.

    An acronym that the text defines is one name with its long form.
    """
    meant = {
        canonical_key(text[slice(*defined.short)]): canonical_key(text[slice(*defined.long)])
        for defined in find_definitions(text)
    }
    places: defaultdict[str, list[tuple[Mention, dict[str, float]]]] = defaultdict(list)
    times: defaultdict[str, int] = defaultdict(int)
    for number, sentence in enumerate(sentences):
        inside = [m for m in mentions if sentence.start <= m.start and m.end <= sentence.end]
        things = [m for m in inside if m.type is not EntityType.METRIC]
        cued = {m: cue for cue, m in _cued(text, sentence, things)}
        for mention in things:
            key = canonical_key(mention.name)
            key = meant.get(key, key)
            found = dict(_features(text, sentence, inside, mention))
            found[f"#cue={cued.get(mention, 'none')}"] = 1.0
            found[f"#place={min(9, 10 * number // len(sentences))}"] = 1.0
            found[f"#time={min(times[key], 3)}"] = 1.0
            if not times[key]:
                found[f"#first={sentence.role}"] = 1.0
                found[f"#first cue={cued.get(mention, 'none')}"] = 1.0
            times[key] += 1
            places[key].append((mention, found))
    for key, each in places.items():
        yield Naming(key, tuple(mention for mention, _ in each), tuple(found for _, found in each))


def _features(
    text: str, sentence: Sentence, inside: Sequence[Mention], mention: Mention
) -> Iterator[tuple[str, float]]:
    before = ["^", *_words(text, sentence.start, mention.start, inside)]
    after = [*_words(text, mention.end, sentence.end, inside), "$"]
    for length in range(1, _LONGEST + 1):
        yield "< " + " ".join(before[-length:]), 1.0
        yield "> " + " ".join(after[:length]), 1.0
        yield "^ " + " ".join(before[: length + 1]), 1.0
    for word in before[-_AROUND:]:
        yield "~ " + word, _WORDS_SHARE
    words = mention.name.split()
    for word in words:
        yield "# " + word.lower(), 1.0
    yield "#last " + words[-1].lower(), 1.0
    yield f"#words={min(4, len(words))}", 1.0
    yield f"#type={mention.type} {bool(_IS_NAME.match(mention.name))}", 1.0
    yield f"#role={sentence.role}", 1.0


def _words(text: str, start: int, end: int, mentions: Sequence[Mention]) -> list[str]:
    """The words of a slice, with numbers as 0 and mentions by their type, so that what is learned holds for others."""
    inside = [m for m in mentions if start <= m.start and m.end <= end]
    ends = [start, *(place for m in inside for place in (m.start, m.end)), end]
    found: list[str] = []
    for number, (first, last) in enumerate(pairwise(ends)):
        if number % 2:
            found.append(inside[number // 2].type.upper())
        else:
            found += ("0" if token[0].isdigit() else token.lower() for token in _TOKEN.findall(text[first:last]))
    return found


def _cued(text: str, sentence: Sentence, mentions: Sequence[Mention]) -> Iterator[tuple[str, Mention]]:
    """The mentions that a cue such as "we propose" points to, or that are said to be new: a feature among others."""
    for mention in mentions:
        called = _CALLED.search(text[max(sentence.start, mention.start - 30) : mention.start])
        if called or (_IS_NAME.match(mention.name) and _APPOSITION.match(text, mention.end, sentence.end)):
            yield "called", mention
    for cue in _CUE.finditer(text, sentence.start, sentence.end):
        for mention in _objects(text, cue.end(), [m for m in mentions if m.start >= cue.end()]):
            yield "object", mention


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


@dataclass(frozen=True, slots=True)
class ProposalModel:
    """The weight of each feature, a bias, and the probability from which on a name counts as introduced."""

    weights: Mapping[str, float]
    bias: float
    threshold: float

    def score(self, features: Mapping[str, float]) -> float:
        """What the features say for the name, against 0."""
        return sum(value * self.weights.get(name, 0.0) for name, value in features.items())

    def probability(self, naming: Naming) -> float:
        """How likely the paper introduces what has this name, 0 to 1."""
        return 1 / (1 + math.exp(-self.bias - self.score(naming.together)))


def find_proposals(text: str, sentences: Sequence[Sentence], mentions: Sequence[Mention]) -> tuple[Proposal, ...]:
    """What the paper introduces, each with the mention and the sentence that tell it best, in the order of the text."""
    model = load_proposals()
    found = []
    for naming in namings(text, sentences, mentions):
        chance = model.probability(naming)
        if chance >= model.threshold:
            scores = map(model.score, naming.features)
            mention, _ = max(zip(naming.mentions, scores, strict=True), key=itemgetter(1))
            home = next(s for s in sentences if s.start <= mention.start and mention.end <= s.end)
            found.append(Proposal(mention, home.start, home.end, min(chance, mention.confidence)))
    return tuple(sorted(found, key=lambda p: p.mention.start))


def own_name(proposals: Sequence[Proposal]) -> Mention | None:
    """The mention that "our method" stands for: the first of what is introduced, if anything is."""
    return proposals[0].mention if proposals else None


@cache
def load_proposals(path: Path = WEIGHTS) -> ProposalModel:
    """The shipped model. Raises ModelError when its file is missing or damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return ProposalModel(content["weights"], content["bias"], content["threshold"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        fault = f"the weights for what a paper introduces cannot be read: {error}"
        raise ModelError(fault, where=str(path), hint="reinstall paperkg") from error
