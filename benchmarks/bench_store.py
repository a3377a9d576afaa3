"""How fast a graph is written, loaded and asked, as ratios against rdflib in the same run.

python benchmarks/bench_store.py PAPERS.jsonl [LIMIT]
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import rdflib
from pyoxigraph import QuerySolutions

from kg.pipeline import build
from kg.query import named_queries, run
from kg.store import create_store, load_graph
from kg.turtle import prefixes, turtle

QUERY = named_queries()["methods-by-papers"].text


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def ask(store: object) -> None:
    answer = run(store, QUERY)  # type: ignore[arg-type]
    assert isinstance(answer, QuerySolutions)
    assert sum(1 for _ in answer)


def main(papers: str, limit: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sample = folder / "sample.jsonl"
        with Path(papers).open(encoding="utf-8") as file:
            sample.write_text("".join(islice(file, limit)), encoding="utf-8")
        built_in = time.perf_counter()
        built = build([sample])
        built_in = time.perf_counter() - built_in
        (folder / "graph.ttl").write_bytes(turtle(built.triples))
        create_store(folder / "store", built.triples)
        peer = rdflib.Graph().parse(folder / "graph.ttl")
        ours = {
            "write Turtle": seconds(lambda: turtle(built.triples)),
            "load Turtle": seconds(lambda: load_graph(folder / "graph.ttl")),
            "open the store": seconds(lambda: load_graph(folder)),
            "ask methods-by-papers": seconds(lambda: ask(load_graph(folder))),
        }
        theirs = {
            "write Turtle": seconds(lambda: peer.serialize(format="turtle")),
            "load Turtle": seconds(lambda: rdflib.Graph().parse(folder / "graph.ttl")),
            "ask methods-by-papers": seconds(lambda: len(peer.query(QUERY, initNs=prefixes()))),
        }
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{built.papers} papers, {len(built.triples)} triples, built in {built_in:.1f} s, peak {peak:.0f} MiB")
    for task, spent in ours.items():
        ratio = f"rdflib takes {theirs[task] / spent:.1f} times as long" if task in theirs else ""
        print(f"{task:24} {spent:8.3f} s  {ratio}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 800)
