"""Serving: the graph is looked at once, a socket is opened, and requests are answered until someone stops it."""

from __future__ import annotations

import ipaddress
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from pyoxigraph import Store

from kg.errors import KgError
from kg.folder import current
from kg.serve.answer import Limits
from kg.serve.app import Served, make_app
from kg.serve.overview import read_overview
from kg.store import STORE_FOLDER, is_store, load_graph, store_folder

__all__ = ["Address", "opened", "run"]

_LONGEST_REQUEST_LINE = 256 * 1024  # bytes; a long query may come in the address


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen, and the web origins whose pages may ask there."""

    host: str = "127.0.0.1"
    port: int = 8000
    origins: tuple[str, ...] = ()


def run(graph: Path, address: Address, limits: Limits, *, ready: Callable[[str], None]) -> None:
    """Serves until interrupted; `ready` is told the address. Raises KgError when it cannot begin."""
    with opened(graph, address, limits) as served, _listening(address) as listener:
        config = uvicorn.Config(
            make_app(served),
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=2,
            h11_max_incomplete_event_size=_LONGEST_REQUEST_LINE,
        )
        server = _Server(config, lambda: ready(_url(listener)))
        with _until_stopped():
            server.run(sockets=[listener])
        if not server.started:
            raise KgError("the workers could not start", where=str(graph), hint="see the messages above")


class _Server(uvicorn.Server):
    """A server that says when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


@contextmanager
def _until_stopped() -> Iterator[None]:
    """Takes an interrupt or a request to end, which the server hands on when it has ended, for the usual end."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def opened(graph: Path, address: Address, limits: Limits) -> Iterator[Served]:
    """What is served of the graph at this path; a graph from a file stands in a store of its own for as long."""
    with _store_folder(graph) as folder:
        built = graph if graph.is_dir() and folder != graph else None
        yield Served(
            folder,
            read_overview(load_graph(folder)),
            limits,
            turtle=_existing(built, "graph.ttl"),
            explorer=_existing(built, "graph.html"),
            origins=address.origins,
            hosts=_names(address.host),
        )


@contextmanager
def _store_folder(graph: Path) -> Iterator[Path]:
    store = load_graph(graph)
    if is_store(folder := store_folder(graph)):
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="paperkg-") as name:
        folder = Path(name) / STORE_FOLDER
        copy = Store(str(folder))
        copy.bulk_extend(store)
        copy.flush()
        del copy, store
        yield folder


def _existing(folder: Path | None, name: str) -> Path | None:
    return file if folder is not None and (file := current(folder, name)).is_file() else None


def _names(host: str) -> tuple[str, ...]:
    """The names that a server on loopback goes by; one that others reach may go by any."""
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    shown = f"[{host}]" if ":" in host else host
    return (shown, "localhost", "127.0.0.1", "[::1]") if local else ()


@contextmanager
def _listening(address: Address) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        listener = socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        place = f"{address.host}:{address.port}"
        raise KgError(f"cannot listen: {error.strerror}", where=place, hint="give another --port") from error
    with listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # inherited; asyncio does not see to it here
        yield listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
