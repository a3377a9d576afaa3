"""The page of a graph that changes is drawn by a process of its own, which makes ready while the change is found.

The process (:mod:`kg.redraw`) writes to a file that is open already, in the scratch of the change: where the one who
ordered the page is killed, nothing of it is left but what the next change clears away.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

from kg.errors import GraphError
from kg.folder import Change
from kg.manifest import PAGE

__all__ = ["Drawer"]


class Drawer:
    """Draws the page of the graph in a folder as it is after a change, and ends with its context.

    Import costs nothing and a drawer begins to make ready at once: the earlier it is made, the less it is waited for.
    """

    def __init__(self, change: Change) -> None:
        self._change = change
        command = [sys.executable, "-P", "-m", "kg.redraw", str(change.folder)]
        with self._drawn.open("wb") as page:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=page)  # noqa: S603
        self._orders = cast(IO[bytes], self._process.stdin)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()

    @property
    def _drawn(self) -> Path:
        return self._change.scratch / PAGE

    def order(self, store: Path, removed: Path, added: Path) -> None:
        """Order the page of the graph in this store, which must be open nowhere; two files of N-Triples hold what it
        has lost and gained since the graph in the folder."""
        try:
            with self._orders as orders:
                orders.write(json.dumps([str(store), str(removed), str(added)]).encode())
        except BrokenPipeError as error:
            raise self._failed() from error

    def finish(self) -> None:
        """Wait for the page that was ordered, and make it ready. Raises GraphError when the process has failed."""
        if self._process.wait() != 0:
            raise self._failed()
        self._drawn.rename(self._change.staged / PAGE)

    def _failed(self) -> GraphError:
        status = self._process.wait()
        return GraphError(f"the page could not be drawn (exit status {status})", hint="is there enough memory?")
