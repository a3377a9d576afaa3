"""The addresses of the server, and what each does: a request becomes a job for a worker, its answer the response."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyoxigraph import NamedNode
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from kg.errors import KgError, ServeError
from kg.serve import pages, rdf, sparql
from kg.serve.answer import Answer, Job, Limits
from kg.serve.cache import Answers
from kg.serve.guard import Guard
from kg.serve.links import KINDS, href
from kg.serve.negotiate import choose, prefers
from kg.serve.overview import Overview
from kg.serve.pool import Pool
from kg.serve.protocol import ACCEPTED, asked, one, parameters
from kg.serve.worker import refusal

__all__ = ["Served", "make_app"]

MAX_BODY = 2**20
"""The longest query that is read, in bytes."""

HTML = "text/html"
_RDF = "text/turtle"
_STATIC = Path(__file__).with_name("static")
_EXPLORER_POLICY = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'none'"
"""For the explorer, whose page carries a policy of its own with the hashes of its scripts."""

_TO_NOBODY = Answer(b"", "text/plain", 503)


@dataclass(frozen=True, slots=True)
class Served:
    """What is served: the store's folder, what is known of it, and, where there are, its Turtle and its explorer."""

    folder: Path
    overview: Overview
    limits: Limits
    turtle: Path | None = None
    explorer: Path | None = None
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


def make_app(served: Served) -> Starlette:
    """The application. Its workers live as long as it does."""

    @asynccontextmanager
    async def workers(app: Starlette) -> AsyncIterator[None]:
        async with Pool(served.folder, served.limits) as pool:
            app.state.answers = Answers(pool.ask)
            yield

    middleware = [Middleware(Guard, hosts=served.hosts, shared=bool(served.origins))]
    if served.origins:
        methods, headers = ("GET", "HEAD", "POST"), ("Accept", "Content-Type")
        middleware.append(
            Middleware(CORSMiddleware, allow_origins=served.origins, allow_methods=methods, allow_headers=headers)
        )
    app = Starlette(
        routes=_routes(),
        middleware=middleware,
        exception_handlers={KgError: _refused, HTTPException: _not_served},  # type: ignore[dict-item]
        lifespan=workers,
    )
    app.state.served = served
    return app


def _routes() -> list[Route | Mount]:
    return [
        Route("/", _start),
        Route("/search", _search),
        Route("/results", _ledger),
        Route("/editor", _editor),
        Route("/completions.json", _completions),
        Route("/ontology", _ontology),
        Route("/graph", _explorer),
        Route("/sparql", _sparql, methods=["GET", "POST"]),
        Route("/data", _data),
        Route("/resource", _resource),
        *(Route(f"/{kind}/{{name:path}}", _thing) for kind in KINDS),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]


async def _sparql(request: Request) -> Response:
    found = asked(
        request.method, request.headers.get("content-type", ""), request.scope["query_string"], await _body(request)
    )
    accept = _accept(request)
    if found is None:
        if prefers(accept, HTML, _RDF):
            return RedirectResponse("/editor", 303, {"Vary": "Accept"})
        endpoint = _checked(str(request.url.replace(path="/sparql", query="", fragment="")))
        return await _ask(request, partial(sparql.describe_service, endpoint=endpoint, accept=accept))
    job = partial(sparql.answer_query, query=found.query, accept=accept, form=found.form, dataset=found.dataset)
    return await _ask(request, job)


