"""Records of tagged lines, such as "TI  - A title", with untagged lines going on with the field before them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

__all__ = ["Tagged", "read_tagged"]


@dataclass(slots=True)
class Tagged:
    """A record: each field's tag and its lines, and the place where the record begins."""

    where: str
    fields: list[tuple[str, list[str]]] = field(default_factory=list)

    def all(self, *tags: str) -> list[str]:
        """Every value of these tags, each on one line."""
        return [text for tag, lines in self.fields if tag in tags and (text := " ".join(" ".join(lines).split()))]

    def first(self, *tags: str) -> str | None:
        """The first value, of the first of these tags that has one."""
        return next((text for tag in tags for text in self.all(tag)), None)

    def lines(self, *tags: str) -> list[str]:
        """The lines of these tags, where each is a value of its own."""
        return [line.strip() for tag, lines in self.fields if tag in tags for line in lines if line.strip()]

    def text(self, *tags: str) -> str | None:
        """The text of the first of these tags that has one, with its lines as they are written."""
        texts = ("\n".join(self.lines(tag)) for tag in tags)
        return next(filter(None, texts), None)


def read_tagged(
    lines: Iterable[str], tag: re.Pattern[str], name: str, *, opens: str, closes: str | None = None
) -> Iterator[Tagged]:
    """The records of the lines; `tag` finds the groups tag and text, `opens` and `closes` are tags.

    What stands outside of records is no part of any.
    """
    record: Tagged | None = None
    for number, line in enumerate(lines, start=1):
        found = tag.match(line)
        if found is None:
            if record is not None and record.fields:
                record.fields[-1][1].append(line.rstrip("\n"))
        elif found["tag"] == opens:
            if record is not None:
                yield record
            record = Tagged(f"{name}, line {number}", [(found["tag"], [found["text"] or ""])])
        elif found["tag"] == closes:
            if record is not None:
                yield record
            record = None
        elif record is not None:
            record.fields.append((found["tag"], [found["text"] or ""]))
    if record is not None:
        yield record
