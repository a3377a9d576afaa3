"""Pushing to graph stores: one that a test makes, a real Oxigraph, and a real Apache Jena Fuseki where there is one."""

from __future__ import annotations

import base64
import gzip
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, RdfFormat, Store, Triple, parse
from servers import Answer, Asked, FakeClock, Server, serving

from kg.cli import main
from kg.errors import GraphError, WebError
from kg.push import Pushed, basic, push
from kg.store import content, load_graph, memory_store

GRAPH = "https://example.org/graph"


def triple(number: int) -> Triple:
    return Triple(NamedNode(f"x:{number}"), NamedNode("x:is"), Literal(f'"{number}\n"', language="en"))


def store_of(number: int) -> Store:
    return memory_store(map(triple, range(number)))


class GraphStore:
    """What a graph store holds, and how it answers."""

    def __init__(self) -> None:
        self.held = Store()

    def __call__(self, asked: Asked) -> Answer:
        name = asked.parameters.get("graph")
        graph = NamedNode(name) if name else DefaultGraph()
        if asked.method == "PUT":
            self.held.clear_graph(graph)
        body = gzip.decompress(asked.body) if asked.headers.get("Content-Encoding") == "gzip" else asked.body
        self.held.load(body, format=RdfFormat.N_TRIPLES, to_graph=graph)
        return Answer(status=204, headers={"Content-Length": ""})

    def of(self, name: str | None = None) -> set[Triple]:
        graph = NamedNode(name) if name else DefaultGraph()
        return {quad.triple for quad in self.held.quads_for_pattern(None, None, None, graph)}


@pytest.fixture
def graph_store() -> GraphStore:
    return GraphStore()


@pytest.fixture
def server(graph_store: GraphStore) -> Iterator[Server]:
    with serving(graph_store) as server:
        yield server


def test_all_triples_arrive_in_batches(server: Server, graph_store: GraphStore) -> None:
    seen: list[int] = []
    pushed = push(store_of(10), server.url, batch=4, progress=lambda now: seen.append(now.arrived))
    assert pushed == Pushed(total=10, arrived=10, requests=3)
    assert seen == [4, 8, 10]
    assert graph_store.of() == set(map(triple, range(10)))
    assert {(asked.method, asked.headers["Content-Type"]) for asked in server.asked} == {
        ("POST", "application/n-triples")
    }


def test_what_is_there_stays_unless_it_is_to_be_replaced(server: Server, graph_store: GraphStore) -> None:
    push(memory_store([triple(99)]), server.url)
    push(store_of(5), server.url, batch=2)
    assert graph_store.of() == {triple(99), *map(triple, range(5))}
    push(store_of(5), server.url, batch=2, replace=True)
    assert graph_store.of() == set(map(triple, range(5)))
    assert [asked.method for asked in server.asked][-3:] == ["PUT", "POST", "POST"]


def test_pushing_twice_doubles_nothing(server: Server, graph_store: GraphStore) -> None:
    for _ in range(2):
        push(store_of(5), server.url, batch=2)
    assert len(graph_store.held) == 5


def test_a_named_graph_is_named_in_the_address(server: Server, graph_store: GraphStore) -> None:
    push(store_of(3), f"{server.url}/sparql?key=1", graph=f"{GRAPH}?a=b&c#d")
    assert graph_store.of(f"{GRAPH}?a=b&c#d") == set(map(triple, range(3)))
    assert server.asked[0].parameters["key"] == "1"


def test_an_empty_graph_empties_what_it_replaces(server: Server, graph_store: GraphStore) -> None:
    push(store_of(3), server.url)
    push(store_of(0), server.url, replace=True)
    assert graph_store.of() == set()


def test_batches_may_be_compressed(server: Server, graph_store: GraphStore) -> None:
    push(store_of(300), server.url, compressed=True)
    assert graph_store.of() == set(map(triple, range(300)))
    assert len(server.asked[0].body) < 5000


@pytest.mark.parametrize(
    "fault", [Answer(status=503, headers={"Retry-After": "9"}), Answer(status=500), Answer(close=True)]
)
def test_a_fault_that_passes_changes_nothing(server: Server, graph_store: GraphStore, fault: Answer) -> None:
    clock = FakeClock()
    server.faults.append(fault)
    push(store_of(10), server.url, batch=4, clock=clock.clock)
    assert graph_store.of() == set(map(triple, range(10)))
    assert clock.waits == [9.0 if fault.status == 503 else 1.0]


def test_a_failure_says_how_much_has_arrived_and_a_second_run_sends_the_rest(
    server: Server, graph_store: GraphStore
) -> None:
    def fail(now: Pushed) -> None:
        if now.arrived == 8:
            server.faults += [Answer(b"disk full", status=507)]

    with pytest.raises(WebError, match=r"507.*disk full.*8 of 10 triples have arrived"):
        push(store_of(10), server.url, batch=4, clock=FakeClock().clock, progress=fail)
    assert len(graph_store.held) == 8
    push(store_of(10), server.url, batch=4)
    assert graph_store.of() == set(map(triple, range(10)))


@pytest.mark.parametrize(("status", "hint"), [(401, "a key or a password"), (404, "HOST:7878/store"), (405, "/data")])
def test_a_refusal_says_what_to_do(server: Server, status: int, hint: str) -> None:
    server.faults.append(Answer(status=status))
    with pytest.raises(WebError, match=f"{status}.*{hint}.*0 of 3 triples"):
        push(store_of(3), server.url)
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirection_is_said_and_not_taken_for_success(server: Server, status: int) -> None:
    server.faults.append(Answer(status=status, headers={"Location": "/store"}))
    with pytest.raises(WebError, match=r"redirects to .*/store|30[78]"):
        push(store_of(3), server.url)
    assert len(server.asked) == 1


