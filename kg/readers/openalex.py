"""OpenAlex works, https://docs.openalex.org/api-entities/works/work-object, from the API and the snapshot."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from kg.readers.fields import Fields, at, best_id, text_at
from kg.readers.shape import Json, Shape, texts

__all__ = ["OPENALEX"]


def _matches(record: Json) -> bool:
    return "abstract_inverted_index" in record or "authorships" in record


def _fields(record: Json) -> Fields:
    venue = text_at(record, "primary_location", "source", "display_name")
    known = best_id(doi=text_at(record, "doi"), own=text_at(record, "id"))
    url = text_at(record, "primary_location", "landing_page_url") or text_at(record, "id")
    return {
        "title": text_at(record, "title") or text_at(record, "display_name"),
        "abstract": _abstract(record.get("abstract_inverted_index")) or text_at(record, "abstract"),
        "id": known,
        "aliases": sorted(set(_elsewhere(record)) - {known, url}),
        "year": record.get("publication_year"),
        "venue": venue or text_at(record, "host_venue", "display_name"),
        "authors": texts(record.get("authorships"), "author", "display_name"),
        "url": url,
        "keywords": texts(record.get("keywords"), "display_name") or texts(record.get("keywords"), "keyword"),
    }


def _elsewhere(record: Json) -> Iterator[str]:
    """The addresses at OpenAlex, PubMed and arXiv: where another source may know the paper from."""
    pages = texts(record.get("locations"), "landing_page_url")
    best = text_at(record, "best_oa_location", "landing_page_url")
    for page in (text_at(record, "id"), text_at(record, "ids", "pmid"), best, *pages):
        if page and HOSTS.search(page):
            yield page


HOSTS = re.compile(r"//(?:[\w.]+\.)?(?:openalex\.org|pubmed\.ncbi\.nlm\.nih\.gov|arxiv\.org)/")


def _abstract(index: object) -> str | None:
    """The text of an inverted index, {"word": [positions]}, which may be JSON within JSON or wrapped as in MAG."""
    if isinstance(index, str):
        try:
            index = json.loads(index)
        except (ValueError, RecursionError):
            return None
    words = at(index, "InvertedIndex") or index
    if not isinstance(words, dict):
        return None
    placed = (
        (position, word)
        for word, positions in words.items()
        if isinstance(positions, list)
        for position in positions
        if isinstance(position, int)
    )
    return " ".join(word for _, word in sorted(placed)) or None


OPENALEX = Shape("openalex", "OpenAlex works, from the API or the snapshot", _matches, _fields)
