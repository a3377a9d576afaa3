"""Many papers read, in several processes where that pays, and the hash of what reads them."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from functools import lru_cache
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path

from kg.extract import extract_one, shipped_model
from kg.model import WEIGHTS, check_files
from kg.records import Extraction, Paper

__all__ = ["extract", "model_hash"]

RULES = (
    "acronyms",
    "claims",
    "clean",
    "kinds",
    "links",
    "proposals",
    "quantities",
    "results",
    "sections",
    "sentences",
    "slots",
    "variants",
    "wordlists",
)
"""The modules that find something beside the model."""
LEARNED = ("kinds.json", "proposals.json", "slots.json")
"""Their weights, which the model's manifest does not name."""


@lru_cache(maxsize=1)
def model_hash() -> str:
    """The hash of what decides the extraction, so that a graph tells which extractor made it."""
    digest = hashlib.sha256(check_files(WEIGHTS).encode())
    for name in RULES:
        digest.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    for name in LEARNED:
        digest.update((WEIGHTS / name).read_bytes())
    return digest.hexdigest()


PAPERS_A_WORKER = 50
"""With fewer papers than this, another process costs more time than it saves."""
PAPERS_A_TASK = 16
"""How many papers a process is given at a time."""

Readable = Paper | Extraction
"""A paper, or what was read in it before."""


def extract(papers: Iterable[Readable], *, workers: int = 1) -> Iterator[Extraction]:
    """What each paper's abstract says, in the order of the papers, with offsets into the original abstract.

    An extraction among the papers passes as it is. With several `workers`, as many processes read where that pays;
    each loads the model once, some 300 MB. What is found does not depend on their number, and no more papers are
    held than keep them busy.
    """
    coming = iter(papers)
    first = list(islice(coming, workers * PAPERS_A_WORKER))
    if len(first) < workers * PAPERS_A_WORKER:
        workers = min(workers, 1 + sum(isinstance(each, Paper) for each in first) // PAPERS_A_WORKER)
    if workers <= 1:
        yield from _extracted(chain(first, coming))
        return
    # A fresh process each: one that is forked would share the locks of onnxruntime's threads.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=shipped_model) as pool:
        tasks = _tasks(chain(first, coming))
        waiting = deque(_started(pool, task) for task in islice(tasks, 3 * workers))
        while waiting:
            task, done = waiting.popleft()
            read = iter(done.result() if done else ())
            yield from (next(read) if isinstance(each, Paper) else each for each in task)
            waiting.extend(_started(pool, task) for task in islice(tasks, 1))


def _tasks(papers: Iterator[Readable]) -> Iterator[list[Readable]]:
    """The papers in lots that are worth handing to a process: so many to be read, or many times more in all."""
    task: list[Readable] = []
    unread = 0
    for paper in papers:
        task.append(paper)
        unread += isinstance(paper, Paper)
        if unread == PAPERS_A_TASK or len(task) == 16 * PAPERS_A_TASK:
            yield task
            task, unread = [], 0
    if task:
        yield task


Started = tuple[list[Readable], Future[list[Extraction]] | None]


def _started(pool: Executor, task: list[Readable]) -> Started:
    unread = [paper for paper in task if isinstance(paper, Paper)]
    return task, pool.submit(_extract_all, unread) if unread else None


def _extract_all(papers: Iterable[Paper]) -> list[Extraction]:
    return list(_extracted(papers))


def _extracted(papers: Iterable[Readable]) -> Iterator[Extraction]:
    return (extract_one(each) if isinstance(each, Paper) else each for each in papers)