def test_blank_nodes_are_refused_before_anything_is_sent(server: Server) -> None:
    with pytest.raises(GraphError, match="blank nodes"):
        push(memory_store([Triple(BlankNode(), NamedNode("x:is"), Literal("1"))]), server.url)
    assert server.asked == []


# The command


def kg(*arguments: str, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(main, ["push", *arguments])


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "a.nt").write_text('<x:a> <x:is> "1" .\n', encoding="utf-8")
    return str(tmp_path / "a.nt")


def test_the_command_says_what_it_sent(server: Server, graph_store: GraphStore, file: str) -> None:
    result = kg(file, "--endpoint", server.url, "--graph", GRAPH, "--replace", "--gzip")
    assert (result.exit_code, result.stdout) == (0, f"1 triples sent to {server.url} in 1 requests\n")
    assert len(graph_store.of(GRAPH)) == 1


def test_a_password_or_a_token_comes_from_the_environment(server: Server, file: str) -> None:
    assert kg(file, "--endpoint", server.url, "--user", "ada", KG_PASSWORD="s:ß").exit_code == 0
    assert kg(file, "--endpoint", server.url, "--token-env", "MINE", MINE=" t0ken\n").exit_code == 0
    said = [asked.headers["Authorization"] for asked in server.asked]
    assert said == ["Basic " + base64.b64encode("ada:s:ß".encode()).decode(), "Bearer t0ken"]
    assert said[0] == basic("ada", "s:ß")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--endpoint", "file:///tmp"), 1, "no address of a server"),
        (("--endpoint", "http://x", "--graph", "not an iri"), 2, "not an IRI"),
        (("--endpoint", "http://x", "--token-env", "NOWHERE"), 2, "NOWHERE is not set"),
        (("--endpoint", "http://x", "--token-env", "A", "--user", "b"), 2, "not both"),
        ((), 2, "--endpoint"),
    ],
)
def test_a_wrong_call_is_said(arguments: tuple[str, ...], status: int, message: str, file: str) -> None:
    result = kg(file, *arguments)
    assert result.exit_code == status
    assert message in result.stderr


# Real servers


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "the server has ended"
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"{url} does not answer")


@pytest.fixture(scope="module")
def oxigraph() -> Iterator[str]:
    """A real Oxigraph server, of the package `oxigraph` that the extra `dev` brings."""
    program = shutil.which("oxigraph", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if program is None:
        pytest.skip("needs Oxigraph's server: pip install oxigraph")
    port = free_port()
    process = subprocess.Popen([program, "serve", "--bind", f"127.0.0.1:{port}"], stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/query?query=ASK%7B%7D", process)
        yield f"http://127.0.0.1:{port}/store"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def fuseki() -> Iterator[str]:
    """A real Apache Jena Fuseki.

    Download https://archive.apache.org/dist/jena/binaries/apache-jena-fuseki-5.6.0.tar.gz (for Java 17), unpack it, and
    set the environment variable FUSEKI_HOME to its folder; or fetch org.apache.jena:jena-fuseki-main:5.6.0 with
    `mvn dependency:copy-dependencies -DoutputDirectory=DIR` and set FUSEKI_HOME to DIR.
    """
    home = os.environ.get("FUSEKI_HOME")
    if not home or shutil.which("java") is None:
        pytest.skip("needs Apache Jena Fuseki: set FUSEKI_HOME to its folder")
    port = free_port()
    start = ["java", "-cp", f"{home}/*", "org.apache.jena.fuseki.main.cmds.FusekiMainCmd"]
    process = subprocess.Popen(
        [*start, f"--port={port}", "--localhost", "--mem", "/papers"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/papers?query=ASK%7B%7D", process)
        yield f"http://127.0.0.1:{port}/papers/data"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(params=["oxigraph", "fuseki"])
def real(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


def held(endpoint: str, name: str) -> set[Triple]:
    """What the server holds in a graph, over its own interface."""
    request = urllib.request.Request(f"{endpoint}?{name}", headers={"Accept": "application/n-triples"})
    with urllib.request.urlopen(request) as answer:
        return {quad.triple for quad in parse(answer.read(), format=RdfFormat.N_TRIPLES)}


@pytest.mark.parametrize("options", [(), ("--gzip",), ("--batch", "1000", "--graph", GRAPH)], ids=" ".join)
def test_a_real_server_holds_what_was_built(real: str, seed_folder: Path, options: tuple[str, ...]) -> None:
    name = f"graph={GRAPH}" if "--graph" in options else "default"
    result = kg(str(seed_folder), "--endpoint", real, "--replace", *options)
    assert result.exit_code == 0, result.output
    expected = set(content(load_graph(seed_folder)))
    assert held(real, name) == expected
    assert kg(str(seed_folder), "--endpoint", real, *options).exit_code == 0
    assert held(real, name) == expected


def test_a_real_server_refuses_what_is_no_graph_store(real: str, file: str) -> None:
    wrong: Callable[[str], str] = lambda url: url.rpartition("/")[0] + "/nothing-here"  # noqa: E731
    result = kg(file, "--endpoint", wrong(real))
    assert result.exit_code == 1
    assert "expected the address of a graph store" in result.stderr
