"""A graph kept current, paper by paper: what a few papers change costs what they are worth, not what the graph is.

Every function here gives the folder the bytes that a build of all its papers would give it, and all or nothing of them
(:mod:`kg.folder`).
"""

from __future__ import annotations

import os
import shutil
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from kg import vocabulary as v
from kg.alignment import Alignment, alignment_triples, link_triples
from kg.change import Difference, State, difference
from kg.drawing import Drawer
from kg.duplicates import Distinct, Same, record_keys, usable
from kg.engine import DuckEngine
from kg.errors import GraphError, InputError, NameUnknownError
from kg.folder import Change, changing, current
from kg.lookup import find_paper
from kg.manifest import Manifest, read_manifest
from kg.outputs import amend_outputs
from kg.packing import pack_paper, unpack, unpack_paper
from kg.pipeline import Build, BuildOptions, Progress, Read, build_change, facts, links_fact, paper_hash, read_in
from kg.read import read_papers
from kg.reading import nodes
from kg.records import Paper
from kg.resolve import Hand
from kg.sameness import key_of
from kg.segments import (
    PAPERS_FOLDER,
    TABLES,
    Segment,
    link_segments,
    piled_up,
    quoted,
    read_segments,
    select,
    without,
    write_segment,
    write_segments,
)
from kg.store import load_graph
from kg.tables import RECORD_KEY, take_in

__all__ = ["Update", "add_papers", "link_graph", "rebuild", "remove_papers"]

AS_BUILT = BuildOptions()


@dataclass(frozen=True, slots=True)
class Update:
    """What became of a graph: papers that came, that went, that are told otherwise now; records that were left out."""

    added: int
    removed: int
    changed: int
    problems: list[InputError] = field(default_factory=list)
    seconds: float = 0.0


def add_papers(
    inputs: Iterable[str | os.PathLike[str]],
    folder: Path,
    *,
    replacing: bool = False,
    options: BuildOptions = AS_BUILT,
    stdin: BinaryIO | None = None,
    progress: Progress | None = None,
) -> Update:
    """Add the papers in `inputs` to the graph in the folder; records of papers that it has are put together with those.

    When `replacing`, they take the place of those that these papers were made from.

    The options but for workers, format, curation, links and cache are those of the build. Raises GraphError where no
    build lies, or one by another extractor or with other decisions of people (:func:`rebuild` mends that).
    """
    problems: list[InputError] = []
    records = list(usable(read_papers(inputs, stdin=stdin, format=options.format), problems.append))
    _refuse_if_no_graph(folder)
    with changing(folder) as change, Drawer(change) as drawer:
        updating = _Updating(change, options, progress, drawer)
        with DuckEngine(change.scratch, few=True) as engine:
            touched = updating.papers_of(engine, records)
            kept = updating.records(engine, touched)
            told = records if replacing else chain(*kept.values(), records)
            update = updating.replace(engine, touched, _once(told), kept)
        if update.added + update.removed + update.changed:
            change.commit()
    return replace(update, problems=[*problems, *update.problems])


def remove_papers(names: Iterable[str], folder: Path, *, options: BuildOptions = AS_BUILT) -> Update:
    """Take papers out of the graph: by IRI, identifier or title; what only they support goes with them.

    Raises GraphError as :func:`add_papers`, and NameUnknownError when a name is no paper's.
    """
    _refuse_if_no_graph(folder)
    with changing(folder) as change, Drawer(change) as drawer:
        updating = _Updating(change, options, None, drawer)
        with DuckEngine(change.scratch, few=True) as engine:
            gone = {updating.paper_named(engine, name) for name in names}
            update = updating.replace(engine, gone, (), updating.records(engine, gone))
        change.commit()
    return update


def rebuild(folder: Path, *, options: BuildOptions = AS_BUILT, progress: Progress | None = None) -> Build:
    """Make the graph in the folder again from the papers that it was made from, with what is known today.

    Another extractor, other decisions of people and other links come in so; base and least confidence stay.
    """
    _refuse_if_no_graph(folder)
    with changing(folder) as change:
        papers = current(folder, PAPERS_FOLDER)
        records = select("record", papers, read_segments(papers))
        with DuckEngine(change.scratch) as engine:
            found = (unpack_paper(record) for (record,) in engine.rows(f"SELECT record FROM ({records})"))
            return build_change(change, found, _of_the_build(options, read_manifest(folder)), progress)


