"""The store that a graph lives in, and its files: Oxigraph, used directly.

The default graph holds the content. What made it, a `kg:Build`, stands in the graph named `<base>build`, so that
the content is the same bytes whoever built it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Store, Triple, parse

from kg import vocabulary as v
from kg.errors import GraphError
from kg.folder import current
from kg.identity import BASE, content_hash

__all__ = [
    "amend",
    "build_quads",
    "content",
    "copied_store",
    "create_store",
    "in_default_graph",
    "is_store",
    "link_file",
    "load_graph",
    "memory_store",
    "replace_build",
    "store_folder",
]

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


def create_store(path: Path, triples: Iterable[Triple], build: Iterable[Quad] = ()) -> Store:
    """A new store in the folder `path` with these triples as its content; the folder must not exist."""
    if path.exists():
        raise GraphError("a folder is in the way of the new store", where=str(path), hint="remove it first")
    store = Store(str(path))
    store.bulk_extend(in_default_graph(triples))
    store.bulk_extend(build)
    store.flush()
    return store


def copied_store(old: Path, new: Path) -> Store:
    """A copy, to be changed, of a store that nobody writes; files that no store ever changes are shared."""
    new.mkdir()
    for file in old.iterdir():
        if file.suffix == ".sst":
            link_file(file, new / file.name)
        elif file.name != "LOCK":
            shutil.copyfile(file, new / file.name)
    return Store(str(new))


def link_file(old: Path, new: Path) -> None:
    """Let a file that never changes stand in another place too, without a copy where the file system can."""
    try:
        os.link(old, new)
    except OSError:
        shutil.copyfile(old, new)


def amend(store: Store, removed: Iterable[Triple], added: Iterable[Triple]) -> None:
    """Take triples from the content of the store and add others."""
    for quad in in_default_graph(removed):
        store.remove(quad)
    store.extend(in_default_graph(added))


def replace_build(store: Store, build: Iterable[Quad]) -> None:
    """Put this in the place of what the store knows of how it was made."""
    for graph in list(store.named_graphs()):
        store.remove_graph(graph)
    store.extend(build)


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
    if (opened := _opened(place)) is not None:
        return opened
    if (turtle_file := current(place, "graph.ttl")).is_file():
        return load_graph(turtle_file)
    raise GraphError(
        "this folder holds no graph",
        where=str(place),
        hint="expected a folder that kg build wrote, with graph.ttl in it",
    )


def store_folder(place: Path) -> Path:
    """Where the store lies of the graph in the folder `place`, which may be a store itself."""
    folder = current(place, STORE_FOLDER)
    return folder if folder.is_dir() else place


def _opened(place: Path) -> Store | None:
    for last in (False, True):
        folder = store_folder(place)
        if not is_store(folder):
            return None
        try:
            return Store.read_only(str(folder))
        except OSError as error:
            if last:  # once, a writer may have put another in its place just now
                raise GraphError(f"the store cannot be opened: {error}", where=str(folder)) from error
    return None


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


def build_quads(facts: Mapping[str, str], *, base: str = BASE) -> Iterator[Quad]:
    """The `kg:Build` that made a graph, in its named graph; `facts` are local names of our terms and their values."""
    graph = NamedNode(f"{base}build")
    node = NamedNode(f"{base}build/{content_hash(sorted(facts.items()))}")
    yield Quad(node, v.TYPE, v.BUILD, graph)
    for name, value in facts.items():
        yield Quad(node, v.kg(name), Literal(value), graph)
