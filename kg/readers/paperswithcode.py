"""The dump of abstracts of Papers with Code, https://github.com/paperswithcode/paperswithcode-data."""

from __future__ import annotations

from kg.readers.fields import Fields, best_id, text_at
from kg.readers.shape import Json, Shape, texts

__all__ = ["PAPERS_WITH_CODE"]


def _matches(record: Json) -> bool:
    return "paper_url" in record or {"url_abs", "url_pdf"} <= set(record)


def _fields(record: Json) -> Fields:
    own = text_at(record, "openreview_id")
    return {
        "title": text_at(record, "title"),
        "abstract": text_at(record, "abstract"),
        "id": best_id(arxiv=text_at(record, "arxiv_id"), own=f"openreview:{own}" if own else None),
        "year": text_at(record, "date"),
        "venue": text_at(record, "proceeding"),
        "authors": texts(record.get("authors")),
        "url": text_at(record, "url_abs") or text_at(record, "paper_url"),
        "keywords": texts(record.get("tasks")),
    }


PAPERS_WITH_CODE = Shape("paperswithcode", "Papers with Code, papers-with-abstracts.json", _matches, _fields)
