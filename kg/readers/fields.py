"""From the fields of a record to a paper, or to what is wrong with it: what all readers share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from kg.errors import InputError, RecordError
from kg.readers.source import Source
from kg.records import Paper

__all__ = [
    "ABSTRACT_LIMIT",
    "FIELDS",
    "Fields",
    "Format",
    "Record",
    "arxiv_in",
    "at",
    "best_id",
    "bibliographic_paper",
    "given_first",
    "harmless",
    "identifiers",
    "kind_of",
    "labelled",
    "paper",
    "person",
    "text_at",
]

ABSTRACT_LIMIT = 100_000
"""Longest abstract in characters, some 15,000 words: above it stands a whole paper, or a quote left open."""

FIELDS = ("title", "abstract", "id", "year", "venue", "authors", "url", "keywords", "aliases")

Record = Paper | InputError

Fields = Mapping[str, object]
"""What a record says under the names of `FIELDS`; None for what it does not say."""


class Format(NamedTuple):
    """How papers may be written: `recognises` judges the first characters, `read` takes the source and its name."""

    name: str
    about: str
    recognises: Callable[[str], bool]
    read: Callable[[Source, str], Iterator[Record]]


def paper(fields: Mapping[str, object], where: str) -> Record:
    """The paper of a record, or what is wrong with it. Fields of other names are ignored, letter case too."""
    values = {name.strip().lower(): value for name, value in fields.items()}
    try:
        return Paper(
            abstract=_abstract(values, where),
            title=_text(values, "title", where),
            id=_text(values, "id", where),
            year=_year(values.get("year")),
            venue=_text(values, "venue", where),
            authors=_authors(values.get("authors"), where),
            url=_text(values, "url", where),
            keywords=_keywords(values.get("keywords"), where),
            aliases=_aliases(values.get("aliases"), where),
            source=where,
        )
    except RecordError as error:
        return error


def bibliographic_paper(fields: Fields, where: str) -> Record:
    """The paper of a record from a bibliography: what is no abstract is cut off it, a lack is reported by title."""
    abstract = fields.get("abstract")
    if isinstance(abstract, str) and abstract.strip():
        return paper({**fields, "abstract": _only_abstract(abstract)}, where)
    title = " ".join(harmless(str(fields.get("title") or fields.get("id") or "")).split())
    shown = title if len(title) <= 80 else f"{title[:79]}…"
    return RecordError("the abstract is missing", where=where, hint=f"of {shown}" if shown else "nor has it a title")


# What is no abstract


def _only_abstract(text: str) -> str:
    """The text without "Abstract:" before it and without a copyright notice or funding paragraph after it."""
    kept = LABEL.sub("", text.strip())
    if len(kept) > ABSTRACT_LIMIT:
        return kept
    previous = None
    while kept != previous:
        previous = kept
        kept = NOTICE.sub(_without_notice, FUNDING.sub("", kept)).rstrip()
    return kept if LETTER.search(kept) else text.strip()


def _without_notice(notice: re.Match[str]) -> str:
    return "" if NOTICE_WORD.search(notice[0]) else notice[0]


LETTER = re.compile(r"[^\W\d_]")
LABEL = re.compile(r"\Aabstract\s*(?:[:.—–]\s*|\n\s*)(?=\S)", re.IGNORECASE)
NOTICE = re.compile(
    r"(?:(?<=[.!?)\]\"”])[ \t]{0,20}|\n\s{0,20})(?:copyright\s{0,3})?"
    r"(?:©|\(c\)\s{0,3}(?=(?:19|20)\d\d,?\s+(?-i:[A-Z])|the author)|(?<=copyright )(?=(?:19|20)\d\d))[^\n]{0,400}\Z",
    re.IGNORECASE,
)
"""A copyright notice that ends a text, after a sentence or on its own line; `NOTICE_WORD` must be in it."""
NOTICE_WORD = re.compile(
    r"(?:19|20)\d\d|rights|author|licen[cs]e|publish|elsevier|springer|wiley|ieee|acm", re.IGNORECASE
)
FUNDING = re.compile(
    r"\n\s{0,20}(?:(?:this|the)\s(?:\w{1,20}\s){1,3}(?:was|is|were|are|has been)\s"
    r"(?:\w{1,20}\s){0,2}(?:supported|funded)\s"
    r"|(?:funding|financial support)\s{0,3}:)[^\n]{0,2000}\Z",
    re.IGNORECASE,
)


def labelled(parts: Iterable[tuple[str | None, str]]) -> str:
    """A structured abstract as one text, each part after its label: "METHODS: We ..."."""
    return "\n".join(_with_label(label, text) for label, text in parts if text)


def _with_label(label: str | None, text: str) -> str:
    name = " ".join((label or "").split()).rstrip(":")
    if not name or name.upper() in NO_LABELS or text.upper().startswith(f"{name.upper()}:"):
        return text
    return f"{name}: {text}"


NO_LABELS = frozenset({"UNLABELLED", "UNASSIGNED", "ABSTRACT"})


# Out of nested values


def at(value: object, *path: str | int) -> object:
    """What stands at the path of names and positions, or None."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and -len(value) <= step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def text_at(value: object, *path: str | int) -> str | None:
    """The text or number at the path as a text, or None for anything else and for nothing but space."""
    found = at(value, *path)
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return None
    try:
        return str(found).strip() or None
    except ValueError:  # a number of more digits than Python converts
        return None


