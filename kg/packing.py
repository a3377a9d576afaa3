"""Records as bytes and text, to be kept in a file and read again."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, fields
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Any

from kg import records
from kg.records import Extraction, Paper

__all__ = ["KINDS", "pack", "pack_paper", "unpack", "unpack_paper"]


def pack(extraction: Extraction) -> bytes:
    """The extraction as compressed JSON."""
    return zlib.compress(json.dumps(_plain(extraction), separators=(",", ":")).encode(), 1)


def unpack(content: bytes) -> Extraction:
    """The extraction that :func:`pack` wrote down. Raises ValueError or zlib.error where `content` is damaged."""
    try:
        found: Extraction = _record(json.loads(zlib.decompress(content)))
    except KeyError as error:
        raise ValueError(f"there is no kind of record {error}") from error
    return found


def pack_paper(paper: Paper) -> str:
    """The paper as a line of ASCII."""
    return json.dumps(asdict(paper), separators=(",", ":"))


def unpack_paper(content: str | bytes) -> Paper:
    """The paper that :func:`pack_paper` wrote down."""
    said = json.loads(content)
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in said.items()}
    return Paper(**values)


def _plain(value: Any) -> Any:
    """A record as lists and texts: a dataclass with its name in front, enumerations and decimals with theirs."""
    kind: Any = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is tuple:
        return ["", *map(_plain, value)]
    if kind is Decimal:
        return ["Decimal", str(value)]
    if issubclass(kind, Enum):
        return [kind.__name__, value.value]
    return [kind.__name__, *[_plain(getattr(value, name)) for name in _fields(kind)]]


_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _record(value: Any) -> Any:
    """The record that :func:`_plain` took apart."""
    if type(value) is not list:
        return value
    parts = [_record(part) if type(part) is list else part for part in value]
    name = parts.pop(0)
    return tuple(parts) if name == "" else KINDS[name](*parts)


KINDS = {"Decimal": Decimal} | {name: getattr(records, name) for name in records.__all__}
"""What the first of a list stands for."""
