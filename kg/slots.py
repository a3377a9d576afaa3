"""What fills the slots of a result: of all candidates the one that scores best, by weights learned from annotations.

The rules of :mod:`kg.results` draft each result. For every slot, the mentions and phrases of the sentence and the
names of the abstract are candidates beside what the rules chose and beside nothing; features say how each stands to
the draft. The weights (`kg/weights/slots.json`) are learned from the project's annotated abstracts by
`kg/train/slots.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from kg.errors import ModelError
from kg.records import Claim, Direction, EntityType, Mention, Sentence
from kg.results import Draft, find_drafts

__all__ = ["LEARNED", "Candidate", "Scene", "SlotModel", "fill_results", "load_slots"]

WEIGHTS = Path(__file__).with_name("weights") / "slots.json"
LEARNED = ("subject", "metric", "baseline", "dataset", "task", "condition", "direction")
"""The slots that are filled by score; value, unit and qualifier are as the rules read them."""

_WORD = re.compile(r"[^\W_](?:[\w'*+@/%]|[-.](?=\w))*|[^\w\s]")
_PREPOSITIONS = (
    "in|on|under|with|without|when|while|across|for|at|using|by|as|given|over|within|during|through|via|after|before"
    "|between|from|among|especially|particularly|even|where|despite|if|against|of|to|than|into|compared"
)
_LED = re.compile(rf"\b(?:{_PREPOSITIONS})\b", re.IGNORECASE)
_BREAK = re.compile(
    rf"\s*(?:[;:()—]|[,.](?=\s|$)|\b(?:{_PREPOSITIONS}|and|or|but|that|which|is|are|was|were|be|been|can|has|have|while|we|our"
    r"|it|they|demonstrat\w+|show\w*|achiev\w+|outperform\w*|surpass\w*|exceed\w*|improv(?:es|ing)|reduc(?:es|ing)"
    r"|increas(?:es|ing)|match(?:es|ing)|yield\w*|maintain\w*|preserv\w+|deliver\w*|attain\w*|reach\w*|enabl\w+"
    r"|remain\w*|lead\w*|provid\w+)\b)\s*",
    re.IGNORECASE,
)
_PAUSE = re.compile(r"[,;:()—]|\.(?=\s|$)")
_DETERMINER = re.compile(r"(?:the|a|an|its|their|our|both|all|any|this|these|those|such)\s+", re.IGNORECASE)
_OWN = re.compile(r"\b(?:our|we|it|its|this|the proposed|they|these)\b", re.IGNORECASE)
_CONTRAST = re.compile(
    r"\b(?:compared|comparison|relative to|over|than|versus|vs|against|contrast|outperform\w*|surpass\w*|exceed\w*"
    r"|beat\w*|match\w*|superior|comparable|competitive|par)\b",
    re.IGNORECASE,
)
_COLLECTION = re.compile(
    r"(?:datasets?|data sets?|benchmarks?|corpora|suites?|tasks|domains|environments)$", re.IGNORECASE
)
_LONGEST = 110  # characters of a phrase

Slot = Mention | str | Direction | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may fill a slot: a value, what it is, and its span, which is empty where it stands outside the sentence."""

    value: Slot
    kind: str
    start: int = -1
    end: int = -1


NOTHING = Candidate(None, "none")


@dataclass(frozen=True)
class Scene:
    """A sentence in its abstract, and what stands in it."""

    text: str
    sentences: Sequence[Sentence]
    number: int
    mentions: Sequence[Mention]
    own: Mention | None

    @property
    def start(self) -> int:
        """Where the sentence starts."""
        return self.sentences[self.number].start

    @property
    def end(self) -> int:
        """Where the sentence ends."""
        return self.sentences[self.number].end

    @cached_property
    def inside(self) -> tuple[Mention, ...]:
        """The mentions of the sentence."""
        return tuple(m for m in self.mentions if self.start <= m.start and m.end <= self.end)

    @cached_property
    def elsewhere(self) -> tuple[Mention, ...]:
        """The mentions of the rest of the abstract, nearest last, each name once."""
        known = {m.name for m in self.inside}
        others = [m for m in self.mentions if m.end <= self.start and m.name not in known]
        return tuple({m.name: m for m in others}.values())

    @cached_property
    def phrases(self) -> tuple[tuple[int, int], ...]:
        """The stretches between prepositions, verbs and punctuation, without a determiner."""
        found, position = [], self.start
        while position < self.end:
            stop = _BREAK.search(self.text, position, self.end)
            until = stop.start() if stop else self.end
            begin = position
            while (skipped := _DETERMINER.match(self.text, begin, until)) is not None:
                begin = skipped.end()
            if until - begin > 2:
                found.append((begin, until))
            position = max(stop.end(), position + 1) if stop else self.end
        return tuple(found)

    @cached_property
    def led(self) -> tuple[tuple[int, int], ...]:
        """The phrases that a preposition leads, up to the next one, to the one after that, and to the next pause."""
        found = []
        for match in _LED.finditer(self.text, self.start, self.end):
            pause = _PAUSE.search(self.text, match.end(), self.end)
            last = pause.start() if pause else self.end
            first = _BREAK.search(self.text, match.end() + 2, self.end)
            second = _BREAK.search(self.text, first.end(), self.end) if first and first.end() < last else None
            ends = {last, *(min(last, b.start()) for b in (first, second) if b)}
            found += [(match.start(), end) for end in sorted(ends) if match.end() + 2 < end <= match.start() + _LONGEST]
        return tuple(found)

    def words(self, start: int, end: int) -> list[str]:
        """The words of a stretch, in lower case."""
        return [word.lower() for word in _WORD.findall(self.text[max(0, start) : max(0, end)])]


