"""Accidents for a build on Spark: processes that end while they work, as they do when a machine is lost."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

EXECUTOR = "CoarseGrainedExecutorBackend"
DAEMON = "pyspark.daemon"


@contextmanager
def accidents(*, executors: int = 1) -> Iterator[list[str]]:
    """Kills a Python worker as soon as one works, then so many executors; the list tells which have been."""
    done: list[str] = []
    over = threading.Event()
    thread = threading.Thread(target=_kill, args=(done, over, executors))
    thread.start()
    try:
        yield done
    finally:
        over.set()
        thread.join()


def _kill(done: list[str], over: threading.Event, executors: int) -> None:
    waiting = ["worker", *["executor"] * executors]
    while waiting and not over.wait(0.2):
        for victim in _running(waiting[0]):
            os.kill(victim.pid, signal.SIGKILL)
            done.append(waiting.pop(0))
            time.sleep(3)  # others take over
            break


def _running(kind: str) -> Iterator[psutil.Process]:
    """The processes of this test that work: an executor only while a Python worker of its own does."""
    for process in psutil.Process().children(recursive=True):
        try:
            parent = process.parent()
            if DAEMON in " ".join(process.cmdline()) and parent and DAEMON in " ".join(parent.cmdline()):
                daemon = parent.parent()
                if kind == "worker":
                    yield process
                elif daemon and EXECUTOR in " ".join(daemon.cmdline()):
                    yield daemon
        except psutil.Error:
            continue  # it has ended by itself
