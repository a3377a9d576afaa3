"""SPARQL 1.1 Protocol and Graph Store Protocol as a worker does them: a query or a graph in, an answer out.

https://www.w3.org/TR/sparql11-protocol/, https://www.w3.org/TR/sparql11-http-rdf-update/ (reading only).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from pyoxigraph import DefaultGraph, Literal, NamedNode, QueryBoolean, QuerySolutions, Triple

from kg import vocabulary as v
from kg.errors import QueryError, ServeError
from kg.query import Dataset, Result, run
from kg.serve import rdf, results
from kg.serve.answer import Answer, OpenGraph
from kg.serve.negotiate import choose

__all__ = ["answer_query", "describe_service", "evaluate", "read_graph"]


def answer_query(graph: OpenGraph, query: str, *, accept: str, form: str, dataset: Dataset | None) -> Answer:
    """The answer of a query in the form that `accept` or, if it is not empty, `form` asks for.

    Raises QueryError for a wrong query, ServeError for a form that we do not have or an answer that is too large.
    """
    answer = evaluate(graph, query, dataset)
    if isinstance(answer, QueryBoolean | QuerySolutions):
        media_type = chosen(accept, form, results.MEDIA_TYPES, results.FORMATS)
        kind = results.MEDIA_TYPES[media_type]
        pieces = (
            iter((kind.truth(bool(answer)),))
            if isinstance(answer, QueryBoolean)
            else kind.rows([variable.value for variable in answer.variables], _rows(answer, graph))
        )
        return Answer(rdf.checked_size("".join(pieces).encode()), media_type)
    return rdf.rdf_answer(answer, chosen(accept, form, rdf.MEDIA_TYPES, rdf.FORMATS), graph.limits, base=graph.base)


def evaluate(graph: OpenGraph, query: str, dataset: Dataset | None = None) -> Result:
    """The answer of a query; should it reach for the network after all, it is told that there is none."""
    try:
        return run(graph.store, query, dataset=dataset)
    except OSError as error:
        raise QueryError(f"the query cannot be answered: {error}") from error


def _rows(answer: QuerySolutions, graph: OpenGraph) -> Iterator[tuple[Any, ...]]:
    try:
        yield from map(tuple, rdf.bounded(answer, graph.limits, "rows"))
    except OSError as error:
        raise QueryError(f"the query cannot be answered: {error}") from error


def chosen(accept: str, form: str, offers: Collection[str], named: Mapping[str, Any]) -> str:
    """The media type to answer in: that of `form` where it fits this kind of answer, else the best of `accept`.

    Raises ServeError when we have none that is wanted.
    """
    if form in named:
        return str(named[form].media_type)
    if form and form not in results.FORMATS and form not in rdf.FORMATS:
        raise ServeError(406, f'there is no format "{form}"', hint=f"one of: {', '.join(named)}")
    media_type = choose(accept, offers)
    if media_type is None:
        raise ServeError(406, "none of the formats in the Accept header is there", hint=f"one of: {', '.join(offers)}")
    return media_type


def read_graph(graph: OpenGraph, iri: str | None, *, accept: str, form: str) -> Answer:
    """The triples of one graph, of the default graph where `iri` is None. Raises ServeError where there is none."""
    name = DefaultGraph() if iri is None else NamedNode(iri)
    if isinstance(name, NamedNode) and not graph.store.contains_named_graph(name):
        raise ServeError(404, f"there is no graph <{iri}>", hint="the default graph holds the content: ?default")
    media_type = chosen(accept, form, rdf.MEDIA_TYPES, rdf.FORMATS)
    triples = (quad.triple for quad in graph.store.quads_for_pattern(None, None, None, name))
    return rdf.rdf_answer(triples, media_type, graph.limits, base=graph.base, hint="kg export writes all of it")


def describe_service(graph: OpenGraph, endpoint: str, *, accept: str) -> Answer:
    """The description of this endpoint: its language, its formats and its graphs."""
    media_type = chosen(accept, "", rdf.MEDIA_TYPES, rdf.FORMATS)
    return rdf.rdf_answer(_description(graph, endpoint), media_type, graph.limits, base=graph.base)


def _description(graph: OpenGraph, endpoint: str) -> Iterator[Triple]:
    service, default = NamedNode(endpoint), NamedNode(f"{endpoint}#default")
    dataset = NamedNode(f"{endpoint}#dataset")
    yield Triple(service, v.TYPE, _sd("Service"))
    yield Triple(service, _sd("endpoint"), service)
    yield Triple(service, _sd("supportedLanguage"), _sd("SPARQL11Query"))
    yield from (Triple(service, _sd("resultFormat"), NamedNode(form)) for form in _FORMATS)
    yield Triple(service, _sd("defaultDataset"), dataset)
    yield Triple(dataset, v.TYPE, _sd("Dataset"))
    yield Triple(dataset, _sd("defaultGraph"), default)
    yield Triple(default, v.TYPE, _sd("Graph"))
    yield Triple(default, _TRIPLES, Literal(_size(graph)))
    for number, name in enumerate(_named_graphs(graph)):
        entry = NamedNode(f"{endpoint}#graph-{number}")
        yield Triple(dataset, _sd("namedGraph"), entry)
        yield Triple(entry, v.TYPE, _sd("NamedGraph"))
        yield Triple(entry, _sd("name"), NamedNode(name))


_TRIPLES = NamedNode("http://rdfs.org/ns/void#triples")
_FORMATS = tuple(
    f"http://www.w3.org/ns/formats/{name}"
    for name in (
        "SPARQL_Results_JSON",
        "SPARQL_Results_XML",
        "SPARQL_Results_CSV",
        "SPARQL_Results_TSV",
        "Turtle",
        "JSON-LD",
        "N-Triples",
        "RDF_XML",
    )
)


def _sd(name: str) -> NamedNode:
    return NamedNode(f"http://www.w3.org/ns/sparql-service-description#{name}")


def _size(graph: OpenGraph) -> int:
    return len(graph.store) - sum(_length(graph, name) for name in _named_graphs(graph))


def _length(graph: OpenGraph, name: str) -> int:
    return sum(1 for _ in graph.store.quads_for_pattern(None, None, None, NamedNode(name)))


def _named_graphs(graph: OpenGraph) -> Iterable[str]:
    return sorted(name.value for name in graph.store.named_graphs() if isinstance(name, NamedNode))
