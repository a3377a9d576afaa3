"""The whole line, in one screen: read, extract, resolve, assemble, store."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from pyoxigraph import Quad, Triple

from kg._version import __version__
from kg.alignment import Alignment
from kg.assemble import assemble, read_triples
from kg.cache import Cache
from kg.curation import NO_DECISIONS, Curation, Decision
from kg.duplicates import Distinct, Same, usable
from kg.engine import DuckEngine
from kg.errors import InputError
from kg.folder import Change, changing
from kg.graph import with_mentions
from kg.identity import BASE, content_hash, paper_iri
from kg.manifest import Manifest
from kg.outputs import refuse_to_overwrite, write_outputs
from kg.packing import pack_paper
from kg.pool import extract, model_hash
from kg.read import read_papers
from kg.records import Extraction, Paper
from kg.resolve import Hand, known_keys, resolve
from kg.store import build_quads
from kg.tables import keep_records, take_in

__all__ = ["Build", "BuildOptions", "build", "build_to_folder", "graph_of"]

Progress = Callable[[Iterable[Extraction], int], Iterable[Extraction]]
"""Passes extractions on, knowing how many there will be; where a progress bar goes."""


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

    manifest: Manifest
    papers: int
    triples: set[Triple] = field(default_factory=set)
    problems: list[InputError] = field(default_factory=list)
    duplicates: int = 0
    unapplied: tuple[Decision, ...] = ()
    """People's decisions about names that no paper has."""
    seconds: float = 0.0

    def quads(self) -> Iterator[Quad]:
        """What made the graph, as RDF."""
        return build_quads(self.manifest.facts, base=self.manifest.base)


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
    records = read_papers(inputs, stdin=stdin, format=options.format)
    with DuckEngine(workers=options.workers) as engine:
        built = assembled(engine, records, options, progress)
        return replace(built, triples=set(read_triples(engine.rows("SELECT * FROM triple"))))


def build_to_folder(
    inputs: Iterable[str | os.PathLike[str]],
    out: Path,
    *,
    options: BuildOptions = BuildOptions(),
    stdin: BinaryIO | None = None,
    progress: Progress | None = None,
) -> Build:
    """Build the graph of the papers in `inputs` into the folder `out`, in the place of an earlier build.

    Memory does not grow with the papers. Until all is written nothing of the earlier build is touched, and nothing at
    all is written when no paper is found. Raises GraphError when something in `out` is in the way that no build has
    made, when another process writes there, and when it cannot be written.
    """
    refuse_to_overwrite(out)
    records = read_papers(inputs, stdin=stdin, format=options.format)
    with changing(out) as change:
        return build_change(change, records, options, progress)


def build_change(
    change: Change, records: Iterable[Paper | InputError], options: BuildOptions, progress: Progress | None
) -> Build:
    """Put the graph of these records into the folder of the change; if no paper is among them, nothing is changed."""
    with DuckEngine(change.scratch, workers=options.workers) as engine:
        built = assembled(engine, records, options, progress)
        if built.papers:
            write_outputs(engine, change, built.manifest)
    if built.papers:
        change.commit()
    return built


def graph_of(extractions: Iterable[tuple[str, Extraction]], *, base: str = BASE) -> set[Triple]:
    """The triples of extractions, each with its paper's IRI."""
    with DuckEngine() as engine:
        take_in(engine, extractions, Hand())
        resolve(engine, Hand())
        assemble(engine, base)
        return set(read_triples(engine.rows("SELECT * FROM triple")))


def assembled(
    engine: DuckEngine, records: Iterable[Paper | InputError], options: BuildOptions, progress: Progress | None
) -> Build:
    """Make the tables of the graph of these records; what there is to tell of them."""
    started = time.perf_counter()
    hand = Hand(options.curation)
    read = Read(options.base)
    found = Distinct(usable(records, read.problems.append))
    take_in(engine, read_in(engine, read.noted(found), len(found), options, progress), hand)
    resolve(engine, hand)
    assemble(engine, options.base, options.links)
    return Build(
        manifest=Manifest(options.base, facts(options, read.hash)),
        papers=len(found),
        problems=read.problems,
        duplicates=read.merged,
        unapplied=hand.unapplied(known_keys(engine, hand)),
        seconds=time.perf_counter() - started,
    )


def read_in(
    engine: DuckEngine,
    papers: Iterable[tuple[str, Same]],
    number: int,
    options: BuildOptions,
    progress: Progress | None,
) -> Iterator[tuple[str, Extraction]]:
    """What so many papers say, each with its IRI; their records go into the tables."""
    extracted = extractions(keep_records(engine, papers), options)
    for extraction in progress(extracted, number) if progress else extracted:
        yield paper_iri(options.base, extraction.paper), confident(extraction, options.min_confidence)


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
        "minConfidence": repr(float(options.min_confidence)).removesuffix(".0"),
    }
    if options.curation.decisions:
        found["curationHash"] = content_hash(*map(str, options.curation.decisions))
    return found | links_fact(options.links)


def links_fact(links: Iterable[Alignment]) -> dict[str, str]:
    """The fact about the links that a graph has, if it has any."""
    told = sorted(map(str, links))
    return {"linksHash": content_hash(*told)} if told else {}


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
