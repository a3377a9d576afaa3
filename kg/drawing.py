"""The page of a graph that changes is drawn by a process of its own, which makes ready while the change is found.

The process (:mod:`kg.redraw`) hands the page back and writes nothing itself: where the one who ordered it is killed,
nothing of it is left.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

from kg.errors import GraphError

__all__ = ["Drawer"]


class Drawer:
    """Draws the page of the graph in a folder as it is after a change, and ends with its context.

    Import costs nothing and a drawer begins to make ready at once: the earlier it is made, the less it is waited for.
    """

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-P", "-m", "kg.redraw", str(folder)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        self._orders, self._pages = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        self._pages.close()

    def order(self, store: Path, removed: Path, added: Path) -> None:
        """Order the page of the graph in this store, which must be open nowhere; two files of N-Triples hold what it
        has lost and gained since the graph in the folder."""
        try:
            with self._orders as orders:
                orders.write(json.dumps([str(store), str(removed), str(added)]).encode())
        except BrokenPipeError as error:
            raise self._failed() from error

    def page(self) -> bytes:
        """The page that was ordered, as HTML. Raises GraphError when the process has failed."""
        page = self._pages.read()
        if self._process.wait() != 0:
            raise self._failed()
        return page

    def _failed(self) -> GraphError:
        status = self._process.wait()
        return GraphError(f"the page could not be drawn (exit status {status})", hint="is there enough memory?")