async def _body(request: Request) -> bytes:
    """The body of the request. Raises ServeError when it is longer than a query may be."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise ServeError(413, f"a query may be {MAX_BODY >> 20} MiB long; this one is longer")
    return bytes(body)


def _accept(request: Request) -> str:
    return ", ".join(request.headers.getlist("accept"))


async def _data(request: Request) -> Response:
    given = parameters(request.scope["query_string"])
    iri, default, form = one(given, "graph"), one(given, "default"), one(given, "format") or ""
    if (iri is None) == (default is None):
        raise ServeError(400, "which graph? Ask for ?default or for ?graph= with an IRI")
    turtle, accept = _served(request).turtle, _accept(request)
    as_turtle = form in ("ttl", "turtle") or (not form and choose(accept, rdf.MEDIA_TYPES) == _RDF)
    if iri is None and turtle is not None and as_turtle:
        return FileResponse(turtle, media_type=_RDF, headers={"Vary": "Accept"})
    if iri is not None:
        _checked(iri)
    return await _ask(request, partial(sparql.read_graph, iri=iri, accept=accept, form=form))


def _checked(iri: str) -> str:
    try:
        return NamedNode(iri).value
    except ValueError as error:
        raise ServeError(400, f"not an IRI: {error}", where=iri) from error


async def _thing(request: Request) -> Response:
    """A thing of this graph, by the path that its IRI has here."""
    path = request.scope.get("raw_path", request.scope["path"].encode()).decode("ascii", "replace")
    return await _described(request, _served(request).overview.base + path.partition("?")[0].removeprefix("/"))


async def _resource(request: Request) -> Response:
    """Any node of the graph, by its IRI."""
    iri = one(parameters(request.scope["query_string"]), "iri")
    if not iri:
        raise ServeError(400, "which resource? Give its IRI as ?iri=")
    base = _served(request).overview.base
    if (place := href(iri, base)).startswith("/resource?"):
        return await _described(request, iri)
    return RedirectResponse(place, 303)


async def _described(request: Request, iri: str) -> Response:
    whole = one(parameters(request.scope["query_string"]), "all") or ""
    form = one(parameters(request.scope["query_string"]), "format") or ""
    job = partial(pages.resource, iri=_checked(iri), accept=_accept(request), form=form, whole=whole)
    return await _ask(request, job)


async def _start(request: Request) -> Response:
    return await _page(pages.start, _served(request).overview)


async def _search(request: Request) -> Response:
    given = parameters(request.scope["query_string"])
    words, kind = one(given, "q") or "", one(given, "kind") or ""
    overview = _served(request).overview
    if prefers(_accept(request), "application/json", HTML):
        found = overview.names.find(words, kind=kind)
        offers = [{"label": n.label, "kind": n.kind, "href": href(n.iri, overview.base)} for n in found]
        return Response(json.dumps(offers), media_type="application/json", headers={"Vary": "Accept"})
    return await _page(pages.search, overview, words, kind)


async def _ledger(request: Request) -> Response:
    given = parameters(request.scope["query_string"])
    filters = {name: one(given, name) or "" for name in pages.LEDGER_FILTERS}
    years = _served(request).overview.years
    return await _ask(request, partial(pages.ledger, filters=filters, number=_number(one(given, "page")), years=years))


def _number(text: str | None) -> int:
    return min(int(text), 10**6) if text and text.isascii() and text.isdigit() and len(text) < 8 else 1


async def _editor(request: Request) -> Response:
    given = parameters(request.scope["query_string"])
    job = partial(
        pages.editor,
        query=one(given, "query"),
        example=one(given, "example") or "",
        examples=_served(request).overview.examples,
    )
    return await _ask(request, job)


async def _completions(request: Request) -> Response:
    return Response(_served(request).overview.completions, media_type="application/json")


async def _ontology(request: Request) -> Response:
    form = one(parameters(request.scope["query_string"]), "format") or ""
    return _response(await run_in_threadpool(pages.ontology, accept=_accept(request), form=form))


async def _explorer(request: Request) -> Response:
    policy = {"Content-Security-Policy": _EXPLORER_POLICY}
    if (page := _served(request).explorer) is not None:
        return FileResponse(page, media_type=HTML, headers=policy)
    answer = await _unless_gone(request, request.app.state.answers.ask(partial(pages.explorer)))
    return _response(answer, policy)


async def _page(make: Callable[..., Answer], *arguments: object) -> Response:
    """A page made here, of what is in memory."""
    return _response(await run_in_threadpool(make, *arguments))


async def _ask(request: Request, job: Job) -> Response:
    return _response(await _unless_gone(request, request.app.state.answers.ask(job)), for_html=_wants_page(request))


async def _unless_gone(request: Request, asking: Awaitable[Answer]) -> Answer:
    """The answer, unless the client goes first: then the job is stopped, and nobody reads what is given back."""
    answer = asyncio.ensure_future(asking)
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
        return answer.result() if answer.done() else _TO_NOBODY
    finally:
        for task in (answer, gone):
            task.cancel()
        await asyncio.gather(answer, gone, return_exceptions=True)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _served(request: Request) -> Served:
    served: Served = request.app.state.served
    return served


def _response(answer: Answer, headers: Mapping[str, str] | None = None, *, for_html: bool = False) -> Response:
    if for_html and answer.status >= 400 and answer.media_type == "text/plain":
        answer = pages.fault(answer.status, answer.body.decode().strip(), answer.headers)
    shown = {"Vary": "Accept", **answer.headers, **(headers or {})}
    return Response(answer.body, answer.status, shown, answer.media_type)


def _wants_page(request: Request) -> bool:
    """Whether the client is a person's browser at an address that has pages."""
    return request.url.path not in ("/sparql", "/data") and prefers(_accept(request), HTML, "text/plain")


async def _refused(request: Request, error: KgError) -> Response:
    return _response(refusal(error), for_html=_wants_page(request))


async def _not_served(request: Request, error: HTTPException) -> Response:
    faults = {404: "nothing is at this address", 405: f"{request.method} is not allowed here: this server only reads"}
    headers = dict(error.headers or {})
    if error.status_code == 405 and request.url.path == "/sparql":
        headers["Accept-Post"] = ACCEPTED
    refused = ServeError(error.status_code, faults.get(error.status_code, error.detail), headers=headers)
    return _response(refusal(refused), for_html=_wants_page(request))
