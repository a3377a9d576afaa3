"""Every name in the graph, in memory, to search while someone types."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pyoxigraph import Store

from kg import vocabulary as v
from kg.reading import links, literals, nodes, text_of

__all__ = ["NameIndex", "Named", "read_names"]

_ENOUGH = 400  # hits after which no more are ranked; the most used come first


@dataclass(frozen=True, slots=True)
class Named:
    """An entity or a paper: the name to show, its other names, and how many papers mention it."""

    label: str
    kind: str
    iri: str
    papers: int
    others: tuple[str, ...] = ()


class NameIndex:
    """Finds entities and papers by parts of their names, those that most papers mention first."""

    def __init__(self, entries: Iterable[Named]) -> None:
        self.entries = sorted(entries, key=lambda entry: (-entry.papers, entry.label, entry.iri))
        lines = [(_folded(name), number) for number, e in enumerate(self.entries) for name in (e.label, *e.others)]
        self._text = "\n" + "".join(f"{line}\n" for line, _ in lines)
        self._starts = _starts(line for line, _ in lines)
        self._owner = [number for _, number in lines]

    def find(self, text: str, *, kind: str = "", limit: int = 12) -> list[Named]:
        """The entries that bear the text: as a whole name first, then at its start, at a word's start, within.

        >>> SOAP = Named("SOAP", "Method", "a:soap", 3, ("Shampoo with Adam",))
        >>> [entry.label for entry in NameIndex([SOAP]).find("adam")]
        ['SOAP']
        """
        wanted = " ".join(_folded(text).split())
        if not wanted:
            return []
        found: dict[int, None] = {}
        for pattern in (f"\n{wanted}\n", f"\n{wanted}", f" {wanted}", wanted):
            for number in self._owners(pattern):
                if not kind or self.entries[number].kind == kind:
                    found.setdefault(number)
                if len(found) >= limit:
                    return [self.entries[number] for number in found]
        return [self.entries[number] for number in found]

    def _owners(self, pattern: str) -> Iterator[int]:
        """The entries with a name in which the pattern stands, in their order; newlines hold it at an end."""
        offset = 1 if pattern.startswith("\n") else 0
        place = self._text.find(pattern)
        for _ in range(_ENOUGH):
            if place < 0:
                return
            yield self._owner[bisect_right(self._starts, place + offset) - 1]
            place = self._text.find(pattern, place + 1)

    def top(self, kind: str, number: int) -> list[Named]:
        """The entries of a kind that most papers mention."""
        found = (entry for entry in self.entries if entry.kind == kind)
        return [entry for entry, _ in zip(found, range(number), strict=False)]

    def __len__(self) -> int:
        return len(self.entries)


def _starts(lines: Iterable[str]) -> list[int]:
    found, place = [], 1
    for line in lines:
        found.append(place)
        place += len(line) + 1
    return found


def _folded(name: str) -> str:
    """The name without case, accents and line breaks."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return " ".join("".join(c for c in plain if not unicodedata.combining(c)).split())


def read_names(store: Store) -> Iterator[Named]:
    """Every entity, and every paper that has a title or an identifier."""
    mentioned = Counter(entity for _, entity in links(store, v.MENTIONS))
    others: defaultdict[str, list[str]] = defaultdict(list)
    for node, name in literals(store, v.ALT_LABEL):
        others[node.value].append(name)
    labels = {node.value: label for node, label in literals(store, v.PREF_LABEL)}
    for kind in v.ENTITY_TYPES:
        for node in nodes(store, v.kg(kind)):
            label = labels.get(node.value, node.value)
            yield Named(label, kind, node.value, mentioned[node], tuple(sorted(others[node.value])))
    titles = {node.value: title for node, title in literals(store, v.TITLE)}
    for node in nodes(store, v.PAPER):
        identifier = text_of(store, node, v.IDENTIFIER)
        if title := titles.get(node.value) or identifier:
            yield Named(title, "Paper", node.value, 0, (identifier,) if identifier and identifier != title else ())
