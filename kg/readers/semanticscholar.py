"""Semantic Scholar: the Academic Graph API and datasets, and the full texts of S2ORC in their three generations.

https://api.semanticscholar.org/api-docs/, https://github.com/allenai/s2orc,
https://github.com/allenai/s2orc-doc2json
"""

from __future__ import annotations

import json

from kg.readers.fields import Fields, at, identifiers, text_at
from kg.readers.shape import Json, Shape, items, people, texts

__all__ = ["S2ORC", "SEMANTIC_SCHOLAR"]


def _is_api(record: Json) -> bool:
    return "paperId" in record or "citingPaper" in record or "citedPaper" in record or _is_dataset(record)


def _is_dataset(record: Json) -> bool:
    return "corpusid" in record and "content" not in record


def _api_fields(record: Json) -> Fields:
    linked = record.get("citingPaper") or record.get("citedPaper")
    paper: Json = linked if isinstance(linked, dict) else record
    ids = {str(key).lower(): value for key, value in _external_ids(paper).items()}
    own = text_at(paper, "paperId") or text_at(paper, "corpusid")
    return {
        "title": text_at(paper, "title"),
        "abstract": text_at(paper, "abstract"),
        **identifiers(doi=text_at(ids, "doi"), arxiv=text_at(ids, "arxiv"), own=own),
        "year": paper.get("year") or paper.get("publicationDate"),
        "venue": text_at(paper, "venue") or text_at(paper, "journal", "name"),
        "authors": texts(paper.get("authors"), "name"),
        "url": text_at(paper, "url"),
        "keywords": None,
    }


def _external_ids(paper: Json) -> Json:
    places = (paper.get("externalIds"), paper.get("externalids"), at(paper.get("openaccessinfo"), "externalids"))
    return next((ids for ids in places if isinstance(ids, dict)), {})


def _is_s2orc(record: Json) -> bool:
    return "corpusid" in record or ("paper_id" in record and bool({"abstract", "metadata", "pdf_parse"} & set(record)))


def _s2orc_fields(record: Json) -> Fields:
    metadata: Json = record["metadata"] if isinstance(record.get("metadata"), dict) else record
    ids = _external_ids(record)
    doi, arxiv = text_at(metadata, "doi") or text_at(ids, "doi"), text_at(metadata, "arxiv_id") or text_at(ids, "arxiv")
    authors = [_author(author) for author in items(metadata.get("authors"))]
    return {
        "title": text_at(metadata, "title") or _annotated(record, "title"),
        "abstract": _paragraphs(record) or _annotated(record, "abstract"),
        **identifiers(doi=doi, arxiv=arxiv, own=text_at(record, "paper_id") or text_at(record, "corpusid")),
        "year": metadata.get("year"),
        "venue": text_at(metadata, "venue") or text_at(metadata, "journal"),
        "authors": people(authors, given="given", family="last", whole="name"),
        "url": text_at(metadata, "url"),
        "keywords": None,
    }


def _author(author: Json) -> dict[str, str | None]:
    middle = " ".join(texts(author.get("middle"))) or text_at(author, "middle")
    given = " ".join(part for part in (text_at(author, "first"), middle) if part)
    last = " ".join(part for part in (text_at(author, "last"), text_at(author, "suffix")) if part)
    return {"given": given, "last": last, "name": text_at(author, "name")}


def _paragraphs(record: Json) -> str | None:
    """The abstract as a text, or as the paragraphs of a parsed PDF."""
    for place in (record.get("abstract"), at(record.get("pdf_parse"), "abstract")):
        if text := text_at(place) or "\n".join(texts(place, "text")):
            return text
    return None


def _annotated(record: Json, kind: str) -> str | None:
    """The part of the full text that an annotation marks; the annotations are JSON within JSON."""
    full = at(record, "content", "text")
    spans = at(record, "content", "annotations", kind)
    try:
        found = json.loads(spans) if isinstance(spans, str) else spans
    except (ValueError, RecursionError):
        return None
    if not isinstance(full, str):
        return None
    ends = ((at(span, "start"), at(span, "end")) for span in items(found))
    parts = [full[start:end] for start, end in (map(_offset, pair) for pair in ends) if start is not None and end]
    return "\n".join(part.strip() for part in parts) or None


def _offset(value: object) -> int | None:
    digits = text_at(value)
    return int(digits) if digits and digits.isdecimal() and len(digits) < 10 else None


SEMANTIC_SCHOLAR = Shape("semanticscholar", "Semantic Scholar API and datasets", _is_api, _api_fields)
S2ORC = Shape("s2orc", "S2ORC full texts and metadata, of any generation", _is_s2orc, _s2orc_fields)
