"""Web of Science: field-tagged exports (isi, ciw, "Plain text file").

https://webofscience.help.clarivate.com/en-us/Content/wos-core-collection/woscc-field-tags.htm
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kg.readers.fields import Format, Record, best_id, bibliographic_paper, given_first
from kg.readers.source import Source
from kg.readers.tagged import Tagged, read_tagged

__all__ = ["WOS"]

TAG = re.compile(r"(?P<tag>[A-Z][A-Z0-9])(?: (?P<text>.*)|(?=\s*\Z))")


def _is_wos(sample: str) -> bool:
    return re.match(r"\s*(?:FN [^\n]*\n\s*VR |PT \w\n(?:[A-Z][A-Z0-9] |   ))", sample) is not None


def _read(source: Source, name: str) -> Iterator[Record]:
    for record in read_tagged(source.lines(), TAG, name, opens="PT", closes="ER"):
        yield bibliographic_paper(_fields(record), record.where)


def _fields(record: Tagged) -> dict[str, object]:
    return {
        "title": record.first("TI"),
        "abstract": record.text("AB"),
        "id": best_id(doi=record.first("DI"), own=record.first("UT")),
        "year": record.first("PY", "EA"),
        "venue": record.first("SO", "CT"),
        "authors": [given_first(author) for author in record.lines("AF") or record.lines("AU")],
        "url": None,
        "keywords": record.first("DE", "ID"),
    }


WOS = Format("wos", "Web of Science, field-tagged (isi, ciw, txt)", _is_wos, _read)
