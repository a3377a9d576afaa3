"""What a graph is in its folder: the store, graph.ttl, graph.html, manifest.json, and the papers it was made from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import RdfFormat, Store

from kg._version import __version__
from kg.assemble import read_lines
from kg.change import Difference
from kg.engine import DuckEngine
from kg.errors import GraphError
from kg.folder import Change, current
from kg.panel import Earlier, read_page, touched_by
from kg.segments import PAPERS_FOLDER, write_segment, write_segments
from kg.store import STORE_FOLDER, amend, build_quads, copied_store, is_store, replace_build
from kg.turtle import patch_turtle, turtle_parts
from kg.view import write_html

__all__ = ["Manifest", "amend_outputs", "read_manifest", "refuse_to_overwrite", "write_outputs"]

TURTLE, PAGE, MANIFEST = "graph.ttl", "graph.html", "manifest.json"
FIRST = "1"
"""The name of the first segment of papers."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What made a graph: where its IRIs live, and the facts about program, extractor, papers and options."""

    base: str
    facts: Mapping[str, str]

    def text(self) -> str:
        """It as JSON."""
        return json.dumps({"program": "paperkg", "base": self.base, **self.facts}, indent=2) + "\n"

    def write(self, folder: Path) -> None:
        """Write it down in this folder."""
        (folder / MANIFEST).write_text(self.text(), encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    """What made the graph in this folder. Raises GraphError where no build lies there."""
    try:
        told: dict[str, str] = json.loads(current(folder, MANIFEST).read_text(encoding="utf-8"))
        base = told.pop("base")
    except (OSError, ValueError, KeyError) as error:
        hint = "build one first: kg build INPUT... -o FOLDER"
        raise GraphError("no graph that kg build wrote lies here", where=str(folder), hint=hint) from error
    return Manifest(base, {name: value for name, value in told.items() if name != "program"})


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
    work = change.staged
    engine.rest()
    store = Store(str(work / STORE_FOLDER))
    with (work / TURTLE).open("wb") as file:
        file.writelines(turtle_parts(_stored(store, read_lines(engine)), base=manifest.base))
    (work / PAPERS_FOLDER).mkdir()
    write_segments(work / PAPERS_FOLDER, [write_segment(engine, work / PAPERS_FOLDER, FIRST)])
    _finish(store, work, manifest)


def _stored(store: Store, parts: Iterable[bytes]) -> Iterator[bytes]:
    """The parts of a graph in N-Triples; each goes into the store while the caller works on it and on the next."""
    with ThreadPoolExecutor(1) as loader:
        loading = loader.submit(store.bulk_load, b"", RdfFormat.N_TRIPLES)
        for part in parts:
            loading.result()
            loading = loader.submit(store.bulk_load, part, RdfFormat.N_TRIPLES)
            yield part
        loading.result()


def amend_outputs(change: Change, difference: Difference, manifest: Manifest) -> None:
    """Make the graph in the folder ready as it is after this difference."""
    work = change.staged
    store = copied_store(current(change.folder, STORE_FOLDER), work / STORE_FOLDER)
    amend(store, difference.removed, difference.added)
    subjects = {triple.subject for triple in difference.removed | difference.added}
    blocks = {str(each): [quad.triple for quad in store.quads_for_pattern(each, None, None)] for each in subjects}
    patch_turtle(current(change.folder, TURTLE), work / TURTLE, blocks, base=manifest.base)
    _finish(store, work, manifest, _page_before(change, store, difference))


def _page_before(change: Change, store: Store, difference: Difference) -> Earlier | None:
    """The page as it was, if this version of the program wrote it."""
    data = read_page(current(change.folder, PAGE))
    if data is None or read_manifest(change.folder).facts.get("version") != __version__:
        return None
    return Earlier(data, difference.removed, difference.added, touched_by(store, difference.removed | difference.added))


def _finish(store: Store, work: Path, manifest: Manifest, earlier: Earlier | None = None) -> None:
    replace_build(store, build_quads(manifest.facts, base=manifest.base))
    store.flush()
    write_html(store, work / PAGE, earlier=earlier)
    manifest.write(work)
