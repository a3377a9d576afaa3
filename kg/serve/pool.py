"""The workers: processes that do jobs one at a time and can be killed, so that no query outstays its limit.

A job begins in one of a few slots. One that runs for long gives its slot back and goes on at a priority that falls
as it ages, so that quick questions are answered while slow ones run. Of those there may be only so many: where one
more comes, the oldest is stopped. A worker that was slowed down, killed or has done many jobs is replaced by a spare
that is ready.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from kg.errors import ServeError
from kg.serve.answer import Answer, Job, Limits
from kg.serve.worker import READY, main, refusal, too_much_memory

__all__ = ["Pool"]

_LOG = logging.getLogger(__name__)

SHORT = 0.3
"""Seconds after which a job counts as a long one."""

_PATIENCE = 10.0
"""Seconds that a request waits for its turn."""

_ASK_LESS = "ask for less; LIMIT helps where nothing is ordered or counted"
_SPARE = 2
_JOBS = 2000
"""Jobs after which a worker is replaced, so that what memory it has lost to fragments comes back."""

_STAGES = ((2.0, 0), (5.0, 8), (float("inf"), 19))
"""Until which second a long job has which niceness."""

_METHOD = "spawn" if sys.platform == "win32" else "forkserver"
_CRASHES = tuple(
    -getattr(signal, name) for name in ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGTRAP") if hasattr(signal, name)
)


class _Worker:
    """One process, our end of its pipe, and what it is doing."""

    def __init__(self, process: BaseProcess, pipe: Connection) -> None:
        self.process = process
        self.pipe = pipe
        self.jobs = 0
        self.doing: Future[Answer | None] | None = None

    def begin(self, job: Job, threads: ThreadPoolExecutor) -> asyncio.Future[Answer | None]:
        """Hands the job over; the future gives the answer, or None when the process ended instead."""
        self.jobs += 1
        self.doing = threads.submit(self._do, job)
        return asyncio.wrap_future(self.doing)

    def _do(self, job: Job) -> Answer | None:
        try:
            self.pipe.send(job)
            answer: Answer = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return answer

    def slow_down(self, niceness: int) -> None:
        """Lets others go first."""
        if hasattr(os, "setpriority") and self.process.pid:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self.process.pid, niceness)

    def end(self) -> None:
        """Kills the process and waits for it, and for the thread that reads from it. Blocks for a moment."""
        self.process.kill()
        self.process.join()
        if self.doing is not None:
            self.doing.exception()
        self.pipe.close()


class Pool:
    """Workers over the store in `folder`; use it as an async context."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._context = multiprocessing.get_context(_METHOD)
        self._most_long = 2 * limits.workers
        self._wanted = limits.workers + _SPARE
        self._threads = ThreadPoolExecutor(2 * (self._wanted + self._most_long), "kg-serve")
        self._slots = asyncio.Semaphore(limits.workers)
        self._ready: asyncio.LifoQueue[_Worker] = asyncio.LifoQueue()
        self._quick: set[_Worker] = set()
        self._long: dict[_Worker, asyncio.Future[None]] = {}
        self._starting = 0
        self._waiting = 0
        self._background: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Pool:
        """Starts the workers and waits until they are ready. Raises ServeError when one does not get so far."""
        if _METHOD == "forkserver":
            self._context.set_forkserver_preload(["__main__", "kg.serve.sparql", "kg.serve.pages"])
        try:
            self._stock()
            while self._starting:
                await asyncio.gather(*self._background)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends every process."""
        self._wanted = 0
        while self._quick or self._long or self._background:
            for worker in [*self._quick, *self._long]:
                self._remove(worker)
            await asyncio.gather(*self._background, return_exceptions=True)
        self._threads.shutdown()

    @property
    def processes(self) -> list[int]:
        """The ids of the workers' processes."""
        return [worker.process.pid for worker in (*self._quick, *self._long) if worker.process.pid]

    async def ask(self, job: Job) -> Answer:
        """The answer of a job.

        Raises ServeError: 503 when it took too long or too many wait, 400 when it took too much. When the caller is
        cancelled, the job is stopped.
        """
        await self._wait_for_slot()
        slot = _Slot(self._slots)
        try:
            return await self._answered(await self._worker(), job, slot)
        finally:
            slot.release()

    async def _wait_for_slot(self) -> None:
        if self._waiting >= self._limits.waiting:
            raise _busy("too many requests are waiting")
        self._waiting += 1
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._slots.acquire()
        except TimeoutError:
            raise _busy("no worker became free in time") from None
        finally:
            self._waiting -= 1

    async def _worker(self) -> _Worker:
        self._stock()
        try:
            async with asyncio.timeout(_PATIENCE):
                return await self._ready.get()
        except TimeoutError:
            raise _busy("no worker is ready") from None

    async def _answered(self, worker: _Worker, job: Job, slot: _Slot) -> Answer:
        answer = worker.begin(job, self._threads)
        reusable = False
        try:
            await asyncio.wait({answer}, timeout=min(SHORT, self._limits.seconds))
            if answer.done():
                reusable = answer.result() is not None and worker.jobs < _JOBS
            else:
                await self._wait_longer(worker, answer, slot)
            return self._outcome(worker, answer.result())
        finally:
            if reusable:
                self._ready.put_nowait(worker)
            else:
                self._remove(worker)

    async def _wait_longer(self, worker: _Worker, answer: asyncio.Future[Answer | None], slot: _Slot) -> None:
        """Waits until the limit for a job that has become a long one. Raises ServeError when it does not end."""
        begun = time.monotonic() - SHORT
        stopped = asyncio.get_running_loop().create_future()
        self._make_room()
        self._quick.discard(worker)
        self._long[worker] = stopped
        self._stock()
        slot.release()
        for end, niceness in _STAGES:
            worker.slow_down(niceness)
            left = begun + min(end, self._limits.seconds) - time.monotonic()
            if left > 0 and not stopped.done():
                await asyncio.wait({answer, stopped}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return
        if stopped.done():
            fault = f"the query was stopped after {time.monotonic() - begun:.1f} s, because many long ones run"
            raise ServeError(503, fault, hint=_ASK_LESS, headers={"Retry-After": "10"})
        raise ServeError(503, f"the query was stopped after {self._limits.seconds:g} s", hint=_ASK_LESS)

    def _make_room(self) -> None:
        """Stops the oldest of the long jobs when there are as many as may be."""
        running = [stopped for stopped in self._long.values() if not stopped.done()]
        if len(running) >= self._most_long:
            running[0].set_result(None)

    def _outcome(self, worker: _Worker, answer: Answer | None) -> Answer:
        if answer is not None:
            return answer
        worker.process.join(1)
        if worker.process.exitcode in _CRASHES:
            return refusal(too_much_memory(self._limits))
        raise ServeError(500, f"the worker ended with status {worker.process.exitcode}", hint="try again")

    def _stock(self) -> None:
        """Starts as many workers as are missing."""
        for _ in range(self._wanted - len(self._quick) - self._starting):
            self._starting += 1
            self._keep(self._start())

    async def _start(self) -> None:
        try:
            worker = await asyncio.get_running_loop().run_in_executor(self._threads, self._started)
        finally:
            self._starting -= 1
        self._quick.add(worker)
        self._ready.put_nowait(worker)

    def _started(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        task = {"target": main, "args": (theirs, self._folder, self._limits), "daemon": True}
        process: BaseProcess = self._context.Process(**task)  # type: ignore[attr-defined]
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        try:
            if ours.recv_bytes() == READY:
                return worker
        except EOFError:
            pass
        worker.end()
        raise ServeError(500, "a worker could not open the graph", where=str(self._folder))

    def _remove(self, worker: _Worker) -> None:
        """Ends a worker and lets another take its place."""
        self._quick.discard(worker)
        self._long.pop(worker, None)
        self._keep(self._end(worker))
        self._stock()

    async def _end(self, worker: _Worker) -> None:
        await asyncio.get_running_loop().run_in_executor(self._threads, worker.end)

    def _keep(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("%s", error)


class _Slot:
    """A slot that is given back once, however often that is asked for."""

    def __init__(self, slots: asyncio.Semaphore) -> None:
        self._slots = slots
        self._held = True

    def release(self) -> None:
        """Gives the slot back if it still holds one."""
        if self._held:
            self._held = False
            self._slots.release()


def _busy(fault: str) -> ServeError:
    return ServeError(503, fault, hint="try again in a moment", headers={"Retry-After": "5"})
