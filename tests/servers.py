"""A server on this machine that answers as a test tells it to, and a clock that does not wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from kg.web import Clock


@dataclass
class Answer:
    """What the server says; `cut` leaves out the end of what the length promises, `close` sends nothing at all."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int = 0
    close: bool = False


@dataclass
class Asked:
    """A request that came."""

    method: str
    path: str
    parameters: dict[str, str]
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Server:
    """Where it listens, the answers that it gives before it answers properly, and the requests that came."""

    url: str
    faults: list[Answer] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)


@contextmanager
def serving(proper: Callable[[Asked], Answer]) -> Iterator[Server]:
    """A server that answers with its faults, one after the other, and then properly."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked = Asked(self.command, parts.path, dict(parse_qsl(parts.query)), dict(self.headers), body)
            server.asked.append(asked)
            answer = server.faults.pop(0) if server.faults else proper(asked)
            if answer.close:
                self.connection.close()
                return
            self.send_response_only(answer.status)
            for name, value in ({"Content-Length": str(len(answer.body))} | dict(answer.headers)).items():
                if value:
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body[: len(answer.body) - answer.cut])

        do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Says nothing of a client that was killed."""

    http = Quiet(("127.0.0.1", 0), Handler)
    server = Server(f"http://127.0.0.1:{http.server_port}")
    thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()


class FakeClock:
    """A clock that moves only when somebody waits; `waits` are the seconds that were waited."""

    def __init__(self) -> None:
        self.time = 0.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.time, self.sleep)
