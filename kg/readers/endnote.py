"""EndNote XML, as EndNote and other reference managers export it."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from kg.readers.fields import Format, Record, arxiv_in, best_id, bibliographic_paper, given_first
from kg.readers.source import Source
from kg.readers.xml_text import begins_with, child_text, read_elements, text_of

__all__ = ["ENDNOTE"]


def _read(source: Source, name: str) -> Iterator[Record]:
    for element in read_elements(source.pieces(), {"record"}, name):
        yield _reference(*element) if isinstance(element, tuple) else element


def _reference(record: Element, where: str) -> Record:
    url = child_text(record, "urls/related-urls/url", "urls/web-urls/url")
    doi = child_text(record, "electronic-resource-num")
    own = child_text(record, "accession-num", "rec-number")
    return bibliographic_paper(
        {
            "title": text_of(record.find("titles/title")) or None,
            "abstract": child_text(record, "abstract"),
            "id": best_id(doi=doi, arxiv=arxiv_in(url), own=own),
            "year": child_text(record, "dates/year", "dates/pub-dates/date"),
            "venue": child_text(record, "periodical/full-title", "titles/secondary-title"),
            "authors": [given_first(text_of(author)) for author in record.iterfind("contributors/authors/author")],
            "url": url,
            "keywords": [text_of(keyword) for keyword in record.iterfind("keywords/keyword")],
        },
        where,
    )


ENDNOTE = Format("endnote", "EndNote XML", begins_with("xml", "records"), _read)
