"""Readers under mutated input: nothing may be raised, nothing may hang, and what is read must be whole records.

    nice python benchmarks/fuzz_readers.py --inputs 20000 [--format bibtex] [--seed 0] [--longest 2.0]

Each input is one of the small files in tests/data with bytes changed, cut, doubled, swapped with other files' or
replaced by what readers trip over; it is read twice, with its format named and told by its content.
"""

from __future__ import annotations

import argparse
import faulthandler
import io
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from kg.errors import InputError
from kg.read import FORMATS, read_papers
from kg.records import Paper

DATA = Path(__file__).parent.parent / "tests" / "data"

TOKENS = (
    b'{ } [ ] ( ) < > </ /> & ; : , . " \' \\ \\" @ # $ % = - -- | \n \r \r\n \n\n \t \0 \x0b \xff \xfe \xef\xbb\xbf'
    b" \xed\xa0\x80 \xe2\x80\xa8 &#0; &#x110000; &lt; <!-- --> <![CDATA[ ]]> <!ENTITY <?xml <!DOCTYPE ER TY  - PT"
    b" null true 1e999 -1 99999999999999999999 \\u0000 \\ud800 {} [] @misc{ \\'{ {{{{{{{{ [[[[[[[[ <a><a><a> > ## **"
).split(b" ")

Mutation = Callable[[random.Random, bytes], bytes]


def _somewhere(chance: random.Random, data: bytes) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + int(chance.expovariate(1 / 12)))


def _changed(chance: random.Random, data: bytes) -> bytes:
    start, _ = _somewhere(chance, data)
    return data[:start] + bytes([chance.randrange(256)]) + data[start + 1 :]


def _cut_out(chance: random.Random, data: bytes) -> bytes:
    start, end = _somewhere(chance, data)
    return data[:start] + data[end:]


def _cut_off(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _inserted(chance: random.Random, data: bytes) -> bytes:
    start, _ = _somewhere(chance, data)
    return data[:start] + chance.choice(TOKENS) * chance.choice((1, 1, 1, 2, 40)) + data[start:]


def _repeated(chance: random.Random, data: bytes) -> bytes:
    start, end = _somewhere(chance, data)
    return data[:end] + data[start:end] * chance.choice((1, 3, 200)) + data[end:]


def _swapped(chance: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


MUTATIONS: tuple[Mutation, ...] = (_changed, _cut_out, _cut_off, _inserted, _repeated, _swapped)
WEIGHTS = (6, 4, 1, 6, 2, 0.3)


def mutated(chance: random.Random, data: bytes) -> bytes:
    for mutation in chance.choices(MUTATIONS, WEIGHTS, k=chance.randint(1, 6)):
        data = mutation(chance, data)
    return data


def check(data: bytes, form: str | None) -> None:
    for record in read_papers(["-"], stdin=io.BytesIO(data), format=form):
        if isinstance(record, Paper):
            record.abstract.encode()
            assert record.abstract.strip()
        else:
            assert isinstance(record, InputError)
            assert record.where
            str(record).encode()


def samples() -> dict[str, list[bytes]]:
    """The files of tests/data by the format that reads them; text and tables get some of their own."""
    by_format = {
        "text": [b"Papers\n\nA Parser\nWe propose A.\n\nAbstract: We propose B, \xc3\xa9.\n"],
        "table": [b'title,abstract\nA,"We ""propose"" A,\nand B."\nC,We propose C.\n'],
    }
    names = {known.name for known in FORMATS}
    prefixes = {"papers.bib": "bibtex", "papers.md": "markdown", "arxiv.xml": "arxiv-atom", "wos.tsv": "wos-table"}
    for file in sorted(DATA.iterdir()):
        stem, suffix = file.stem.removesuffix("-v1").removesuffix("-v2"), file.suffix.removeprefix(".")
        form = prefixes.get(file.name) or next((name for name in (stem, suffix) if name in names), "json")
        by_format.setdefault(form, []).append(file.read_bytes())
    return by_format


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=2.0, help="seconds after which an input counts as hanging")
    parser.add_argument("--failures", type=Path, help="a folder for the inputs that failed")
    arguments = parser.parse_args()
    failures = 0
    for form, files in samples().items():
        if arguments.format not in (None, form):
            continue
        chance = random.Random(f"{arguments.seed} {form}")
        started, longest = time.monotonic(), 0.0
        for number in range(arguments.inputs):
            data = mutated(chance, chance.choice(files))
            faulthandler.dump_traceback_later(10 * arguments.longest, exit=True)
            begun = time.monotonic()
            try:
                check(data, form)
                check(data, None)
            except Exception as error:  # noqa: BLE001  (that none comes is what is tested)
                failures += 1
                print(f"{form} input {number}: {type(error).__name__}: {error}"[:300], file=sys.stderr)
                _keep(arguments.failures, f"{form}-{number}", data)
            taken = time.monotonic() - begun
            if taken > arguments.longest:
                failures += 1
                print(f"{form} input {number}: {taken:.1f} s", file=sys.stderr)
                _keep(arguments.failures, f"{form}-{number}", data)
            longest = max(longest, taken)
        seconds = time.monotonic() - started
        print(f"{form:16} {arguments.inputs:8} inputs  longest {longest:6.3f} s  in {seconds:6.1f} s", flush=True)
    faulthandler.cancel_dump_traceback_later()
    print("crashes or hangs:", failures)
    sys.exit(failures > 0)


def _keep(folder: Path | None, name: str, data: bytes) -> None:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
