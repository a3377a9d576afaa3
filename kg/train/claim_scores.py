"""Scores of claims and of the slots of results, on the project's own annotated abstracts.

A claim is right when its sentence has one of its kind. A result is right ("strict") when all slots that the annotation
gives are; those with a value are also scored by value, unit and metric alone ("relaxed"). Each annotated result is
paired with the one of its sentence that fits it best.

Names fill a slot alike when they are the same key, name one entity in the annotation, or one holds the other. The
annotators' words of the text are where two readers part most, so words also fill a slot alike when the F1 of their
tokens, without articles, prepositions and the like, is at least one half; for an entity, numbers must be the same.

Two stricter figures stand beside it: "exact" does without the overlap of words, and "closed" counts a result as right
only if it fills no slot that the annotation leaves empty. The scores of a slot count what was filled against what is
given, over the pairs.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from kg.clean import clean
from kg.identity import canonical_key
from kg.pool import extract
from kg.records import SLOTS, Claim, ClaimKind, Extraction, Mention, Paper
from kg.train.scores import Score

__all__ = ["ALL_SLOTS", "Names", "homes", "overlap", "paired", "score_claims", "score_extractions"]

ALL_SLOTS = (*SLOTS, "direction", "value", "unit", "qualifier", "condition")
RELAXED = ("value", "unit", "metric")
Json = dict[str, Any]


def score_claims(path: Path) -> dict[str, dict[str, Score]]:
    """Measure ("claim", "result", "slot") to label to score, of what the extractor finds in the corpus at `path`."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    papers = (Paper(line["abstract"], title=line.get("title")) for line in lines)
    return score_extractions(zip(lines, extract(papers), strict=True))


