"""The store that a graph lives in, and its files: Oxigraph, used directly.

The default graph holds the content. What made it, a `kg:Build`, stands in the graph named `<base>build`, so that
the content is the same bytes whoever built it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import Path

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Store, Triple, parse, serialize

from kg import vocabulary as v
from kg.errors import GraphError
from kg.identity import BASE, content_hash

__all__ = [
    "build_quads",
    "content",
    "create_store",
    "in_default_graph",
    "is_store",
    "load_graph",
    "memory_store",
    "prefixes",
    "turtle",
]

_KINDS = ("paper", "entity", "claim", "statement", "evidence", "mention")
_READABLE = {
    ".ttl": RdfFormat.TURTLE,
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".trig": RdfFormat.TRIG,
    ".jsonld": RdfFormat.JSON_LD,
    ".rdf": RdfFormat.RDF_XML,
    ".xml": RdfFormat.RDF_XML,
}
STORE_FOLDER = "store"


def prefixes(base: str = BASE) -> dict[str, str]:
    """The prefixes of the vocabulary and of the things that live under `base`."""
    return v.PREFIXES | {kind: f"{base}{kind}/" for kind in _KINDS}


def create_store(path: Path, triples: Iterable[Triple], build: Iterable[Quad] = ()) -> Store:
    """A new store in the folder `path` with these triples as its content; the folder must not exist."""
    if path.exists():
        raise GraphError("a folder is in the way of the new store", where=str(path), hint="remove it first")
    store = Store(str(path))
    store.bulk_extend(in_default_graph(triples))
    store.bulk_extend(build)
    store.flush()
    return store


def load_graph(path: str | os.PathLike[str]) -> Store:
    """The graph at `path`, to read: a build's folder, its store, or a file in any RDF format.

    Raises GraphError where there is none, or none that can be read.
    """
    place = Path(path)
    if not place.exists():
        raise GraphError("no graph is here", where=str(place), hint="build one first: kg build INPUT... -o FOLDER")
    if place.is_file():
        store = Store()
        store.extend(_parsed(place))
        return store
    folder = place / STORE_FOLDER if (place / STORE_FOLDER).is_dir() else place
    if is_store(folder):
        try:
            return Store.read_only(str(folder))
        except OSError as error:
            raise GraphError(f"the store cannot be opened: {error}", where=str(folder)) from error
    if (turtle_file := place / "graph.ttl").is_file():
        return load_graph(turtle_file)
    raise GraphError(
        "this folder holds no graph",
        where=str(place),
        hint="expected a folder that kg build wrote, with graph.ttl in it",
    )


def is_store(path: Path) -> bool:
    """Whether the folder is a store of Oxigraph, which RocksDB keeps: each has a file named CURRENT."""
    return (path / "CURRENT").is_file()


def _parsed(path: Path) -> Iterator[Quad]:
    kind = _READABLE.get(path.suffix.lower())
    if kind is None:
        known = " ".join(_READABLE)
        raise GraphError(
            "unknown kind of graph file", where=str(path), hint=f"the file's name must end in one of {known}"
        )
    try:
        yield from parse(path=str(path), format=kind)
    except (SyntaxError, UnicodeDecodeError) as error:
        raise GraphError(f"not valid {kind.name}: {error}", where=str(path)) from error


def in_default_graph(triples: Iterable[Triple]) -> Iterator[Quad]:
    """The triples as quads of the default graph."""
    return (Quad(t.subject, t.predicate, t.object, DefaultGraph()) for t in triples)


def memory_store(triples: Iterable[Triple], build: Iterable[Quad] = ()) -> Store:
    """A store in memory with these triples as its content."""
    store = Store()
    store.bulk_extend(in_default_graph(triples))
    store.bulk_extend(build)
    return store


def content(store: Store) -> Iterator[Triple]:
    """The triples of the store's default graph, in no order."""
    return (quad.triple for quad in store.quads_for_pattern(None, None, None, DefaultGraph()))


def turtle(triples: Iterable[Triple], *, base: str = BASE) -> bytes:
    """The triples as Turtle, sorted and with prefixes: the same bytes for the same set of triples.

    A blank line stands between subjects. Blank nodes have no order of their own, so the graph holds none.
    """
    ordered = sorted(set(triples), key=_reading_order)
    written = BytesIO()
    serialize(ordered, written, RdfFormat.TURTLE, prefixes=prefixes(base))
    written.seek(0)
    return b"".join(_spaced(written))


def _spaced(lines: Iterable[bytes]) -> Iterator[bytes]:
    in_prefixes = True
    for line in lines:
        if in_prefixes and not line.startswith(b"@prefix"):
            in_prefixes = False
            yield b"\n"
        yield line
        if not in_prefixes and line.endswith(b" .\n"):
            yield b"\n"


def _reading_order(triple: Triple) -> tuple[str, bool, str, str]:
    return str(triple.subject), triple.predicate != v.TYPE, triple.predicate.value, str(triple.object)


def build_quads(facts: Mapping[str, str], *, base: str = BASE) -> Iterator[Quad]:
    """The `kg:Build` that made a graph, in its named graph; `facts` are local names of our terms and their values."""
    graph = NamedNode(f"{base}build")
    node = NamedNode(f"{base}build/{content_hash(sorted(facts.items()))}")
    yield Quad(node, v.TYPE, v.BUILD, graph)
    for name, value in facts.items():
        yield Quad(node, v.kg(name), Literal(value), graph)