def candidates(scene: Scene, slot: str, draft: Draft) -> list[Candidate]:
    """What may fill the slot, each value once; the last is nothing."""
    if slot == "direction":
        return [*(Candidate(direction, "direction") for direction in Direction), NOTHING]
    chosen = getattr(draft.claim, slot)
    found = [*_proposed(scene, chosen), *_FINDERS[slot](scene)]
    unique: dict[object, Candidate] = {}
    for each in found:
        unique.setdefault((each.value.name if isinstance(each.value, Mention) else each.value, each.start), each)
    return [*unique.values(), NOTHING]


def _proposed(scene: Scene, chosen: Slot) -> Iterator[Candidate]:
    """What the rules chose, with its place."""
    if isinstance(chosen, Mention):
        within = chosen in scene.inside
        yield Candidate(chosen, str(chosen.type), *((chosen.start, chosen.end) if within else (-1, -1)))
    elif chosen is not None:
        start = scene.text.find(chosen, scene.start, scene.end)
        yield Candidate(chosen, "words", start, start + len(chosen) if start >= 0 else -1)


def _named(scene: Scene, types: Iterable[EntityType]) -> Iterator[Candidate]:
    wanted = set(types)
    yield from (Candidate(m, str(m.type), m.start, m.end) for m in scene.inside if m.type in wanted)


def _far(scene: Scene, types: Iterable[EntityType], most: int = 6) -> Iterator[Candidate]:
    wanted = set(types)
    near = [m for m in scene.elsewhere if m.type in wanted][-most:]
    yield from (Candidate(m, f"far {m.type}") for m in reversed(near))


def _worded(scene: Scene, spans: Iterable[tuple[int, int]], kind: str = "words") -> Iterator[Candidate]:
    held = {(m.start, m.end) for m in scene.inside}
    for start, end in spans:
        if (start, end) not in held and end - start <= _LONGEST:
            yield Candidate(scene.text[start:end].strip(), kind, start, end)


def _subjects(scene: Scene) -> Iterator[Candidate]:
    if scene.own is not None:
        yield Candidate(scene.own, "own")
    yield from _named(scene, [EntityType.METHOD, EntityType.DATASET, EntityType.TASK])
    yield from _far(scene, [EntityType.METHOD])
    yield from _worded(scene, scene.phrases)


def _metrics(scene: Scene) -> Iterator[Candidate]:
    yield from _named(scene, [EntityType.METRIC, EntityType.TASK])
    yield from _worded(scene, scene.phrases)


def _baselines(scene: Scene) -> Iterator[Candidate]:
    yield from _named(scene, [EntityType.METHOD])
    contrasts = [match.end() for match in _CONTRAST.finditer(scene.text, scene.start, scene.end)]
    spans = [span for span in scene.phrases if any(0 <= span[0] - end < 60 for end in contrasts)]
    longer = [(start, e) for start, _ in spans for s, e in scene.phrases if 0 < e - start <= 90 and s > start]
    yield from _worded(scene, spans)
    yield from _worded(scene, (span for span in longer if not _PAUSE.search(scene.text, *span)), "long words")
    yield from _far(scene, [EntityType.METHOD], 3)
    yield Candidate("state-of-the-art", "sota")


def _datasets(scene: Scene) -> Iterator[Candidate]:
    yield from _named(scene, [EntityType.DATASET])
    yield from _worded(scene, (span for span in scene.phrases if _COLLECTION.search(scene.text[slice(*span)])))
    yield from _far(scene, [EntityType.DATASET], 4)


def _tasks(scene: Scene) -> Iterator[Candidate]:
    yield from _named(scene, [EntityType.TASK])
    yield from _far(scene, [EntityType.TASK], 4)


def _conditions(scene: Scene) -> Iterator[Candidate]:
    yield from _worded(scene, scene.led)


