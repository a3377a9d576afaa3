"""Triples as RDF, in the form that a client wants; with a bound on how many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from itertools import islice
from typing import TypeVar

from pyoxigraph import NamedNode, RdfFormat, Store, Triple, serialize

from kg import vocabulary as v
from kg.errors import ServeError
from kg.serve.answer import MAX_BYTES, Answer, Limits
from kg.turtle import prefixes, turtle

__all__ = ["FORMATS", "MEDIA_TYPES", "around", "bounded", "checked_size", "rdf_answer"]

FORMATS: Mapping[str, RdfFormat] = {
    "ttl": RdfFormat.TURTLE,
    "jsonld": RdfFormat.JSON_LD,
    "nt": RdfFormat.N_TRIPLES,
    "rdfxml": RdfFormat.RDF_XML,
    "turtle": RdfFormat.TURTLE,
    "json-ld": RdfFormat.JSON_LD,
    "rdf+xml": RdfFormat.RDF_XML,
}
"""The formats by the names that `?format=` takes: ours, then those that SPARQLWrapper sends."""

MEDIA_TYPES: Mapping[str, RdfFormat] = {known.media_type: known for known in FORMATS.values()} | {
    "application/xml": RdfFormat.RDF_XML,
    "text/xml": RdfFormat.RDF_XML,
}
"""The formats by media type, the one that we like best first."""

T = TypeVar("T")
_NARROW = "add LIMIT, or narrow the query"


def bounded(found: Iterable[T], limits: Limits, what: str, hint: str = _NARROW) -> Iterator[T]:
    """The first of `found` up to the limit. Raises ServeError when there are more: half an answer is a wrong one."""
    left = iter(found)
    yield from islice(left, limits.rows)
    if next(left, None) is not None:
        raise ServeError(400, f"the answer has more than {limits.rows:,} {what}", hint=hint)


def rdf_answer(triples: Iterable[Triple], media_type: str, limits: Limits, *, base: str, hint: str = _NARROW) -> Answer:
    """The triples in this RDF format. Raises ServeError when there are too many."""
    kind = MEDIA_TYPES[media_type]
    found = bounded(triples, limits, "triples", hint)
    body = _turtle(found, base) if kind == RdfFormat.TURTLE else _serialized(found, kind, base)
    return Answer(checked_size(body), media_type)


def _turtle(triples: Iterable[Triple], base: str) -> bytes:
    """Turtle in reading order; blank nodes, which only a query makes, have none."""
    distinct = set(triples)
    named = all(isinstance(t.subject, NamedNode) for t in distinct)
    return turtle(distinct, base=base) if named else _serialized(distinct, RdfFormat.TURTLE, base)


def _serialized(triples: Iterable[Triple], kind: RdfFormat, base: str) -> bytes:
    written = BytesIO()
    serialize(triples, written, kind, prefixes=prefixes(base))
    return written.getvalue()


def checked_size(body: bytes) -> bytes:
    """The body, if it is not too large to hand over; raises ServeError if it is."""
    if len(body) > MAX_BYTES:
        raise ServeError(400, f"the answer is larger than {MAX_BYTES >> 20} MiB", hint="ask for less at a time")
    return body


def around(store: Store, node: NamedNode) -> Iterator[Triple]:
    """What the graph says of a node: the triples that begin or end at it."""
    for quad in store.quads_for_pattern(node, None, None):
        yield quad.triple
    for quad in store.quads_for_pattern(None, None, node):
        if quad.subject != node and quad.predicate != v.TYPE:
            yield quad.triple
