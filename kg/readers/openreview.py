"""OpenReview notes, https://docs.openreview.net/reference/api-v2, of versions 1 and 2 of the API."""

from __future__ import annotations

from typing import Any

from kg.readers.fields import Fields, best_id, text_at
from kg.readers.shape import Json, Shape

__all__ = ["OPENREVIEW"]


def _matches(record: Json) -> bool:
    marks = {"forum", "invitation", "invitations", "signatures", "tcdate", "cdate"}
    return isinstance(record.get("content"), dict) and bool(marks & set(record) or "abstract" in record["content"])


def _fields(record: Json) -> Fields | None:
    content = {str(key): _value(value) for key, value in record["content"].items()}
    own = text_at(record, "forum") or text_at(record, "id")
    if not content.get("abstract") and (record.get("replyto") or text_at(record, "id") != own):
        return None  # a review or comment
    authors, keywords = content.get("authors"), content.get("keywords")
    return {
        "title": text_at(content, "title"),
        "abstract": text_at(content, "abstract"),
        "id": best_id(doi=text_at(content, "doi"), own=f"openreview:{own}" if own else None),
        "year": _year(content, record),
        "venue": text_at(content, "venue"),
        "authors": [name for name in authors if isinstance(name, str)] if isinstance(authors, list) else None,
        "url": f"https://openreview.net/forum?id={own}" if own else None,
        "keywords": [word for word in keywords if isinstance(word, str)] if isinstance(keywords, list) else None,
    }


def _value(value: Any) -> Any:
    """What version 2 wraps in {"value": ...}."""
    return value["value"] if isinstance(value, dict) and "value" in value else value


def _year(content: Json, record: Json) -> str | None:
    """The year in the venue, such as "ICLR 2025" or "ICLR.cc/2025/Conference", or in the BibTeX entry."""
    places = (content.get("venue"), content.get("venueid"), content.get("_bibtex"), record.get("invitation"))
    return next((text for text in places if isinstance(text, str) and any(map(str.isdigit, text))), None)


OPENREVIEW = Shape("openreview", "OpenReview notes, from version 1 or 2 of the API", _matches, _fields)
