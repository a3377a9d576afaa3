"""Building on Spark: several real processes, some of them killed, make the graph that a local build makes."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner
from conftest import SEED
from pyoxigraph import RdfFormat, parse

from kg.cli import main
from kg.curation import Action, Curation, Decision
from kg.engine import Columns, DuckEngine, Engine, Row
from kg.errors import GraphError, KgError
from kg.pipeline import Build, BuildOptions, build
from kg.spark import Parts, SparkEngine, build_parts, spark_session

MASTER = "local-cluster[2,1,1024]"
"""Two workers of Spark, each with an executor of one core: processes of their own, as on two machines."""

OPTIONS = BuildOptions(
    base="https://example.org/",
    min_confidence=0.3,
    curation=Curation((Decision(Action.MERGE, "large language model", "LLMs"), Decision(Action.BLOCK, "AdamW"))),
)


def skip_without_spark() -> None:
    pytest.importorskip("pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java")


class Made:
    """One build on Spark, with accidents, and the local build of the same papers."""

    def __init__(self, inputs: list[Path], out: Path) -> None:
        from killing import accidents

        self.out = out
        with accidents() as killed:
            self.parts: Parts = build_parts(inputs, out, options=OPTIONS, master=MASTER)
        self.killed = killed
        self.local: Build = build(inputs, options=OPTIONS)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    skip_without_spark()
    folder = tmp_path_factory.mktemp("spark")
    more = folder / "more.jsonl"
    more.write_text("".join(json.dumps(record) + "\n" for record in altered()), encoding="utf-8")
    return Made([SEED, more], folder / "out")


def altered() -> Iterator[dict[str, str]]:
    """Papers with acronyms of two meanings, names in several spellings, claims that agree and disagree, odd characters,
    and one paper twice."""
    texts = SEED.read_text(encoding="utf-8").split("\n\n")
    for number, text in enumerate(texts):
        yield {"id": f"10.1000/{number}", "title": f"Number {number}", "abstract": text.replace("SOAP", "SOAP-2")}
    senses = ("graph attention network", "generative adversarial training", "Graph Attention Network")
    for number, sense in enumerate(senses * 3):
        verb = "outperforms" if number % 3 else "does not outperform"
        abstract = (
            f"We propose a {sense} (GAT) for node classification on Cora. GAT {verb} graph convolutional networks "
            f"by {number}.5% accuracy on CiteSeer. Our “naïve” \u0001 baseline costs < 10 \\$ and runs on 東京 data."
        )
        yield {"id": f"10.2000/{number}", "title": f"GAT {number}", "abstract": abstract}
    yield {"id": "10.2000/0", "title": "GAT 0", "abstract": "GAT helps node classification on Cora, we find again."}


def lines(triples: Build) -> list[str]:
    return sorted(f"{t.subject} {t.predicate} {t.object} .\n" for t in triples.triples)


def written(out: Path) -> list[str]:
    return [line for part in sorted(out.glob("parts/*.nt")) for line in part.open(encoding="utf-8", newline="\n")]


def test_a_build_with_killed_processes_has_the_triples_of_a_local_build(made: Made) -> None:
    assert made.killed == ["worker", "executor"]
    assert sorted(written(made.out)) == lines(made.local)
    assert made.parts.triples == len(made.local.triples) == len(written(made.out))


def test_the_parts_are_sorted_by_subject_and_complete(made: Made) -> None:
    subjects = [line.split(" ", 1)[0] for line in written(made.out)]
    assert subjects == sorted(subjects)
    assert (made.out / "parts" / "_SUCCESS").exists()
    assert not list(made.out.glob(".build-*"))


def test_it_tells_of_the_papers_what_a_local_build_tells(made: Made) -> None:
    for name in ("manifest", "papers", "duplicates", "unapplied"):
        assert getattr(made.parts.build, name) == getattr(made.local, name)
    assert [str(problem) for problem in made.parts.build.problems] == [str(each) for each in made.local.problems]
    manifest = json.loads((made.out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest == {"program": "paperkg", "base": "https://example.org/", **made.local.manifest.facts}
    quads = set(parse((made.out / "build.nq").read_bytes(), format=RdfFormat.N_QUADS))
    assert quads == set(made.local.quads())


NUMBERED: Columns = {"name": pa.string(), "number": pa.int64(), "content": pa.binary()}


def work_through(engine: Engine) -> list[Row]:
    def doubled(rows: Iterator[Row]) -> Iterator[Row]:  # within, so that a worker is given it by value
        for name, number, content in rows:
            yield name, 2 * number, content

    def counted(rows: Iterator[Row]) -> Iterator[Row]:
        found = list(rows)
        yield found[0][0], sum(row[1] for row in found), b" ".join(row[2] for row in found)

    some = [("b", 3, b"3"), ("a", 1, b"1"), ("é", 2, b"\xff"), ("a", 2, b"2"), ("Z", 1, b"")]
    engine.put("given", NUMBERED, some)
    engine.put("nothing", NUMBERED, ())
    engine.mapped("twice", NUMBERED, "SELECT * FROM given UNION ALL SELECT * FROM nothing", doubled)
    engine.table("twice", "SELECT * FROM twice WHERE number > 1")  # a table in the place of what it is made of
    engine.grouped("sums", NUMBERED, "SELECT * FROM twice", counted)
    return list(engine.rows("SELECT * FROM sums ORDER BY 1"))


def test_both_engines_do_the_same_with_tables(tmp_path: Path) -> None:
    skip_without_spark()
    with DuckEngine() as duck:
        expected = work_through(duck)
    with spark_session("local[2]") as session:
        found = work_through(SparkEngine(session, str(tmp_path / "work")))
    assert found == expected == [("Z", 2, b""), ("a", 6, b"1 2"), ("b", 6, b"3"), ("é", 4, b"\xff")]


def test_what_is_in_the_way_is_left_alone(tmp_path: Path) -> None:
    skip_without_spark()
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "mine.txt").touch()
    with pytest.raises(GraphError, match="in the way"):
        build_parts([SEED], tmp_path, master="local[1]")
    assert [path.name for path in (tmp_path / "parts").iterdir()] == ["mine.txt"]


def test_without_an_abstract_nothing_is_written(tmp_path: Path) -> None:
    skip_without_spark()
    (tmp_path / "empty.txt").touch()
    out = tmp_path / "out"
    call = ["build", str(tmp_path / "empty.txt"), "-o", str(out), "--engine", "spark", "--master", "local[1]"]
    result = CliRunner().invoke(main, call)
    assert result.exit_code == 1
    assert "no abstract was found" in result.output
    assert not out.exists()


def test_without_pyspark_the_message_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    result = CliRunner().invoke(main, ["build", str(SEED), "-o", str(tmp_path), "--engine", "spark"])
    assert result.exit_code == 1
    assert "pip install 'paperkg[spark]'" in result.output


def test_without_java_the_message_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KgError, match="Spark needs Java"):
        build_parts([SEED], tmp_path / "out")


def test_a_master_without_spark_is_a_wrong_call(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["build", str(SEED), "-o", str(tmp_path), "--master", "local[2]"])
    assert result.exit_code == 2
    assert "--engine spark" in result.output
