"""Whether two names mean one thing: what speaks for it, what rules it out, and how sure that is.

A pair is scored by a logistic regression over a few features of the names, their types, their neighbours in the
graph and the encoder's own word vectors; a veto decides against any score. Weights and threshold are fitted on
labelled pairs (`kg/train/alike.py`) and lie in `weights/alike.json`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import JaroWinkler

from kg.records import EntityType
from kg.wordlists import word_list
from kg.wordvectors import word_vectors

__all__ = ["FEATURES", "Judgement", "Profile", "Scorer", "load_scorer", "veto"]

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_VERSION = re.compile(
    r"(?<=_)(?:v?\d[\w.]*|xs|s|m|l|xl|xxl|small|base|large|huge|tiny|mini|nano|pro|turbo|plus|lite)(?=_|$)"
)
_ANTONYMS = """
supervised unsupervised semisupervised self_supervised weakly_supervised | online offline | local global
| static dynamic | single multi multiple | source target | train training test testing validation inference
| positive negative | low high | short long | discrete continuous | synchronous asynchronous | explicit implicit
| internal external | early late | inner outer | upper lower | left right | forward backward inverse reverse
| encoder decoder | encoding decoding | precision recall | mean median | maximum minimum max min
| maximization minimization | input output | hard soft | sparse dense | small large | strong weak | fast slow
| centralized decentralized federated distributed | monolingual bilingual multilingual crosslingual
| zero one few many | binary multiclass | generative discriminative | causal masked bidirectional
| text image video audio speech | visual textual auditory acoustic | object scene face person
| detection segmentation classification recognition tracking generation retrieval estimation prediction
reconstruction completion matching localization identification verification
| regression classification clustering | question answer | encode decode | compression decompression
| closed open | known unknown | seen unseen | top bottom | parallel sequential
| homogeneous heterogeneous homophilic heterophilic | active passive | exact approximate | full partial
| pruning quantization distillation | row column | node edge graph | word sentence document token paragraph
| spatial temporal spatiotemporal | intra inter | attack defense | attacker defender | teacher student | user item
| first second third | primary secondary | accuracy loss error | speed memory | latency throughput
| convex nonconvex | additive multiplicative | convolutional recurrent | actor critic | policy value | reward cost
| deterministic stochastic probabilistic | gradient hessian | bayesian frequentist
| english french german chinese japanese korean spanish arabic hindi | day night | indoor outdoor
| rgb infrared thermal depth | human machine | coarse fine | depth width | weight activation | vertical horizontal
| linear quadratic cubic logarithmic exponential | autoregressive nonautoregressive
| medical clinical legal financial scientific biomedical
"""
_OPPOSED: dict[str, frozenset[int]] = {}
for _number, _group in enumerate(_ANTONYMS.split("|")):
    for _word in _group.split():
        _OPPOSED[_word] = _OPPOSED.get(_word, frozenset()) | {_number}
_NEGATIONS = ("non", "un", "in", "im", "ir", "il", "a", "de", "dis", "anti", "counter", "sub", "super", "over", "under")
_TURNED = word_list("to from for of into with")
"""Words around which the order of the others says which is which: text to image, image to text."""
_TECHNIQUE = word_list("method approach algorithm technique framework methodology")
_PROCESS = word_list("mechanism strategy procedure process scheme paradigm module pipeline")
"""Nouns that make no difference at the end of the name of a technique."""
_MODEL = word_list("model network net architecture system optimizer")
"""Nouns that make no difference at the end of the name of a model, but turn a task or a field into a model."""
_ENDINGS = re.compile(r"(?<=\w{3})(ational|ation|ating|ated|ative|ate|ional|ions?|ing|ed|ive|al|ship|ity|e|s)$")
_NOT_VERBS = word_list("learning reasoning training modeling editing routing moving underlying existing")
_SYNONYMS = {
    "net": "network",
    "nets": "network",
    "runtime": "time",
    "consumption": "usage",
    "vision": "visual",
    "robotic": "robot",
    "smaller": "small",
    "larger": "large",
    "deeper": "deep",
    "denser": "dense",
    "continuous": "continual",
    "continued": "continual",
}
"""Words of which the field makes no difference in names."""
_AGENT = re.compile(r"(?:er|or|ers|ors)$")

Floats = NDArray[np.float64]


@dataclass
class Profile:
    """All that the papers tell of one key."""

    key: str
    votes: Counter[EntityType] = field(default_factory=Counter)
    """Confidence of its mentions by type, in thousandths."""
    mentions: Counter[EntityType] = field(default_factory=Counter)
    """How many mentions have each type."""
    names: Counter[str] = field(default_factory=Counter)
    """How often each name is used."""
    papers: int = 0
    neighbours: Counter[str] = field(default_factory=Counter)
    """Keys that stand beside it in a paper, or that the graph relates it to."""
    expansions: frozenset[str] = frozenset()
    """The keys of the long forms that papers give it, if it is an acronym."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The parts of the key."""
        return tuple(word for word in self.key.casefold().split("_") if word)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The parts of the key without their endings; a first "detecting" stands last, as "detection" does."""
        words = [word for word in self.words if word not in _TURNED]
        if len(words) > 1 and words[0].endswith("ing") and words[0] not in _NOT_VERBS:
            words = [*words[1:], words[0]]
        return tuple(_stem(word) for word in words)

    @cached_property
    def core(self) -> tuple[tuple[str, ...], frozenset[str]]:
        """The stems without last nouns such as "method" and without "based", and those nouns."""
        words = [word for word in self.words if word != "based"] or list(self.words)
        nouns = set()
        while len(words) > 1 and words[-1] in _TECHNIQUE | _PROCESS | _MODEL:
            nouns.add(words.pop())
        if nouns & _MODEL and words[-1].endswith("ing"):
            return self.stems, frozenset()
        return tuple(map(_stem, words)), frozenset(nouns)

    @cached_property
    def bare(self) -> tuple[str, ...]:
        """The parts of the key without last nouns such as "model"."""
        words = list(self.words)
        while len(words) > 1 and words[-1] in _MODEL | _TECHNIQUE:
            words.pop()
        return tuple(words)

    @cached_property
    def squashed(self) -> str:
        """The key in lower case without underscores, so that spelling in one or two words makes no difference."""
        return self.key.replace("_", "").casefold()

    @cached_property
    def initials(self) -> str:
        """The first letters of its parts, or the letters of an acronym."""
        if self.is_acronym:
            return self.squashed
        return "".join(word[0] for word in self.words if word not in _TURNED)

    @cached_property
    def is_acronym(self) -> bool:
        """Whether the key is one acronym, whose letters tell little."""
        return self.key.isupper() and "_" not in self.key

    @cached_property
    def is_lower(self) -> bool:
        """Whether it is always written like a common noun."""
        return bool(self.names) and all(name.islower() for name in self.names)

    @property
    def type(self) -> EntityType:
        """The type that most of its mentions have."""
        order = list(EntityType)
        return min(self.votes, key=lambda each: (-self.votes[each], order.index(each)))


def _stem(word: str) -> str:
    """A word without the ending that makes it a noun, a verb or an adjective; short words stay."""
    word = _SYNONYMS.get(word, word)
    for _ in range(2):
        shorter = _ENDINGS.sub("", word)
        if len(word) < 5 or word in _MODEL or shorter in _MODEL:
            break
        word = shorter
    return word


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether two names are one; `score` is a probability, `veto` why it cannot be, `reasons` what counted most."""

    same: bool
    score: float
    veto: str | None
    reasons: tuple[tuple[str, float], ...]


