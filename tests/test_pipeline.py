from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import SEED

from kg.errors import GraphError
from kg.identity import BASE
from kg.pipeline import Build, BuildOptions, build, build_to_folder, graph_of
from kg.records import Extraction
from kg.store import content, load_graph
from kg.turtle import turtle
from kg.validate import validate, verify


def json_lines(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_the_seed_corpus_makes_a_valid_graph_of_19_papers_whose_quotes_are_exact(
    seed_build: Build, seed_folder: Path
) -> None:
    assert (seed_build.papers, seed_build.problems, seed_build.duplicates) == (19, [], 0)
    store = load_graph(seed_folder)
    total, misquotes = verify(store)
    assert total > 300
    assert misquotes == []
    assert validate(store) == []


def test_shuffled_papers_give_the_same_bytes(seed_build: Build, tmp_path: Path) -> None:
    heading, *papers = SEED.read_text(encoding="utf-8").strip().split("\n\n")
    for seed in range(3):
        shuffled = random.Random(seed).sample(papers, len(papers))
        (tmp_path / "shuffled.txt").write_text("\n\n".join([heading, *shuffled]), encoding="utf-8")
        assert turtle(build([tmp_path / "shuffled.txt"]).triples) == turtle(seed_build.triples)


def test_papers_in_several_files_give_the_same_bytes(seed_build: Build, tmp_path: Path) -> None:
    _, *papers = SEED.read_text(encoding="utf-8").strip().split("\n\n")
    for number, paper in enumerate(papers):
        (tmp_path / f"{number}.txt").write_text(paper, encoding="utf-8")
    assert turtle(build([tmp_path]).triples) == turtle(seed_build.triples)


def test_another_hash_seed_gives_the_same_files(tmp_path: Path) -> None:
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "kg", "build", str(SEED), "-o", str(tmp_path / seed)]
        subprocess.run(command, env={"PYTHONHASHSEED": seed, "PATH": ""}, check=True, capture_output=True)
    for name in ("graph.ttl", "graph.html", "manifest.json"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_a_paper_that_comes_twice_is_one_paper(tmp_path: Path) -> None:
    record = {"title": "Soap", "abstract": "We propose SOAP for pre-training."}
    built = build([json_lines(tmp_path / "a.jsonl", record, record | {"year": 2025})])
    assert (built.papers, built.duplicates, built.problems) == (1, 1, [])
    assert any("2025" in str(triple.object) for triple in built.triples)


def test_one_published_identifier_on_two_texts_is_reported_and_the_longer_kept(tmp_path: Path) -> None:
    long, short = ({"id": "10.1145/1.2", "abstract": text} for text in ("We propose SOAP for pre-training.", "A stub."))
    for order in ((long, short), (short, long)):
        built = build([json_lines(tmp_path / "a.jsonl", *order)])
        (problem,) = built.problems
        assert "10.1145/1.2" in problem.fault
        assert f"line {1 + order.index(short)}" in problem.where
        assert any("We propose SOAP" in str(triple.object) for triple in built.triples)


def test_ones_own_identifier_on_two_texts_keeps_both(tmp_path: Path) -> None:
    built = build(
        [json_lines(tmp_path / "a.jsonl", {"id": "1", "abstract": "One text."}, {"id": "1", "abstract": "Another."})]
    )
    assert (built.papers, built.problems) == (2, [])


def test_what_is_less_sure_than_asked_for_stays_out(seed_build: Build) -> None:
    sure = build([SEED], options=BuildOptions(min_confidence=0.99))
    assert sure.papers == 19
    assert len(sure.triples) < len(seed_build.triples)


def test_a_slot_whose_mention_is_unsure_keeps_its_words(soap: Extraction) -> None:
    from kg.pipeline import confident

    kept = confident(soap, 0.8)
    assert kept.claims[0].subject == soap.mentions[0]
    unsure = replace(soap, claims=(replace(soap.claims[0], baseline=replace(soap.mentions[1], confidence=0.5)),))
    assert confident(unsure, 0.8).claims[0].baseline == "AdamW"


def test_merging_two_graphs_is_the_union_of_their_statements_and_claims(seed_build: Build, soap: Extraction) -> None:
    known = [(f"{BASE}paper/arxiv:2409.11321", soap)]
    alone = graph_of(known)
    claims = {t for t in alone if "/claim/" in str(t.subject) or "/statement/" in str(t.subject)}
    assert claims
    assert claims <= alone | seed_build.triples


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(GraphError, match="cannot write"):
        build_to_folder([SEED], tmp_path / "file" / "out")


@pytest.mark.parametrize("name", ["graph.ttl", "store", "papers"])
def test_a_folder_that_no_build_has_made_is_not_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "mine.txt").write_text("keep")
    with pytest.raises(GraphError, match="in the way"):
        build_to_folder([SEED], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_second_build_takes_the_place_of_the_first_and_leaves_nothing_else(tmp_path: Path) -> None:
    options = BuildOptions(cache=tmp_path / "cache")
    build_to_folder([SEED], tmp_path / "out", options=options)
    first = sorted(path.name for path in (tmp_path / "out").iterdir())
    build_to_folder([SEED], tmp_path / "out", options=options)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == first
    assert first == [".lock", "graph.html", "graph.ttl", "manifest.json", "papers", "store"]


def test_a_build_into_a_folder_says_what_a_build_in_memory_says(seed_build: Build, seed_folder: Path) -> None:
    assert (seed_folder / "graph.ttl").read_bytes() == turtle(seed_build.triples)
    assert set(content(load_graph(seed_folder))) == seed_build.triples


def test_the_manifest_says_what_made_the_graph(seed_folder: Path) -> None:
    manifest = json.loads((seed_folder / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest) == {"program", "version", "base", "modelHash", "inputHash", "minConfidence"}
