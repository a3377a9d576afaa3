"""The whole line, in one screen: read, extract, resolve, assemble, store."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from pyoxigraph import Quad, Triple

from kg import vocabulary as v
from kg._version import __version__
from kg.alignment import Alignment, alignment_triples, without_links
from kg.assemble import SORTED, assemble, read_triples
from kg.cache import Cache
from kg.curation import NO_DECISIONS, Curation, Decision
from kg.duplicates import Distinct, Same, usable
from kg.engine import DuckEngine
from kg.errors import GraphError, InputError
from kg.extract import extract, model_hash
from kg.graph import with_mentions
from kg.identity import BASE, content_hash, paper_iri
from kg.packing import pack_paper
from kg.read import read_papers
from kg.reading import nodes
from kg.records import Extraction, Paper
from kg.resolve import Hand, known_keys, resolve
from kg.sameness import key_of
from kg.store import STORE_FOLDER, build_quads, create_store, is_store, load_graph, turtle
from kg.tables import keep_records, take_in
from kg.view import write_html

__all__ = ["Build", "BuildOptions", "build", "build_to_folder", "graph_of", "link_graph"]

Progress = Callable[[Iterable[Extraction], int], Iterable[Extraction]]
"""Passes extractions on, knowing how many there will be; where a progress bar goes."""

OUTPUTS = ("graph.ttl", "graph.html", "manifest.json", STORE_FOLDER)


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What a user may choose: where IRIs live, how sure (0 to 1) an extraction must be, how many processes extract.

    `format` is a name of `kg.read.FORMATS`, for inputs whose content does not tell it; `curation` are people's
    decisions about entities, `links` those to vocabularies that an earlier `kg link` found; `cache` is a file that
    keeps extractions from one build to the next.

    The number of `workers` changes the time and nothing else; a script that asks for more than one must guard its
    start with ``if __name__ == "__main__"``.
    """

    base: str = BASE
    min_confidence: float = 0.0
    workers: int = 1
    format: str | None = None
    curation: Curation = NO_DECISIONS
    links: tuple[Alignment, ...] = ()
    cache: Path | None = None


@dataclass(frozen=True, slots=True)
class Build:
    """A built graph: its triples, what made it, and the records that were left out."""

    facts: dict[str, str]
    base: str
    papers: int
    triples: set[Triple] = field(default_factory=set)
    problems: list[InputError] = field(default_factory=list)
    duplicates: int = 0
    unapplied: tuple[Decision, ...] = ()
    """People's decisions about names that no paper has."""
    seconds: float = 0.0

    def quads(self) -> Iterator[Quad]:
        """What made the graph, as RDF."""
        return build_quads(self.facts, base=self.base)


def build(
    inputs: Iterable[str | os.PathLike[str]],
    *,
    options: BuildOptions = BuildOptions(),
    stdin: BinaryIO | None = None,
    progress: Progress | None = None,
) -> Build:
    """The graph of the papers in `inputs`: files, folders, or "-" for `stdin`.

    The same paper from several sources is one paper; `duplicates` counts the records that were merged so. A record that
    cannot be used stands in `problems`, and so does one that bears the identifier of another with a different text.
    """
    with _assembled(inputs, options, stdin, progress) as (engine, built):
        return replace(built, triples=set(read_triples(engine.rows(SORTED))))


def graph_of(extractions: Iterable[tuple[str, Extraction]], *, base: str = BASE) -> set[Triple]:
    """The triples of extractions, each with its paper's IRI."""
    with DuckEngine() as engine:
        take_in(engine, extractions, Hand())
        resolve(engine, Hand())
        assemble(engine, base)
        return set(read_triples(engine.rows(SORTED)))


@contextmanager
def _assembled(
    inputs: Iterable[str | os.PathLike[str]],
    options: BuildOptions,
    stdin: BinaryIO | None,
    progress: Progress | None,
    folder: Path | None = None,
) -> Iterator[tuple[DuckEngine, Build]]:
    """The tables of the graph, in files of `folder` where they outgrow memory, and what there is to tell of them."""
    started = time.perf_counter()
    hand = Hand(options.curation)
    read = Read(options.base)
    with DuckEngine(folder, workers=options.workers) as engine:
        found = Distinct(usable(read_papers(inputs, stdin=stdin, format=options.format), read.problems.append))
        extracted = extractions(keep_records(engine, read.noted(found)), options)
        shown = progress(extracted, len(found)) if progress else extracted
        take_in(engine, ((paper_iri(options.base, e.paper), confident(e, options.min_confidence)) for e in shown), hand)
        resolve(engine, hand)
        assemble(engine, options.base, options.links)
        built = Build(
            facts=facts(options, read.hash),
            base=options.base,
            papers=len(found),
            problems=read.problems,
            duplicates=read.merged,
            unapplied=hand.unapplied(known_keys(engine, hand)),
        )
        yield engine, replace(built, seconds=time.perf_counter() - started)


