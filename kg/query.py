"""Questions to a graph: SPARQL as given, or one of the named queries of `schemas/queries` with its parameters.

A named query is a SPARQL file that begins with comments::

    # Methods used for a task, with the number of papers that say so.
    # @param task Task: the task, by any of its names

A parameter is a variable that the query binds with ``VALUES ?task { UNDEF }``, so that the file as it stands is
SPARQL for any task. Its argument is looked up in the graph and takes the place of UNDEF as an RDF term. What stands
behind ``# with ?task:`` counts only when there is an argument; so the query starts from it, which is fast.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pyoxigraph import Literal, NamedNode, QueryBoolean, QuerySolutions, QueryTriples, Store

from kg import vocabulary as v
from kg.errors import QueryError
from kg.lookup import find_entity, find_node, find_paper, find_property
from kg.syntax import is_update, reaches_out
from kg.turtle import prefixes

__all__ = ["Dataset", "NamedQuery", "Parameter", "Result", "bound_query", "fill", "named_queries", "run", "run_named"]

Result = QueryBoolean | QuerySolutions | QueryTriples

_PARAMETER = re.compile(r"@param (?P<name>\w+) (?P<kind>\w+)(?P<optional>\?)?: (?P<description>.+)")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a named query; `kind` is an entity type, Entity, Node, Paper, Property, ClaimKind or Text."""

    name: str
    kind: str
    description: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Dataset:
    """The graphs that a query asks: those that make up its default graph, and those that GRAPH may name."""

    default: list[NamedNode]
    named: list[NamedNode]


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A query of `schemas/queries`, with what it answers in one sentence."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    text: str


@cache
def named_queries() -> Mapping[str, NamedQuery]:
    """The named queries by name, in alphabetical order."""
    folder = files("kg.schemas") / "queries"
    found = (file for file in folder.iterdir() if file.name.endswith(".rq"))
    queries = (_parse(file.name.removesuffix(".rq"), file.read_text(encoding="utf-8")) for file in found)
    return {query.name: query for query in sorted(queries, key=lambda query: query.name)}


def _parse(name: str, text: str) -> NamedQuery:
    lines = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")]
    parameters = tuple(
        Parameter(m["name"], m["kind"], m["description"], m["optional"] is not None)
        for m in map(_PARAMETER.fullmatch, lines)
        if m
    )
    description = " ".join(line for line in lines if not line.startswith("@"))
    return NamedQuery(name, description, parameters, text)


def run_named(store: Store, name: str, arguments: Mapping[str, str]) -> Result:
    """The answer of the named query, given its arguments as a person types them; errors as of :func:`bound_query`."""
    return run(store, bound_query(store, name, arguments))


def bound_query(store: Store, name: str, arguments: Mapping[str, str]) -> str:
    """The named query as SPARQL with its arguments, given as a person types them, in their places.

    Raises QueryError for an unknown query or a wrong argument, NameUnknownError for a name that no node bears.
    """
    query = named_queries().get(name)
    if query is None:
        raise QueryError(f'there is no query named "{name}"', hint=f"one of: {', '.join(named_queries())}")
    known = {parameter.name: parameter for parameter in query.parameters}
    missing = [p.name for p in query.parameters if p.name not in arguments and not p.optional]
    unknown = [given for given in arguments if given not in known]
    if missing or unknown:
        wants = ", ".join(f"--{p.name} ({p.description})" for p in query.parameters) or "no parameters"
        fault = f"lacks {', '.join(missing)}" if missing else f"does not know {', '.join(unknown)}"
        raise QueryError(f'the query "{name}" {fault}', hint=f"it takes {wants}")
    terms = {given: _term(store, known[given].kind, argument) for given, argument in arguments.items()}
    return fill(query, terms)


def fill(query: NamedQuery, terms: Mapping[str, NamedNode | Literal]) -> str:
    """The text of a named query with these terms as its arguments."""
    text = query.text
    for name, term in terms.items():
        text = text.replace(_values(name), _values(name, term)).replace(f"# with ?{name}: ", "")
    return text


def _values(name: str, term: NamedNode | Literal | None = None) -> str:
    return f"VALUES ?{name} {{ {term or 'UNDEF'} }}"


def _term(store: Store, kind: str, text: str) -> NamedNode | Literal:
    if kind in v.ENTITY_TYPES:
        return find_entity(store, text, (kind,))
    match kind:
        case "Entity":
            return find_entity(store, text)
        case "Node":
            return find_node(store, text)
        case "Paper":
            return find_paper(store, text)
        case "Property":
            return find_property(text)
        case "ClaimKind":
            return _claim_kind(text)
        case "Text":
            return Literal(text)
    raise QueryError(f'a parameter has the unknown kind "{kind}"', hint="see kg/query.py for the kinds there are")


def _claim_kind(text: str) -> NamedNode:
    """The class of claims that a word such as "limitation" or "Results" means."""
    wanted = text.strip().lower().removesuffix("s")
    kind = next((kind for kind in v.CLAIM_KINDS if kind.lower() == wanted), None)
    if kind is None:
        raise QueryError(f'"{text}" is no kind of claim', hint=f"one of: {', '.join(v.CLAIM_KINDS)}")
    return v.kg(kind)


def run(store: Store, text: str, *, dataset: Dataset | None = None) -> Result:
    """The answer of a SPARQL query. The prefixes of the vocabulary need no declaration.

    `dataset` takes the place of what the query says with FROM. Raises QueryError for a query that is wrong, that
    would change the graph, or that would reach out to another server.
    """
    if reaches_out(text):
        raise QueryError("SERVICE is refused: a query asks this graph alone", hint="leave out the SERVICE block")
    chosen = {} if dataset is None else {"default_graph": dataset.default, "named_graphs": dataset.named}
    try:
        return store.query(text, prefixes=prefixes(), **chosen)  # type: ignore[arg-type]
    except SyntaxError as error:
        if is_update(text):
            raise QueryError(
                "updates are refused: the graph is only read", hint="build it anew to change it"
            ) from error
        raise QueryError(f"not valid SPARQL: {error}", hint="kg query --list shows queries to start from") from error
