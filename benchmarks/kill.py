"""Kill `kg add` and `kg remove` at many moments, and see that the graph is always the old or the new one.

    python benchmarks/kill.py ABSTRACTS [--papers 40] [--points 200]

Half of the points are the calls that touch the file system, the nth of which the process does not live to see; the
other half are moments spread evenly over the time that the change takes, so that Oxigraph and DuckDB are hit while
they write. After each the store, graph.ttl, graph.html and manifest.json are compared with both states, and the change
is made again.
"""

import argparse
import json
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from kg import update
from kg.errors import KgError
from kg.folder import current
from kg.pipeline import BuildOptions, build_to_folder
from kg.store import content, load_graph

FILES = ("graph.ttl", "graph.html", "manifest.json")
TOUCHES = ("open", "os.", "shutil.", "sqlite3.")


def state(folder):
    return hash(frozenset(content(load_graph(folder)))), *(current(folder, name).read_bytes() for name in FILES)


def change(kind, folder, argument, options):
    if kind == "add":
        update.add_papers([argument], folder, options=options)
    else:
        update.remove_papers(argument, folder, options=options)


def counted(touches, kind, folder, argument, options, told):
    """The change, killed at the nth touch of the file system; says how many there were where it lives."""
    seen = 0

    def count(event, _):
        nonlocal seen
        if event.startswith(TOUCHES):
            seen += 1
            if seen == touches:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    change(kind, folder, argument, options)
    told.value = seen


def try_point(context, kind, argument, options, folders, point):
    """One try: whether the change was made when the process died."""
    before, after, place = folders
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(before[0], place)
    touches, seconds = point
    told = context.Value("l", 0)
    process = context.Process(target=counted, args=(touches, kind, place, argument, options, told))
    process.start()
    process.join(seconds)
    process.kill()
    process.join()
    found = state(place)
    if found not in (before[1], after[1]):
        return "lost"
    try:
        change(kind, place, argument, options)
    except KgError as error:
        if found != after[1]:  # a paper that is gone cannot be removed again
            return f"not completed: {error}"
    return ("new" if found == after[1] else "old") if state(place) == after[1] else "not completed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("--papers", type=int, default=40)
    parser.add_argument("--points", type=int, default=200)
    arguments = parser.parse_args()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["kg.update", "kg.extract", "kg.view"])
    with tempfile.TemporaryDirectory() as name, arguments.abstracts.open(encoding="utf-8") as lines:
        work = Path(name)
        options = BuildOptions(cache=work / "extractions.sqlite")
        records = [json.loads(line) for line, _ in zip(lines, range(arguments.papers + 3), strict=False)]
        texts = ["".join(json.dumps(r) + "\n" for r in part) for part in (records[:-3], records[-3:], records)]
        for text, part in zip(texts, ("few", "more", "all"), strict=True):
            (work / f"{part}.jsonl").write_text(text, encoding="utf-8")
        for part in ("few", "all"):
            build_to_folder([work / f"{part}.jsonl"], work / part, options=options)
        states = {part: (work / part, state(work / part)) for part in ("few", "all")}
        found = {}
        for kind, before, after, argument in (
            ("add", "few", "all", work / "more.jsonl"),
            ("remove", "all", "few", [record["id"] for record in records[-3:]]),
        ):
            folders = states[before], states[after], work / "place"
            shutil.rmtree(work / "place", ignore_errors=True)
            shutil.copytree(work / before, work / "place")
            told, started = context.Value("l", 0), time.perf_counter()
            process = context.Process(target=counted, args=(0, kind, work / "place", argument, options, told))
            process.start()
            process.join()
            whole = time.perf_counter() - started
            each = arguments.points // 4
            points = [(1 + told.value * n // each, None) for n in range(each)]
            points += [(0, whole * n / each) for n in range(each)]
            for point in points:
                outcome = try_point(context, kind, argument, options, folders, point)
                found[kind, outcome] = found.get((kind, outcome), 0) + 1
                print(f"\r{kind} {point}: {outcome}", end=" " * 20, flush=True, file=sys.stderr)
            print(f"\n{kind}: {told.value} touches of the file system, {whole:.1f} s", file=sys.stderr)
    print(f"{sum(found.values())} points")
    for (kind, outcome), number in sorted(found.items()):
        print(f"{kind}: {outcome} {number}")


if __name__ == "__main__":
    main()
