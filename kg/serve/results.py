"""The answer of a SELECT or ASK query in the W3C's four formats, written row by row so that a limit can end it.

JSON: https://www.w3.org/TR/sparql11-results-json/, XML: https://www.w3.org/TR/rdf-sparql-XMLres/,
CSV and TSV: https://www.w3.org/TR/sparql11-results-csv-tsv/.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

__all__ = ["FORMATS", "MEDIA_TYPES", "Format"]

Term = NamedNode | BlankNode | Literal | Triple
Row = Sequence[Term | None]

_STRING = "http://www.w3.org/2001/XMLSchema#string"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OUTER_SPACE = re.compile("^ | $")
_NEEDS_QUOTES = re.compile('[",\r\n]')


@dataclass(frozen=True, slots=True)
class Format:
    """A format of results: how rows are written under the names of their variables, and how yes or no is."""

    media_type: str
    rows: Callable[[Sequence[str], Iterable[Row]], Iterator[str]]
    truth: Callable[[bool], str]


def _json_rows(names: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    yield f'{{"head":{{"vars":{_dumps(list(names))}}},"results":{{"bindings":['
    separator = ""
    for row in rows:
        bound = {name: _json_term(term) for name, term in zip(names, row, strict=True) if term is not None}
        yield separator + _dumps(bound)
        separator = ","
    yield "]}}"


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _json_term(term: Term) -> dict[str, Any]:
    if isinstance(term, NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, Literal):
        return {"type": "literal", "value": term.value} | _json_kind(term)
    if isinstance(term, BlankNode):
        return {"type": "bnode", "value": term.value}
    parts = (("subject", term.subject), ("predicate", term.predicate), ("object", term.object))
    return {"type": "triple", "value": {name: _json_term(part) for name, part in parts}}


def _json_kind(literal: Literal) -> dict[str, str]:
    if literal.language:
        return {"xml:lang": literal.language}
    return {} if literal.datatype.value == _STRING else {"datatype": literal.datatype.value}


def _xml_rows(names: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    head = "".join(f"<variable name={quoteattr(name)}/>" for name in names)
    yield f"{_XML_HEAD}<head>{head}</head>\n<results>\n"
    for row in rows:
        cells = (
            f"<binding name={quoteattr(name)}>{_xml_term(term)}</binding>"
            for name, term in zip(names, row, strict=True)
            if term is not None
        )
        yield f"<result>{''.join(cells)}</result>\n"
    yield "</results>\n</sparql>\n"


_XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#">\n'


def _xml_term(term: Term) -> str:
    if isinstance(term, NamedNode):
        return f"<uri>{_xml_text(term.value)}</uri>"
    if isinstance(term, Literal):
        return f"<literal{_xml_kind(term)}>{_xml_text(term.value)}</literal>"
    if isinstance(term, BlankNode):
        return f"<bnode>{_xml_text(term.value)}</bnode>"
    parts = (("subject", term.subject), ("predicate", term.predicate), ("object", term.object))
    return f"<triple>{''.join(f'<{name}>{_xml_term(part)}</{name}>' for name, part in parts)}</triple>"


def _xml_kind(literal: Literal) -> str:
    if literal.language:
        return f" xml:lang={quoteattr(literal.language)}"
    return "" if literal.datatype.value == _STRING else f" datatype={quoteattr(literal.datatype.value)}"


def _xml_text(text: str) -> str:
    """The text for XML: what XML cannot hold becomes U+FFFD, and white space that a reader might trim is spelt out."""
    escaped = escape(_NOT_XML.sub("\ufffd", text), {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})
    return _OUTER_SPACE.sub("&#32;", escaped)


def _csv_rows(names: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    yield ",".join(names) + "\r\n"
    for row in rows:
        yield ",".join(map(_csv_term, row)) + "\r\n"


def _csv_term(term: Term | None) -> str:
    if term is None:
        return ""
    text = str(term) if isinstance(term, BlankNode | Triple) else term.value
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


def _tsv_rows(names: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    yield "\t".join(f"?{name}" for name in names) + "\n"
    for row in rows:
        yield "\t".join("" if term is None else str(term).replace("\t", "\\t") for term in row) + "\n"


JSON = Format(
    "application/sparql-results+json", _json_rows, lambda truth: f'{{"head":{{}},"boolean":{str(truth).lower()}}}'
)
XML = Format(
    "application/sparql-results+xml",
    _xml_rows,
    lambda truth: f"{_XML_HEAD}<head/>\n<boolean>{str(truth).lower()}</boolean>\n</sparql>\n",
)
CSV = Format("text/csv", _csv_rows, lambda truth: f"{str(truth).lower()}\r\n")
TSV = Format("text/tab-separated-values", _tsv_rows, lambda truth: f"{str(truth).lower()}\n")

FORMATS: Mapping[str, Format] = {"json": JSON, "xml": XML, "csv": CSV, "tsv": TSV}
"""The formats by the names that `?format=` takes."""

MEDIA_TYPES: Mapping[str, Format] = {known.media_type: known for known in FORMATS.values()} | {
    "application/json": JSON,
    "application/xml": XML,
    "text/xml": XML,
}
"""The formats by media type, ours first; the others are older names that clients still send."""
