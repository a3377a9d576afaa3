"""The interfaces over which arXiv, OpenReview, OpenAlex and Semantic Scholar give papers away, page by page.

Each gives its own records, which the readers of :mod:`kg.readers` know; what arXiv gives as Atom is put into the shape
of its metadata snapshot, so that all of them are JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode
from xml.etree.ElementTree import Element  # only made here, by `read_elements`, never parsed

from kg.errors import InputError, PassingError, WebError
from kg.readers.xml_text import begins_with, child_text, read_elements
from kg.web import Ask, is_markup, of_page

__all__ = ["APIS", "Api", "Asked", "Page"]

Json = Mapping[str, Any]


class Asked(NamedTuple):
    """What is wanted: `size` records of those that the query finds, from `position` on."""

    query: str
    position: str
    size: int
    email: str | None = None
    key: str | None = None


class Page(NamedTuple):
    """Some records, how many the query finds in all, and the position of the next page, None after the last."""

    records: list[Json]
    total: int | None
    next: str | None


@dataclass(frozen=True, slots=True)
class Api:
    """An interface: how many seconds it wants between two requests, and how it is asked and read.

    `ask` gives the request at an endpoint, `read` the page in an answer, `identify` the identifier that a record keeps
    from one answer to the next. `key` names the environment variable that may hold a key.
    """

    name: str
    endpoint: str
    pause: float
    size: int
    first: str
    ask: Callable[[str, Asked], Ask]
    read: Callable[[bytes, Asked], Page]
    identify: Callable[[Json], str | None]
    key: str | None = None


def _address(endpoint: str, path: str, parameters: Mapping[str, object]) -> str:
    given = {name: value for name, value in parameters.items() if value is not None}
    return f"{endpoint.rstrip('/')}/{path}?{urlencode(given)}"


def _own_id(name: str) -> Callable[[Json], str | None]:
    return lambda record: str(record[name]) if record.get(name) else None


# arXiv, https://info.arxiv.org/help/api/user-manual.html

ARXIV_MOST = 30_000
"""arXiv gives no more results of one query."""

_FIELD = re.compile(r"\b(?:ti|au|abs|co|jr|cat|rn|id|all|submittedDate|lastUpdatedDate):")
_WORD = re.compile(r'"[^"]+"|[^\s"]+')


def _ask_arxiv(endpoint: str, asked: Asked) -> Ask:
    if int(asked.position) >= ARXIV_MOST:
        raise WebError(
            f"arXiv gives only the first {ARXIV_MOST:,} results of a query",
            where=endpoint,
            hint="split it by time: ... AND submittedDate:[202501010000 TO 202506302359]",
        )
    parameters = {
        "search_query": _arxiv_query(asked.query),
        "start": asked.position,
        "max_results": asked.size,
        "sortBy": "submittedDate",
        "sortOrder": "ascending",  # what is submitted meanwhile comes last, and moves nothing
    }
    return Ask(_address(endpoint, "query", parameters))


def _arxiv_query(query: str) -> str:
    """The query in arXiv's language: words without a field must all be there.

    >>> _arxiv_query('"graph neural" speech'), _arxiv_query("cat:cs.CL AND abs:prompt")
    ('all:"graph neural" AND all:speech', 'cat:cs.CL AND abs:prompt')
    """
    if _FIELD.search(query):
        return query
    return " AND ".join(f"all:{word}" for word in _WORD.findall(query))


def _read_arxiv(body: bytes, asked: Asked) -> Page:
    text = body.decode("utf-8", "replace")
    if not begins_with("feed")(text):
        raise _not_expected(body, "Atom")
    records: list[Json] = []
    total = None
    for element in _elements(text):
        if element.tag == "totalResults":
            total = _number(element.text)
        elif "/api/errors" in (child_text(element, "id") or ""):
            raise WebError(f"arXiv reports: {child_text(element, 'summary')}", hint="is the query right?")
        else:
            records.append(_snapshot_record(element))
    start = int(asked.position)
    if not records and start < (total or 0):
        raise PassingError(f"arXiv answers with an empty page, though {total:,} results are promised")
    return Page(records, total, _next_offset(start, len(records), total, asked.size))


def _elements(text: str) -> list[Element]:
    found = []
    try:
        for element in read_elements(iter([text]), {"entry", "totalResults"}, "the answer"):
            if isinstance(element, InputError):
                raise PassingError(f"the answer is damaged: {element.fault}") from element
            found.append(element[0])
    except InputError as error:
        raise WebError(error.fault, hint="is this arXiv?") from error
    return found


def _snapshot_record(entry: Element) -> Json:
    """The entry in the shape of https://www.kaggle.com/datasets/Cornell-University/arxiv, the empty fields left out."""
    address = child_text(entry, "id") or ""
    number, version = re.fullmatch(r"(?:.*/abs/)?(.*?)(v\d+)?", address.strip(), re.DOTALL).groups()  # type: ignore[union-attr]
    names = [name for author in entry.iter("author") if (name := child_text(author, "name"))]
    record = {
        "id": number,
        "title": child_text(entry, "title"),
        "abstract": child_text(entry, "summary"),
        "authors": "; ".join(" ".join(name.split()) for name in names),
        "categories": " ".join(term for category in entry.iter("category") if (term := category.get("term"))),
        "doi": child_text(entry, "doi"),
        "journal-ref": child_text(entry, "journal_ref"),
        "comments": child_text(entry, "comment"),
        "versions": [{"version": version or "v1", "created": child_text(entry, "published")}],
        "url": f"https://arxiv.org/abs/{number}",
    }
    return {name: value for name, value in record.items() if value} | {
        "categories": record["categories"] or "",
        "update_date": (child_text(entry, "updated") or "")[:10],
    }


