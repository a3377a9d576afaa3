"""What is set after training, on dev texts: biases that trade precision for recall, and calibration.

The biases are chosen for F1; confidences are then fitted by Platt scaling (Platt, 1999) on log odds.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kg.model import SYMMETRIC, Model, Reading, Settings
from kg.records import RelationType
from kg.train.corpora import Document
from kg.train.evaluate import predicted
from kg.train.scores import Score, calibration_error, score_documents

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

__all__ = ["Calibration", "DevText", "calibrate", "choose_biases", "choose_floors", "fit_platt"]

OUTSIDE = (-0.3, 0.0, 0.3, 0.6)
UNRELATED = (-1.2, -0.8, -0.4, 0.0)
DOUBT = (0.0, 0.5)
RELATED = (-1.2, -0.8, -0.4, 0.0, 0.4, 0.8)
LEAST = (0.0, 0.1, 0.2, 0.3)
ALONE = (0.0, 0.3, 0.45, 0.6)
PRICE = 0.0015
"""F1 that may be given for fewer wrong mentions, each of which is a node of the graph."""
RESTRAINT = 0.0005
"""F1 that a bias of 1 on a relation has to gain; dev holds few of some relations."""


@dataclass(frozen=True, slots=True)
class DevText:
    """Dev documents that are read in the same windows."""

    documents: Sequence[Document]
    longest: int | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """The expected calibration error of one kind of confidence, before and after, over so many items."""

    before: float
    after: float
    items: int


def choose_biases(model: Model, dev: Sequence[DevText]) -> Settings:
    """The settings with the best mean F1 over `dev`: of mentions first, then of relations ("rel+").

    The graphs run once a window; a try with other biases takes what they said from memory.
    """
    quick = _remembering(model)
    tries = [replace(model.settings, outside=value, related=(), least=0.0, alone=0.0) for value in OUTSIDE]
    sure = max(tries, key=lambda settings: _mean_f1(quick, settings, dev, "ner"))
    tries = [replace(sure, unrelated=value, doubt=doubt) for doubt in DOUBT for value in UNRELATED]
    best = max(tries, key=lambda settings: _mean_f1(quick, settings, dev, "rel+"))
    return _with_relations(quick, replace(best, related=(0.0,) * len(RelationType)), dev)


def _with_relations(model: Model, settings: Settings, dev: Sequence[DevText]) -> Settings:
    """The settings with a bias for each relation, chosen one after the other."""

    def gain(tried: Settings) -> float:
        return _mean_f1(model, tried, dev, "rel+") - RESTRAINT * sum(map(abs, tried.related))

    for place in range(len(settings.related)):
        before, after = settings.related[:place], settings.related[place + 1 :]
        settings = max((replace(settings, related=(*before, value, *after)) for value in RELATED), key=gain)
    return settings


def choose_floors(model: Model, dev: Sequence[DevText]) -> Settings:
    """The calibrated model's settings with those floors of mentions that leave the highest precision over `dev`.

    Their mean F1 of mentions and of relations ("rel+") is the best but for `PRICE`.
    """
    quick = _remembering(model)
    tries = [replace(model.settings, least=least, alone=alone) for least in LEAST for alone in ALONE]
    mentions = [_scores(quick, tried, dev, "ner") for tried in tries]
    f1 = [
        (_mean(score.f1 for score in scores) + _mean_f1(quick, tried, dev, "rel+")) / 2
        for tried, scores in zip(tries, mentions, strict=True)
    ]
    good = (number for number, each in enumerate(f1) if each >= max(f1) - PRICE)
    return tries[max(good, key=lambda number: _mean(score.precision for score in mentions[number]))]


def _remembering(model: Model) -> Model:
    reader, pairs = _Remembering(model._reader), _Remembering(model._pairs)
    return Model(reader, pairs, model._tokenizer, model.settings, model.digest)


class _Remembering:
    """A session that runs its graph once for the same inputs."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session
        self._made: dict[bytes, list[NDArray[Any]]] = {}
        self.get_inputs = session.get_inputs

    def run(self, names: None, inputs: dict[str, NDArray[Any]]) -> list[NDArray[Any]]:
        """Copies of the outputs for `inputs`."""
        key = hashlib.sha256(b"".join(array.tobytes() for array in inputs.values())).digest()
        if key not in self._made:
            self._made[key] = self._session.run(names, inputs)
        return [array.copy() for array in self._made[key]]


def _mean_f1(model: Model, settings: Settings, dev: Sequence[DevText], measure: str) -> float:
    return _mean(score.f1 for score in _scores(model, settings, dev, measure))


