"""What one request may take, what happens to one that wants more, and that nobody else notices."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad
from serving import client_of, gone, started, store_of
from starlette.testclient import TestClient

from kg.serve.answer import Limits

HOSTILE = {
    "a cartesian product": "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }",
    "a product that is ordered": "SELECT ?a { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY ?c ?f ?i",
    "a deep property path": "SELECT (COUNT(*) AS ?n) { ?a (!<a:a>|^!<a:b>)* ?b . ?b (!<a:a>|^!<a:b>)* ?c }",
    "a long regular expression": "ASK { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(REGEX(CONCAT(?c, ?f, ?i), '(a*)*b$')) }",
}
LIMIT = 1.0


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nodes = [NamedNode(f"http://example.org/{number}") for number in range(3000)]
    knows, name = (NamedNode(f"http://example.org/{word}") for word in ("knows", "name"))
    quads = [Quad(node, knows, nodes[(7 * index + 1) % 3000]) for index, node in enumerate(nodes)]
    quads += [Quad(node, name, Literal("a" * 30 + str(index))) for index, node in enumerate(nodes)]
    return store_of(quads, tmp_path_factory.mktemp("limits") / "store")


@pytest.fixture(scope="module")
def client(graph: Path) -> Iterator[TestClient]:
    with client_of(graph, Limits(seconds=LIMIT, memory=128 * 2**20, rows=1000, workers=2)) as client:
        yield client


def ask(client: TestClient, query: str) -> tuple[int, str, float]:
    begun = time.monotonic()
    answer = client.post("/sparql", content=query, headers={"Content-Type": "application/sparql-query"})
    return answer.status_code, answer.text, time.monotonic() - begun


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_query_is_stopped_in_time_and_others_are_answered(client: TestClient, what: str) -> None:
    with ThreadPoolExecutor(1) as elsewhere:
        hostile = elsewhere.submit(ask, client, HOSTILE[what])
        time.sleep(0.1)
        friends = []
        while not hostile.done():
            friends.append(ask(client, f"ASK {{ ?s ?p {len(friends)} }}"))
            time.sleep(0.02)
    status, message, seconds = hostile.result()
    assert status in (400, 503), message
    assert "stopped after 1 s" in message or "MiB of memory" in message
    assert seconds < LIMIT + 1
    assert {status for status, _, _ in friends} == {200}
    assert max(seconds for _, _, seconds in friends) < 0.5


def test_many_hostile_queries_at_once_leave_room_for_others(client: TestClient) -> None:
    query = HOSTILE["a cartesian product"]
    with ThreadPoolExecutor(12) as elsewhere:
        hostile = [elsewhere.submit(ask, client, f"{query} # {number}") for number in range(12)]
        time.sleep(0.2)
        friend = ask(client, "ASK { ?s ?p 'friend' }")
    assert {job.result()[0] for job in hostile} == {503}
    assert friend[0] == 200
    assert ask(client, "ASK {}")[0] == 200


def test_too_much_memory(graph: Path) -> None:
    with client_of(graph, Limits(seconds=30, memory=64 * 2**20, workers=1)) as client:
        status, message, _ = ask(client, HOSTILE["a product that is ordered"])
        assert (status, "64 MiB of memory" in message) == (400, True)
        assert ask(client, "ASK {}")[0] == 200


@pytest.mark.parametrize("query", ["ASK {" + "{" * 30000 + "}" * 30000 + "}", "ASK { FILTER" + "(" * 50000 + "1"])
def test_too_much_depth(client: TestClient, query: str) -> None:
    status, message, _ = ask(client, query)
    assert (status, "nested too deep" in message) == (400, True)


@pytest.mark.parametrize("query", ["SELECT * { ?s ?p ?o }", "CONSTRUCT WHERE { ?s ?p ?o }"])
def test_too_many_rows_are_refused_not_cut(client: TestClient, query: str) -> None:
    status, message, _ = ask(client, query)
    assert (status, "more than 1,000" in message) == (400, True)
    assert ask(client, f"{query} LIMIT 1000")[0] == 200


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps this limit")
def test_a_worker_reaches_no_network_starts_no_program_and_writes_no_file(tmp_path: Path) -> None:
    program = """
import socket, subprocess, sys
from pyoxigraph import Store
from kg.serve.sandbox import close_network, limit_memory
assert close_network()
limit_memory(2**28)
store = Store()
for forbidden in (
    lambda: socket.socket(),
    lambda: subprocess.run(["true"]),
    lambda: open(sys.argv[1], "w").write("x" * 9999),
    lambda: store.query("ASK { SERVICE <http://localhost/> {} }"),
):
    try:
        forbidden()
    except OSError:
        print("refused")
"""
    ran = subprocess.run([sys.executable, "-c", program, str(tmp_path / "x")], capture_output=True, text=True)
    assert (ran.stdout.count("refused"), ran.stderr) == (4, "")


def test_a_queue_that_is_full_says_so(graph: Path) -> None:
    limits = Limits(seconds=1, workers=1, waiting=2)
    with client_of(graph, limits) as client, ThreadPoolExecutor(8) as elsewhere:
        query = HOSTILE["a cartesian product"]
        answers = [elsewhere.submit(ask, client, f"{query} # {number}").result for number in range(8)]
        assert any("too many requests are waiting" in answer()[1] for answer in answers)
        assert {answer()[0] for answer in answers} == {503}


def test_a_query_is_asked_once_for_all_who_ask_it(client: TestClient) -> None:
    query = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . FILTER(STRLEN(STR(?c)) > 3) } LIMIT 1"
    first, again = (ask(client, query.replace("LIMIT 1", "LIMIT 7")) for _ in range(2))
    assert first[:2] == again[:2]
    assert again[2] < 0.1


def test_what_changes_is_asked_anew(client: TestClient) -> None:
    one, other = (ask(client, "SELECT (STRUUID() AS ?x) {}") for _ in range(2))
    assert one[1] != other[1]


def test_nothing_is_left_when_the_server_ends(graph: Path) -> None:
    with started(graph, "--workers", "2", "--timeout", "30") as server:
        family = server.family()
        assert len(family) >= 5
    assert gone(family)


def test_nothing_is_left_when_the_server_is_killed_while_a_query_runs(graph: Path) -> None:
    import httpx2

    with started(graph, "--workers", "1", "--timeout", "60") as server, ThreadPoolExecutor(1) as elsewhere:
        endpoint = f"{server.url}/sparql"
        asked = elsewhere.submit(httpx2.get, endpoint, params={"query": HOSTILE["a cartesian product"]}, timeout=20)
        time.sleep(0.7)
        family = server.family()
        server.process.kill()
        assert gone(family)
        assert isinstance(asked.exception(), httpx2.HTTPError)


def test_a_query_whose_client_has_gone_is_stopped(graph: Path) -> None:
    import httpx2

    with started(graph, "--workers", "1", "--timeout", "60") as server:
        with pytest.raises(httpx2.ReadTimeout):
            httpx2.get(f"{server.url}/sparql", params={"query": HOSTILE["a cartesian product"]}, timeout=1)
        time.sleep(0.5)
        family = server.family()
        for process in family:
            process.cpu_percent()
        time.sleep(0.5)
        assert [process for process in family if process.is_running() and process.cpu_percent() > 50] == []
        server.process.send_signal(2)
        assert server.process.stdout is not None
        assert server.process.stdout.read() == ""