class Read:
    """What there is to tell of the papers, once they have passed."""

    def __init__(self, base: str) -> None:
        self._base = base
        self.problems: list[InputError] = []
        self.merged = 0
        self.hash = 0

    def noted(self, found: Iterable[Same]) -> Iterator[tuple[str, Same]]:
        """The papers, each with its IRI."""
        for same in found:
            self.merged += len(same.records) - 1 - len(same.astray)
            self.problems.extend(same.problems())
            self.hash += paper_hash(same.paper)
            yield paper_iri(self._base, same.paper), same


def paper_hash(paper: Paper) -> int:
    """A number that tells the paper from others; the sum of many tells a set of papers."""
    return int.from_bytes(hashlib.sha256(pack_paper(replace(paper, source="")).encode()).digest())


def extractions(papers: Iterable[Paper], options: BuildOptions) -> Iterator[Extraction]:
    """What the papers say, in order; known extractions come from the cache."""
    papers = iter(papers)
    first = tuple(islice(papers, 1))
    papers = chain(first, papers)
    if options.cache is None or not first:  # without a paper no file is made
        yield from extract(papers, workers=options.workers)
        return
    with Cache(options.cache, model_hash()) as cache:
        yield from cache.extractions(papers, partial(extract, workers=options.workers))


def facts(options: BuildOptions, input_hash: int) -> dict[str, str]:
    """What made a graph: the program, the extractor, the papers, the options."""
    found = {
        "version": __version__,
        "modelHash": model_hash(),
        "inputHash": f"{input_hash % 2**256:064x}",
        "minConfidence": f"{options.min_confidence:g}",
    }
    if options.curation.decisions:
        found["curationHash"] = content_hash(*map(str, options.curation.decisions))
    return found


def build_to_folder(built: Build, out: Path) -> None:
    """Writes graph.ttl, graph.html, manifest.json and the store into `out`, in the place of an earlier build.

    Nothing of the earlier build is touched until all is written. Raises GraphError when that cannot be, or when
    something in `out` is in the way that no build has made.
    """
    _refuse_to_overwrite(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".build-", dir=out) as name:
            work = Path(name)
            _write_all(built, work)
            for output in OUTPUTS:
                _replace(work / output, out / output)
    except OSError as error:
        raise GraphError(f"cannot write the graph: {error.strerror or error}", where=str(out)) from error


def link_graph(folder: Path, alignments: Iterable[Alignment]) -> int:
    """Put these links in the place of those that the graph in `folder` has, and write it anew; how many fit.

    Raises GraphError where no build lies in the folder.
    """
    try:
        told: dict[str, str] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        base = told.pop("base")
    except (OSError, ValueError, KeyError) as error:
        hint = "links go into a folder that kg build wrote"
        raise GraphError("no build lies here", where=str(folder), hint=hint) from error
    told.pop("program", None)
    store = load_graph(folder)
    triples = without_links(store)
    known = set(map(key_of, nodes(store, v.ENTITY)))
    links = [each for each in alignments if each.key in known]
    triples.update(triple for link in links for triple in alignment_triples(link, base=base))
    papers = sum(1 for _ in nodes(store, v.PAPER))
    del store
    build_to_folder(Build(told, base, papers, triples), folder)
    return len(links)


def _write_all(built: Build, work: Path) -> None:
    store = create_store(work / STORE_FOLDER, built.triples, built.quads())
    (work / "graph.ttl").write_bytes(turtle(built.triples, base=built.base))
    write_html(store, work / "graph.html")
    (work / "manifest.json").write_text(manifest(built), encoding="utf-8")


def manifest(built: Build) -> str:
    """What tells of a build, as JSON."""
    return json.dumps({"program": "paperkg", "base": built.base, **built.facts}, indent=2) + "\n"


def _refuse_to_overwrite(out: Path) -> None:
    for name in OUTPUTS:
        old = out / name
        ours = is_store(old) if name == STORE_FOLDER else not old.is_dir()
        if old.exists() and not ours:
            raise GraphError("a folder is in the way that no build has made", where=str(old), hint="choose another -o")


def _replace(new: Path, old: Path) -> None:
    if old.is_dir():
        shutil.rmtree(old)
    new.replace(old)


def confident(extraction: Extraction, least: float) -> Extraction:
    """The extraction without what is less sure than `least`, nor what rests on such a mention."""
    if least <= 0:
        return extraction
    sure = with_mentions(extraction, {m for m in extraction.mentions if m.confidence >= least})
    return replace(
        sure,
        relations=tuple(r for r in sure.relations if r.confidence >= least),
        proposals=tuple(p for p in sure.proposals if p.confidence >= least),
        claims=tuple(c for c in sure.claims if c.confidence >= least),
    )
