"""The same paper from several sources is one, and no two papers are."""

from __future__ import annotations

import json
import random
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.cli import main
from kg.duplicates import Distinct, groups, merged
from kg.graph import paper_triples
from kg.identity import BASE, paper_iri
from kg.pipeline import build
from kg.read import json_line, read_papers
from kg.records import Paper

TITLE = "Networks that read the abstracts of papers"
ADA, ALAN = ("Ada Lovelace", "Kurt Gödel"), ("Alan Turing",)
LONG = " ".join(f"word{number}" for number in range(50))


def of(abstract: str = "We propose A.", title: str | None = TITLE, **fields: object) -> Paper:
    return Paper(abstract, title, **fields)  # type: ignore[arg-type]


def are_one(*papers: Paper) -> bool:
    (number,) = {len(set(groups(order))) for order in (papers, papers[::-1])}
    return number == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"id": "10.1000/KG.1"}, {"id": "https://doi.org/10.1000/kg.1"}),
        ({"id": "10.1000/kg.1"}, {"url": "https://dl.example.org/doi/10.1000/kg.1"}),
        ({"id": "arXiv:2401.00009v1"}, {"id": "arXiv:2401.00009v3"}),
        ({"id": "arXiv:2401.00009"}, {"url": "https://arxiv.org/pdf/2401.00009v2.pdf"}),
        ({"id": "arXiv:2401.00009"}, {"id": "10.48550/arXiv.2401.00009"}),
        ({"id": "arXiv:hep-th/9901001v2"}, {"url": "http://arxiv.org/abs/hep-th/9901001"}),
        ({"id": "10.1000/kg.1", "aliases": ("arXiv:2401.00009",)}, {"id": "arXiv:2401.00009"}),
        ({"id": "openreview:AbCdEfGhI1"}, {"url": "https://openreview.net/forum?id=AbCdEfGhI1"}),
        ({"id": "PMID:12345678"}, {"url": "https://pubmed.ncbi.nlm.nih.gov/12345678/"}),
        ({"id": "https://openalex.org/W1"}, {"aliases": ("https://openalex.org/works/w1",)}),
    ],
)
def test_one_identifier_is_one_paper(one: dict[str, object], other: dict[str, object]) -> None:
    assert are_one(of("We propose A.", "One", **one), of("A is proposed.", "Another", **other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"id": "10.1000/kg.1"}, {"id": "10.1000/kg.11"}),
        ({"id": "arXiv:2401.00009"}, {"id": "arXiv:2401.00010"}),
        ({"id": "1"}, {"id": "1"}),
        ({"id": "PMID:12345678"}, {"id": "PMID:1234567"}),
    ],
)
def test_other_identifiers_are_other_papers(one: dict[str, object], other: dict[str, object]) -> None:
    assert not are_one(of("We propose A.", "One", **one), of("B is proposed.", "Another", **other))


@pytest.mark.parametrize(
    ("title", "other"),
    [
        (TITLE, TITLE.upper() + "."),
        ("Gödel networks for reading", "Go\u0308del Networks for Reading"),
        ("Text-to-image models: a survey", "Text to Image Models — A Survey"),
        ("一种用于文本分类的图神经网络", "一种用于文本分类的图神经网络。"),
    ],
)
def test_a_title_in_another_spelling_is_the_same(title: str, other: str) -> None:
    assert are_one(of("One.", title, authors=ADA), of("Two.", other, authors=ADA))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"authors": ADA, "year": 2021}, {"authors": ADA, "year": 2023}, True),
        ({"authors": ADA, "year": 2021}, {"authors": ("Lovelace, A.",)}, True),
        ({"authors": ADA, "id": "10.1/a", "year": 2021}, {"authors": ADA, "id": "10.1/b", "year": 2022}, True),
        ({"authors": ADA, "id": "arXiv:2401.00009"}, {"authors": ADA, "id": "10.1000/kg.1"}, True),
        ({"year": 2021}, {"year": 2022}, True),
        ({"authors": ADA, "year": 2021}, {"year": 2022}, True),
        ({"year": 2021}, {"year": 2023}, False),
        ({"authors": ADA, "year": 2021}, {"authors": ALAN, "year": 2021}, False),
        ({"authors": ADA, "year": 2011}, {"authors": ADA, "year": 2021}, False),
        ({}, {}, False),
        ({"authors": ADA}, {"year": 2021}, False),
    ],
)
def test_a_title_needs_its_author_or_its_year(one: dict[str, object], other: dict[str, object], expected: bool) -> None:
    assert are_one(of("One.", **one), of("Two.", **other)) is expected


