"""Scores of claims and of the slots of results, on the project's own annotated abstracts.

A claim is right when its sentence has one of its kind. A result is right when all slots that the annotation gives are;
those with a value are also scored by value, unit and metric alone ("relaxed"). Names fill a slot alike when they are
the same key, name one entity in the annotation, or one holds the other.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from kg.clean import clean
from kg.extract import extract
from kg.identity import canonical_key
from kg.records import SLOTS, Claim, ClaimKind, Extraction, Mention, Paper
from kg.train.scores import Score

__all__ = ["ALL_SLOTS", "score_claims", "score_extractions"]

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
    home = _homes(line)
    gold = {(home(claim["start"]), claim["kind"]) for claim in line["claims"]}
    found = {(home(claim.start), str(claim.kind)) for claim in extraction.claims}
    for label in ("all", *ClaimKind):
        ours, theirs = ({each for each in group if label in ("all", each[1])} for group in (found, gold))
        counts["claim", label].update(right=len(ours & theirs), proposed=len(ours), gold=len(theirs))


def _homes(line: Json) -> Any:
    starts = [sentence["start"] for sentence in line["sentences"]]
    return lambda start: bisect_right(starts, start) - 1


def _count_results(line: Json, extraction: Extraction, counts: Mapping[tuple[str, str], Counter[str]]) -> None:
    home, names = _homes(line), _Names(line)
    by_sentence: defaultdict[int, tuple[list[Json], list[Claim]]] = defaultdict(lambda: ([], []))
    for gold in line["claims"]:
        if gold["kind"] == ClaimKind.RESULT:
            by_sentence[home(gold["start"])][0].append(gold)
    for claim in extraction.claims:
        if claim.kind is ClaimKind.RESULT:
            by_sentence[home(claim.start)][1].append(claim)
    strict, relaxed = counts["result", "strict"], counts["result", "relaxed"]
    for golds, claims in by_sentence.values():
        strict.update(gold=len(golds), proposed=len(claims))
        relaxed.update(gold=sum("value" in g for g in golds), proposed=sum(c.value is not None for c in claims))
        for gold, right in _paired(golds, claims, names):
            strict["right"] += all(right.values())
            relaxed["right"] += "value" in gold and all(right.get(slot, True) for slot in RELAXED)
            for slot, good in right.items():
                counts["slot", slot].update(gold=1, proposed=1, right=good)


def _paired(golds: Sequence[Json], claims: Sequence[Claim], names: _Names) -> Iterator[tuple[Json, dict[str, bool]]]:
    """Each annotated result with which of its slots are right in the result that fits it best and no other has."""
    left = list(claims)
    for gold in golds:
        if not left:
            return
        scored = [
            {slot: names.fill_alike(slot, gold[slot], getattr(c, slot)) for slot in ALL_SLOTS if slot in gold}
            for c in left
        ]
        best = max(range(len(left)), key=lambda number: (sum(scored[number].values()), -number))
        del left[best]
        yield gold, scored[best]


class _Names:
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

    def fill_alike(self, slot: str, gold: object, found: object) -> bool:
        """Whether what was found in the slot is what the annotation has there."""
        if found is None:
            return False
        if slot == "value":
            return found == Decimal(str(gold))
        if slot in ("direction", "unit", "qualifier"):
            return str(found) == gold
        text = self._texts[gold] if isinstance(gold, int) else str(gold)
        other = found.name if isinstance(found, Mention) else str(found)
        one_key, other_key = canonical_key(text), canonical_key(other)
        if one_key == other_key or other_key in self._same[one_key]:
            return True
        plain, other_plain = _plain(text), _plain(other)
        return plain == other_plain or _holds(plain, other_plain) or _holds(other_plain, plain)


def _plain(text: str) -> str:
    bare = re.sub(r"^(?:the|a|an|its|our|both|all|existing|other)\s+", "", clean(text).text.lower())
    return re.sub(r"[\s\-‑]+", " ", bare).strip(" .,")


def _holds(long: str, short: str) -> bool:
    return len(short) > 3 and short in long
