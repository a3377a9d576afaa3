"""Precision, recall and F1 as set operations, for mentions, relations and sentence roles."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from kg.model import SYMMETRIC
from kg.train.corpora import Document, Link

__all__ = ["Score", "calibration_error", "score_documents"]

Items = set[Hashable]


@dataclass(frozen=True, slots=True)
class Score:
    """How many items are right, were proposed, and are in the gold.

    >>> Score(1, 2, 4).f1
    0.3333333333333333
    """

    right: int
    proposed: int
    gold: int

    @property
    def precision(self) -> float:
        """Right of proposed; 0 if nothing was proposed."""
        return self.right / self.proposed if self.proposed else 0.0

    @property
    def recall(self) -> float:
        """Right of gold; 0 if there is no gold."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """2 right / (proposed + gold), 0 if both are empty."""
        both = self.proposed + self.gold
        return 2 * self.right / both if both else 0.0


def compare(gold: Items, proposed: Items) -> Score:
    """The score of `proposed` against `gold`."""
    return Score(len(gold & proposed), len(proposed), len(gold))


def score_documents(pairs: Iterable[tuple[Document, Document]]) -> dict[str, dict[str, Score]]:
    """Scores of predictions: measure ("ner", "rel", "rel+", "role") to label ("all" or one of them) to score.

    Each pair is the gold document and the predicted one. Only labels that the gold annotates are scored. A relation
    is right for "rel" if its type and both spans are, for "rel+" if the types of both mentions are, too.
    """
    measures: dict[str, tuple[set[tuple[str, Hashable]], set[tuple[str, Hashable]]]] = {
        name: (set(), set()) for name in ("ner", "rel", "rel+", "role")
    }
    readers: dict[str, Callable[[Document, Document], Iterable[tuple[str, Hashable]]]] = {
        "ner": _mentions,
        "rel": lambda document, gold: _relations(document, gold, typed=False),
        "rel+": lambda document, gold: _relations(document, gold, typed=True),
        "role": _roles,
    }
    for number, (gold, proposed) in enumerate(pairs):
        for name, read in readers.items():
            measures[name][0].update((label, (number, item)) for label, item in read(gold, gold))
            measures[name][1].update((label, (number, item)) for label, item in read(proposed, gold))
    return {name: _by_label(gold, proposed) for name, (gold, proposed) in measures.items() if gold}


def _by_label(gold: set[tuple[str, Hashable]], proposed: set[tuple[str, Hashable]]) -> dict[str, Score]:
    labels = sorted({label for label, _ in gold | proposed})
    each = {
        label: compare(
            {item for name, item in gold if name == label}, {item for name, item in proposed if name == label}
        )
        for label in labels
    }
    return {"all": compare(set(gold), set(proposed)), **each}


def _mentions(document: Document, gold: Document) -> Iterable[tuple[str, Hashable]]:
    for mention in document.mentions:
        if mention.type is not None and mention.type in gold.annotates.entities:
            yield mention.type.value, (mention.start, mention.end)


def _relations(document: Document, gold: Document, *, typed: bool) -> Iterable[tuple[str, Hashable]]:
    for link in document.relations:
        ends = [document.mentions[place] for place in (link.head, link.tail)]
        if link.type in gold.annotates.relations and all(end.type in gold.annotates.entities for end in ends):
            yield link.type.value, _relation_key(document, link, typed=typed)


def _relation_key(document: Document, link: Link, *, typed: bool) -> Hashable:
    ends = [document.mentions[place] for place in (link.head, link.tail)]
    keys = [(end.start, end.end, str(end.type) if typed else "") for end in ends]
    return tuple(sorted(keys)) if link.type in SYMMETRIC else tuple(keys)


def _roles(document: Document, gold: Document) -> Iterable[tuple[str, Hashable]]:
    if gold.annotates.roles:
        known = gold.roles or (None,) * len(document.sentences)
        for sentence, role, asked in zip(document.sentences, document.roles, known, strict=False):
            if role is not None and asked is not None:
                yield role.value, sentence


def calibration_error(confidences: Iterable[float], right: Iterable[bool], bins: int = 10) -> float:
    """The expected calibration error, 0 to 1, over `bins` of equal width (Guo et al., ICML 2017, section 2)."""
    items = list(zip(confidences, right, strict=True))
    error = 0.0
    for number in range(bins):
        inside = [item for item in items if min(bins - 1, int(item[0] * bins)) == number]
        if inside:
            gap = abs(sum(c for c, _ in inside) - sum(ok for _, ok in inside))
            error += gap / len(items)
    return error