def test_a_title_with_most_words_of_an_abstract_is_one_paper_whoever_wrote_it() -> None:
    edited = LONG.replace("word1 ", "another ").replace("word2 ", "")
    assert are_one(of(LONG), of(edited))
    assert are_one(of(LONG), of(LONG[:200], year=2021))
    assert are_one(of(LONG, authors=ADA, year=2021), of(edited, authors=ALAN, year=2022))
    assert not are_one(of(LONG, year=2011), of(edited, year=2021))
    assert not are_one(of(LONG), of(LONG.replace("word", "other")))
    assert not are_one(of(LONG, "SOAP"), of(edited, "SOAP"))


@pytest.mark.parametrize(
    "title",
    [
        "Editorial",
        "Guest Editorial",
        "Introduction",
        "Erratum",
        "In this issue",
        "Message from the Program Chairs",
        "—",
    ],
)
def test_a_heading_is_no_title(title: str) -> None:
    assert not are_one(of("One.", title, authors=ADA, year=2021), of("Two.", title, authors=ADA, year=2021))


def test_a_short_title_needs_author_and_year() -> None:
    assert are_one(of("One.", "SOAP", authors=ADA, year=2021), of("Two.", "SOAP", authors=ADA, year=2022))
    assert not are_one(of("One.", "SOAP", authors=ADA, year=2021), of("Two.", "SOAP", authors=ADA, year=2024))
    assert not are_one(of("One.", "SOAP", authors=ADA), of("Two.", "SOAP", authors=ADA))
    assert not are_one(of("One.", "SOAP", year=2021), of("Two.", "SOAP", year=2021))


def test_a_record_without_author_that_may_be_of_two_papers_is_of_none() -> None:
    papers = [of("1", authors=ADA, year=2021), of("2", authors=ALAN, year=2021), of("3", year=2021)]
    assert len(set(groups(papers))) == 3


def test_the_words_of_an_abstract_are_the_same_only_in_the_same_abstract() -> None:
    assert are_one(of(LONG, None), of(LONG.replace(" ", "\n").upper(), TITLE, id="10.1000/kg.1"))
    assert not are_one(of("No abstract is available.", "One"), of("No abstract is available.", "Another"))


def test_what_meets_through_a_third_record_is_one() -> None:
    papers = [
        of("1", "One", id="10.1000/kg.1"),
        of("2", "Two", id="arXiv:2401.00009"),
        of("3", "Three", id="arXiv:2401.00009v2", aliases=("10.1000/kg.1",)),
    ]
    assert are_one(*papers)


# What they tell together

SOURCES = (
    of(
        "We propose A, in full.",
        id="arXiv:2401.00009v2",
        url="http://arxiv.org/abs/2401.00009v2",
        year=2024,
        authors=("A. Lovelace",),
        source="arxiv",
    ),
    of("We propose A.", id="10.1000/kg.1", year=2025, venue="Journal", authors=ADA, keywords=("a", "b"), source="doi"),
    of("We propose A.", TITLE.upper(), id="PMID:1234567", authors=ADA, year=2025, source="pubmed"),
)


def test_the_longest_abstract_is_kept_with_what_the_others_know() -> None:
    same = merged(SOURCES)
    assert same.paper == Paper(
        abstract="We propose A, in full.",
        title=TITLE,
        id="10.1000/kg.1",
        year=2025,
        venue="Journal",
        authors=ADA,
        url="http://arxiv.org/abs/2401.00009v2",
        keywords=("a", "b"),
        aliases=("PMID:1234567",),
        source="arxiv",
    )
    assert (len(same.records), same.astray) == (3, ())


def test_a_merged_paper_is_one_with_each_of_its_records() -> None:
    paper = merged(SOURCES).paper
    assert all(are_one(paper, record) for record in SOURCES)
    assert merged([paper, *SOURCES]).paper == paper
    assert paper_iri(BASE, paper) == f"{BASE}paper/doi:10.1000%2Fkg.1"


def test_a_merged_paper_reads_as_itself_again(tmp_path: Path) -> None:
    paper = merged(SOURCES).paper
    (tmp_path / "a.jsonl").write_text(json_line(paper) + "\n", encoding="utf-8")
    (again,) = read_papers([tmp_path / "a.jsonl"])
    assert isinstance(again, Paper)
    assert replace(again, source="") == replace(paper, source="")