_FINDERS = {
    "subject": _subjects,
    "metric": _metrics,
    "baseline": _baselines,
    "dataset": _datasets,
    "task": _tasks,
    "condition": _conditions,
}


def features(scene: Scene, draft: Draft, slot: str, found: Sequence[Candidate]) -> Iterator[frozenset[str]]:
    """The names of the features of each candidate that `found` holds for the slot of a draft; all have the value 1."""
    told = _Told(scene, draft, slot, found)
    yield from (frozenset(told.about(candidate)) for candidate in found)


class _Told:
    """How candidates for a slot of a draft are described."""

    def __init__(self, scene: Scene, draft: Draft, slot: str, found: Sequence[Candidate]) -> None:
        self.scene, self.draft, self.slot, self.found = scene, draft, slot, found
        self.chosen = getattr(draft.claim, slot)
        self.anchor = draft.cue
        self.quantity = draft.quantity
        self.numbered = "numbered" if draft.quantity is not None else "bare"
        self.cue = scene.text[slice(*draft.cue)].lower()[:14]
        words = scene.words(scene.start, scene.end)
        self.sentence = set(words)
        self.counts = {kind: sum(c.kind == kind for c in found) for kind in {c.kind for c in found}}

    def about(self, candidate: Candidate) -> Iterator[str]:
        """The features of one candidate."""
        ruled = self._is(candidate, self.chosen)
        kind = candidate.kind
        yield f"kind={kind}"
        if ruled:
            yield "rule"
            yield f"rule {kind}"
            yield f"rule {self.draft.kind} {self.numbered}"
        if self.slot == "direction":
            yield from self._direction(str(candidate.value))
        elif candidate.value is None:
            yield from self._nothing()
        else:
            yield from self._standing(candidate)

    def _is(self, candidate: Candidate, value: Slot) -> bool:
        if isinstance(value, Mention) and isinstance(candidate.value, Mention):
            return candidate.value.name == value.name
        return candidate.value == value

    def _direction(self, value: str) -> Iterator[str]:
        quantity = self.quantity
        yield f"{value} cue {self.cue}"
        yield f"{value} {self.draft.kind} {self.numbered}"
        yield f"{value} quantity {quantity.direction if quantity else None}"
        yield f"{value} rule {self.chosen}"
        yield f"{value} rule {self.chosen} {self.draft.kind} {self.numbered}"
        if quantity is not None:
            yield f"{value} unit {quantity.unit}"
        measured = self.draft.claim.metric
        name = measured.name if isinstance(measured, Mention) else measured or ""
        yield from (f"{value} metric {word.lower()}" for word in name.split()[-2:])
        yield f"{value} baseline {self.draft.claim.baseline is not None}"
        yield from (f"{value} near {w}" for w in self.scene.words(self.anchor[0] - 30, self.anchor[1] + 30))

    def _nothing(self) -> Iterator[str]:
        yield f"none {self.draft.kind} {self.numbered}"
        yield f"none rule {type(self.chosen).__name__}"
        yield f"none direction {self.draft.claim.direction}"
        yield f"none rule {type(self.chosen).__name__} {self.draft.kind} {self.numbered}"
        for kind in sorted(self.counts):
            yield f"none with {kind} {min(self.counts[kind], 2)}"
        yield from (f"none said {word}" for word in sorted(self.sentence))

    def _standing(self, candidate: Candidate) -> Iterator[str]:
        kind, scene = candidate.kind, self.scene
        value = candidate.value
        name = value.name if isinstance(value, Mention) else str(value)
        words = name.lower().split()
        yield f"last {words[-1] if words else ''}"
        yield f"first {words[0] if words else ''}"
        yield f"length {kind} {min(len(words), 8)}"
        yield from (f"holds {word}" for word in words[:8])
        for other in ("subject", "metric", "baseline", "dataset", "task"):
            if other != self.slot and self._is(candidate, getattr(self.draft.claim, other)):
                yield f"also {other}"
        if scene.own is not None and name == scene.own.name:
            yield "is own"
            yield f"is own {kind}"
        if candidate.start < 0:
            same = [c for c in self.found if c.kind == kind]
            yield f"far {kind} {min(same.index(candidate), 3)}"
            yield f"far {kind} own said {_OWN.search(scene.text[scene.start : self.anchor[0]]) is not None}"
            yield f"far {kind} {'inside' if any(c.start >= 0 and c.kind != 'words' for c in self.found) else 'alone'}"
            return
        yield from self._place(candidate, kind)

    def _place(self, candidate: Candidate, kind: str) -> Iterator[str]:
        scene, start, end = self.scene, candidate.start, candidate.end
        side, gap = self._gap(start, end, *self.anchor)
        yield f"cue {side} {kind}"
        yield f"cue {side} {_bucket(gap)}"
        yield f"cue {side} {_bucket(gap)} {kind} {self.numbered}"
        yield f"cue {side} {self.draft.kind} {kind}"
        if self.quantity is not None:
            at, away = self._gap(start, end, self.quantity.start, self.quantity.end)
            yield f"quantity {at} {_bucket(away)}"
            yield f"quantity {at} {_bucket(away)} {kind}"
            if at == "inside":
                yield f"quantity inside {kind}"
        before, after = scene.words(max(scene.start, start - 30), start), scene.words(end, min(scene.end, end + 30))
        before, after = ["^", "^", *before], [*after, "$"]
        yield f"before {before[-1]}"
        yield f"before {before[-1]} {side}"
        yield f"before {kind} {before[-1]}"
        yield f"before {before[-2]} {before[-1]}"
        yield f"after {after[0]}"
        yield f"after {kind} {after[0]}"
        between = scene.text[end : self.anchor[0]] if side == "before" else scene.text[self.anchor[1] : start]
        for mark in (
            ",",
            ";",
            " and ",
            " while ",
            " with ",
            " by ",
            " than ",
            " over ",
            " compared ",
            " on ",
            "(",
            " that ",
        ):
            if mark in between:
                yield f"between {side}{mark}"
        same = [c for c in self.found if c.kind == kind and c.start >= 0]
        beyond = [c for c in same if (c.start >= self.anchor[1]) == (side == "after")]
        rank = sorted(beyond, key=lambda c: c.start).index(candidate) if candidate in beyond else 9
        yield f"rank {side} {kind} {min(rank, 4)}"
        yield f"only {kind} {len(same) == 1}"
        covered = any(
            c is not candidate and c.start <= start and end <= c.end and c.end - c.start > end - start for c in same
        )
        yield f"covered {kind} {covered}"
        for mention in scene.inside:
            if start <= mention.start and mention.end <= end and (start, end) != (mention.start, mention.end):
                yield f"holds a {mention.type}"
            elif mention.start <= start and end <= mention.end and (start, end) != (mention.start, mention.end):
                yield f"in a {mention.type}"
        if scene.start <= start <= scene.start + 3:
            yield f"opens {kind}"
        if end >= scene.end - 2:
            yield f"closes {kind}"

    def _gap(self, start: int, end: int, first: int, last: int) -> tuple[str, int]:
        if end <= first:
            return "before", len(self.scene.words(end, first))
        if start >= last:
            return "after", len(self.scene.words(last, start))
        return "inside", 0


