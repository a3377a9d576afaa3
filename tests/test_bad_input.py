"""Bad input beside good: the good goes in, the bad is named with its place, the exit status tells."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kg.cli import main
from kg.validate import validate, verify

GOOD = "We propose SOAP, an optimizer for language model pre-training."


def line(**record: object) -> bytes:
    return json.dumps(record).encode() + b"\n"


def build(folder: Path, *names: str) -> Result:
    (folder / "good.txt").write_text(GOOD, encoding="utf-8")
    inputs = [str(folder / name) for name in (*names, "good.txt")]
    result = CliRunner().invoke(main, ["build", *inputs, "-o", str(folder / "out"), "--workers", "1"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def papers(result: Result) -> int:
    found = re.search(r"papers +(\d+)", result.stdout)
    assert found, result.output
    return int(found[1])


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("empty.txt", b"", "empty.txt"),
        ("blank.txt", b" \n\n \t\n", "blank.txt"),
        ("heading.txt", b"ICLR 2025 papers\n", "heading.txt"),
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, "picture.png"),
        ("cut.jsonl", line(abstract="Another text about graphs.") + b'{"abstract": "cut', "cut.jsonl, line 2"),
        ("none.jsonl", line(title="No abstract"), "none.jsonl, line 1"),
        ("null.jsonl", line(abstract=None), "null.jsonl, line 1"),
        ("wrong.jsonl", line(abstract=["a", "list"]), "wrong.jsonl, line 1"),
        ("columns.csv", b"title,year\nSoap,2024\n", "columns.csv"),
        ("huge.jsonl", line(abstract="We train large models. " * 250_000), "huge.jsonl, line 1"),
        ("signs.jsonl", line(abstract="?! ... --"), "signs.jsonl, line 1"),
        ("broken.txt.gz", gzip.compress(GOOD.encode() * 50)[:60], "broken.txt.gz"),
        ("missing.txt", None, "missing.txt"),
    ],
)
def test_what_cannot_be_used_is_named_and_the_rest_goes_in(
    tmp_path: Path, name: str, content: bytes | None, place: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    result = build(tmp_path, name)
    assert result.exit_code == 1
    assert place in result.stderr
    assert papers(result) >= 1
    assert "SOAP" in (tmp_path / "out" / "graph.ttl").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "abstract",
    [
        "Soap",
        "We train large language models on many tasks. " * 1250,
        "我们提出了一种新的图神经网络方法,用于分子性质预测。",
        "$x^2 + y^2 = z^2$",
        "A text with \x00 a NUL, \x07 a bell and \ud800 half a character about graph neural networks.",
        'We propose </script><script>alert(1)</script> and "quoted" <names> with \N{BAR OF SOAP} and 100% spaces.',
        "\ufeffA byte order mark, \u200bzero width and \u202eright to left about reinforcement learning.",
        "\\textbf{\\textbf{\\textbf{" * 200 + "deep" + "}" * 600,
        "(" * 5000 + "$" * 5000 + "*" * 5000 + " transformers",
    ],
    ids=["word", "10000 words", "chinese", "math", "control", "markup", "invisible", "nested", "brackets"],
)
def test_an_odd_abstract_is_a_paper_like_any_other(tmp_path: Path, abstract: str) -> None:
    (tmp_path / "odd.jsonl").write_bytes(line(abstract=abstract, title=abstract[:80], id=abstract[:80]))
    result = build(tmp_path, "odd.jsonl")
    assert result.exit_code == 0, result.stderr
    assert papers(result) == 2
    from kg.store import load_graph

    store = load_graph(tmp_path / "out")
    assert validate(store) == []
    assert verify(store)[1] == []


def test_a_folder_is_read_whole_in_all_its_encodings(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number, encoding in enumerate(("utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252")):
        text = f"We propose Method{number} for naïve image classification in cafés."
        (folder / f"{number}.txt").write_bytes(text.encode(encoding))
    (folder / "packed.txt.gz").write_bytes(gzip.compress(b"We propose Packed for image classification."))
    result = build(tmp_path, "in")
    assert result.exit_code == 0
    assert papers(result) == 7
    assert (tmp_path / "out" / "graph.ttl").read_text(encoding="utf-8").count(
        "naïve image classification in cafés"
    ) >= 5


def test_twins_are_one_paper_and_a_stolen_identifier_is_reported(tmp_path: Path) -> None:
    twin = {"id": "10.1000/1", "abstract": "We propose SOAP, an optimizer for language model pre-training."}
    other = {"id": "10.1000/1", "abstract": "A text of quite another paper, about graph neural networks and molecules."}
    (tmp_path / "twins.jsonl").write_bytes(line(**twin) + line(**twin) + line(**other))
    result = build(tmp_path, "twins.jsonl")
    assert result.exit_code == 1
    assert "twins.jsonl, line" in result.stderr
    assert papers(result) == 2
