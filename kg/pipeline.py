"""The whole line, in one screen: read, extract, resolve, graph, store."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from pyoxigraph import Quad, Triple

from kg import vocabulary as v
from kg._version import __version__
from kg.alignment import Alignment, alignment_triples, without_links
from kg.cache import Cache
from kg.curation import NO_DECISIONS, Curation, Decision
from kg.duplicates import distinct, usable
from kg.errors import GraphError, InputError
from kg.extract import extract, model_hash
from kg.graph import to_triples
from kg.identity import BASE, content_hash, entity_iri, paper_iri
from kg.read import read_papers
from kg.reading import nodes
from kg.records import Extraction, Mention, Paper, map_slots
from kg.resolve import Resolution, resolve_entities
from kg.sameness import key_of
from kg.store import STORE_FOLDER, build_quads, create_store, is_store, load_graph, turtle
from kg.view import write_html

__all__ = ["Build", "BuildOptions", "build", "build_to_folder", "link_graph"]

Progress = Callable[[Iterable[Extraction], int], Iterable[Extraction]]
"""Passes extractions on, knowing how many there will be; where a progress bar goes."""

OUTPUTS = ("graph.ttl", "graph.html", "manifest.json", STORE_FOLDER)


PAPERS_A_WORKER = 50
"""With fewer papers than this, another process costs more time than it saves."""


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


@dataclass(slots=True)
class Build:
    """A built graph: its triples, what made it, and the records that were left out."""

    triples: set[Triple]
    facts: dict[str, str]
    base: str
    papers: int
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
    started = time.perf_counter()
    papers, problems, duplicates = _distinct(read_papers(inputs, stdin=stdin, format=options.format), options.base)
    with _reading(options, list(papers.values())) as extracted:
        shown = progress(extracted, len(papers)) if progress else extracted
        extractions = [(iri, _confident(e, options.min_confidence)) for iri, e in zip(papers, shown, strict=True)]
    resolution = resolve_entities(extractions, options.curation)
    if resolution.blocked:
        extractions = [(iri, _without_blocked(e, resolution)) for iri, e in extractions]
    triples = set(to_triples(extractions, resolution, base=options.base))
    known = {key: entity_iri(options.base, key) for key in resolution.entities}
    triples.update(alignment_triples(options.links, known, base=options.base))
    facts = {
        "version": __version__,
        "modelHash": model_hash(),
        "inputHash": _hash_of(papers.values()),
        "minConfidence": f"{options.min_confidence:g}",
    }
    if options.curation.decisions:
        facts["curationHash"] = content_hash(*map(str, options.curation.decisions))
    seconds = time.perf_counter() - started
    return Build(triples, facts, options.base, len(papers), problems, duplicates, tuple(resolution.unapplied), seconds)


@contextmanager
def _reading(options: BuildOptions, papers: Sequence[Paper]) -> Iterator[Iterable[Extraction]]:
    """The extractions of the papers, those from the cache that it knows."""
    if options.cache is None or not papers:
        yield extract(papers, workers=_workers(options, len(papers)))
        return
    with Cache(options.cache, model_hash()) as cache:
        workers = _workers(options, len(papers) - cache.known(papers))
        yield cache.extractions(papers, lambda unknown: extract(unknown, workers=workers))


def _workers(options: BuildOptions, papers: int) -> int:
    return min(options.workers, 1 + papers // PAPERS_A_WORKER)


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
        manifest: dict[str, str] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        base = manifest.pop("base")
    except (OSError, ValueError, KeyError) as error:
        hint = "links go into a folder that kg build wrote"
        raise GraphError("no build lies here", where=str(folder), hint=hint) from error
    manifest.pop("program", None)
    store = load_graph(folder)
    triples = without_links(store)
    known = {key_of(node): node.value for node in nodes(store, v.ENTITY)}
    links = [each for each in alignments if each.key in known]
    triples.update(alignment_triples(links, known, base=base))
    papers = sum(1 for _ in nodes(store, v.PAPER))
    del store
    build_to_folder(Build(triples, manifest, base, papers), folder)
    return len(links)


def _write_all(built: Build, work: Path) -> None:
    store = create_store(work / STORE_FOLDER, built.triples, built.quads())
    (work / "graph.ttl").write_bytes(turtle(built.triples, base=built.base))
    write_html(store, work / "graph.html")
    manifest = {"program": "paperkg", "base": built.base, **built.facts}
    (work / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


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


def _distinct(records: Iterable[Paper | InputError], base: str) -> tuple[dict[str, Paper], list[InputError], int]:
    """The papers by IRI, each once and sorted by IRI, the records left out, and how many were merged with another."""
    problems: list[InputError] = []
    papers: dict[str, Paper] = {}
    merged = 0
    for same in distinct(usable(records, problems.append)):
        papers[paper_iri(base, same.paper)] = same.paper
        merged += same.records - 1 - len(same.astray)
        problems.extend(same.problems())
    return dict(sorted(papers.items())), problems, merged


def _confident(extraction: Extraction, least: float) -> Extraction:
    """The extraction without what is less sure than `least`, nor what rests on such a mention."""
    if least <= 0:
        return extraction
    sure = _with_mentions(extraction, {m for m in extraction.mentions if m.confidence >= least})
    return replace(
        sure,
        relations=tuple(r for r in sure.relations if r.confidence >= least),
        proposals=tuple(p for p in sure.proposals if p.confidence >= least),
        claims=tuple(c for c in sure.claims if c.confidence >= least),
    )


def _without_blocked(extraction: Extraction, resolution: Resolution) -> Extraction:
    """The extraction without the mentions that people said name nothing."""
    return _with_mentions(extraction, {m for m in extraction.mentions if not resolution.names_nothing(m.name)})


def _with_mentions(extraction: Extraction, kept: Set[Mention]) -> Extraction:
    """The extraction with these mentions only; a claim's slot keeps the words of any other."""
    claims = (
        replace(map_slots(c, lambda m: m if m in kept else m.name), about=tuple(m for m in c.about if m in kept))
        for c in extraction.claims
    )
    return replace(
        extraction,
        mentions=tuple(m for m in extraction.mentions if m in kept),
        relations=tuple(r for r in extraction.relations if {r.head, r.tail} <= kept),
        proposals=tuple(p for p in extraction.proposals if p.mention in kept),
        claims=tuple(claims),
    )


def _hash_of(papers: Iterable[Paper]) -> str:
    digest = hashlib.sha256()
    for paper in papers:
        facts = asdict(replace(paper, source=""))
        digest.update(json.dumps(facts, sort_keys=True).encode())
    return digest.hexdigest()
