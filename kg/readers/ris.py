"""RIS, https://en.wikipedia.org/wiki/RIS_(file_format), as reference managers and publishers write it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kg.readers.fields import Format, Record, arxiv_in, best_id, bibliographic_paper, given_first
from kg.readers.source import Source
from kg.readers.tagged import Tagged, read_tagged

__all__ = ["RIS"]

TAG = re.compile(r"\s{0,3}(?P<tag>[A-Z][A-Z0-9]) {1,3}-(?: (?P<text>.*)|(?=\n|\Z))")


def _is_ris(sample: str) -> bool:
    return re.search(r"^\s{0,3}TY {1,3}- ?\S", sample, re.MULTILINE) is not None


def _read(source: Source, name: str) -> Iterator[Record]:
    for record in read_tagged(source.lines(), TAG, name, opens="TY", closes="ER"):
        yield bibliographic_paper(_fields(record), record.where)


def _fields(record: Tagged) -> dict[str, object]:
    url = record.first("UR", "L2", "L1")
    doi = record.first("DO") or (url if url and "doi.org/" in url else None)
    return {
        "title": record.first("TI", "T1", "CT", "BT"),
        "abstract": record.text("AB", "N2"),
        "id": best_id(doi=doi, arxiv=arxiv_in(url), own=record.first("ID", "AN")),
        "year": record.first("PY", "Y1", "DA"),
        "venue": record.first("JO", "JF", "T2", "JA", "BT"),
        "authors": [given_first(author) for author in record.all("AU", "A1")],
        "url": url,
        "keywords": record.lines("KW"),
    }


RIS = Format("ris", "RIS, from reference managers and publishers", _is_ris, _read)
