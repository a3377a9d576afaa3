"""Zotero items, https://www.zotero.org/support/dev/web_api/v3/basics, from the API and from Better BibTeX."""

from __future__ import annotations

from kg.readers.fields import Fields, arxiv_in, identifiers, text_at
from kg.readers.markup import plain
from kg.readers.shape import Json, Shape, items, people, texts

__all__ = ["ZOTERO"]

NO_PAPERS = frozenset({"attachment", "note", "annotation"})

VENUES = ("publicationTitle", "proceedingsTitle", "conferenceName", "bookTitle", "repository", "university")


def _data(record: Json) -> Json:
    return record["data"] if isinstance(record.get("data"), dict) else record


def _matches(record: Json) -> bool:
    return "itemType" in _data(record)


def _fields(record: Json) -> Fields | None:
    data = _data(record)
    if data.get("itemType") in NO_PAPERS:
        return None
    abstract = text_at(data, "abstractNote")
    authors = [creator for creator in items(data.get("creators")) if creator.get("creatorType", "author") == "author"]
    return {
        "title": text_at(data, "title"),
        "abstract": plain(abstract) if abstract else None,
        **identifiers(
            doi=text_at(data, "DOI"),
            arxiv=arxiv_in(text_at(data, "archiveID"), text_at(data, "url")),
            own=text_at(data, "key"),
        ),
        "year": text_at(record, "meta", "parsedDate") or text_at(data, "date"),
        "venue": next((venue for key in VENUES if (venue := text_at(data, key))), None),
        "authors": people(authors, given="firstName", family="lastName", whole="name"),
        "url": text_at(data, "url"),
        "keywords": texts(data.get("tags"), "tag"),
    }


ZOTERO = Shape("zotero", "Zotero items, from the API or Better BibTeX", _matches, _fields)
