"""What a request of the SPARQL 1.1 Protocol asks: https://www.w3.org/TR/sparql11-protocol/."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from pyoxigraph import NamedNode

from kg.errors import ServeError
from kg.query import Dataset

__all__ = ["ACCEPTED", "Asked", "asked", "one", "parameters"]

ACCEPTED = "application/x-www-form-urlencoded, application/sparql-query"
"""The media types in which a query may be posted."""

_MOST_PARAMETERS = 200

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, the graphs that the request names for it, and the form that `format` names, if any."""

    query: str
    dataset: Dataset | None
    form: str


def asked(method: str, content_type: str, query_string: bytes, body: bytes) -> Asked | None:
    """The query of a request; None for a GET without one, which asks what the service is.

    Raises ServeError for what is not a query in one of the three ways of the protocol.
    """
    in_address = parameters(query_string)
    if method != "POST":
        return _asked(in_address) if in_address else None
    match content_type.partition(";")[0].strip().lower():
        case "application/x-www-form-urlencoded":
            return _asked([*in_address, *parameters(body)])
        case "application/sparql-query":
            return _asked([*(pair for pair in in_address if pair[0] != "query"), ("query", _utf8(body))])
        case "application/sparql-update":
            raise _no_update()
    given = content_type or "no content type"
    raise ServeError(
        415, f"a query cannot be sent as {given}", hint=f"send it as {ACCEPTED}", headers={"Accept-Post": ACCEPTED}
    )


def _asked(pairs: Pairs) -> Asked:
    if any(name in ("update", "using-graph-uri", "using-named-graph-uri") for name, _ in pairs):
        raise _no_update()
    query = one(pairs, "query")
    if query is None:
        raise ServeError(400, "the request holds no query", hint="give it as the parameter query")
    return Asked(query, _dataset(pairs), one(pairs, "format") or "")


def _no_update() -> ServeError:
    return ServeError(403, "updates are refused: this endpoint only reads")


def _dataset(pairs: Pairs) -> Dataset | None:
    default, named = (_iris(pairs, f"{kind}-graph-uri") for kind in ("default", "named"))
    return Dataset(default, named) if default or named else None


def _iris(pairs: Pairs, name: str) -> list[NamedNode]:
    try:
        return [NamedNode(value) for key, value in pairs if key == name]
    except ValueError as error:
        raise ServeError(400, f"{name} is not an IRI: {error}") from error


def parameters(encoded: bytes) -> list[tuple[str, str]]:
    """The names and values of a query string or form. Raises ServeError when it is not UTF-8 or has far too many."""
    try:
        return parse_qsl(_utf8(encoded), keep_blank_values=True, errors="strict", max_num_fields=_MOST_PARAMETERS)
    except UnicodeDecodeError as error:
        raise _not_utf8(error) from error
    except ValueError as error:
        raise ServeError(400, f"the request has more than {_MOST_PARAMETERS} parameters") from error


def _utf8(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8(error) from error


def _not_utf8(error: UnicodeDecodeError) -> ServeError:
    return ServeError(400, f"the request is not valid UTF-8: {error.reason}", hint="encode it in UTF-8")


def one(pairs: Collection[tuple[str, str]], name: str) -> str | None:
    """The only value of a parameter, None where it is not given. Raises ServeError where it is given twice."""
    values = [value for key, value in pairs if key == name]
    if len(values) > 1:
        raise ServeError(400, f"{name} is given {len(values)} times", hint="give it once")
    return values[0] if values else None
