from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from kg.errors import GraphError
from kg.folder import changing, current


def state(folder: Path) -> tuple[str, str]:
    return current(folder, "a.txt").read_text(), (current(folder, "inner") / "b.txt").read_text()


def stage(folder: Path, text: str) -> None:
    (folder / "a.txt").write_text(text)
    (folder / "inner").mkdir()
    (folder / "inner" / "b.txt").write_text(text)


def change(folder: Path, text: str) -> None:
    with changing(folder) as made:
        stage(made.staged, text)
        made.commit()


def test_a_change_takes_the_place_of_what_was_and_leaves_nothing_else(tmp_path: Path) -> None:
    for text in ("old", "new"):
        change(tmp_path / "out", text)
        assert state(tmp_path / "out") == (text, text)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {".lock", "a.txt", "inner"}


def test_a_change_that_fails_leaves_what_was(tmp_path: Path) -> None:
    change(tmp_path, "old")

    def fail() -> None:
        with changing(tmp_path) as made:
            stage(made.staged, "new")
            (made.staged / "inner").mkdir()

    with pytest.raises(GraphError, match="cannot write"):
        fail()
    assert state(tmp_path) == ("old", "old")
    assert {path.name for path in tmp_path.iterdir()} == {".lock", "a.txt", "inner"}


def test_a_new_folder_to_which_nothing_came_is_not_left(tmp_path: Path) -> None:
    with changing(tmp_path / "out"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("moved", [(), ("a.txt",), ("a.txt", "inner")])
def test_a_change_that_was_made_counts_before_it_is_moved_and_is_moved_by_the_next_writer(
    tmp_path: Path, moved: tuple[str, ...]
) -> None:
    change(tmp_path, "old")
    (tmp_path / ".ready").mkdir()
    stage(tmp_path / ".ready", "new")
    for name in moved:
        if name == "inner":
            (tmp_path / name).rename(tmp_path / ".old")
        (tmp_path / ".ready" / name).replace(tmp_path / name)
    assert state(tmp_path) == ("new", "new")
    with changing(tmp_path):
        assert state(tmp_path) == ("new", "new")
    assert {path.name for path in tmp_path.iterdir()} == {".lock", "a.txt", "inner"}


def hold(folder: Path, ready: multiprocessing.synchronize.Event) -> None:
    with changing(folder) as made:
        stage(made.staged, "half")
        ready.set()
        signal.pause()


def test_a_second_writer_is_told_and_a_killed_one_is_in_nobodys_way(tmp_path: Path) -> None:
    change(tmp_path, "old")
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    process = context.Process(target=hold, args=(tmp_path, ready))
    process.start()
    assert ready.wait(60)
    with pytest.raises(GraphError, match="another kg is writing here"):
        change(tmp_path, "new")
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert state(tmp_path) == ("old", "old")
    change(tmp_path, "new")
    assert state(tmp_path) == ("new", "new")