def veto(one: Profile, other: Profile) -> str | None:
    """Why the two cannot be one thing, whatever their score; None if nothing rules it out."""
    a, b = Counter(one.words), Counter(other.words)
    if _numbers(one.key) != _numbers(other.key):
        return "different numbers"
    if _VERSION.findall(one.key) != _VERSION.findall(other.key) and one.squashed != other.squashed:
        return "different versions or sizes"
    if one.expansions and other.expansions and not one.expansions & other.expansions:
        return "acronyms of different long forms"
    if one.squashed == other.squashed and ((one.is_acronym and other.is_lower) or (other.is_acronym and one.is_lower)):
        return "an acronym and a common noun"
    if opposed := _opposed(list((a - b).elements()), list((b - a).elements())):
        return opposed
    if ("to" in a) != ("to" in b):
        return 'only one has "to"'
    contents = _content(one), _content(other)
    if _TURNED & (a.keys() | b.keys()) and contents[0] != contents[1] and set(contents[0]) == set(contents[1]):
        return "the same words in another order"
    return _incompatible(one, other)


def _content(profile: Profile) -> list[str]:
    return [word for word in profile.words if word not in _TURNED]


def _numbers(key: str) -> Counter[str]:
    return Counter(_NUMBER.findall(key))


def _opposed(only_a: Sequence[str], only_b: Sequence[str]) -> str | None:
    for left in only_a:
        for right in only_b:
            if left != right and _OPPOSED.get(left, frozenset()) & _OPPOSED.get(right, frozenset()):
                return f"{left} is not {right}"
            short, long = sorted((left, right), key=len)
            if len(short) > 3 and any(long == prefix + short for prefix in _NEGATIONS):
                return f"{left} is not {right}"
    for extra in (*only_a, *only_b):
        if extra.startswith(("non", "un")) and len(extra) > 6 and (not only_a or not only_b):
            return f"only one is {extra}"
    return None