def score_extractions(pairs: Iterable[tuple[Json, Extraction]]) -> dict[str, dict[str, Score]]:
    """The scores of extractions against the annotated lines of the same abstracts."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for line, extraction in pairs:
        _count_claims(line, extraction, counts)
        _count_results(line, extraction, counts)
    scores: defaultdict[str, dict[str, Score]] = defaultdict(dict)
    for (measure, label), count in counts.items():
        scores[measure][label] = Score(count["right"], count["proposed"], count["gold"])
    return dict(scores)


def _count_claims(line: Json, extraction: Extraction, counts: Mapping[tuple[str, str], Counter[str]]) -> None:
    home = homes(line)
    gold = {(home(claim["start"]), claim["kind"]) for claim in line["claims"]}
    found = {(home(claim.start), str(claim.kind)) for claim in extraction.claims}
    for label in ("all", *ClaimKind):
        ours, theirs = ({each for each in group if label in ("all", each[1])} for group in (found, gold))
        counts["claim", label].update(right=len(ours & theirs), proposed=len(ours), gold=len(theirs))


def homes(line: Json) -> Callable[[int], int]:
    """A function from an offset in the abstract to the number of the annotated sentence that holds it."""
    starts = [sentence["start"] for sentence in line["sentences"]]
    return lambda start: bisect_right(starts, start) - 1


def _count_results(line: Json, extraction: Extraction, counts: Mapping[tuple[str, str], Counter[str]]) -> None:
    home, names = homes(line), Names(line)
    by_sentence: defaultdict[int, tuple[list[Json], list[Claim]]] = defaultdict(lambda: ([], []))
    for gold in line["claims"]:
        if gold["kind"] == ClaimKind.RESULT:
            by_sentence[home(gold["start"])][0].append(gold)
    for claim in extraction.claims:
        if claim.kind is ClaimKind.RESULT:
            by_sentence[home(claim.start)][1].append(claim)
    measures = {name: counts["result", name] for name in ("strict", "exact", "closed", "relaxed")}
    for golds, claims in by_sentence.values():
        for name in ("strict", "exact", "closed"):
            measures[name].update(gold=len(golds), proposed=len(claims))
        measures["relaxed"].update(gold=sum("value" in g for g in golds), proposed=sum(_valued(c) for c in claims))
        for gold, claim, right in paired(golds, claims, names):
            strict = all(right.values())
            measures["strict"]["right"] += strict
            measures["exact"]["right"] += all(_right(gold, claim, names, exact=True).values())
            measures["closed"]["right"] += strict and all(s in gold or getattr(claim, s) is None for s in ALL_SLOTS)
            measures["relaxed"]["right"] += "value" in gold and all(right.get(slot, True) for slot in RELAXED)
            for slot in ALL_SLOTS:
                filled = getattr(claim, slot) is not None
                counts["slot", slot].update(gold=slot in gold, proposed=filled, right=right.get(slot, False))


def _valued(claim: Claim) -> bool:
    return claim.value is not None


def paired(
    golds: Sequence[Json], claims: Sequence[Claim], names: Names
) -> Iterator[tuple[Json, Claim, dict[str, bool]]]:
    """Each annotated result with the found one that fits it, and which of its slots are right, best pairs first."""
    scored = [
        (_fit(right), -g, -c, right)
        for g, gold in enumerate(golds)
        for c, claim in enumerate(claims)
        if (right := _right(gold, claim, names))
    ]
    golds_left, claims_left = set(range(len(golds))), set(range(len(claims)))
    for _, g, c, right in sorted(scored, key=lambda item: item[:3], reverse=True):
        if -g in golds_left and -c in claims_left:
            golds_left.remove(-g)
            claims_left.remove(-c)
            yield golds[-g], claims[-c], right


def _fit(right: Mapping[str, bool]) -> tuple[bool, bool, float]:
    measured = "value" in right and all(right.get(slot, True) for slot in RELAXED)
    return all(right.values()), measured, sum(right.values()) / max(1, len(right))


def _right(gold: Json, claim: Claim, names: Names, *, exact: bool = False) -> dict[str, bool]:
    given = (slot for slot in ALL_SLOTS if slot in gold)
    return {slot: names.fill_alike(slot, gold[slot], getattr(claim, slot), exact=exact) for slot in given}


class Names:
    """What the annotation says of names: which text a mention has, and which mentions are one entity."""

    def __init__(self, line: Json) -> None:
        abstract = line["abstract"]
        self._texts = [clean(abstract[m["start"] : m["end"]]).text for m in line["mentions"]]
        self._same: defaultdict[str, set[str]] = defaultdict(set)
        for relation in line["relations"]:
            if relation["type"] in ("sameEntity", "same"):
                ends = [canonical_key(self._texts[relation[end]]) for end in ("head", "tail")]
                self._same[ends[0]].add(ends[1])
                self._same[ends[1]].add(ends[0])

    def text(self, gold: object) -> str:
        """The words that a slot of the annotation holds, or those of the mention that it points to."""
        return self._texts[gold] if isinstance(gold, int) else str(gold)

    def fill_alike(self, slot: str, gold: object, found: object, *, exact: bool = False) -> bool:
        """Whether what was found in the slot is what the annotation has there; `exact` allows no mere overlap."""
        if found is None:
            return False
        if slot == "value":
            return found == _number(str(gold))
        if slot in ("direction", "unit", "qualifier"):
            return str(found) == gold
        text = self.text(gold)
        other = found.name if isinstance(found, Mention) else str(found)
        one_key, other_key = canonical_key(text), canonical_key(other)
        if one_key == other_key or other_key in self._same[one_key]:
            return True
        plain, other_plain = _plain(text), _plain(other)
        if plain == other_plain or _holds(plain, other_plain) or _holds(other_plain, plain):
            return True
        return not exact and overlap(text, other, entity=isinstance(gold, int)) >= LEAST_OVERLAP


def _number(text: str) -> Decimal | None:
    """The number, or None where the annotation has words or a formula."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _plain(text: str) -> str:
    bare = re.sub(r"^(?:the|a|an|its|our|both|all|existing|other)\s+", "", clean(text).text.lower())
    return re.sub(r"[\s\-‑]+", " ", bare).strip(" .,")


_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an the its our their this that these those both all any of in on at for to from with by over under across"
        " when while as and or is are was were be than into via through within even only",
    )
)
"""Words that say nothing of what fills a slot."""
LEAST_OVERLAP = 0.5


def overlap(one: str, other: str, *, entity: bool = False) -> float:
    """The F1 of the words of two phrases, 0 to 1; 0 where names of an `entity` have different numbers.

    >>> overlap("on challenging real-world distortions", "challenging distortions")
    0.6666666666666666
    >>> overlap("Qwen 7B", "Qwen 72B", entity=True)
    0.0
    """
    ours, theirs = (set(re.findall(r"[^\W_][\w.@%*+]*", _plain(phrase))) - _EMPTY for phrase in (one, other))
    if entity and any(re.search(r"\d", word) for word in ours ^ theirs):
        return 0.0
    return 2 * len(ours & theirs) / max(1, len(ours) + len(theirs))


def _holds(long: str, short: str) -> bool:
    return len(short) > 3 and short in long