def _scores(model: Model, settings: Settings, dev: Sequence[DevText], measure: str) -> list[Score]:
    model.settings = settings
    scores = [score_documents(_pairs(text, _read(model, text))) for text in dev]
    return [score[measure]["all"] for score in scores if measure in score]


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / max(1, len(known))


def _read(model: Model, text: DevText) -> list[Reading]:
    texts, sentences = [each.text for each in text.documents], [each.sentences for each in text.documents]
    return model.read(texts, sentences, longest=text.longest)


def _pairs(text: DevText, readings: Sequence[Reading]) -> list[tuple[Document, Document]]:
    return [(each, predicted(each, reading)) for each, reading in zip(text.documents, readings, strict=True)]


def calibrate(model: Model, dev: Sequence[DevText]) -> tuple[Settings, dict[str, Calibration]]:
    """The model's settings with confidences fitted to `dev`, and the calibration errors."""
    plain: tuple[float, float] = (1.0, 0.0)
    model.settings = replace(model.settings, mentions=plain, relations=plain, roles=plain)
    items: dict[str, list[tuple[float, bool]]] = {"mentions": [], "relations": [], "roles": []}
    for text in dev:
        for document, reading in zip(text.documents, _read(model, text), strict=True):
            for name, found in _judged(document, reading).items():
                items[name] += found
    fitted = {name: fit_platt(found) if found else plain for name, found in items.items()}
    report = {name: _errors(found, fitted[name]) for name, found in items.items() if found}
    settings = replace(
        model.settings, mentions=fitted["mentions"], relations=fitted["relations"], roles=fitted["roles"]
    )
    return settings, report


def _judged(document: Document, reading: Reading) -> dict[str, list[tuple[float, bool]]]:
    """The confidence of everything in `reading` that `document` annotates, and whether it is right."""
    labels = document.annotates
    gold = {(mention.start, mention.end, mention.type) for mention in document.mentions}
    spans = [(span.start, span.end, span.type) for span in reading.spans]
    links = {_key(document.mentions[link.head], document.mentions[link.tail], link.type) for link in document.relations}
    mentions = [
        (found.confidence, span in gold)
        for found, span in zip(reading.spans, spans, strict=True)
        if found.type in labels.entities
    ]
    relations = [
        (found.confidence, _key(reading.spans[found.head], reading.spans[found.tail], found.type) in links)
        for found in reading.relations
        if found.type in labels.relations
        and {reading.spans[found.head].type, reading.spans[found.tail].type} <= labels.entities
    ]
    roles = [
        (found.confidence, found.role == role)
        for found, role in zip(reading.roles, document.roles, strict=False)
        if role is not None
    ]
    return {"mentions": mentions, "relations": relations, "roles": roles}


def _key(head: object, tail: object, type_: object) -> object:
    ends = [(each.start, each.end, str(each.type)) for each in (head, tail)]  # type: ignore[attr-defined]
    return (tuple(sorted(ends) if type_ in SYMMETRIC else ends), type_)


def fit_platt(items: Sequence[tuple[float, bool]], steps: int = 50) -> tuple[float, float]:
    """The slope and shift of the log odds that make `items`, (confidence, right), likeliest; Newton's method."""
    chances = np.clip([confidence for confidence, _ in items], 1e-6, 1 - 1e-6)
    inputs = np.stack([np.log(chances / (1 - chances)), np.ones(len(items))], 1)
    right = np.array([ok for _, ok in items], dtype=float)
    weights = np.array([1.0, 0.0])
    for _ in range(steps):
        guess = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        slope = inputs.T @ (right - guess) - 1e-3 * weights
        curve = (inputs * (guess * (1 - guess))[:, None]).T @ inputs + 1e-3 * np.eye(2)
        move = np.linalg.solve(curve, slope)
        weights = weights + move / max(1.0, float(np.abs(move).max()))  # a whole step can overshoot without return
    return float(weights[0]), float(weights[1])


def _errors(items: Sequence[tuple[float, bool]], scale: tuple[float, float]) -> Calibration:
    confidences, right = [confidence for confidence, _ in items], [ok for _, ok in items]
    odds = [math.log(max(c, 1e-6) / max(1 - c, 1e-6)) for c in confidences]
    fitted = [1 / (1 + math.exp(-(scale[0] * each + scale[1]))) for each in odds]
    return Calibration(calibration_error(confidences, right), calibration_error(fitted, right), len(items))
