"""Spark against the local build: `python benchmarks/bench_spark.py ABSTRACTS [PAPERS] [--master URL] [--kill N]`.

Builds the graph of the first PAPERS (500) abstracts of a file of JSON Lines on both, prints the seconds that each
takes, and whether the triples are the same bytes. With `--kill`, a Python worker and N executors are killed meanwhile.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from kg.pipeline import build
from kg.spark import build_parts

sys.path.append(str(Path(__file__).parents[1] / "tests"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("papers", type=int, nargs="?", default=500)
    parser.add_argument("--master", default="local-cluster[2,1,1024]")
    parser.add_argument("--kill", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        some, out = Path(name, "some.jsonl"), Path(name, "out")
        opened = gzip.open if given.abstracts.suffix == ".gz" else open
        with opened(given.abstracts, "rt", encoding="utf-8") as lines:
            some.write_text("".join(islice(lines, given.papers)), encoding="utf-8")
        started = time.perf_counter()
        local = build([some])
        print(f"local  {time.perf_counter() - started:.1f} s, {len(local.triples):,} triples", flush=True)
        started = time.perf_counter()
        if given.kill:
            from killing import accidents

            with accidents(executors=given.kill) as killed:
                parts = build_parts([some], out, master=given.master)
            print("killed", *killed)
        else:
            parts = build_parts([some], out, master=given.master)
        print(f"spark  {time.perf_counter() - started:.1f} s, {parts.triples:,} triples in {parts.files} files")
        lines_of = sorted(f"{t.subject} {t.predicate} {t.object} .\n" for t in local.triples)
        written = [
            line for part in sorted(out.glob("parts/*.nt")) for line in part.open(encoding="utf-8", newline="\n")
        ]
        print("the same" if sorted(written) == lines_of and local.manifest == parts.build.manifest else "DIFFERENT")


if __name__ == "__main__":
    main()
