from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import mention

from kg.cache import CACHE_FILE, Cache
from kg.cli import main
from kg.records import (
    Claim,
    ClaimKind,
    Direction,
    EntityType,
    Extraction,
    Link,
    Paper,
    Proposal,
    Relation,
    RelationType,
    Role,
    Sentence,
)


def full(abstract: str) -> Extraction:
    """An extraction that holds one of everything."""
    one, other = mention(abstract, "SOAP"), mention(abstract, "speed", EntityType.METRIC)
    claim = Claim(
        ClaimKind.RESULT,
        0,
        4,
        about=(one,),
        subject=one,
        metric=other,
        direction=Direction.BETTER,
        value=Decimal("1.50"),
        unit="%",
        baseline="the others",
        negated=True,
    )
    return Extraction(
        Paper(abstract),
        (Sentence(0, 4, Role.RESULT), Sentence(4, 8)),
        (one, other),
        (Relation(one, RelationType.USED_FOR, other, 0, 4, 0.5),),
        (Proposal(one, 0, 4),),
        (claim,),
        (Link("https://e.org", 0, 4),),
    )


class Reader:
    """Extracts, and notes what it was asked to read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(self, papers: Iterable[Paper | Extraction]) -> Iterator[Extraction]:
        for paper in papers:
            if isinstance(paper, Extraction):
                yield paper
                continue
            self.read.append(paper.abstract)
            yield replace(full(paper.abstract), paper=paper)


PAPERS = [Paper(f"SOAP has speed {number}", title=f"Paper {number}") for number in range(5)]


def test_what_was_read_once_is_not_read_again(tmp_path: Path) -> None:
    first, second = Reader(), Reader()
    with Cache(tmp_path / "c", "model") as cache:
        whole = list(cache.extractions(PAPERS[:3], first))
    with Cache(tmp_path / "c", "model") as cache:
        assert len(cache) == 3
        again = list(cache.extractions(PAPERS, second))
    assert first.read == [paper.abstract for paper in PAPERS[:3]]
    assert second.read == [paper.abstract for paper in PAPERS[3:]]
    assert [each.paper for each in again] == PAPERS
    assert [each.claims for each in again[:3]] == [each.claims for each in whole]
    assert str(again[0].claims[0].value) == "1.50"
    assert again[0].mentions[0] == whole[0].mentions[0]


def test_two_papers_with_one_abstract_are_both_there(tmp_path: Path) -> None:
    twins = [Paper("SOAP has speed", title="One"), Paper("SOAP has speed", title="Two"), Paper("SOAP has other speed")]
    for _ in range(2):
        with Cache(tmp_path / "c", "model") as cache:
            assert [each.paper for each in cache.extractions(twins, Reader())] == twins


def test_another_extractor_reads_anew(tmp_path: Path) -> None:
    for model in ("one", "other"):
        reader = Reader()
        with Cache(tmp_path / "c", model) as cache:
            list(cache.extractions(PAPERS, reader))
        assert len(reader.read) == len(PAPERS)


def test_what_was_read_before_an_interruption_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg.cache.KEPT_EVERY", 1)

    def broken(papers: Iterable[Paper]) -> Iterator[Extraction]:
        for number, paper in enumerate(papers):
            if number == 3:
                raise KeyboardInterrupt
            yield full(paper.abstract)

    cache = Cache(tmp_path / "c", "model")
    with pytest.raises(KeyboardInterrupt):
        list(cache.extractions(PAPERS, broken))
    del cache  # as if the process had ended
    reader = Reader()
    with Cache(tmp_path / "c", "model") as again:
        list(again.extractions(PAPERS, reader))
    assert len(reader.read) == 2


def test_a_damaged_file_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(b"no database" * 1000)
    with Cache(tmp_path / "c", "model") as cache:
        assert len(list(cache.extractions(PAPERS, Reader()))) == len(PAPERS)
    assert (tmp_path / "c.damaged").exists()


def test_a_damaged_extraction_is_read_anew(tmp_path: Path) -> None:
    with Cache(tmp_path / "c", "model") as cache:
        list(cache.extractions(PAPERS, Reader()))
    with sqlite3.connect(tmp_path / "c") as file:
        file.execute("UPDATE extractions SET content = X'00'")
    file.close()
    reader = Reader()
    with Cache(tmp_path / "c", "model") as cache:
        list(cache.extractions(PAPERS, reader))
    assert len(reader.read) == len(PAPERS)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_build_with_the_cache_gives_the_same_graph(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("We use SOAP for language modeling. SOAP beats Adam by 40%.\n")
    (tmp_path / "b.txt").write_text("We study graph neural networks (GNNs) for link prediction.\n")
    first, both, none = (tmp_path / name for name in ("first", "both", "none"))
    run("build", str(tmp_path / "a.txt"), "-o", str(first))
    assert (first / CACHE_FILE).exists()
    both.mkdir()
    (first / CACHE_FILE).rename(both / CACHE_FILE)
    run("build", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), "-o", str(both))
    run("build", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), "-o", str(none), "--no-cache")
    assert (both / "graph.ttl").read_bytes() == (none / "graph.ttl").read_bytes()
    assert not (none / CACHE_FILE).exists()
