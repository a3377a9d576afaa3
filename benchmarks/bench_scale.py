"""Time and memory of whole builds at growing numbers of abstracts, and how much of the time is extraction.

    python benchmarks/bench_scale.py ABSTRACTS.jsonl.gz --counts 1000 10000 100000 [--kept extractions.sqlite | --share]

Where more abstracts are needed than the file has, they are repeated with altered text: in each copy every second
rare word (one of the file's words beyond the 3,000 most frequent) has its letters moved on in the alphabet, so that
about half of the names are new. With `--kept`, a cache that `kg build` made of the same file, the extractions are
altered in the same way and taken as known, so that all but extraction is measured. With `--share`, the same
abstracts are then only extracted, with as many processes, which tells what share of the build's time that is. Memory
is the sum of what the processes of a build hold for themselves and their share of what they share (PSS), looked at
twice a second; its largest value is told.
"""

import argparse
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter, deque
from decimal import Decimal
from enum import Enum
from pathlib import Path

import psutil

from kg.duplicates import Distinct
from kg.identity import content_hash
from kg.packing import KINDS
from kg.pool import extract, model_hash
from kg.read import read_papers

WORD = re.compile(r"[A-Za-z]{3,}")
FREQUENT = 3_000
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Alteration:
    """What a copy changes in its words; the length of a text stays."""

    def __init__(self, rare, copy):
        self._rare = rare
        self._copy = copy
        moved = LETTERS[copy % 25 + 1 :] + LETTERS[: copy % 25 + 1]
        self._moved = str.maketrans(LETTERS + LETTERS.upper(), moved + moved.upper())

    def text(self, text):
        return WORD.sub(self._word, text) if self._copy else text

    def _word(self, match):
        word = match[0]
        altered = word.lower() in self._rare and zlib.crc32(f"{self._copy} {word.lower()}".encode()) % 2
        return word.translate(self._moved) if altered else word

    def value(self, value):
        """What `kg.packing` wrote down; the first of a list says what that is."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list) and not issubclass(KINDS.get(value[0], str), (Enum, Decimal)):
            return [value[0], *map(self.value, value[1:])]
        return value


def write_abstracts(papers, count, path):
    """So many abstracts as JSON Lines; gives the alterations."""
    words = Counter(word.lower() for paper in papers for word in WORD.findall(paper.abstract))
    rare = set(words) - {word for word, _ in words.most_common(FREQUENT)}
    changes = [Alteration(rare, copy) for copy in range(-(-count // len(papers)))]
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            copy, place = divmod(number, len(papers))
            paper, change = papers[place], changes[copy]
            title = f"{change.text(paper.title or '')} {copy or ''}"  # else a copy would be told for the same paper
            record = {"id": f"bench:{number}", "title": title, "year": 2025 + copy % 2}
            file.write(json.dumps(record | {"abstract": change.text(paper.abstract)}) + "\n")
    return changes


def write_cache(papers, changes, count, kept, path):
    """The extractions of the same abstracts, altered in the same way."""
    source, target = sqlite3.connect(kept), sqlite3.connect(path)
    target.execute("CREATE TABLE extractions (key TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID")
    model = model_hash()
    find = "SELECT content FROM extractions WHERE key = ?"
    plain = [
        json.loads(zlib.decompress(source.execute(find, (content_hash(model, p.abstract),)).fetchone()[0]))
        for p in papers
    ]
    for number in range(count):
        copy, place = divmod(number, len(papers))
        change = changes[copy]
        content = zlib.compress(json.dumps(change.value(plain[place])).encode(), 1)
        key = content_hash(model, change.text(papers[place].abstract))
        target.execute("INSERT OR REPLACE INTO extractions VALUES (?, ?)", (key, content))
    target.commit()


def measured(command):
    """Seconds and the most bytes of a process and its children."""
    started = time.perf_counter()
    process = psutil.Popen(command, stdout=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        total = 0
        for each in [process, *process.children(recursive=True)]:
            try:
                total += each.memory_full_info().pss
            except psutil.Error:
                continue
        most = max(most, total)
        time.sleep(0.5)
    if process.returncode:
        sys.exit(f"{command} failed")
    return time.perf_counter() - started, most


def extraction_seconds(path):
    """Seconds to read the abstracts and extract from them, and nothing else."""
    started = time.perf_counter()
    deque(extract(read_papers([path]), workers=os.cpu_count()), maxlen=0)
    return time.perf_counter() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("--counts", type=int, nargs="+", default=[1_000, 10_000])
    known = parser.add_mutually_exclusive_group()
    known.add_argument("--kept", type=Path)
    known.add_argument("--share", action="store_true")
    parser.add_argument("--work", type=Path, help="where the graphs go [default: a temporary folder]")
    arguments = parser.parse_args()
    papers = [same.paper for same in Distinct(read_papers([arguments.abstracts]))]
    for count in arguments.counts:
        folder = Path(tempfile.mkdtemp(dir=arguments.work))
        changes = write_abstracts(papers, count, folder / "abstracts.jsonl")
        if arguments.kept:
            (folder / "out").mkdir()
            write_cache(papers, changes, count, arguments.kept, folder / "out" / "extractions.sqlite")
        command = [sys.executable, "-m", "kg", "build", str(folder / "abstracts.jsonl"), "-o", str(folder / "out")]
        seconds, memory = measured(command)
        manifest = json.loads((folder / "out" / "manifest.json").read_text())
        size = sum(f.stat().st_size for f in (folder / "out" / "store").iterdir()) / 2**20
        with sqlite3.connect(folder / "out" / "extractions.sqlite") as cache:
            ((extracted,),) = cache.execute("SELECT COUNT(*) FROM extractions")
        print(
            f"{count:>8,} abstracts: {seconds:8.1f} s, {count / seconds:6.1f} a second, {memory / 2**30:.2f} GiB;"
            f" store {size:,.0f} MiB, input {manifest['inputHash'][:8]}, {extracted:,} kept",
            flush=True,
        )
        if arguments.share:
            alone = extraction_seconds(folder / "abstracts.jsonl")
            print(
                f"  extraction alone: {alone:.1f} s, {count / alone:.1f} a second; share {alone / seconds:.2f}",
                flush=True,
            )
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
