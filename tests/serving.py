"""The server for tests: in this process, or as a person starts it, on a port of its own."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from pyoxigraph import Quad, Store
from starlette.testclient import TestClient

from kg.serve.answer import Limits
from kg.serve.app import make_app
from kg.serve.run import Address, opened


@contextmanager
def client_of(graph: Path, limits: Limits = Limits(workers=2), origins: Sequence[str] = ()) -> Iterator[TestClient]:  # noqa: B008
    """A client of the application over this graph; it follows no redirect."""
    with (
        opened(graph, Address(origins=tuple(origins)), limits) as served,
        TestClient(make_app(served), base_url="http://127.0.0.1", follow_redirects=False) as client,
    ):
        yield client


def store_of(quads: Iterable[Quad], folder: Path) -> Path:
    """A store of these quads in the folder."""
    store = Store(str(folder))
    store.bulk_extend(quads)
    store.flush()
    return folder


@dataclass(frozen=True)
class Started:
    """A running `kg serve`: where it answers, and its process."""

    url: str
    process: subprocess.Popen[str]

    def family(self) -> list[psutil.Process]:
        """Its process and all that it started."""
        own = psutil.Process(self.process.pid)
        return [own, *own.children(recursive=True)]


@contextmanager
def started(graph: Path, *options: str) -> Iterator[Started]:
    """`kg serve` as a process of its own on a free port, ended with an interrupt."""
    command = [sys.executable, "-m", "kg", "serve", str(graph), "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://\S+", line)
            assert found, line + process.stdout.read()
            yield Started(found[0].rstrip("/"), process)
        finally:
            process.send_signal(2)
            process.wait(15)


def gone(processes: Iterable[psutil.Process], seconds: float = 5) -> bool:
    """Whether all of these processes end in time."""
    until = time.monotonic() + seconds
    while any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True
