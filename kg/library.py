"""What `import kg` offers: build or load a graph, ask it, and take it elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from pyoxigraph import Literal, QueryBoolean, QuerySolutions, RdfFormat, Store, serialize

from kg.errors import GraphError, InputError
from kg.explain import Explanation, explain
from kg.export import FORMATS, export
from kg.lookup import find_node, find_property
from kg.network import to_networkx
from kg.pipeline import BuildOptions
from kg.pipeline import build as build_triples
from kg.query import named_queries, run, run_named
from kg.store import content, load_graph, memory_store

if TYPE_CHECKING:
    import networkx
    import rdflib

__all__ = ["Graph", "build", "load"]

Value = str | int | float | Decimal | bool | None

_READERS: Mapping[str, Callable[[str], Value]] = {
    "integer": int,
    "decimal": Decimal,
    "double": float,
    "boolean": lambda text: text == "true",
}
_SUFFIXES = {"rdf": "rdfxml", "xml": "rdfxml"}


class Graph:
    """A built graph. `problems` lists the records that were left out; `store` is the pyoxigraph store itself."""

    def __init__(self, store: Store, problems: Iterable[InputError] = ()) -> None:
        self.store = store
        self.problems = tuple(problems)

    def __len__(self) -> int:
        """The number of triples."""
        return sum(1 for _ in content(self.store))

    def query(self, query: str, **arguments: str) -> list[dict[str, Value]] | bool | Graph:
        """The answer to a SPARQL query or to a named query with its arguments.

        SELECT gives a row a solution, IRIs as strings and numbers as numbers; ASK gives a bool; CONSTRUCT and
        DESCRIBE give a graph. Raises QueryError and NameUnknownError.
        """
        named = query in named_queries()
        answer = run_named(self.store, query, arguments) if named else run(self.store, query)
        if isinstance(answer, QueryBoolean):
            return bool(answer)
        if isinstance(answer, QuerySolutions):
            names = [variable.value for variable in answer.variables]
            return [{name: _value(row[name]) for name in names} for row in answer]
        return Graph(memory_store(answer))

    def explain(self, subject: str, predicate: str | None = None, other: str | None = None) -> list[Explanation]:
        """The sentences behind every statement about `subject`, each given by name or IRI."""
        relation = find_property(predicate) if predicate else None
        end = find_node(self.store, other) if other else None
        return explain(self.store, find_node(self.store, subject), relation, end)

    def to_networkx(self, *, papers: bool = True) -> networkx.MultiDiGraph:
        """The entities and, with `papers`, the papers as a networkx graph (see :mod:`kg.network`)."""
        return to_networkx(self.store, papers=papers)

    def to_rdflib(self) -> rdflib.Graph:
        """The content as an rdflib graph; over a minute and a gigabyte for a million triples."""
        import rdflib

        return rdflib.Graph().parse(data=serialize(content(self.store), format=RdfFormat.N_TRIPLES), format="nt")

    def save(self, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002
        """Writes the graph to `path`, in the format that its name ends in unless `format` says another."""
        out = Path(path)
        suffix = out.suffix.removeprefix(".").lower()
        kind = format or _SUFFIXES.get(suffix, suffix)
        if kind not in FORMATS:
            raise GraphError(f'no format is named "{kind}"', where=str(out), hint=f"one of: {' '.join(FORMATS)}")
        export(self.store, kind, out)


def build(*inputs: str | os.PathLike[str], options: BuildOptions = BuildOptions()) -> Graph:  # noqa: B008 (frozen)
    """The graph of the papers in these files and folders, in memory."""
    built = build_triples(inputs, options=options)
    return Graph(memory_store(built.triples, built.quads()), built.problems)


def load(path: str | os.PathLike[str]) -> Graph:
    """The graph at `path`: a folder that `kg build` wrote, or a file in any RDF format."""
    return Graph(load_graph(path))


def _value(term: object) -> Value:
    if not isinstance(term, Literal):
        return None if term is None else str(getattr(term, "value", term))
    read = _READERS.get(term.datatype.value.rpartition("#")[2])
    return read(term.value) if read else term.value
