"""What a graph is in its folder: the store, graph.ttl, graph.html, manifest.json, and the papers it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pyoxigraph import RdfFormat, Store, serialize

from kg.assemble import read_lines
from kg.change import Difference
from kg.drawing import Drawer
from kg.engine import DuckEngine
from kg.errors import GraphError
from kg.folder import Change, current
from kg.manifest import MANIFEST, PAGE, TURTLE, Manifest
from kg.segments import PAPERS_FOLDER, write_segment, write_segments
from kg.store import STORE_FOLDER, amend, build_quads, copied_store, is_store, replace_build
from kg.turtle import patch_turtle, turtle_parts

__all__ = ["amend_outputs", "refuse_to_overwrite", "write_outputs"]

FIRST = "1"
"""The name of the first segment of papers."""


def refuse_to_overwrite(folder: Path) -> None:
    """Raises GraphError when something in the folder is in the way that no build has made."""
    for name in (TURTLE, PAGE, MANIFEST, STORE_FOLDER, PAPERS_FOLDER):
        old = folder / name
        ours = {STORE_FOLDER: is_store, PAPERS_FOLDER: _holds_segments}.get(name, _is_no_folder)
        if old.exists() and not ours(old):
            raise GraphError("a folder is in the way that no build has made", where=str(old), hint="choose another -o")


def _holds_segments(folder: Path) -> bool:
    return (folder / "segments.json").is_file()


def _is_no_folder(path: Path) -> bool:
    return not path.is_dir()


def write_outputs(engine: DuckEngine, change: Change, manifest: Manifest) -> None:
    """Make the graph in the engine's tables ready, in the place of all that the folder holds."""
    from kg.view import write_html  # a change has no use for it, and it takes long to load

    work = change.staged
    engine.rest()
    store = Store(str(work / STORE_FOLDER))
    with (work / TURTLE).open("wb") as file:
        file.writelines(turtle_parts(_stored(store, read_lines(engine)), base=manifest.base))
    (work / PAPERS_FOLDER).mkdir()
    write_segments(work / PAPERS_FOLDER, [write_segment(engine, work / PAPERS_FOLDER, FIRST)])
    _tell_how_made(store, manifest)
    write_html(store, work / PAGE)
    manifest.write(work)


def _stored(store: Store, parts: Iterable[bytes]) -> Iterator[bytes]:
    """The parts of a graph in N-Triples; each goes into the store while the caller works on it and on the next."""
    with ThreadPoolExecutor(1) as loader:
        loading = loader.submit(store.bulk_load, b"", RdfFormat.N_TRIPLES)
        for part in parts:
            loading.result()
            loading = loader.submit(store.bulk_load, part, RdfFormat.N_TRIPLES)
            yield part
        loading.result()


def amend_outputs(change: Change, difference: Difference, manifest: Manifest, drawer: Drawer) -> None:
    """Make the graph in the folder ready as it is after this difference."""
    work = change.staged
    store = copied_store(current(change.folder, STORE_FOLDER), work / STORE_FOLDER)
    amend(store, difference.removed, difference.added)
    _tell_how_made(store, manifest)
    subjects = {triple.subject for triple in difference.removed | difference.added}
    blocks = {str(each): [quad.triple for quad in store.quads_for_pattern(each, None, None)] for each in subjects}
    del store
    removed, added = change.scratch / "removed.nt", change.scratch / "added.nt"
    serialize(difference.removed, removed, RdfFormat.N_TRIPLES)
    serialize(difference.added, added, RdfFormat.N_TRIPLES)
    drawer.order(work / STORE_FOLDER, removed, added)
    patch_turtle(current(change.folder, TURTLE), work / TURTLE, blocks, base=manifest.base)
    manifest.write(work)
    change.sync()
    drawer.finish()


def _tell_how_made(store: Store, manifest: Manifest) -> None:
    replace_build(store, build_quads(manifest.facts, base=manifest.base))
    store.flush()
