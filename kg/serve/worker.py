"""One worker process: it opens the graph, gives up what it does not need, and does jobs until it is told to end.

The answer of a query is taken from Oxigraph and written in the process's own main thread, where it must stay.
"""

from __future__ import annotations

import signal
from multiprocessing.connection import Connection
from pathlib import Path

from kg.errors import KgError, NameUnknownError, ServeError
from kg.serve.answer import Answer, Job, Limits, OpenGraph
from kg.serve.sandbox import close_network, end_with, limit_memory

__all__ = ["READY", "main", "refusal"]

READY = b"ready"
_GRACE = 2
"""Seconds after its limit at which a job ends its process by itself, should nobody have done so."""


def main(pipe: Connection, folder: Path, limits: Limits) -> None:
    """Does the jobs that come through the pipe, each answered by one Answer, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    graph = OpenGraph(folder, limits)
    graph.base  # noqa: B018 (opens the store, whose threads must start before the limits)
    close_network()
    limit_memory(limits.memory)
    pipe.send_bytes(READY)
    while (job := _next(pipe)) is not None:
        end_with(pipe.fileno(), True)
        answer = _done(job, graph)
        end_with(pipe.fileno(), False)
        pipe.send(answer)


def _next(pipe: Connection) -> Job | None:
    try:
        job: Job = pipe.recv()
    except EOFError:
        return None
    return job


def _done(job: Job, graph: OpenGraph) -> Answer:
    _set_alarm(int(graph.limits.seconds) + _GRACE)
    try:
        return job(graph)
    except KgError as error:
        return refusal(error)
    except MemoryError:
        return refusal(too_much_memory(graph.limits))
    finally:
        _set_alarm(0)


def _set_alarm(seconds: int) -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


def too_much_memory(limits: Limits) -> ServeError:
    """What is said of a query that took all the memory it may have, or more depth than a process has."""
    fault = f"the query needs more than the {limits.memory >> 20} MiB of memory that it may take, or is nested too deep"
    return ServeError(400, fault, hint="ask for less, or order and group less of it")


def refusal(error: KgError) -> Answer:
    """An error as a plain answer."""
    status = error.status if isinstance(error, ServeError) else 404 if isinstance(error, NameUnknownError) else 400
    headers = error.headers if isinstance(error, ServeError) else {}
    return Answer(f"{error}\n".encode(), "text/plain", status, headers)
