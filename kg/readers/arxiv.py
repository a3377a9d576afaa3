"""arXiv: the snapshot of its metadata, https://www.kaggle.com/datasets/Cornell-University/arxiv, and Atom feeds.

https://info.arxiv.org/help/api/user-manual.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element  # only made here, by `read_elements`, never parsed

from kg.errors import RecordError
from kg.readers.fields import Fields, Format, Record, best_id, bibliographic_paper, text_at
from kg.readers.latex import plain_latex
from kg.readers.shape import Json, Shape
from kg.readers.source import Source
from kg.readers.xml_text import begins_with, child_text, read_elements

__all__ = ["ARXIV", "ARXIV_ATOM"]


def _matches(record: Json) -> bool:
    return "authors_parsed" in record or {"categories", "update_date"} <= set(record)


def _fields(record: Json) -> Fields:
    own, title = text_at(record, "id"), text_at(record, "title")
    return {
        "title": plain_latex(title) if title else None,
        "abstract": text_at(record, "abstract"),
        "id": best_id(doi=text_at(record, "doi"), arxiv=own, own=own),
        "year": text_at(record, "versions", 0, "created") or text_at(record, "update_date"),
        "venue": text_at(record, "journal-ref"),
        "authors": _authors(record),
        "url": f"https://arxiv.org/abs/{own}" if own else None,
        "keywords": (text_at(record, "categories") or "").split(),
    }


def _authors(record: Json) -> list[str] | str | None:
    parsed = record.get("authors_parsed")
    if not isinstance(parsed, list):
        listed = text_at(record, "authors")
        return plain_latex(listed) if listed else None
    names = ((text_at(name, 1), text_at(name, 0), text_at(name, 2)) for name in parsed)
    return [plain_latex(" ".join(part for part in name if part)) for name in names]


ARXIV = Shape("arxiv", "arXiv's metadata snapshot, as JSON Lines", _matches, _fields)


def _read_atom(source: Source, name: str) -> Iterator[Record]:
    for element in read_elements(source.pieces(), {"entry"}, name):
        yield _entry(*element) if isinstance(element, tuple) else element


def _entry(entry: Element, where: str) -> Record:
    address = child_text(entry, "id") or ""
    if "/api/errors" in address:
        return RecordError(f"arXiv reports: {child_text(entry, 'summary')}", where=where, hint="ask it again")
    own = re.sub(r"^.*/abs/", "", address)
    return bibliographic_paper(
        {
            "title": plain_latex(child_text(entry, "title") or ""),
            "abstract": child_text(entry, "summary"),
            "id": best_id(doi=child_text(entry, "doi"), arxiv=own, own=own),
            "year": child_text(entry, "published"),
            "venue": child_text(entry, "journal_ref"),
            "authors": [text for author in entry.iter("author") if (text := child_text(author, "name"))],
            "url": address,
            "keywords": [term for category in entry.iter("category") if (term := category.get("term"))],
        },
        where,
    )


ARXIV_ATOM = Format("arxiv-atom", "Atom feeds of arXiv's API", begins_with("feed", "entry"), _read_atom)