def link_graph(folder: Path, links: Sequence[Alignment]) -> int:
    """Put these links in the place of those that the graph in the folder has; how many fit.

    Raises GraphError where no build lies in the folder.
    """
    _refuse_if_no_graph(folder)
    with changing(folder) as change, Drawer(change) as drawer:
        manifest = read_manifest(folder)
        store = load_graph(folder)
        known = set(map(key_of, nodes(store, v.ENTITY)))
        fitting = [each for each in links if each.key in known]
        old = frozenset(link_triples(store))
        new = frozenset(t for link in fitting for t in alignment_triples(link, base=manifest.base))
        del store
        kept = {name: value for name, value in manifest.facts.items() if name != "linksHash"}
        told = Manifest(manifest.base, kept | links_fact(links))
        amend_outputs(change, Difference(old - new, new - old), told, drawer)
        change.commit()
    return len(fitting)


def _refuse_if_no_graph(folder: Path) -> None:
    """Raises GraphError where no build lies, before anything is made there."""
    read_manifest(folder)
    read_segments(current(folder, PAPERS_FOLDER))


def _of_the_build(options: BuildOptions, manifest: Manifest) -> BuildOptions:
    return replace(options, base=manifest.base, min_confidence=float(manifest.facts["minConfidence"]))


def _once(records: Iterable[Paper]) -> list[Paper]:
    """The records without those that say the same as one before, wherever they were read."""
    return list({_words(record): record for record in records}.values())


def _words(record: Paper) -> str:
    return pack_paper(replace(record, source=""))