# OpenReview, https://docs.openreview.net/reference/api-v2


def _ask_openreview(endpoint: str, asked: Asked) -> Ask:
    """By invitation if the query holds "/-/", by venue if it is such as "ICLR.cc/2025/Conference", else by words."""
    page = {"limit": asked.size, "offset": asked.position}
    if "/-/" in asked.query:
        return Ask(_address(endpoint, "notes", {"invitation": asked.query, "sort": "id", **page}))
    if re.fullmatch(r"[\w.-]+\.\w+/[\w./-]+", asked.query):
        return Ask(_address(endpoint, "notes", {"content.venueid": asked.query, "sort": "id", **page}))
    words = {"term": asked.query, "content": "all", "group": "all", "source": "forum", **page}
    return Ask(_address(endpoint, "notes/search", words))


def _read_openreview(body: bytes, asked: Asked) -> Page:
    answer = _object(body)
    notes = _records(answer, "notes", body)
    total = _number(answer.get("count"))
    return Page(notes, total, _next_offset(int(asked.position), len(notes), total, asked.size))


# OpenAlex, https://developers.openalex.org

_OPENALEX_FIELDS = (
    "id,doi,ids,title,display_name,publication_year,publication_date,language,type,primary_location,best_oa_location,authorships,keywords"
    ",abstract_inverted_index,updated_date"
)


def _ask_openalex(endpoint: str, asked: Asked) -> Ask:
    """By filter if the query is one, such as "publication_year:2025,title.search:graph", else by words."""
    is_filter = re.match(r"[a-z_]+(?:\.[a-z_]+)*:\S", asked.query) is not None
    parameters = {
        "search": None if is_filter else asked.query,
        "filter": f"{asked.query},has_abstract:true" if is_filter else "has_abstract:true",
        "select": _OPENALEX_FIELDS,
        "per_page": asked.size,
        "cursor": asked.position,
        "mailto": asked.email,
        "api_key": asked.key,
    }
    return Ask(_address(endpoint, "works", parameters))


def _read_openalex(body: bytes, asked: Asked) -> Page:
    del asked
    answer = _object(body)
    works = _records(answer, "results", body)
    meta = answer.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    following = meta.get("next_cursor")
    return Page(works, _number(meta.get("count")), str(following) if following and works else None)


# Semantic Scholar, https://api.semanticscholar.org/api-docs/

_S2_FIELDS = "title,abstract,year,publicationDate,venue,journal,externalIds,url,authors,corpusId"


def _ask_s2(endpoint: str, asked: Asked) -> Ask:
    parameters = {"query": asked.query, "fields": _S2_FIELDS, "token": asked.position or None}
    secret = {"x-api-key": asked.key} if asked.key else {}
    return Ask(_address(endpoint, "paper/search/bulk", parameters), secret=secret)


def _read_s2(body: bytes, asked: Asked) -> Page:
    del asked
    answer = _object(body)
    token = answer.get("token")
    papers = [] if answer.get("total") == 0 and "data" not in answer else _records(answer, "data", body)
    return Page(papers, _number(answer.get("total")), str(token) if token and papers else None)


# What they have in common


def _next_offset(start: int, found: int, total: int | None, size: int) -> str | None:
    more = found >= size if total is None else start + found < total
    return str(start + found) if found and more else None


def _object(body: bytes) -> Json:
    if is_markup(body):
        raise _not_expected(body, "JSON")
    try:
        answer = json.loads(body, strict=False)
    except (ValueError, RecursionError) as error:
        raise PassingError(f"the answer is no valid JSON: {error}", hint="is the endpoint right?") from error
    if not isinstance(answer, dict):
        raise _not_expected(body, "a JSON object")
    return answer


def _records(answer: Json, name: str, body: bytes) -> list[Json]:
    records = answer.get(name)
    if not isinstance(records, list):
        raise _not_expected(body, f'JSON with a list of "{name}"')
    return [record for record in records if isinstance(record, dict)]


def _not_expected(body: bytes, expected: str) -> WebError:
    fault = f"the answer is not {expected}; it says: {of_page(body) or 'nothing'}"
    return WebError(fault, hint="is the endpoint right, or is a login page between?")


def _number(value: object) -> int | None:
    digits = str(value).strip()
    return int(digits) if digits.isdecimal() and len(digits) < 12 else None


ARXIV = Api(
    name="arxiv",
    endpoint="https://export.arxiv.org/api",
    pause=3.0,
    size=200,
    first="0",
    ask=_ask_arxiv,
    read=_read_arxiv,
    identify=_own_id("id"),
)
OPENREVIEW = Api(
    name="openreview",
    endpoint="https://api2.openreview.net",
    pause=1.0,
    size=500,
    first="0",
    ask=_ask_openreview,
    read=_read_openreview,
    identify=_own_id("id"),
)
OPENALEX = Api(
    name="openalex",
    endpoint="https://api.openalex.org",
    pause=0.2,
    size=100,
    first="*",
    ask=_ask_openalex,
    read=_read_openalex,
    identify=_own_id("id"),
    key="OPENALEX_API_KEY",
)
S2 = Api(
    name="s2",
    endpoint="https://api.semanticscholar.org/graph/v1",
    pause=1.0,
    size=1000,
    first="",
    ask=_ask_s2,
    read=_read_s2,
    identify=_own_id("paperId"),
    key="S2_API_KEY",
)
APIS: Mapping[str, Api] = {api.name: api for api in (ARXIV, OPENREVIEW, OPENALEX, S2)}
"""By name, with the pauses and page sizes that their documentation asks for."""
