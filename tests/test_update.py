from __future__ import annotations

import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import SEED

from kg import update
from kg.cli import main
from kg.curation import Action, Decision, read_curation, write_curation
from kg.errors import GraphError, NameUnknownError
from kg.pipeline import BuildOptions, build_to_folder
from kg.store import content, load_graph

FILES = ("graph.ttl", "graph.html", "manifest.json")
_, *ABSTRACTS = SEED.read_text(encoding="utf-8").strip().split("\n\n")
RECORDS = [
    {"id": f"seed:{number}", "abstract": text, "title": f"Paper {number} of the seed corpus"}
    for number, text in enumerate(ABSTRACTS)
]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> BuildOptions:
    """Options under which the seed abstracts are read once for all tests here."""
    return BuildOptions(cache=tmp_path_factory.mktemp("cache") / "extractions.sqlite")


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Iterable[object]], Path]:
    numbers = iter(range(100))

    def written(records: Iterable[object]) -> Path:
        path = tmp_path / f"{next(numbers)}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return path

    return written


Write = Callable[[Iterable[object]], Path]


def files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def built(records: Path, folder: Path, options: BuildOptions) -> dict[str, bytes]:
    build_to_folder([records], folder, options=options)
    return files(folder)


@pytest.mark.parametrize("seed", range(3))
def test_papers_added_in_any_portions_give_the_bytes_of_one_build_and_removed_again_those_of_the_first(
    tmp_path: Path, write: Write, cache: BuildOptions, seed: int
) -> None:
    shuffled = random.Random(seed).sample(RECORDS, len(RECORDS))
    cuts = sorted(random.Random(seed).sample(range(1, len(shuffled)), 3))
    portions = [shuffled[start:end] for start, end in zip([0, *cuts], [*cuts, len(shuffled)], strict=True)]
    folder = tmp_path / "grown"
    states = [built(write(portions[0]), folder, cache)]
    for portion in portions[1:]:
        made = update.add_papers([write(portion)], folder, options=cache)
        assert (made.added, made.removed, made.changed) == (len(portion), 0, 0)
        states.append(files(folder))
    assert states[-1] == built(write(RECORDS), tmp_path / "whole", cache)
    assert set(content(load_graph(folder))) == set(content(load_graph(folder / "graph.ttl")))
    for portion, state in zip(portions[:0:-1], states[-2::-1], strict=True):
        update.remove_papers([record["id"] for record in portion], folder, options=cache)
        assert files(folder) == state
    assert set(content(load_graph(folder))) == set(content(load_graph(folder / "graph.ttl")))


def test_a_record_of_a_paper_that_is_there_is_put_together_with_it(
    tmp_path: Path, write: Write, cache: BuildOptions
) -> None:
    longer = {**RECORDS[0], "year": 2025, "venue": "ICLR", "id": "10.1145/1.2"}
    folder = tmp_path / "grown"
    built(write(RECORDS[:3]), folder, cache)
    made = update.add_papers([write([longer])], folder, options=cache)
    assert (made.added, made.removed, made.changed) in {(0, 0, 1), (1, 1, 0)}  # the better identifier names it anew
    assert files(folder) == built(write([*RECORDS[:3], longer]), tmp_path / "whole", cache)


def test_what_is_there_already_changes_nothing(tmp_path: Path, write: Write, cache: BuildOptions) -> None:
    before = built(write(RECORDS[:3]), tmp_path / "out", cache)
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*") if path.is_file()}
    made = update.add_papers([write(RECORDS[1:3])], tmp_path / "out", options=cache)
    assert (made.added, made.removed, made.changed) == (0, 0, 0)
    assert files(tmp_path / "out") == before
    assert all(path.stat().st_mtime_ns == time for path, time in times.items())


def test_a_corrected_record_takes_the_place_of_the_old_one(tmp_path: Path, write: Write, cache: BuildOptions) -> None:
    corrected = {**RECORDS[0], "abstract": ABSTRACTS[4]}
    built(write(RECORDS[:3]), tmp_path / "out", cache)
    made = update.add_papers([write([corrected])], tmp_path / "out", replacing=True, options=cache)
    assert made.removed + made.changed == 1
    assert files(tmp_path / "out") == built(write([corrected, *RECORDS[1:3]]), tmp_path / "whole", cache)


def test_decisions_of_people_come_in_when_the_graph_is_made_again(
    tmp_path: Path, write: Write, cache: BuildOptions
) -> None:
    folder = tmp_path / "out"
    built(write(RECORDS[:4]), folder, cache)
    decided = read_curation(folder / "curation.tsv").with_decision(Decision(Action.BLOCK, "LLMs"))
    write_curation(decided, folder / "curation.tsv")
    options = BuildOptions(cache=cache.cache, curation=decided)
    with pytest.raises(GraphError, match="curationHash"):
        update.add_papers([write(RECORDS[4:])], folder, options=options)
    update.rebuild(folder, options=options)
    assert files(folder) == built(write(RECORDS[:4]), tmp_path / "whole", options)
    update.add_papers([write(RECORDS[4:])], folder, options=options)
    assert files(folder) == built(write(RECORDS), tmp_path / "all", options)


def test_a_broken_record_is_reported_and_the_rest_goes_in(tmp_path: Path, write: Write, cache: BuildOptions) -> None:
    built(write(RECORDS[:3]), tmp_path / "out", cache)
    made = update.add_papers([write([{"title": "no abstract"}, RECORDS[3]])], tmp_path / "out", options=cache)
    assert made.added == 1
    assert len(made.problems) == 1
    assert files(tmp_path / "out") == built(write(RECORDS[:4]), tmp_path / "whole", cache)