def test_aliases_enter_the_graph_as_identifiers_and_pages() -> None:
    paper = of(aliases=("PMID:1234567", "https://openalex.org/W1"))
    said = {(t.predicate.value.rpartition("/")[2], t.object.value) for t in paper_triples("x:p", paper)}  # type: ignore[union-attr]
    assert {("identifier", "PMID:1234567"), ("url", "https://openalex.org/W1")} <= said


@st.composite
def records(draw: st.DrawFn) -> list[Paper]:
    """Records of a few papers, of which much is alike."""
    papers = st.builds(
        Paper,
        abstract=st.sampled_from(["We propose A.", "We propose B.", LONG]),
        title=st.sampled_from([None, TITLE, TITLE.upper(), "SOAP", "Editorial"]),
        id=st.sampled_from([None, "10.1/1", "10.1/2", "arXiv:2401.00001", "arXiv:2401.00001v2", "own"]),
        year=st.sampled_from([None, 2020, 2021, 2023, 2029]),
        authors=st.sampled_from([(), ADA, ALAN, ("Lovelace, A.",), ("Ada Turing",)]),
        url=st.sampled_from([None, "https://arxiv.org/abs/2401.00002", "https://example.org"]),
    )
    found = draw(st.lists(papers, max_size=8))
    return [replace(paper, source=str(number)) for number, paper in enumerate(found)]


@given(records(), st.randoms(use_true_random=False))
@settings(max_examples=500, deadline=None)
def test_the_order_of_the_records_changes_nothing(papers: list[Paper], chance: random.Random) -> None:
    shuffled = chance.sample(papers, len(papers))
    assert {same.paper for same in Distinct(papers)} == {same.paper for same in Distinct(shuffled)}


@given(records())
@settings(max_examples=300, deadline=None)
def test_merging_merged_papers_loses_none_and_every_record_counts_once(papers: list[Paper]) -> None:
    found = list(Distinct(papers))
    assert sum(len(same.records) for same in found) == len(papers)
    iris = [paper_iri(BASE, same.paper) for same in found]
    assert len(set(iris)) == len(iris)


def test_memory_grows_with_the_number_of_papers_and_not_with_their_texts() -> None:
    def peak(length: int) -> int:
        papers = (of(f"We propose {number}. " + "x" * length, f"{TITLE} {number}") for number in range(5000))
        tracemalloc.start()
        try:
            assert sum(1 for _ in Distinct(papers)) == 5000
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    short, long = peak(10), peak(10_000)
    assert short < 20e6
    assert long < short + 20e6  # 50 MB of text, of which 16 MiB may stay in memory


# Reading and building


def two_sources(folder: Path) -> list[str]:
    arxiv = {
        "id": "2401.00009",
        "title": TITLE,
        "abstract": "We propose SOAP for pre-training of language models, at $O(n)$.",
        "authors_parsed": [["Lovelace", "Ada", ""]],
        "categories": "cs.CL",
        "update_date": "2024-01-01",
    }
    openalex = {
        "id": "https://openalex.org/W1",
        "doi": "https://doi.org/10.1000/kg.1",
        "title": TITLE.upper(),
        "publication_year": 2025,
        "authorships": [{"author": {"display_name": "Ada Lovelace"}}],
        "abstract_inverted_index": {"We": [0], "propose": [1], "SOAP.": [2]},
    }
    for name, record in (("a.jsonl", arxiv), ("b.jsonl", openalex)):
        (folder / name).write_text(json.dumps(record) + "\n", encoding="utf-8")
    return [str(folder / "a.jsonl"), str(folder / "b.jsonl")]


def test_read_merges_and_says_how_many(tmp_path: Path) -> None:
    files = two_sources(tmp_path)
    result = CliRunner().invoke(main, ["read", *files])
    assert result.exit_code == 0
    paper = json.loads(result.stdout)
    assert (paper["id"], paper["url"]) == ("10.1000/kg.1", "https://arxiv.org/abs/2401.00009")
    assert paper["aliases"] == ["https://openalex.org/W1"]
    assert "at $O(n)$." in paper["abstract"]
    assert "1 records were merged" in result.stderr
    assert CliRunner().invoke(main, ["read", "--count", *files]).stdout == "1\n"
    assert CliRunner().invoke(main, ["read", "--count", "--every", *files]).stdout == "2\n"


def test_build_merges_whatever_the_order_of_the_files(tmp_path: Path) -> None:
    files = two_sources(tmp_path)
    one, other = build(files), build(files[::-1])
    assert (one.papers, one.duplicates, one.problems) == (1, 1, [])
    assert one.triples == other.triples
