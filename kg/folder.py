"""The folder that a graph lives in, changed as one: whoever looks sees what was, or what will be.

A change is made ready in `.change`, and it is made when that is renamed to `.ready`. From then on what lies in
`.ready` stands for what bears its name in the folder (:func:`current`). It is moved to its place at once, or, where
the writer was killed, by the next one. A lock lets one writer in at a time; the system frees it when the writer ends.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kg.errors import GraphError

__all__ = ["Change", "changing", "current"]

LOCK, CHANGE, READY, OLD = ".lock", ".change", ".ready", ".old"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of `folder` that is being made ready in `staged`; in `scratch` is room for what nobody needs later."""

    folder: Path

    @property
    def staged(self) -> Path:
        """What lies here when the change is made takes the place of what has its name in the folder."""
        return self.folder / CHANGE / "staged"

    @property
    def scratch(self) -> Path:
        """Room that is cleared when the change ends."""
        return self.folder / CHANGE / "scratch"

    def sync(self) -> None:
        """See that what is ready so far outlives a loss of power."""
        for place in self.staged.rglob("*"):
            if place.is_dir() or place.stat().st_nlink == 1:  # a file that is elsewhere too was there before
                _sync(place)
        _sync(self.staged)

    def commit(self) -> None:
        """Make the change."""
        self.sync()
        self.staged.rename(self.folder / READY)
        _sync(self.folder)
        _move_into_place(self.folder)


@contextmanager
def changing(folder: Path) -> Iterator[Change]:
    """A change of the folder, which is made if it does not exist; nothing of it is left unless it is committed.

    A change that an earlier writer committed and had no time to move into place is moved first. Raises GraphError
    when another process writes here, and when the folder cannot be written.
    """
    from filelock import FileLock, Timeout  # who only reads has no use for it

    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / LOCK, timeout=0):
            try:
                _move_into_place(folder)
                change = Change(folder)
                shutil.rmtree(folder / CHANGE, ignore_errors=True)
                change.staged.mkdir(parents=True)
                change.scratch.mkdir()
                yield change
            finally:
                shutil.rmtree(folder / CHANGE, ignore_errors=True)
                if new and {path.name for path in folder.iterdir()} == {LOCK}:
                    shutil.rmtree(folder)
    except Timeout as error:
        hint = "wait until it has ended, then call again"
        raise GraphError("another kg is writing here", where=str(folder), hint=hint) from error
    except OSError as error:
        raise GraphError(f"cannot write the graph: {error.strerror or error}", where=str(folder)) from error


def current(folder: Path, name: str) -> Path:
    """Where the file or folder with this name lies that holds now, whether or not it is in its place yet."""
    ready = folder / READY / name
    return ready if ready.exists() else folder / name


def _move_into_place(folder: Path) -> None:
    ready = folder / READY
    if ready.exists():
        for new in sorted(ready.iterdir()):
            if new.is_dir() and (folder / new.name).exists():
                shutil.rmtree(folder / OLD, ignore_errors=True)
                (folder / new.name).rename(folder / OLD)
            new.replace(folder / new.name)
        ready.rmdir()
    shutil.rmtree(folder / OLD, ignore_errors=True)


def _sync(place: Path) -> None:
    """See that what was written outlives a loss of power."""
    if place.is_dir() and os.name == "nt":
        return  # there, only files can be told to
    file = os.open(place, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