def test_least_confidence_and_base_stay_as_built(tmp_path: Path, write: Write, cache: BuildOptions) -> None:
    options = BuildOptions(cache=cache.cache, min_confidence=0.85, base="https://example.org/")
    built(write(RECORDS[:3]), tmp_path / "out", options)
    update.add_papers([write(RECORDS[3:6])], tmp_path / "out", options=cache)
    assert files(tmp_path / "out") == built(write(RECORDS[:6]), tmp_path / "whole", options)


def test_wrong_calls_say_what_to_do_and_change_nothing(tmp_path: Path, write: Write, cache: BuildOptions) -> None:
    folder = tmp_path / "out"
    with pytest.raises(GraphError, match="no graph that kg build wrote"):
        update.add_papers([write(RECORDS)], folder, options=cache)
    assert not folder.exists()
    before = built(write(RECORDS[:2]), folder, cache)
    with pytest.raises(NameUnknownError):
        update.remove_papers(["seed:99"], folder, options=cache)
    with pytest.raises(NameUnknownError):
        update.remove_papers(["https://w3id.org/paperkg/paper/nowhere"], folder, options=cache)
    with pytest.raises(GraphError, match="no paper would be left"):
        update.remove_papers(["seed:0", "seed:1"], folder, options=cache)
    assert files(folder) == before
    shutil.rmtree(folder / "papers")
    with pytest.raises(GraphError, match="the papers of the graph cannot be read"):
        update.remove_papers(["seed:0"], folder, options=cache)


def test_the_commands_say_what_they_did(tmp_path: Path, write: Write, cache: BuildOptions) -> None:
    folder = tmp_path / "out"
    built(write(RECORDS[:2]), folder, cache)
    assert cache.cache is not None
    shutil.copy(cache.cache, folder / "extractions.sqlite")

    def kg(*arguments: object) -> str:
        result = CliRunner().invoke(main, [*map(str, arguments), "-g", str(folder)])
        assert result.exit_code == 0, result.output
        return result.output

    assert "1 added, 0 removed, 0 changed" in kg("add", write(RECORDS[2:3]), "--workers", 1)
    assert "nothing changes" in kg("add", write(RECORDS[2:3]), "--workers", 1)
    assert "0 added, 1 removed, 0 changed" in kg("remove", "seed:0")
    assert "papers      2" in kg("update", "--workers", 1)
    changed = {**RECORDS[1], "year": 2024}
    assert "0 added, 0 removed, 1 changed" in kg("update", write([changed]), "--workers", 1)
    assert files(folder) == built(write([changed, RECORDS[2]]), tmp_path / "whole", cache)
    failed = CliRunner().invoke(main, ["remove", "seed:0", "-g", str(folder)])
    assert failed.exit_code == 1
    assert "seed:0" in failed.output


FILE_EVENTS = ("open", "os.", "shutil.", "sqlite3.")


def add_killed(number: int, records: Path, folder: Path, options: BuildOptions) -> None:
    """Adds papers in a process that is killed when it is about to touch the file system for the nth time."""
    left = number

    def count(event: str, _arguments: object) -> None:
        nonlocal left
        if event.startswith(FILE_EVENTS):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    update.add_papers([records], folder, options=options)


def add_with_little_room(limit: int, records: Path, folder: Path, options: BuildOptions) -> None:
    """Adds papers in a process whose files must not be larger than this; no other error than ours may come of it."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    with pytest.raises(GraphError):
        update.add_papers([records], folder, options=options)


def status_of(body: Callable[..., None], *arguments: object) -> int | None:
    """How a process ends that does this: 0, or minus the signal that killed it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["kg.update", "conftest"])
    process = context.Process(target=body, args=arguments)
    process.start()
    process.join(120)
    return process.exitcode


@pytest.mark.parametrize("number", [5, 60, 120, 180, 210, 230, 240, 250, 260, 270, 280])
def test_killed_at_any_moment_the_graph_is_the_old_or_the_new_one_and_a_second_try_completes(
    tmp_path: Path, write: Write, cache: BuildOptions, number: int
) -> None:
    folder = tmp_path / "out"
    old = built(write(RECORDS[:3]), folder, cache)
    before = set(content(load_graph(folder)))
    new = built(write(RECORDS[:5]), tmp_path / "whole", cache)
    more = write(RECORDS[3:5])
    assert status_of(add_killed, number, more, folder, cache) in {-signal.SIGKILL, 0}
    assert set(content(load_graph(folder))) in [before, set(content(load_graph(tmp_path / "whole")))]
    update.add_papers([more], folder, options=cache)
    assert files(folder) == new != old
    assert not {".change", ".ready", ".old"} & {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("limit", [1_000, 50_000, 200_000, 600_000])
def test_a_full_disk_leaves_the_old_graph(tmp_path: Path, write: Write, cache: BuildOptions, limit: int) -> None:
    folder = tmp_path / "out"
    old = built(write(RECORDS[:12]), folder, cache)
    more = write(RECORDS[12:])
    assert status_of(add_with_little_room, limit, more, folder, cache) == 0
    assert files(folder) == old
    update.add_papers([more], folder, options=cache)
    assert files(folder) == built(write(RECORDS), tmp_path / "whole", cache)
