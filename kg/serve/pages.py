"""The pages for people, each made from the graph by a worker or, where that is enough, from what is in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from pyoxigraph import Literal, NamedNode, QueryBoolean, QuerySolutions, QueryTriples, Store

from kg import vocabulary as v
from kg.errors import KgError, NameUnknownError, QueryError, ServeError
from kg.identity import BASE
from kg.lookup import find_entity
from kg.serve import rdf
from kg.serve.answer import Answer, OpenGraph
from kg.serve.examples import Example
from kg.serve.negotiate import choose
from kg.serve.ontology import ontology_turtle, terms
from kg.serve.overview import Overview
from kg.serve.profiles import entity_profile, kind_of, paper_profile, read_claim
from kg.serve.sparql import chosen, evaluate
from kg.serve.templates import page

__all__ = ["LEDGER_FILTERS", "editor", "explorer", "fault", "ledger", "ontology", "resource", "search", "start"]

LEDGER_FILTERS = ("task", "method", "dataset", "metric", "year")
_SLOT_OF = {"task": "task", "method": "subject", "dataset": "dataset", "metric": "metric"}
_PAGE_ROWS = 50
_SHOWN_ROWS = 1000
_FOUND = 60
_TOP = 12
_FAULTS = {404: "Not found", 400: "This cannot be answered", 503: "Too busy, or too slow"}


def start(overview: Overview) -> Answer:
    """The start page: what the graph holds, a search, and where to go from there."""
    tops = {kind: overview.names.top(kind, _TOP) for kind in v.ENTITY_TYPES}
    return page("start", base=overview.base, overview=overview, tops=tops)


def search(overview: Overview, words: str, kind: str) -> Answer:
    """The entities and papers that bear these words."""
    found = overview.names.find(words, kind=kind, limit=_FOUND)
    return page("search", base=overview.base, words=words, kind=kind, found=found, full=len(found) == _FOUND)


def fault(status: int, message: str, headers: Mapping[str, str]) -> Answer:
    """The page that says why there is no other."""
    shown = page("fault", base=BASE, status=status, title=_FAULTS.get(status, "No answer"), message=message)
    return Answer(shown.body, shown.media_type, status, headers)


def resource(graph: OpenGraph, iri: str, *, accept: str, form: str, whole: str) -> Answer:
    """A node of the graph, as a page or as RDF. Raises ServeError when the graph says nothing of it."""
    node = NamedNode(iri)
    if not _occurs(graph.store, node):
        raise ServeError(404, f"the graph says nothing of <{iri}>")
    if form or choose(accept, ["text/html", *rdf.MEDIA_TYPES]) != "text/html":
        media_type = chosen(accept, form, rdf.MEDIA_TYPES, rdf.FORMATS)
        return rdf.rdf_answer(rdf.around(graph.store, node), media_type, graph.limits, base=graph.base)
    kind = kind_of(graph.store, node)
    if kind in v.ENTITY_TYPES:
        return page("entity", base=graph.base, entity=entity_profile(graph.store, node, whole=whole))
    if kind == "Paper":
        return page("paper", base=graph.base, paper=paper_profile(graph.store, node))
    return _anything(graph, node, kind)


def _occurs(store: Store, node: NamedNode) -> bool:
    patterns = (node, None, None), (None, None, node)
    return any(next(store.quads_for_pattern(*pattern), None) is not None for pattern in patterns)


def _anything(graph: OpenGraph, node: NamedNode, kind: str) -> Answer:
    """The page of a node that has none of its own kind: every triple that begins or ends at it."""
    out = sorted(islice(graph.store.quads_for_pattern(node, None, None), _SHOWN_ROWS), key=str)
    into = islice(graph.store.quads_for_pattern(None, None, node), _SHOWN_ROWS)
    back = sorted((quad for quad in into if quad.subject != node), key=str)
    return page(
        "resource",
        base=graph.base,
        iri=node.value,
        kind=kind,
        out=[(quad.predicate.value, _cell(quad.object)) for quad in out],
        back=[(quad.predicate.value, _cell(quad.subject)) for quad in back],
    )


def _cell(term: Any) -> tuple[str, str]:
    """A term for a table: its kind, "iri" or "text", and its text."""
    if term is None:
        return "text", ""
    if isinstance(term, NamedNode):
        return "iri", term.value
    return "text", term.value if isinstance(term, Literal) else str(term)


def ledger(graph: OpenGraph, filters: Mapping[str, str], number: int, years: Sequence[str]) -> Answer:
    """One page of the results ledger, narrowed by what was typed; a name that is not there brings near ones."""
    filters = {name: value.strip() for name, value in filters.items()}
    try:
        pattern = _pattern(graph.store, filters)
    except (NameUnknownError, QueryError) as error:
        return page("ledger", base=graph.base, filters=filters, years=years, fault=str(error), **_NOTHING)
    total = _count(graph, pattern)
    last = max(1, -(-total // _PAGE_ROWS))
    number = max(1, min(number, last))
    rows = evaluate(graph, _LEDGER.format(pattern=pattern, limit=_PAGE_ROWS, offset=_PAGE_ROWS * (number - 1)))
    claims = [read_claim(graph.store, row["claim"]) for row in _solutions(rows)]
    return page(
        "ledger",
        base=graph.base,
        filters=filters,
        years=years,
        fault="",
        claims=claims,
        total=total,
        number=number,
        last=last,
    )


_NOTHING: dict[str, Any] = {"claims": [], "total": 0, "number": 1, "last": 1}
_LEDGER = """SELECT ?claim {{
  {pattern}
  OPTIONAL {{ ?claim kg:value ?value }}
  OPTIONAL {{ ?claim kg:metric ?metric }}
  OPTIONAL {{ ?claim kg:dataset ?dataset }}
}} ORDER BY DESC(BOUND(?value)) DESC(BOUND(?metric)) ?metric ?dataset DESC(?value) ?claim
LIMIT {limit} OFFSET {offset}"""


def _pattern(store: Store, filters: Mapping[str, str]) -> str:
    """The graph pattern of the results that fit. Raises NameUnknownError for a name that nothing bears."""
    lines = ["?claim a kg:Result ."]
    for name, slot in _SLOT_OF.items():
        if filters[name]:
            lines.append(f"?claim kg:{slot} {_entity(store, filters[name], name.capitalize())} .")
    if year := filters["year"]:
        lines.append(f"?paper kg:states ?claim ; dcterms:issued ?issued . FILTER(STR(?issued) = {Literal(year)})")
    return " ".join(lines)


def _entity(store: Store, name: str, kind: str) -> NamedNode:
    """The entity of this kind that is meant, in whatever case it is typed."""
    try:
        return find_entity(store, name, (kind,))
    except NameUnknownError as unknown:
        same = [near for near in unknown.candidates if near.casefold() == name.casefold()]
        if not same:
            raise
        return find_entity(store, same[0], (kind,))


def _count(graph: OpenGraph, pattern: str) -> int:
    counted = evaluate(graph, f"SELECT (COUNT(DISTINCT ?claim) AS ?total) {{ {pattern} }}")
    return next(int(row["total"].value) for row in _solutions(counted))


def _solutions(answer: Any) -> QuerySolutions:
    assert isinstance(answer, QuerySolutions)  # noqa: S101 (our own SELECT queries)
    return answer


def editor(graph: OpenGraph, query: str | None, example: str, examples: Sequence[Example]) -> Answer:
    """The SPARQL editor: a query, and below it its answer as a table."""
    chosen_example = next((known for known in examples if known.name == example), None)
    if query is None:
        text = chosen_example.text if chosen_example else _FIRST
        return page("editor", base=graph.base, examples=examples, query=text, **_UNASKED)
    values: dict[str, Any] = {"base": graph.base, "examples": examples, "query": query}
    try:
        return page("editor", **values, **_UNASKED | _shown(graph, query))
    except KgError as error:
        return page("editor", status=400, **values, **_UNASKED | {"fault": str(error)})


_FIRST = """PREFIX kg: <https://w3id.org/paperkg/ontology#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>

