"""Pushing: a graph into any server that speaks the SPARQL 1.1 Graph Store HTTP Protocol, in batches.

https://www.w3.org/TR/sparql11-http-rdf-update/: PUT replaces a graph, POST adds to it. The triples of our graphs hold
no blank nodes, so one that comes twice is there once: a request may be tried again, and so may a whole run.
"""

from __future__ import annotations

import base64
import gzip
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from pyoxigraph import BlankNode, NamedNode, RdfFormat, Store, Triple, serialize

from kg.errors import GraphError, WebError
from kg.store import content
from kg.web import Ask, Clock, Web, checked_address

__all__ = ["Pushed", "basic", "bearer", "push"]

BATCH = 20_000
"""Triples in a request, some 3 MB."""

TIMEOUT = 300.0
"""Seconds; a server may index what it is given before it answers."""

ADDRESSES = "as http://HOST:7878/store of Oxigraph or http://HOST:3030/DATASET/data of Fuseki"


@dataclass(slots=True)
class Pushed:
    """How many of all triples have arrived, in how many requests."""

    total: int
    arrived: int = 0
    requests: int = 0


def basic(user: str, password: str) -> str:
    """The header that says who one is by name and password, RFC 7617."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")


def bearer(token: str) -> str:
    """The header that says who one is by a token, RFC 6750."""
    return f"Bearer {token}"


def push(
    store: Store,
    endpoint: str,
    *,
    graph: str | None = None,
    batch: int = BATCH,
    replace: bool = False,
    compressed: bool = False,
    authorization: str | None = None,
    clock: Clock = Clock(),  # noqa: B008  (frozen)
    notice: Callable[[str], None] = lambda _: None,
    progress: Callable[[Pushed], None] = lambda _: None,
) -> Pushed:
    """Sends the store's content to the graph store at `endpoint`, into its default graph or the one named `graph`.

    With `replace`, the first request takes away what was there. Raises WebError when the server fails, which says how
    much has arrived, and GraphError for a graph with blank nodes: their triples cannot be sent apart, nor twice.
    """
    url = _graph_url(checked_address(endpoint), graph)
    web = Web(timeout=TIMEOUT, clock=clock, notice=notice)
    pushed = Pushed(_checked_count(store))
    for triples in _batches(content(store), batch):
        method = "PUT" if replace and not pushed.requests else "POST"
        try:
            web.ask(_request(method, url, triples, compressed=compressed, authorization=authorization), bytes)
        except WebError as error:
            _say_what_arrived(error, pushed)
            raise
        pushed.arrived += len(triples)
        pushed.requests += 1
        progress(pushed)
    return pushed


def _graph_url(endpoint: str, graph: str | None) -> str:
    """The address of a graph in a graph store, section 4.2 of the protocol."""
    name = "default" if graph is None else f"graph={quote(NamedNode(graph).value, safe='')}"
    return f"{endpoint}{'&' if '?' in endpoint else '?'}{name}"


def _checked_count(store: Store) -> int:
    count = 0
    for triple in content(store):
        if isinstance(triple.subject, BlankNode) or isinstance(triple.object, BlankNode):
            raise GraphError("this graph holds blank nodes, which do not survive being sent in parts", hint="name them")
        count += 1
    return count


def _batches(triples: Iterable[Triple], size: int) -> Iterator[list[Triple]]:
    """The triples in lists of this size, the last one shorter; one empty list for no triples."""
    left = iter(triples)
    yield list(itertools.islice(left, size))
    while batch := list(itertools.islice(left, size)):
        yield batch


def _request(method: str, url: str, triples: Iterable[Triple], *, compressed: bool, authorization: str | None) -> Ask:
    body = serialize(triples, format=RdfFormat.N_TRIPLES) or b""
    headers = {"Content-Type": "application/n-triples"}
    if compressed:
        headers["Content-Encoding"] = "gzip"
        body = gzip.compress(body, 5)
    secret = {"Authorization": authorization} if authorization else {}
    return Ask(url, method, headers, secret, body)


def _say_what_arrived(error: WebError, pushed: Pushed) -> None:
    told = (
        f"{pushed.arrived:,} of {pushed.total:,} triples have arrived; the same command again sends all, none doubled"
    )
    hint = f"expected the address of a graph store, {ADDRESSES}" if error.status in (404, 405) else error.hint
    error.hint = f"{hint}; {told}" if hint else told