def _bucket(gap: int) -> str:
    return str(gap) if gap < 4 else "4-6" if gap < 7 else "7-12" if gap < 13 else "13-20" if gap < 21 else "21+"


@dataclass(frozen=True, slots=True)
class SlotModel:
    """Weights of each feature, slot by slot."""

    weights: Mapping[str, Mapping[str, float]]

    def scores(self, slot: str, described: Iterable[frozenset[str]]) -> list[float]:
        """The score of each candidate for the slot."""
        weights = self.weights[slot]
        return [sum(weights.get(name, 0.0) for name in names) for names in described]

    def best(self, scene: Scene, draft: Draft, slot: str) -> Slot:
        """The value of the candidate that scores best."""
        found = candidates(scene, slot, draft)
        scores = self.scores(slot, features(scene, draft, slot, found))
        return found[max(range(len(found)), key=scores.__getitem__)].value

    def filled(self, scene: Scene, draft: Draft) -> Claim:
        """The claim of a draft with what scores best in each slot."""
        slots = {slot: self.best(scene, draft, slot) for slot in LEARNED}
        if isinstance(slots["condition"], str) and _repeats(slots["condition"], slots.values()):
            slots["condition"] = None
        return replace(draft.claim, **slots)  # type: ignore[arg-type]


def _repeats(condition: str, others: Iterable[Slot]) -> bool:
    """Whether a condition says no more than another slot, as "on SQuAD" beside the data set."""
    bare = _DETERMINER.sub("", _LED.sub("", condition, count=1).strip(), count=1)
    return any(bare == (other.name if isinstance(other, Mention) else other) for other in others)


def fill_results(scene: Scene, claim: Claim) -> Iterator[Claim]:
    """The results that the sentence of `claim` reports, as copies of it with their slots filled."""
    model = load_slots()
    drafts = find_drafts(scene.text, claim, scene.inside, own=scene.own)
    yield from dict.fromkeys(model.filled(scene, draft) for draft in drafts)


@cache
def load_slots(path: Path = WEIGHTS) -> SlotModel:
    """The shipped model. Raises ModelError when its file is missing or damaged."""
    try:
        return SlotModel(json.loads(path.read_text(encoding="utf-8"))["weights"])
    except (OSError, ValueError, KeyError) as error:
        fault = f"the weights for results cannot be read: {error}"
        raise ModelError(fault, where=str(path), hint="reinstall paperkg") from error