def best_id(*, doi: str | None = None, arxiv: str | None = None, own: str | None = None) -> str | None:
    """The identifier that most sources share: the DOI, else the arXiv identifier, else the source's own.

    >>> best_id(doi="https://doi.org/10.1000/182", own="W1"), best_id(arxiv="2104.12255v1"), best_id(own="W1")
    ('10.1000/182', 'arXiv:2104.12255v1', 'W1')
    """
    if doi and (found := DOI.search(doi)):
        return found[0].rstrip(".,;")
    if arxiv and (number := ARXIV.search(arxiv)):
        return f"arXiv:{number[0]}"
    return own


def identifiers(*, doi: str | None = None, arxiv: str | None = None, own: str | None = None) -> dict[str, object]:
    """The best of the identifiers as the field `id`, and the arXiv number beside a DOI as an alias.

    >>> identifiers(doi="10.1000/182", arxiv="2104.12255")
    {'id': '10.1000/182', 'aliases': ['arXiv:2104.12255']}
    """
    best, number = best_id(doi=doi, arxiv=arxiv, own=own), best_id(arxiv=arxiv)
    return {"id": best, "aliases": [number] if number and number != best else None}


DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")
ARXIV = re.compile(
    r"(?<![\d.])\d{4}\.\d{4,5}(?:v\d+)?(?![\d.]*\d)|(?<![a-z-])[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?"
)


def arxiv_in(*texts: str | None) -> str | None:
    """The first of the texts that speaks of arXiv, such as an address or "arXiv preprint arXiv:2104.12255"."""
    return next((text for text in texts if text and "arxiv" in text.lower()), None)


# Names of people


def person(*, given: str | None = None, family: str | None = None, whole: str | None = None) -> str | None:
    """A name in its usual order."""
    return " ".join(part for part in (given, family) if part) or whole


def given_first(name: str) -> str:
    """A name from a list of references in its usual order.

    >>> given_first("Lovelace, Ada"), given_first("King, Jr, Martin"), given_first("Ada Lovelace")
    ('Ada Lovelace', 'Martin King Jr', 'Ada Lovelace')
    """
    family, *rest = [part.strip() for part in name.split(",") if part.strip()] or [""]
    suffix = [part for part in rest if SUFFIX.fullmatch(part)]
    given = [part for part in rest if part not in suffix]
    return " ".join([*given, family, *suffix]) if len(given) < 2 else name.strip(" ,")


SUFFIX = re.compile(r"(?:jr|sr)\.?|i{2,3}|iv", re.IGNORECASE)


# The fields of a paper


def _abstract(values: Mapping[str, object], where: str) -> str:
    value = values.get("abstract")
    if value is None:
        found = ", ".join(harmless(name) for name in list(values)[:20]) or "none"
        fault = "the abstract is missing" if "abstract" not in values else "the abstract is null"
        raise RecordError(fault, where=where, hint=f"the fields are: {found}")
    if not isinstance(value, str):
        raise RecordError(f"the abstract is {kind_of(value)}", where=where, hint="expected a text")
    if not value.strip():
        raise RecordError("the abstract is empty", where=where, hint="expected a text")
    if LETTER.search(value) is None:
        raise RecordError("the abstract has no word in it", where=where, hint="expected a text")
    if len(value) > ABSTRACT_LIMIT:
        fault = f"the abstract has {len(value):,} characters, more than {ABSTRACT_LIMIT:,}"
        raise RecordError(fault, where=where, hint="is it a whole paper, or a quotation mark left open?")
    return harmless(value)


def _text(values: Mapping[str, object], name: str, where: str) -> str | None:
    value = values.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RecordError(f"the {name} is {kind_of(value)}", where=where, hint="expected a text or null")
    return harmless(" ".join(str(value).split())) or None


def _year(value: object) -> int | None:
    """The year from 1500 to 2199 in "2025", 2025.0 or "2025-04-24"; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    found = re.search(r"(?<!\d)(?:1[5-9]|2[01])\d\d(?!\d)", str(value))
    return int(found[0]) if found else None


def _authors(value: object, where: str) -> tuple[str, ...]:
    return _tidy(_split_authors(value) if isinstance(value, str) else _listed(value, "authors", where))


def _keywords(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return _tidy(re.split(r"[;\n]" if ";" in value else r"[,\n]", value))
    return _tidy(part for text in _listed(value, "keywords", where) for part in text.split(";"))


def _aliases(value: object, where: str) -> tuple[str, ...]:
    return _tidy(value.split() if isinstance(value, str) else _listed(value, "aliases", where))


def _listed(value: object, field: str, where: str) -> list[str]:
    """The names in a list of texts or of objects with a name each; nothing for null."""
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    names = [item.get("name") if isinstance(item, dict) else item for item in items if item is not None]
    texts = [name for name in names if isinstance(name, str)]
    if len(texts) < len(names):
        hint = 'expected a text or a list such as ["Ada Lovelace", "Alan Turing"]'
        raise RecordError(f"the {field} are not a list of names", where=where, hint=hint)
    return texts


def _split_authors(text: str) -> Iterator[str]:
    """The authors between ";", "and", and those commas that stand between full names."""
    for part in re.split(r";|\band\b|&|\n", text):
        pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
        full_names = len(pieces) > 1 and all(" " in piece for piece in pieces)
        yield from pieces if full_names else [part.strip(" ,")]


def _tidy(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(tidy for text in texts if (tidy := harmless(" ".join(text.split()))))


def harmless(text: str) -> str:
    """The text with U+FFFD for what XML and UTF-8 cannot hold: lone surrogates and most control characters."""
    return UNWRITABLE.sub("\ufffd", text)


UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    return KINDS.get(type(value), type(value).__name__)


KINDS = {
    type(None): "nothing (null)",
    bool: "true or false",
    dict: "an object",
    float: "a number",
    int: "a number",
    list: "a list",
    str: "a text",
}