def _incompatible(one: Profile, other: Profile) -> str | None:
    if not one.votes or not other.votes:
        return None
    types = {one.type, other.type}
    if len(types) > 1 and types != {EntityType.METHOD, EntityType.TASK} and _cosine(one.votes, other.votes) < 0.3:
        first, second = sorted(types)
        return f"a {first} and a {second}"
    return None


def _cosine(one: Counter[Any], other: Counter[Any]) -> float:
    shared = sum(count * other.get(key, 0) for key, count in one.items())
    norms = math.sqrt(sum(c * c for c in one.values())) * math.sqrt(sum(c * c for c in other.values()))
    return shared / norms if norms else 0.0


FEATURES = (
    "same letters",
    "same stems",
    "only words like method differ",
    "only words like model differ",
    "acronym by its initials",
    "one word differs: likeness of its vectors",
    "one word each: likeness of their spelling",
    "types agree",
    "shared neighbours",
    "shared words",
    "one is who or what does it",
    "bias",
)
"""What a score is made of, in the order of the weights."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """The fitted weights of the features, and from which score on two names are one."""

    weights: tuple[float, ...]
    threshold: float

    def judge(self, one: Profile, other: Profile) -> Judgement:
        """Whether the two are one thing."""
        parts = self.features(one, other) * np.array(self.weights)
        score = 1 / (1 + math.exp(-max(-30.0, min(30.0, float(parts.sum())))))
        ruled_out = veto(one, other)
        order = sorted(zip(FEATURES, parts.tolist(), strict=True), key=lambda item: -abs(item[1]))
        reasons = tuple((name, part) for name, part in order if name != "bias" and abs(part) > 0.05)
        return Judgement(ruled_out is None and score >= self.threshold, score, ruled_out, reasons)

    def features(self, one: Profile, other: Profile) -> Floats:
        """The features of a pair, in the order of FEATURES; the order of the two makes no difference."""
        a, b = set(one.words), set(other.words)
        only_a, only_b = a - b, b - a
        agree = _cosine(one.votes, other.votes) if one.votes and other.votes else 0.5
        a_word_each = len(only_a) == len(only_b) == 1 and len(a) > 1
        letters = one.squashed == other.squashed
        same_core = not letters and one.stems != other.stems and one.core[0] == other.core[0]
        nouns = one.core[1] ^ other.core[1]
        agents = any(map(_AGENT.search, only_a)), any(map(_AGENT.search, only_b))
        return np.array(
            [
                letters,
                not letters and one.stems == other.stems,
                same_core and not nouns & _MODEL,
                same_core and one.bare == other.bare and bool(nouns & _MODEL) and not nouns & _PROCESS,
                _is_acronym_of(one, other) or _is_acronym_of(other, one),
                max(0.0, _vector_cosine(only_a, only_b) - 0.5) if a_word_each else 0.0,
                JaroWinkler.similarity(*sorted((one.squashed, other.squashed))) if len(a) == len(b) == 1 else 0.0,
                agree,
                _cosine(one.neighbours, other.neighbours),
                len(a & b) / len(a | b),
                bool(only_a | only_b) and agents[0] != agents[1],
                1.0,
            ],
            dtype=np.float64,
        )


def _is_acronym_of(short: Profile, long: Profile) -> bool:
    return short.is_acronym and not long.is_acronym and len(short.key) > 2 and short.initials == long.initials


def _vector_cosine(one: set[str], other: set[str]) -> float:
    left, right = _vector(" ".join(sorted(one))), _vector(" ".join(sorted(other)))
    norm = float(np.linalg.norm(left) * np.linalg.norm(right))
    return float(left @ right) / norm if norm else 0.0


@lru_cache(maxsize=100_000)
def _vector(words: str) -> Floats:
    return word_vectors().mean_of(words)


@lru_cache(maxsize=1)
def load_scorer() -> Scorer:
    """The scorer that the package carries."""
    content = json.loads((files("kg") / "weights" / "alike.json").read_text(encoding="utf-8"))
    return Scorer(tuple(content["weights"][name] for name in FEATURES), content["threshold"])
