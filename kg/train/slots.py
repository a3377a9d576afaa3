"""Learns what fills the slots of results, from the project's annotated abstracts (see :mod:`kg.slots`).

    python -m kg.train.slots

Each annotated result is paired with the draft that fits it best. The candidates that agree with the annotation are
the right ones, or nothing where it leaves the slot empty; a softmax over the candidates of each slot is fitted to
them. Mentions are those that the shipped extractor finds, so that training sees what run time will see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kg.kinds import features as kind_features
from kg.kinds import load_kinds
from kg.proposals import find_proposals, own_name
from kg.records import Claim, ClaimKind, Mention
from kg.results import Draft, find_drafts
from kg.slots import LEARNED, WEIGHTS, Scene, SlotModel, candidates, features
from kg.train.claim_scores import Json, Names, homes, overlap, paired
from kg.train.logistic import write_weights
from kg.train.reads import DATA, Read, read_lines

Floats = NDArray[np.float64]

STRENGTH = 4.0  # weight of the squared weights beside the log likelihood of each choice
FILLING = {"metric": 0.5, "baseline": 0.5, "dataset": 1.0, "task": 1.0, "condition": 1.5}
"""How much less than fitted "nothing" scores: about where a slot has its best F1, on held-out folds of train."""
CLOSELY = 395
"""So many abstracts at the start of train are annotated most closely; of the others only metrics are learned."""
FEWEST = 3  # choices whose candidates have a feature


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidates for a slot by their features, and which of them are right."""

    slot: str
    features: tuple[frozenset[str], ...]
    right: tuple[bool, ...]


def drafted(read: Read) -> Iterator[tuple[Scene, list[Draft]]]:
    """The sentences in which the extractor sees a result, each with its drafts."""
    own = own_name(find_proposals(read.text.text, read.sentences, read.mentions))
    for number, sentence in enumerate(read.sentences):
        scene = Scene(read.text.text, read.sentences, number, read.mentions, own)
        found = dict(kind_features(scene.text, read.sentences, number, read.mentions))
        if ClaimKind.RESULT in load_kinds().kinds(found):
            claim = Claim(ClaimKind.RESULT, sentence.start, sentence.end)
            yield scene, list(find_drafts(scene.text, claim, scene.inside, own=own))


def choices(read: Read) -> Iterator[Choice]:
    """What is to be chosen for each draft that is paired with an annotated result, where a candidate is right."""
    home, names = homes(read.line), Names(read.line)
    golds = [claim for claim in read.line["claims"] if claim["kind"] == ClaimKind.RESULT]
    for scene, drafts in drafted(read):
        place = home(read.text.to_source(scene.start, scene.end)[0])
        here = [gold for gold in golds if home(gold["start"]) == place]
        by_claim = {draft.claim: draft for draft in drafts}
        for gold, claim, _ in paired(here, list(by_claim), names):
            for slot in LEARNED:
                choice = _choice(scene, by_claim[claim], slot, gold, names)
                if any(choice.right):
                    yield choice


def _choice(scene: Scene, draft: Draft, slot: str, gold: Json, names: Names) -> Choice:
    found = candidates(scene, slot, draft)
    described = tuple(features(scene, draft, slot, found))
    if slot not in gold:
        return Choice(slot, described, tuple(each.value is None for each in found))
    fits = [_fit(names, slot, gold[slot], each.value) for each in found]
    best = max(fits)
    return Choice(slot, described, tuple(fit > 0 and fit >= best - 0.1 for fit in fits))


def _fit(names: Names, slot: str, gold: object, value: Any) -> float:
    """How well a value agrees with the annotation: 0 if not, else up to 1 by the words that both have."""
    if not names.fill_alike(slot, gold, value):
        return 0.0
    if slot == "direction":
        return 1.0
    return max(0.2, overlap(names.text(gold), value.name if isinstance(value, Mention) else str(value)))


def fit(known: Sequence[Choice]) -> dict[str, dict[str, float]]:
    """The weights of each slot's features, rounded, without those that hardly count."""
    weights = {slot: _fit_slot([c for c in known if c.slot == slot]) for slot in LEARNED}
    for slot, less in FILLING.items():
        weights[slot]["kind=none"] = round(weights[slot].get("kind=none", 0.0) - less, 3)
    return weights


def _fit_slot(known: Sequence[Choice]) -> dict[str, float]:
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix

    seen = Counter(name for c in known for name in frozenset().union(*c.features))
    names = {name: column for column, name in enumerate(sorted(n for n, count in seen.items() if count >= FEWEST))}
    rows = [[names[n] for n in sorted(each) if n in names] for c in known for each in c.features]
    ends = np.cumsum([0, *map(len, rows)])
    inputs = csr_matrix((np.ones(ends[-1]), np.concatenate(rows), ends), shape=(len(rows), len(names)))
    right = np.array([good for c in known for good in c.right])
    starts = np.cumsum([0, *(len(c.right) for c in known)])[:-1]
    lengths = np.array([len(c.right) for c in known])

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = inputs @ weights
        scores = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), lengths))
        good = np.add.reduceat(scores * right, starts)
        total = np.add.reduceat(scores, starts)
        slope = scores / np.repeat(total, lengths) - scores * right / np.repeat(good, lengths)
        value = float(np.log(total / good).sum() + STRENGTH * weights @ weights / 2)
        return value, inputs.T @ slope + STRENGTH * weights

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    return {name: round(float(w), 3) for name, w in zip(names, found, strict=True) if abs(w) > 0.01}


def main() -> None:
    """Fits on train and dev, writes the weights, prints how often each slot is chosen right there."""
    if not WEIGHTS.exists():  # the extractor that reads the abstracts loads them, whatever they say
        write_weights(WEIGHTS, {"weights": {slot: {} for slot in LEARNED}})
    known = [
        choice
        for name in ("train", "dev")
        for number, read in enumerate(read_lines(DATA / f"{name}.jsonl"))
        for choice in choices(read)
        if number < CLOSELY or choice.slot == "metric"
    ]
    weights = fit(known)
    write_weights(WEIGHTS, {"weights": weights})
    print(accuracy(SlotModel(weights), known))


def accuracy(model: SlotModel, known: Iterable[Choice]) -> dict[str, float]:
    """The share of the choices in each slot in which the candidate that scores best is right."""
    right, all_ = Counter[str](), Counter[str]()
    for choice in known:
        scores = model.scores(choice.slot, choice.features)
        right[choice.slot] += choice.right[max(range(len(scores)), key=scores.__getitem__)]
        all_[choice.slot] += 1
    return {slot: round(right[slot] / count, 3) for slot, count in all_.items()}


if __name__ == "__main__":
    main()
