"""The client on its own: patience, limits, redirections, and one kind of error for whatever goes wrong."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Iterator

import pytest
from servers import Answer, Asked, FakeClock, Server, serving

from kg.errors import PassingError, WebError
from kg.web import TRIES, Ask, Web


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda asked: Answer(b"hello from " + asked.path.encode())) as server:
        yield server


def ask(url: str, *, clock: FakeClock | None = None, **options: object) -> bytes:
    web = Web(clock=(clock or FakeClock()).clock, timeout=1.0, **options)  # type: ignore[arg-type]
    return web.ask(Ask(url), bytes)


def test_it_says_who_it_is(server: Server) -> None:
    assert ask(f"{server.url}/a", email="ada@example.org") == b"hello from /a"
    agent = server.asked[0].headers["User-Agent"]
    assert agent.startswith("paperkg/")
    assert agent.endswith("(mailto:ada@example.org)")


def test_it_leaves_a_pause_between_requests(server: Server) -> None:
    clock = FakeClock()
    web = Web(pause=3.0, clock=clock.clock)
    for _ in range(3):
        web.ask(Ask(server.url), bytes)
    assert clock.waits == [3.0, 3.0]


@pytest.mark.parametrize(
    ("fault", "waits"),
    [
        (Answer(status=500), [1.0]),
        (Answer(status=503, headers={"Retry-After": "7"}), [7.0]),
        (Answer(status=429, headers={"Retry-After": "30"}), [30.0]),
        (Answer(status=429, headers={"Retry-After": "soon"}), [1.0]),
        (Answer(b"x" * 1000, cut=400), [1.0]),
        (Answer(close=True), [1.0]),
        (Answer(b"5\r\nab", headers={"Transfer-Encoding": "chunked", "Content-Length": ""}), [1.0]),
        (Answer(gzip.compress(b"x" * 1000)[:-12], headers={"Content-Encoding": "gzip"}), [1.0]),
        (Answer(b"no gzip", headers={"Content-Encoding": "gzip"}), [1.0]),
    ],
    ids=["500", "503", "429", "no date", "cut", "closed", "chunked", "cut gzip", "no gzip"],
)
def test_what_may_pass_is_tried_again(server: Server, fault: Answer, waits: list[float]) -> None:
    server.faults.append(fault)
    clock = FakeClock()
    assert ask(server.url, clock=clock).startswith(b"hello")
    assert clock.waits == waits


def test_a_date_to_come_back_at_is_held_against_the_servers_own(server: Server) -> None:
    clock = FakeClock()
    date = "Wed, 21 Oct 2065 07:28:{:02} GMT"
    server.faults.append(Answer(status=429, headers={"Retry-After": date.format(40), "Date": date.format(0)}))
    assert ask(server.url, clock=clock).startswith(b"hello")
    assert clock.waits == [40.0]


def test_a_server_that_asks_for_a_long_wait_is_left_alone(server: Server) -> None:
    clock = FakeClock()
    server.faults.append(Answer(status=429, headers={"Retry-After": "86400"}))
    with pytest.raises(WebError, match="asks to wait 86,400 seconds"):
        ask(server.url, clock=clock)
    assert clock.waits == []


def test_it_gives_up_after_some_tries_and_says_why(server: Server) -> None:
    server.faults += [Answer(b'{"error": "Too many requests"}', status=429)] * TRIES
    clock = FakeClock()
    said: list[str] = []
    with pytest.raises(PassingError, match="429 Too Many Requests: Too many requests"):
        ask(server.url, clock=clock, notice=said.append)
    assert clock.waits == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert "trying again in 16 s" in said[-1]
    assert len(server.asked) == TRIES


@pytest.mark.parametrize(
    ("status", "hint"), [(400, "is the request right"), (401, "wants a key"), (403, "refuses"), (404, "is the address")]
)
def test_what_does_not_pass_is_not_tried_again(server: Server, status: int, hint: str) -> None:
    server.faults.append(Answer(b"<html><title>No &amp; no</title></html>", status=status))
    with pytest.raises(WebError, match=f"{status}.*: No & no .*{hint}") as caught:
        ask(f"{server.url}/x?api_key=secret")
    assert caught.value.status == status
    assert "secret" not in str(caught.value)
    assert len(server.asked) == 1


def test_an_answer_may_be_compressed(server: Server) -> None:
    server.faults.append(Answer(gzip.compress(b"packed"), headers={"Content-Encoding": "gzip"}))
    assert ask(server.url) == b"packed"
    assert server.asked[0].headers["Accept-Encoding"] == "gzip"


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_has_a_limit_packed_or_not(server: Server, packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg.web.ANSWER_LIMIT", 100_000)
    body = b" " * 1_000_000
    headers = {"Content-Encoding": "gzip"} if packed else {}
    server.faults.append(Answer(gzip.compress(body) if packed else body, headers=headers))
    with pytest.raises(WebError, match="longer than"):
        ask(server.url)
    assert len(server.asked) == 1


def test_a_redirection_on_the_same_host_is_followed_without_the_key(server: Server) -> None:
    server.faults.append(Answer(status=302, headers={"Location": "/there"}))
    answer = Web(clock=FakeClock().clock).ask(Ask(server.url, secret={"X-Api-Key": "s"}), bytes)
    assert answer == b"hello from /there"
    assert [asked.headers.get("X-Api-Key") for asked in server.asked] == ["s", None]


@pytest.mark.parametrize(
    "target", ["http://localhost:1/x", "http://evil.example/x", "file:///etc/passwd", "ftp://127.0.0.1/x", "//[bad"]
)
def test_a_redirection_elsewhere_is_not_followed(server: Server, target: str) -> None:
    server.faults.append(Answer(status=302, headers={"Location": target}))
    with pytest.raises(WebError):
        ask(server.url)
    assert len(server.asked) == 1


def test_a_circle_of_redirections_ends(server: Server) -> None:
    server.faults += [Answer(status=302, headers={"Location": f"/{n % 2}"}) for n in range(50)]
    with pytest.raises(WebError, match=r"30[0-9]"):
        ask(f"{server.url}/1")
    assert len(server.asked) < 20


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "example.org", "http://", "http://a b/", "ftp://a/", "http://[x"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(WebError, match=r"no address of a server|cannot be asked"):
        ask(url)


def test_a_server_that_is_not_there_is_said() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(PassingError, match="the connection failed: Connection refused"):
        ask(f"http://127.0.0.1:{port}/")


def test_a_name_that_does_not_exist_is_said_at_once() -> None:
    clock = FakeClock()
    with pytest.raises(WebError, match="not found"):
        ask("http://no-such-host.invalid/", clock=clock)
    assert clock.waits == []


def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(16)
        web = Web(clock=FakeClock().clock, timeout=0.05)
        with pytest.raises(PassingError, match="in time"):
            web.ask(Ask(f"http://127.0.0.1:{silent.getsockname()[1]}/"), bytes)


def test_what_the_reader_of_the_answer_finds_broken_is_asked_for_again(server: Server) -> None:
    def read(body: bytes) -> bytes:
        if len(server.asked) < 3:
            raise PassingError("broken")
        return body

    assert Web(clock=FakeClock().clock).ask(Ask(server.url), read).startswith(b"hello")
    assert len(server.asked) == 3


def echoed(asked: Asked) -> Answer:
    return Answer(asked.body)


def test_a_body_is_sent() -> None:
    with serving(echoed) as server:
        assert Web().ask(Ask(server.url, "PUT", {"Content-Type": "text/plain"}, body=b"x"), bytes) == b"x"
        assert (server.asked[0].method, server.asked[0].headers["Content-Type"]) == ("PUT", "text/plain")
