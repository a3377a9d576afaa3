"""`kg serve` as it is called: what it says when it cannot begin, and that it ends as it should."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from serving import started

from kg.cli import main


def test_a_missing_package_is_named_with_the_way_to_get_it(seed_folder: Path) -> None:
    program = "import sys; sys.modules['uvicorn'] = None; from kg.cli import main; main(prog_name='kg')"
    ran = subprocess.run([sys.executable, "-c", program, "serve", str(seed_folder)], capture_output=True, text=True)
    assert ran.returncode == 1
    assert ran.stderr == "kg: serving needs more packages: uvicorn (pip install 'paperkg[serve]')\n"


def test_the_other_commands_do_not_load_the_server() -> None:
    program = "import sys, kg.cli; sys.exit(any(name in sys.modules for name in ('starlette', 'uvicorn', 'kg.serve')))"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_a_graph_that_is_not_there(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["serve", str(tmp_path / "nothing")])
    assert (result.exit_code, "no graph is here" in result.stderr) == (1, True)


def test_a_port_that_is_taken(seed_folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = CliRunner().invoke(main, ["serve", str(seed_folder), "--port", str(port)])
    assert (result.exit_code, f"127.0.0.1:{port}: cannot listen" in result.stderr) == (1, True)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_in_peace_and_leaves_no_file(
    seed_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: signal.Signals
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with started(seed_folder / "graph.ttl", "--workers", "1") as server:
        assert list(tmp_path.glob("paperkg-*"))
        server.process.send_signal(ending)
        server.process.wait(10)
        assert server.process.stdout is not None
        assert server.process.stdout.read() == ""
    assert server.process.returncode == 0
    assert not list(tmp_path.glob("paperkg-*"))


def test_small_answers_come_at_once(seed_folder: Path) -> None:
    """Not held back for 40 ms by the network, which waits for more to send unless it is told not to."""
    with started(seed_folder, "--workers", "1") as server:
        import httpx2

        with httpx2.Client(base_url=server.url) as client:
            spent = []
            for number in range(15):
                begun = time.perf_counter()
                client.get("/sparql", params={"query": f"ASK {{}} # {number}"})
                spent.append(time.perf_counter() - begun)
    assert sorted(spent)[7] < 0.03


def test_it_answers_as_soon_as_it_says_so(seed_folder: Path) -> None:
    with started(seed_folder, "--workers", "1", "--host", "localhost") as server:
        assert b"19 papers" in urllib.request.urlopen(server.url, timeout=5).read()
