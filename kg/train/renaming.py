"""Names in training texts exchanged for others of the same type, so that the network reads what stands around them.

A network that meets "CIFAR-10" a hundred times learns it by heart, and the sentence teaches nothing. A name takes the
place of a name, a plural of a plural; a long form and its acronym stay as they are, for they belong together.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from kg.records import EntityType, RelationType
from kg.train.corpora import Document, Span

__all__ = ["Names", "collect_names", "read_term_lists", "renamed"]

Shape = tuple[EntityType, str]
Names = Mapping[Shape, Sequence[str]]
"""The names at hand for each type and shape."""

TERM_LISTS = {
    "pwc_methods.tsv": EntityType.METHOD,
    "pwc_tasks.tsv": EntityType.TASK,
    "pwc_datasets.tsv": EntityType.DATASET,
}
"""Of the Papers-with-Code term lists, those whose names an author would write in a sentence."""
_PROPER = re.compile(r"\d|\w*[a-z-][A-Z]|[A-Z]{2}|^[A-Z]\S*$")


@dataclass(frozen=True, slots=True)
class _Change:
    start: int
    end: int
    name: str


def collect_names(documents: Iterable[Document], terms: Iterable[tuple[str, EntityType]] = ()) -> Names:
    """The distinct names in `documents` and `terms`, in a fixed order."""
    known: defaultdict[Shape, set[str]] = defaultdict(set)
    for document in documents:
        for mention in document.mentions:
            if mention.type is not None:
                name = document.text[mention.start : mention.end]
                known[mention.type, _shape(name)].add(name)
    for name, type_ in terms:
        known[type_, _shape(name)].add(name)
    return {shape: sorted(names) for shape, names in known.items()}


def read_term_lists(folder: Path) -> list[tuple[str, EntityType]]:
    """The names of the Papers-with-Code term lists in `folder`; a list that is not there is left out."""
    found = []
    for file, type_ in TERM_LISTS.items():
        if not (folder / file).exists():
            continue
        for line in (folder / file).read_text(encoding="utf-8").splitlines()[1:]:
            name = line.split("\t")[0].strip()
            if 2 <= len(name) <= 40 and "(" not in name:
                found.append((name if type_ is EntityType.DATASET else _in_a_sentence(name), type_))
    return found


def renamed(document: Document, names: Names, share: float, rng: random.Random) -> Document:
    """`document` with about `share` of its names exchanged, every time they occur; offsets follow."""
    chosen: dict[tuple[str, EntityType], str | None] = {}
    same = [link for link in document.relations if link.type is RelationType.SAME_ENTITY]
    ends = [document.mentions[number] for link in same for number in (link.head, link.tail)]
    kept = {document.text[end.start : end.end] for end in ends}
    changes: list[_Change] = []
    for mention in sorted(document.mentions, key=lambda each: each.start):
        name = document.text[mention.start : mention.end]
        if mention.type is None or name in kept:
            continue
        if (name, mention.type) not in chosen:
            pool = names.get((mention.type, _shape(name)), ()) if rng.random() < share else ()
            chosen[name, mention.type] = rng.choice(pool) if pool else None
        other = chosen[name, mention.type]
        if other is not None and (not changes or changes[-1].end <= mention.start):
            changes.append(_Change(mention.start, mention.end, other))
    return _applied(document, changes) if changes else document


def _applied(document: Document, changes: Sequence[_Change]) -> Document:
    ends = [change.end for change in changes]
    growths = [0, *accumulate(len(change.name) - (change.end - change.start) for change in changes)]

    def moved(start: int, end: int) -> tuple[int, int]:
        return start + growths[bisect_right(ends, start)], end + growths[bisect_right(ends, end)]

    parts, last = [], 0
    for change in changes:
        parts += [document.text[last : change.start], change.name]
        last = change.end
    return replace(
        document,
        text="".join([*parts, document.text[last:]]),
        sentences=tuple(moved(*sentence) for sentence in document.sentences),
        mentions=tuple(Span(*moved(each.start, each.end), each.type) for each in document.mentions),
    )


def _shape(name: str) -> str:
    if _PROPER.search(name):
        return "name"
    return "plural" if name.endswith("s") and not name.endswith("ss") else "phrase"


def _in_a_sentence(name: str) -> str:
    """A title's capitals taken down: "Layer Normalization" is "layer normalization" in a sentence, BERT stays."""
    return " ".join(word if _PROPER.search(word[1:]) else word.lower() for word in name.split())
