"""Fetching from servers that answer as the real ones do: paging, faults, interruption, and what comes of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from servers import Answer, Asked, FakeClock, Server, serving

from kg.apis import APIS
from kg.cli import SOURCES, main
from kg.errors import InputError, WebError
from kg.fetch import Fetched, fetch, state_file
from kg.read import read_papers
from kg.records import Paper

TOTAL = 7
"""How many papers each source has."""


def words(number: int) -> str:
    return f"We propose method number {number}, which beats the one before on \\alpha-benchmarks."


# What the sources answer


def atom(asked: Asked) -> Answer:
    start, size = int(asked.parameters["start"]), int(asked.parameters["max_results"])
    entries = "".join(
        f"""<entry><id>http://arxiv.org/abs/2501.{number:05}v2</id><updated>2025-02-01T00:00:00Z</updated>
        <published>2024-12-31T00:00:00Z</published><title>Method
          {number}</title><summary>  {words(number)}
        </summary><author><name>Ada Lovelace</name></author><author><name>Plato</name></author>
        <arxiv:doi>10.1000/{number}</arxiv:doi><category term="cs.CL"/></entry>"""
        for number in range(start, min(start + size, TOTAL))
    )
    return Answer(
        f"""<?xml version="1.0" encoding="UTF-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
        <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">{TOTAL}</opensearch:totalResults>
        {entries}</feed>""".encode()
    )


def notes(asked: Asked) -> Answer:
    start, size = int(asked.parameters["offset"]), int(asked.parameters["limit"])
    found: list[dict[str, Any]] = [
        {
            "id": f"note{number:06}",
            "forum": f"note{number:06}",
            "invitations": ["ICLR.cc/2025/Conference/-/Submission"],
            "content": {
                "title": {"value": f"Method {number}"},
                "abstract": {"value": words(number)},
                "authors": {"value": ["Ada Lovelace", "Plato"]},
                "venue": {"value": "ICLR 2025 poster"},
            },
        }
        for number in range(start, min(start + size, TOTAL))
    ]
    return as_json({"notes": found, "count": TOTAL})


def works(asked: Asked) -> Answer:
    start = 0 if asked.parameters["cursor"] == "*" else int(asked.parameters["cursor"].removeprefix("after-"))
    end = min(start + int(asked.parameters["per_page"]), TOTAL)
    found = [
        {
            "id": f"https://openalex.org/W{number}",
            "doi": f"https://doi.org/10.1000/{number}",
            "title": f"Method {number}",
            "publication_year": 2025,
            "authorships": [{"author": {"display_name": "Ada Lovelace"}}],
            "abstract_inverted_index": {word: [place] for place, word in enumerate(words(number).split())},
        }
        for number in range(start, end)
    ]
    following = f"after-{end}" if found else None  # the last page but one still has a cursor
    return as_json({"meta": {"count": TOTAL, "next_cursor": following}, "results": found})


def bulk(asked: Asked) -> Answer:
    start = int(asked.parameters.get("token", "t0").removeprefix("t"))
    end = min(start + 3, TOTAL)
    found = [
        {
            "paperId": f"p{number}",
            "externalIds": {"ArXiv": f"2501.{number:05}"},
            "title": f"Method {number}",
            "abstract": words(number),
            "year": 2025,
            "url": f"https://www.semanticscholar.org/paper/p{number}",
            "authors": [{"name": "Ada Lovelace"}, {"name": "Plato"}],
        }
        for number in range(start, end)
    ]
    return as_json({"total": TOTAL, "token": f"t{end}" if end < TOTAL else None, "data": found})


def as_json(answer: object) -> Answer:
    return Answer(json.dumps(answer).encode(), headers={"Content-Type": "application/json"})


SERVERS: dict[str, Callable[[Asked], Answer]] = {"arxiv": atom, "openreview": notes, "openalex": works, "s2": bulk}
EMPTY = {
    "arxiv": b'<feed xmlns="http://www.w3.org/2005/Atom"><opensearch:totalResults>0</opensearch:totalResults></feed>',
    "openreview": b'{"notes": [], "count": 0}',
    "openalex": b'{"meta": {"count": 0, "next_cursor": null}, "results": []}',
    "s2": b'{"total": 0, "token": null, "data": []}',
}
NAMES = tuple(SERVERS)


@pytest.fixture(params=NAMES)
def source(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(source: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setitem(APIS, source, small(source))  # type: ignore[arg-type]
    with serving(SERVERS[source]) as server:
        yield server


def small(source: str) -> Any:
    """The source with pages of three records."""
    return replace(APIS[source], size=3)


def run(source: str, server: Server, out: Path, clock: FakeClock | None = None, **options: Any) -> Fetched:
    clock = clock or FakeClock()
    options.setdefault("query", "method")
    query = options.pop("query")
    return fetch(small(source), query, out, endpoint=server.url, clock=clock.clock, **options)


def numbers(out: Path) -> list[str]:
    """The numbers of the papers in a file, as the readers read it."""
    papers = list(read_papers([out]))
    assert all(isinstance(paper, Paper) for paper in papers), papers
    return [str(paper.title).removeprefix("Method ") for paper in papers if isinstance(paper, Paper)]


ALL = [str(number) for number in range(TOTAL)]


# Whole fetches


def test_every_page_comes_and_is_read_again(source: str, server: Server, tmp_path: Path) -> None:
    clock = FakeClock()
    fetched = run(source, server, tmp_path / "a.jsonl", clock)
    assert (fetched.papers, fetched.added, fetched.total, fetched.whole) == (TOTAL, TOTAL, TOTAL, True)
    assert numbers(tmp_path / "a.jsonl") == numbers(tmp_path) == ALL
    assert len(server.asked) >= 3
    assert clock.waits == pytest.approx([APIS[source].pause] * (len(server.asked) - 1))


def test_what_is_known_of_a_paper_is_kept(source: str, server: Server, tmp_path: Path) -> None:
    run(source, server, tmp_path / "a.jsonl", limit=1)
    (paper,) = read_papers([tmp_path / "a.jsonl"], format="json")
    assert isinstance(paper, Paper)
    assert paper.abstract == words(0)
    assert paper.authors[0] == "Ada Lovelace"
    assert paper.year == (2024 if source == "arxiv" else 2025)
    ids = {
        "arxiv": "10.1000/0",
        "openreview": "openreview:note000000",
        "openalex": "10.1000/0",
        "s2": "arXiv:2501.00000",
    }
    urls = {
        "arxiv": "https://arxiv.org/abs/2501.00000",
        "openreview": "https://openreview.net/forum?id=note000000",
        "openalex": "https://openalex.org/W0",
        "s2": "https://www.semanticscholar.org/paper/p0",
    }
    assert (paper.id, paper.url) == (ids[source], urls[source])


def test_nothing_found_is_an_empty_file_and_no_error(source: str, server: Server, tmp_path: Path) -> None:
    server.faults.append(Answer(EMPTY[source]))
    fetched = run(source, server, tmp_path / "a.jsonl")
    assert (fetched.papers, fetched.whole) == (0, True)
    assert (tmp_path / "a.jsonl").read_bytes() == b""
    assert len(server.asked) == 1


@pytest.mark.parametrize("limit", [1, 3, 4, 7, 9])
def test_a_limit_is_kept_and_a_greater_one_goes_on(source: str, server: Server, tmp_path: Path, limit: int) -> None:
    out = tmp_path / "a.jsonl"
    assert run(source, server, out, limit=limit).papers == min(limit, TOTAL)
    assert numbers(out) == ALL[:limit]
    fetched = run(source, server, out)
    assert (fetched.papers, fetched.added) == (TOTAL, TOTAL - min(limit, TOTAL))
    assert numbers(out) == ALL


def test_a_whole_fetch_asks_no_more(source: str, server: Server, tmp_path: Path) -> None:
    run(source, server, tmp_path / "a.jsonl")
    asked = len(server.asked)
    assert run(source, server, tmp_path / "a.jsonl").whole
    assert len(server.asked) == asked


# Faults that pass


@pytest.mark.parametrize(
    ("fault", "wait"),
    [
        (Answer(b"busy", status=429, headers={"Retry-After": "20"}), 20.0),
        (Answer(b"<html><title>Oops</title></html>", status=500), 1.0),
        (Answer(b'{"a": "' + b"x" * 500, cut=300), 1.0),
        (Answer(close=True), 1.0),
    ],
    ids=["429", "500", "cut", "closed"],
)
def test_a_fault_that_passes_changes_nothing(
    source: str, server: Server, tmp_path: Path, fault: Answer, wait: float
) -> None:
    clock = FakeClock()
    run(source, server, tmp_path / "a.jsonl", clock, limit=3)
    server.faults.append(fault)
    run(source, server, tmp_path / "a.jsonl", clock)
    assert numbers(tmp_path / "a.jsonl") == ALL
    assert wait in clock.waits


def test_an_answer_that_is_cut_where_no_length_tells_is_asked_for_again(
    source: str, server: Server, tmp_path: Path
) -> None:
    first = {"start": "0", "offset": "0", "cursor": "*", "max_results": "3", "limit": "3", "per_page": "3"}
    most = SERVERS[source](Asked("GET", "", first, {}, b"")).body[:-200]
    server.faults.append(Answer(most, headers={"Content-Length": "", "Connection": "close"}))
    run(source, server, tmp_path / "a.jsonl")
    assert numbers(tmp_path / "a.jsonl") == ALL


def test_an_empty_page_of_arxiv_that_should_not_be_is_asked_for_again(tmp_path: Path) -> None:
    with serving(atom) as server:
        server.faults.append(Answer(EMPTY["arxiv"].replace(b">0<", b">7<")))
        run("arxiv", server, tmp_path / "a.jsonl")
        assert numbers(tmp_path / "a.jsonl") == ALL


# Faults that do not pass


def bad_answers(source: str) -> Iterator[tuple[bytes, str]]:
    yield b"<!DOCTYPE html><html><head><title>Please log in</title></head></html>", "it says: Please log in"
    yield b"[]", "the answer is not"
    yield b"", "the answer is (?:no|not) "
    if source == "arxiv":
        bomb = b'<!DOCTYPE feed [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><feed><entry>&b;</entry></feed>'
        yield bomb, "declares an entity"
        yield (
            b"<feed><entry><id>http://arxiv.org/api/errors#x</id><summary>bad field</summary></entry></feed>",
            "bad field",
        )
        yield b"<feed><entry><id>1</id>", "damaged: the XML breaks off"
    else:
        yield b'{"a": ' * 100_000, "no valid JSON"
        yield b'{"unexpected": 1}', "unexpected"
        yield b'{"', "no valid JSON"


def test_a_bad_answer_is_a_clear_error_and_leaves_what_came(source: str, server: Server, tmp_path: Path) -> None:
    for number, (body, message) in enumerate(bad_answers(source)):
        out = tmp_path / f"{number}.jsonl"
        run(source, server, out, limit=3)
        server.faults[:] = [Answer(body)] * 6
        with pytest.raises(WebError, match=message) as caught:
            run(source, server, out)
        assert "3 papers are in the file" in caught.value.hint
        assert caught.value.where.startswith(server.url)
        server.faults.clear()
        run(source, server, out)
        assert numbers(out) == ALL


def test_a_server_that_stays_busy_is_left_alone_and_asked_later(source: str, server: Server, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    run(source, server, out, limit=4)
    server.faults += [Answer(status=503)] * 6
    with pytest.raises(WebError, match="503"):
        run(source, server, out)
    assert run(source, server, out).added == 3
    assert numbers(out) == ALL


# Going on


def test_a_last_line_that_was_cut_off_is_mended(source: str, server: Server, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    run(source, server, out, limit=3)
    whole = out.read_bytes()
    for cut in (1, 2, 30, len(whole.splitlines()[-1]), len(whole) - 1):
        out.write_bytes(whole[:-cut])
        state_file(out).write_text(
            json.dumps({"api": source, "query": "method", "endpoint": server.url, "next": APIS[source].first})
        )
        run(source, server, out)
        assert sorted(numbers(out)) == ALL


def test_a_page_that_was_written_but_not_noted_is_not_repeated(source: str, server: Server, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    run(source, server, out, limit=3)
    before = state_file(out).read_bytes()
    run(source, server, out, limit=6)
    state_file(out).write_bytes(before)
    run(source, server, out)
    assert numbers(out) == ALL


@pytest.mark.parametrize("source", ["openalex", "s2"])
def test_a_cursor_that_the_server_forgot_begins_anew_and_repeats_nothing(source: str, tmp_path: Path) -> None:
    with serving(SERVERS[source]) as server:
        out = tmp_path / "a.jsonl"
        run(source, server, out, limit=3)
        server.faults.append(Answer(b'{"error": "cursor has expired"}', status=400))
        fetched = run(source, server, out)
        assert (fetched.papers, fetched.added) == (7, 4)
        assert numbers(out) == ALL


def test_a_query_that_is_wrong_is_not_tried_again(source: str, server: Server, tmp_path: Path) -> None:
    server.faults.append(Answer(b'{"message": "no such field"}', status=400))
    with pytest.raises(WebError, match=r"400 .*no such field"):
        run(source, server, tmp_path / "a.jsonl")
    assert len(server.asked) == 1


def test_records_without_an_abstract_are_left_out_and_counted(tmp_path: Path) -> None:
    def some(asked: Asked) -> Answer:
        answer = json.loads(bulk(asked).body)
        answer["data"][0]["abstract"] = None
        return as_json(answer)

    with serving(some) as server:
        fetched = run("s2", server, tmp_path / "a.jsonl")
    assert (fetched.papers, fetched.without_abstract) == (4, 3)
    assert numbers(tmp_path / "a.jsonl") == ["1", "2", "4", "5"]


def test_a_file_of_another_fetch_is_left_as_it_is(source: str, server: Server, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    run(source, server, out, limit=3)
    before = out.read_bytes()
    with pytest.raises(InputError, match=r'of another fetch: .* "method".*--restart'):
        run(source, server, out, query="other")
    state_file(out).unlink()
    with pytest.raises(InputError, match="no unfinished fetch"):
        run(source, server, out)
    assert out.read_bytes() == before
    assert run(source, server, out, restart=True).added == TOTAL
    assert numbers(out) == ALL


def test_a_file_that_somebody_broke_is_said_with_its_line(tmp_path: Path) -> None:
    with serving(bulk) as server:
        out = tmp_path / "a.jsonl"
        run("s2", server, out, limit=3)
        out.write_bytes(b"oh\n" + out.read_bytes())
        with pytest.raises(InputError, match=r"a\.jsonl, line 1: this line is none that was fetched"):
            run("s2", server, out)
        state_file(out).write_text("{")
        with pytest.raises(InputError, match="state file is damaged"):
            run("s2", server, out)


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    with serving(bulk) as server:
        out = tmp_path / "a.jsonl"

        def meanwhile(_: Fetched) -> None:
            with pytest.raises(InputError, match="another run is writing"):
                run("s2", server, out)

        run("s2", server, out, progress=meanwhile)
        assert numbers(out) == ALL


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with serving(bulk) as server, pytest.raises(InputError, match="cannot be written: No such file"):
        run("s2", server, tmp_path / "missing" / "a.jsonl")


KILLED = """
import sys
from dataclasses import replace
from pathlib import Path
from kg.apis import APIS
from kg.fetch import fetch
source, url, out = sys.argv[1:]
fetch(replace(APIS[source], size=1, pause=0.0), "method", Path(out), endpoint=url)
"""


@pytest.mark.parametrize("source", ["arxiv", "openalex"])
def test_a_run_that_is_killed_again_and_again_ends_with_every_record_once(source: str, tmp_path: Path) -> None:
    def slowly(asked: Asked) -> Answer:
        time.sleep(0.01)
        return SERVERS[source](asked)

    out = tmp_path / "a.jsonl"
    with serving(slowly) as server:
        for after in (1, 3, 4):
            process = subprocess.Popen([sys.executable, "-c", KILLED, source, server.url, str(out)])
            while process.poll() is None and len(numbers_of_lines(out)) < after:
                time.sleep(0.002)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        run(source, server, out)
    assert numbers(out) == ALL


def numbers_of_lines(out: Path) -> list[bytes]:
    return out.read_bytes().splitlines() if out.exists() else []


# How the sources are asked


@pytest.mark.parametrize(
    ("source", "query", "path", "parameters"),
    [
        ("arxiv", 'graph "neural net"', "/query", {"search_query": 'all:graph AND all:"neural net"', "start": "0"}),
        ("arxiv", "cat:cs.CL AND ti:prompt", "/query", {"search_query": "cat:cs.CL AND ti:prompt"}),
        ("openreview", "ICLR.cc/2025/Conference", "/notes", {"content.venueid": "ICLR.cc/2025/Conference"}),
        ("openreview", "X.cc/2025/-/Submission", "/notes", {"invitation": "X.cc/2025/-/Submission", "offset": "0"}),
        ("openreview", "graph networks", "/notes/search", {"term": "graph networks", "source": "forum"}),
        ("openalex", "graph", "/works", {"search": "graph", "filter": "has_abstract:true", "mailto": "a@b.org"}),
        ("openalex", "publication_year:2025", "/works", {"filter": "publication_year:2025,has_abstract:true"}),
        ("openalex", "graph", "/works", {"api_key": "secret", "cursor": "*"}),
        ("s2", "graph + net", "/paper/search/bulk", {"query": "graph + net"}),
    ],
)
def test_a_query_is_put_as_its_source_wants_it(
    source: str, query: str, path: str, parameters: dict[str, str], tmp_path: Path
) -> None:
    with serving(SERVERS[source]) as server:
        run(source, server, tmp_path / "a.jsonl", query=query, limit=1, email="a@b.org", key="secret")
    assert server.asked[0].path == path
    assert server.asked[0].parameters | parameters == server.asked[0].parameters
    assert (server.asked[0].headers.get("X-Api-Key") == "secret") == (source == "s2")
    assert b"secret" not in state_file(tmp_path / "a.jsonl").read_bytes()


def test_arxiv_is_not_asked_for_more_than_it_gives(tmp_path: Path) -> None:
    with serving(atom) as server:
        run("arxiv", server, tmp_path / "a.jsonl", limit=3)
        state = json.loads(state_file(tmp_path / "a.jsonl").read_text())
        state_file(tmp_path / "a.jsonl").write_text(json.dumps(state | {"next": "30000"}))
        with pytest.raises(WebError, match=r"only the first 30,000.*split it"):
            run("arxiv", server, tmp_path / "a.jsonl")


# The command


def test_the_command_says_what_it_fetched(source: str, server: Server, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    call = ["fetch", source, "method", "-o", str(out), "--endpoint", server.url, "--email", "ada@example.org"]
    result = CliRunner().invoke(main, [*call, "--limit", "2"])
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{out}: 2 papers, 2 of them new\nthere are more: raise --limit\n"
    read = CliRunner().invoke(main, ["read", "--count", str(out)])
    assert (read.exit_code, read.stdout) == (0, "2\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--endpoint", "file:///etc/passwd"), "no address of a server"),
        (("--endpoint", "http://127.0.0.1:1", "--limit", "0"), "0 is not in the range"),
        (("--email", "nobody"), "not an address"),
        (("--email", "a@b.org\r\nX: y"), "not an address"),
    ],
)
def test_a_wrong_call_of_the_command_is_said(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["fetch", "arxiv", "x", "-o", str(tmp_path / "a.jsonl"), *arguments])
    assert result.exit_code in (1, 2)
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_empty_query_asks_nothing(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["fetch", "arxiv", "  ", "-o", str(tmp_path / "a.jsonl")])
    assert (result.exit_code, "the query is empty" in result.stderr) == (1, True)


def test_the_command_line_knows_every_source() -> None:
    assert set(SOURCES) == set(APIS) == set(NAMES)
