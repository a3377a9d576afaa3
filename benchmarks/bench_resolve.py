"""What resolving costs: `python benchmarks/bench_resolve.py ABSTRACTS [PAPERS]`.

The first PAPERS (1,500) abstracts of the file are read once by the extractor; their extractions, drawn again and again
as papers of their own, make 10,000, 100,000 and 1,000,000 mentions. Each size runs in a process of its own; prints
seconds, the greatest memory, and the time a mention.
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import sys
import time
from collections.abc import Sequence
from itertools import islice

from kg.pool import extract
from kg.read import read_papers
from kg.records import Extraction, Paper
from kg.resolve import resolve_entities

SIZES = (10_000, 100_000, 1_000_000)


def main(path: str, papers: int) -> None:
    """Print one line a size."""
    read = list(islice((each for each in read_papers([path]) if isinstance(each, Paper)), papers))
    extractions = list(extract(read, workers=2))
    for size in SIZES:
        process = multiprocessing.get_context("fork").Process(target=_measure, args=(extractions, size))
        process.start()
        process.join()


def _measure(extractions: Sequence[Extraction], size: int) -> None:
    rng = random.Random(size)
    drawn: list[tuple[str, Extraction]] = []
    mentions = 0
    while mentions < size:
        extraction = rng.choice(extractions)
        drawn.append((f"https://example.org/{len(drawn)}", extraction))
        mentions += len(extraction.mentions)
    started = time.perf_counter()
    found = resolve_entities(drawn)
    seconds = time.perf_counter() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{mentions:>9,} mentions, {len(found.entities):,} entities: {seconds:.1f} s, {memory:.2f} GiB, "
        f"{seconds / mentions * 1e6:.1f} µs a mention",
        flush=True,
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1500)
