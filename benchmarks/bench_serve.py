"""How `kg serve` answers: each named query alone and new each time, so that no kept answer helps; then many clients
at once, and a new hostile query every second.

python benchmarks/bench_serve.py GRAPH [CLIENTS] [SECONDS]
"""

from __future__ import annotations

import asyncio
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from urllib.parse import quote, urlsplit

import psutil

from kg.serve.overview import read_overview
from kg.store import load_graph

HOSTILE = (
    "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
    "SELECT * { ?a ?b ?c . ?d ?e ?f } ORDER BY ?c ?f",
    "SELECT (COUNT(*) AS ?n) { ?a (!<a:a>|^!<a:b>)* ?b }",
)


class Client:
    """One connection that is kept open."""

    def __init__(self, url: str) -> None:
        self.place = urlsplit(url)

    async def __aenter__(self) -> Client:
        self.reader, self.writer = await asyncio.open_connection(self.place.hostname, self.place.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    async def ask(self, query: str) -> int:
        head = f"GET /sparql?query={quote(query)} HTTP/1.1\r\nHost: {self.place.netloc}\r\nAccept: text/csv\r\n\r\n"
        self.writer.write(head.encode())
        answer = await self.reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer)
        assert length
        await self.reader.readexactly(int(length[1]))
        return int(answer[9:12])


async def alone(url: str, queries: dict[str, str], times: int = 7) -> dict[str, float]:
    """The median milliseconds of each query."""
    medians = {}
    async with Client(url) as client:
        for name, query in queries.items():
            spent = []
            for _ in range(times):
                begun = time.perf_counter()
                status = await client.ask(f"{query} # {time.perf_counter()}")
                spent.append(1000 * (time.perf_counter() - begun))
            medians[name] = statistics.median(spent)
            print(f"{name:20} {status}  median {medians[name]:7.1f} ms  worst {max(spent):7.1f} ms")
    print(f"{'all':20}      median {statistics.median(medians.values()):7.1f} ms")
    return medians


async def together(url: str, queries: dict[str, str], clients: int, seconds: float, *, fresh: bool) -> None:
    until = time.monotonic() + seconds
    statuses: Counter[int] = Counter()
    failed: Counter[str] = Counter()
    spent: list[float] = []
    hostile: Counter[int] = Counter()
    stopped: list[float] = []

    async def friend(number: int) -> None:
        async with Client(url) as client:
            while time.monotonic() < until:
                number += 1
                begun = time.perf_counter()
                name, query = list(queries.items())[number % len(queries)]
                status = await client.ask(f"{query} # {begun}" if fresh else query)
                statuses[status] += 1
                failed[name] += status != 200
                spent.append(time.perf_counter() - begun)

    async def foe(query: str) -> None:
        async with Client(url) as client:
            begun = time.perf_counter()
            hostile[await client.ask(query)] += 1
            stopped.append(time.perf_counter() - begun)

    async def foes() -> None:
        begun = []
        while time.monotonic() < until:
            begun.append(asyncio.create_task(foe(f"{HOSTILE[len(begun) % len(HOSTILE)]} # {len(begun)}")))
            await asyncio.sleep(1)
        await asyncio.gather(*begun)

    await asyncio.gather(foes(), *(friend(number) for number in range(clients)))
    spent.sort()
    print(f"{len(spent)} answers to {clients} clients in {seconds:g} s: {dict(statuses)} {dict(+failed)}")
    print(f"median {1000 * statistics.median(spent):.0f} ms, 99 % under {1000 * spent[int(0.99 * len(spent))]:.0f} ms")
    print(f"{sum(hostile.values())} hostile queries: {dict(hostile)}, the longest {max(stopped):.1f} s")


def memory(process: int) -> str:
    """The resident memory of the server and, summed and counted, of its workers, in MiB."""
    own = psutil.Process(process)
    family = [child.memory_info().rss for child in own.children(recursive=True)]
    return f"server {own.memory_info().rss >> 20} MiB, {len(family)} other processes {sum(family) >> 20} MiB"


def main(graph: str, clients: int, seconds: float) -> None:
    begun = time.perf_counter()
    overview = read_overview(load_graph(graph))
    print(f"{overview.triples} triples, {overview.papers} papers, looked at in {time.perf_counter() - begun:.1f} s")
    queries = {example.name: example.text for example in overview.examples}
    command = [sys.executable, "-m", "kg", "serve", graph, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path.cwd()) as server:
        try:
            assert server.stdout
            url = server.stdout.readline().split()[-1]
            medians = asyncio.run(alone(url, queries))
            quick = {name: query for name, query in queries.items() if medians[name] < 50}
            print("before:", memory(server.pid))
            print("\nall queries, the same again and again:")
            asyncio.run(together(url, queries, clients, seconds, fresh=False))
            print(f"\n{len(quick)} queries that take less than 50 ms alone, new each time:")
            asyncio.run(together(url, quick, clients, seconds, fresh=True))
            time.sleep(1)
            print("\nafter: ", memory(server.pid))
        finally:
            server.send_signal(2)


if __name__ == "__main__":
    main(
        sys.argv[1],
        int(sys.argv[2]) if len(sys.argv) > 2 else 100,
        float(sys.argv[3]) if len(sys.argv) > 3 else 60,
    )
