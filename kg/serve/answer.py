"""What passes between the server and its workers: a job, the graph that it is done on, and the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.identity import BASE
from kg.reading import nodes

__all__ = ["Answer", "Job", "Limits", "OpenGraph", "base_of"]

MAX_BYTES = 64 * 2**20
"""The largest answer that a worker hands over."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take: seconds, bytes of memory, rows or triples; and how many run and wait at once."""

    seconds: float = 10.0
    memory: int = 512 * 2**20
    rows: int = 100_000
    workers: int = 4
    waiting: int = 256


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back to the client. `body` is encoded as `media_type` says."""

    body: bytes
    media_type: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OpenGraph:
    """The graph as a worker sees it: a store that is only read."""

    folder: Path
    limits: Limits

    @cached_property
    def store(self) -> Store:
        """The store in the folder, opened when first asked for."""
        return Store.read_only(str(self.folder))

    @cached_property
    def base(self) -> str:
        """Where the IRIs of the graph's papers and entities live."""
        return base_of(self.store)


Job = Callable[[OpenGraph], Answer]
"""What a worker does: a function of this package with its arguments bound, so that it can be sent to a process."""


def base_of(store: Store) -> str:
    """The base of a graph's IRIs: as its build says, else as its entities show."""
    for quad in store.quads_for_pattern(None, v.TYPE, v.BUILD, None):
        if isinstance(quad.graph_name, NamedNode):
            return quad.graph_name.value.removesuffix("build")
    entity = next(nodes(store, v.ENTITY), None)
    return BASE if entity is None else entity.value.partition("entity/")[0]