SELECT ?method ?task
WHERE {
  ?m a kg:Method ; skos:prefLabel ?method ; kg:usedFor ?t .
  ?t a kg:Task ; skos:prefLabel ?task .
}
LIMIT 100
"""
_UNASKED: dict[str, Any] = {"fault": "", "names": [], "rows": None, "more": False, "truth": None, "turtle": ""}


def _shown(graph: OpenGraph, query: str) -> dict[str, Any]:
    answer = evaluate(graph, query)
    if isinstance(answer, QueryBoolean):
        return {"truth": bool(answer)}
    if isinstance(answer, QueryTriples):
        triples = list(islice(answer, _SHOWN_ROWS + 1))
        kept = rdf.rdf_answer(triples[:_SHOWN_ROWS], "text/turtle", graph.limits, base=graph.base)
        return {"turtle": kept.body.decode(), "more": len(triples) > _SHOWN_ROWS}
    rows = [[_cell(term) for term in row] for row in islice(answer, _SHOWN_ROWS + 1)]
    names = [variable.value for variable in answer.variables]
    return {"names": names, "rows": rows[:_SHOWN_ROWS], "more": len(rows) > _SHOWN_ROWS}


def ontology(*, accept: str, form: str) -> Answer:
    """The terms that the graph uses, as a page or as RDF."""
    if not form and choose(accept, ["text/html", "text/turtle"]) == "text/html":
        return page("ontology", base=BASE, terms=terms(), namespace=v.KG)
    return Answer(ontology_turtle(), "text/turtle")


def explorer(graph: OpenGraph) -> Answer:
    """The graph explorer, drawn anew."""
    from kg.view import render_html

    return Answer(render_html(graph.store).encode(), "text/html")
