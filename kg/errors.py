"""Every error that paperkg raises, in one tree.

::

    KgError
    ├── InputError          a file or stream cannot be read at all
    │   └── RecordError     one record of it cannot; the rest can
    ├── GraphError          a graph, store or export is missing, broken or of an unknown kind
    ├── QueryError          a query is wrong, or asks for something that is not there
    ├── WebError            a server cannot be reached, refuses, or answers with what is not expected
    │   └── PassingError    it may pass: the server is busy, or the connection broke off
    ├── NameUnknownError    a name that no entity of the graph bears
    ├── ServeError          a request that the server does not answer, with its HTTP status
    └── ModelError          the extractor's data is missing or damaged
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = [
    "GraphError",
    "InputError",
    "KgError",
    "ModelError",
    "NameUnknownError",
    "PassingError",
    "QueryError",
    "RecordError",
    "ServeError",
    "WebError",
]


class KgError(Exception):
    """An error with a place, a fault and a way out.

    `where` names the file, line, record or argument; `hint` says what to try.
    """

    def __init__(self, fault: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(fault, where, hint)
        self.fault = fault
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.fault}{remedy}"


class InputError(KgError):
    """A file or stream cannot be read at all."""


class RecordError(InputError):
    """One record of an input cannot be used; readers yield it in the record's place."""


class GraphError(KgError):
    """A graph, store or export is missing, broken or of an unknown kind."""


class QueryError(KgError):
    """A query is wrong, or asks for something that is not there."""


class WebError(KgError):
    """A server cannot be reached, refuses, or answers with what is not expected."""

    status: int | None = None
    """The HTTP status with which it refused."""


class PassingError(WebError):
    """A failure that may pass; `wait` is the number of seconds that the server asks for."""

    wait: float | None = None


class ModelError(KgError):
    """The extractor's data is missing or damaged."""


class NameUnknownError(KgError):
    """No entity bears `name`; `candidates` are the nearest names that some entity bears."""

    def __init__(self, name: str, candidates: Sequence[str] = ()) -> None:
        near = ", ".join(candidates)
        super().__init__(f'nothing in this graph is called "{name}"', hint=f"near: {near}" if near else "")
        self.name = name
        self.candidates = tuple(candidates)


class ServeError(KgError):
    """The server does not answer a request; `status` is what HTTP calls that, `headers` go along with it."""

    def __init__(
        self, status: int, fault: str, *, where: str = "", hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(fault, where=where, hint=hint)
        self.status = status
        self.headers = dict(headers or {})
