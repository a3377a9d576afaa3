"""Records as bytes and text, to be kept in a file and read again."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

from kg import records
from kg.records import Extraction, Paper

__all__ = ["pack", "pack_paper", "unpack", "unpack_paper"]


def pack(extraction: Extraction) -> bytes:
    """The extraction as compressed JSON."""
    return zlib.compress(json.dumps(_plain(extraction), separators=(",", ":")).encode(), 1)


def unpack(content: bytes) -> Extraction:
    """The extraction that :func:`pack` wrote down. Raises ValueError or zlib.error where `content` is damaged."""
    found: Extraction = _record(json.loads(zlib.decompress(content)))
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
    if is_dataclass(value):
        return [type(value).__name__, *(_plain(getattr(value, field.name)) for field in fields(value))]
    if isinstance(value, tuple):
        return ["", *map(_plain, value)]
    if isinstance(value, Enum):
        return [type(value).__name__, value.value]
    if isinstance(value, Decimal):
        return ["Decimal", str(value)]
    return value


def _record(value: Any) -> Any:
    """The record that :func:`_plain` took apart."""
    if not isinstance(value, list):
        return value
    name, *parts = value
    if name == "":
        return tuple(map(_record, parts))
    if name == "Decimal":
        return Decimal(parts[0])
    return getattr(records, name)(*map(_record, parts))