class _Updating:
    """A change of the papers of one graph."""

    def __init__(self, change: Change, options: BuildOptions, progress: Progress | None, drawer: Drawer) -> None:
        self._change = change
        self._progress = progress
        self._drawer = drawer
        self._manifest = read_manifest(change.folder)
        self._options = _of_the_build(options, self._manifest)
        self._papers = current(change.folder, PAPERS_FOLDER)
        self._segments = read_segments(self._papers)
        self._refuse_if_made_otherwise()

    def _refuse_if_made_otherwise(self) -> None:
        told = {**self._manifest.facts, "inputHash": ""}
        today = {**facts(self._options, 0), "inputHash": ""}
        other = sorted(name for name in told.keys() | today.keys() if told.get(name) != today.get(name))
        if other:
            fault = f"the graph was made with another {', '.join(other)} than there is now"
            hint = f"make it again from its papers first: kg update -g {self._change.folder}"
            raise GraphError(fault, where=str(self._change.folder), hint=hint)

    def _all(self, table: str) -> str:
        return f"({select(table, self._papers, self._segments)})"

    def papers_of(self, engine: DuckEngine, records: Iterable[Paper]) -> set[str]:
        """The IRIs of the papers that may be the same as one of these records, or as one of such papers."""
        papers: set[str] = set()
        seen: set[int] = set()
        keys = {key for record in records for key in record_keys(record)}
        while keys:
            seen |= keys
            engine.put("wanted", {"key": RECORD_KEY["key"]}, ((key,) for key in sorted(keys)))
            engine.table(
                "met", f"SELECT DISTINCT k.paper FROM {self._all('record_key')} k JOIN wanted w ON w.key = k.key"
            )
            papers |= {iri for (iri,) in engine.rows("SELECT paper FROM met")}
            found = engine.rows(
                f"SELECT DISTINCT k.key FROM {self._all('record_key')} k JOIN met m ON m.paper = k.paper"
            )
            keys = {key for (key,) in found} - seen
        return papers

    def paper_named(self, engine: DuckEngine, name: str) -> str:
        """The IRI of the paper that a person means."""
        try:
            iri = find_paper(load_graph(self._change.folder), name).value
            if not self.records(engine, {iri}):
                raise NameUnknownError(name, [])
        except NameUnknownError:
            found = self.papers_of(engine, [Paper("", id=name)])
            if len(found) != 1:
                raise
            (iri,) = found
        return iri

    def records(self, engine: DuckEngine, papers: Iterable[str]) -> Mapping[str, list[Paper]]:
        """The records that these papers were put together from, by IRI."""
        found: defaultdict[str, list[Paper]] = defaultdict(list)
        for iri, record in engine.rows(f"SELECT * FROM {self._all('record')} WHERE paper IN ({_listed(papers)})"):
            found[iri].append(unpack_paper(record))
        return found

    def replace(
        self, engine: DuckEngine, touched: set[str], records: Iterable[Paper], kept: Mapping[str, list[Paper]]
    ) -> Update:
        """Make ready the graph that has the papers of these records in the place of those that are touched."""
        started = time.perf_counter()
        read = Read(self._options.base)
        told = list(read.noted(Distinct(records)))
        same = {
            iri for iri, one in told if iri in kept and set(map(_words, kept[iri])) == set(map(_words, one.records))
        }
        coming = {iri: one for iri, one in told if iri not in same}
        gone = touched - same
        lost = self._hash(engine, touched)
        if coming or gone:
            segments = self._keep(engine, coming, gone)
            manifest = Manifest(self._manifest.base, {**self._manifest.facts, **self._new_hash(read.hash - lost)})
            found = self._difference(engine, coming.keys() | gone, segments)
            amend_outputs(self._change, found, manifest, self._drawer)
            self._join(engine, segments)
        changed = len(coming.keys() & gone)
        seconds = time.perf_counter() - started
        return Update(len(coming) - changed, len(gone) - changed, changed, read.problems, seconds)

    def _hash(self, engine: DuckEngine, papers: Iterable[str]) -> int:
        found = engine.rows(f"SELECT extraction FROM {self._all('paper')} WHERE paper IN ({_listed(papers)})")
        return sum(paper_hash(unpack(extraction).paper) for (extraction,) in found)

    def _new_hash(self, more: int) -> dict[str, str]:
        known = int(self._manifest.facts["inputHash"], 16)
        return {"inputHash": facts(self._options, known + more)["inputHash"]}

    def _keep(self, engine: DuckEngine, coming: Mapping[str, Same], gone: set[str]) -> list[Segment]:
        """The segments as they will be; one of the papers that are coming is made ready."""
        place = self._change.staged / PAPERS_FOLDER
        link_segments(self._papers, place, self._segments)
        segments = without(self._segments, gone)
        if coming:
            hand = Hand(self._options.curation)
            take_in(engine, read_in(engine, coming.items(), len(coming), self._options, self._progress), hand)
            segments.append(write_segment(engine, place, self._new_name(segments)))
        if not any(True for _ in engine.rows(f"SELECT 1 FROM ({select('paper', place, segments)}) LIMIT 1")):
            raise GraphError("no paper would be left", where=str(self._change.folder), hint="delete the folder instead")
        return segments

    @staticmethod
    def _new_name(segments: Sequence[Segment]) -> str:
        return str(1 + max(int(segment.name) for segment in segments))

    def _difference(self, engine: DuckEngine, papers: Iterable[str], segments: Sequence[Segment]) -> Difference:
        place = self._change.staged / PAPERS_FOLDER
        old = State({table: select(table, self._papers, self._segments) for table in TABLES})
        new = State({table: select(table, place, segments) for table in TABLES})
        return difference(
            engine,
            load_graph(self._change.folder),
            (old, new),
            papers,
            Hand(self._options.curation),
            base=self._options.base,
            links=self._options.links,
        )

    def _join(self, engine: DuckEngine, segments: list[Segment]) -> None:
        """Write down the segments, the small ones at the end joined into one."""
        place = self._change.staged / PAPERS_FOLDER
        number = piled_up(segments)
        if number > 1:
            last = segments[-number:]
            for table in TABLES:
                engine.table(table, select(table, place, last))
            engine.table("block", "SELECT DISTINCT b.* FROM block b JOIN (SELECT DISTINCT key FROM line) l USING (key)")
            segments = [*segments[:-number], write_segment(engine, place, self._new_name(segments))]
            for segment in last:
                shutil.rmtree(place / segment.name)
        write_segments(place, segments)


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(map(quoted, sorted(texts))) or "''"
