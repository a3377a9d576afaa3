"""A shape: what the records of one source look like as JSON objects, or as rows of Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kg.readers.fields import Fields, person, text_at

__all__ = ["Json", "Shape", "items", "people", "texts"]

Json = Mapping[str, Any]


class Shape(NamedTuple):
    """`matches` tells the source's records by their keys; `fields` translates one, None for what is no paper."""

    name: str
    about: str
    matches: Callable[[Json], bool]
    fields: Callable[[Json], Fields | None]


def items(value: object) -> Iterator[dict[str, Any]]:
    """The objects in a list, or nothing for what is no list."""
    yield from (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def texts(value: object, *path: str) -> list[str]:
    """The texts in a list, each at this path in its item."""
    found = (text_at(item, *path) for item in value) if isinstance(value, list) else ()
    return [text for text in found if text]


def people(value: object, *, given: str, family: str, whole: str) -> list[str]:
    """The names of the people in a list of objects that hold their parts under these keys."""
    names: Iterable[str | None] = (
        person(given=text_at(item, given), family=text_at(item, family), whole=text_at(item, whole))
        for item in items(value)
    )
    return [name for name in names if name]
