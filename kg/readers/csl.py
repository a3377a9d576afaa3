"""CSL JSON, https://docs.citationstyles.org, and its relative, the works of Crossref, with JATS in the abstract.

https://github.com/CrossRef/rest-api-doc
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kg.readers.fields import Fields, at, best_id, text_at
from kg.readers.markup import plain
from kg.readers.shape import Json, Shape, people, texts

__all__ = ["CROSSREF", "CSL"]


def _is_crossref(record: Json) -> bool:
    return isinstance(record.get("title"), list) and ("DOI" in record or "<jats:" in str(record.get("abstract")))


def _is_csl(record: Json) -> bool:
    people_as_parts = at(record.get("author"), 0)
    named = isinstance(people_as_parts, dict) and bool({"family", "given", "literal"} & set(people_as_parts))
    return named or isinstance(record.get("issued"), dict) or "container-title" in record


def _fields(record: Json) -> Fields:
    title, abstract = _first(record, "title"), text_at(record, "abstract")
    subjects = texts(record.get("subject"))
    return {
        "title": plain(title) if title else None,
        "abstract": plain(abstract) if abstract else None,
        "id": best_id(doi=text_at(record, "DOI"), own=text_at(record, "id")),
        "year": next(filter(None, (_year(record, key) for key in DATES)), None),
        "venue": _first(record, "container-title") or _first(record, "event-title"),
        "authors": people(record.get("author"), given="given", family="family", whole="literal")
        or people(record.get("author"), given="given", family="family", whole="name"),
        "url": text_at(record, "URL"),
        "keywords": subjects or text_at(record, "keyword"),
    }


DATES = ("issued", "published", "published-print", "published-online", "created")


def _first(record: Mapping[str, Any], key: str) -> str | None:
    """A text, or the first of a list of texts."""
    return text_at(record, key) or text_at(record, key, 0)


def _year(record: Json, key: str) -> str | None:
    date = record.get(key)
    return text_at(date, "date-parts", 0, 0) or text_at(date, "raw") or text_at(date, "literal") or text_at(date)


CROSSREF = Shape("crossref", "Crossref works, with JATS in the abstract", _is_crossref, _fields)
CSL = Shape("csl", "CSL JSON, as Zotero and Pandoc write it", _is_csl, _fields)
