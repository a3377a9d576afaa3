"""Answers that were given before. The graph does not change while it is served, so a good answer stays good."""

from __future__ import annotations

import asyncio
import pickle
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from kg.serve.answer import Answer, Job

__all__ = ["Answers"]

_MOST_BYTES = 64 * 2**20
_LARGEST = 8 * 2**20
_CHANGES = re.compile(rb"\b(?:NOW|RAND|UUID|STRUUID)\b", re.IGNORECASE)
"""SPARQL functions that give something else each time."""


class Answers:
    """Asks for each job once: what is being asked is shared, what was answered is kept, the latest used the longest."""

    def __init__(self, ask: Callable[[Job], Awaitable[Answer]]) -> None:
        self._ask = ask
        self._kept: OrderedDict[bytes, Answer] = OrderedDict()
        self._bytes = 0
        self._asked: dict[bytes, asyncio.Task[Answer]] = {}
        self._waiting: dict[bytes, int] = {}

    async def ask(self, job: Job) -> Answer:
        """The answer of the job. It is stopped when all who wait for it are cancelled."""
        key = pickle.dumps(job)
        if (kept := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            return kept
        if key not in self._asked:
            self._asked[key] = asyncio.ensure_future(self._ask(job))
        self._waiting[key] = self._waiting.get(key, 0) + 1
        task = self._asked[key]
        try:
            answer = await asyncio.shield(task)
        finally:
            self._leave(key, task)
        if answer.status == 200 and len(answer.body) <= _LARGEST and not _CHANGES.search(key):
            self._keep(key, answer)
        return answer

    def _leave(self, key: bytes, task: asyncio.Task[Answer]) -> None:
        self._waiting[key] -= 1
        if not self._waiting[key]:
            task.cancel()
            del self._waiting[key], self._asked[key]

    def _keep(self, key: bytes, answer: Answer) -> None:
        if key in self._kept:
            return
        self._kept[key] = answer
        self._bytes += len(key) + len(answer.body)
        while self._bytes > _MOST_BYTES:
            old, dropped = self._kept.popitem(last=False)
            self._bytes -= len(old) + len(dropped.body)
