"""The command line as a person uses it, wrong calls included."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from conftest import SEED

from kg.cli import EXPORT_FORMATS, main
from kg.export import FORMATS


@pytest.fixture(scope="session")
def built(seed_folder: Path) -> str:
    return str(seed_folder)


def kg(*arguments: str, stdin: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(main, arguments, input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_build_writes_its_files_and_says_what_it_found(tmp_path: Path) -> None:
    result = kg("build", str(SEED), "-o", str(tmp_path))
    assert result.exit_code == 0
    assert re.search(r"papers +19 ", result.stdout)
    assert "entities" in result.stdout
    written = [".lock", "extractions.sqlite", "graph.html", "graph.ttl", "manifest.json", "papers", "store"]
    assert sorted(path.name for path in tmp_path.iterdir()) == written


def test_build_reads_standard_input(tmp_path: Path) -> None:
    result = kg("build", "-", "-o", str(tmp_path), stdin="We propose SOAP for pre-training of language models.")
    assert result.exit_code == 0
    assert re.search(r"papers +1 ", result.stdout)


def test_build_goes_on_after_a_broken_record_and_the_status_tells(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"abstract": "We propose SOAP."}\n{"abst\n{"title": "No abstract"}\n', encoding="utf-8"
    )
    result = kg("build", str(tmp_path / "a.jsonl"), str(tmp_path / "missing.txt"), "-o", str(tmp_path / "out"))
    assert result.exit_code == 1
    assert re.search(r"papers +1 ", result.stdout)
    assert [place in result.stderr for place in ("line 2", "line 3", "missing.txt")] == [True, True, True]


@pytest.mark.parametrize("content", [b"", b"   \n\n", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 4])
def test_build_of_nothing_writes_nothing_and_says_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    result = kg("build", str(tmp_path / "a.txt"), "-o", str(tmp_path / "out"))
    assert result.exit_code == 1
    assert "nothing was written" in result.stderr
    assert "a.txt" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("build",),
        ("build", "x", "--min-confidence", "2"),
        ("build", "x", "--base", "not an iri"),
        ("build", "x", "--base", "https://a.org"),
        ("frobnicate",),
        ("query",),
        ("query", "no-such-query"),
        ("query", "no-such-query", "--task", "x"),
        ("query", "methods-for-task", "stray"),
        ("query", "methods-for-task", "--task"),
        ("export",),
        ("export", "-f", "docx"),
        ("diff", "one.ttl"),
        ("stats", "--top", "0"),
        ("view", ".", "--around", "SOAP", "--query", "q.rq"),
        ("view", ".", "--query", "missing.rq"),
        ("view", ".", "--query", "SELECT * { ?s ?p ?o }"),
        ("view", ".", "--depth", "0"),
    ],
)
def test_a_wrong_call_ends_with_2_and_a_hint(
    arguments: tuple[str, ...], built: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(built)
    graph = ("-g", ".") if arguments[0] == "query" else ()  # kg view takes it as an argument
    result = kg(*arguments, *graph)
    assert result.exit_code == 2
    assert "Error: " in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("stats", "-g", "nowhere"), "nowhere: no graph is here (build one first"),
        (("query", "methods-for-task", "--task", "long tailed recogniton"), "near: long-tailed recognition"),
        (("query", "methods-for-task"), "lacks task"),
        (("query", "SELECT { nonsense"), "not valid SPARQL"),
        (("explain", "nobody at all"), 'nothing in this graph is called "nobody at all"'),
        (("explain", "SOAP", "likes", "AdamW"), "usedFor"),
        (("view", "nowhere"), "nowhere: no graph is here"),
    ],
)
def test_what_cannot_be_done_ends_with_1_and_says_why(arguments: tuple[str, ...], message: str, built: str) -> None:
    result = kg(*arguments, *(() if "-g" in arguments or "view" in arguments else ("-g", built)))
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_query_lists_the_named_queries() -> None:
    result = kg("query", "--list")
    assert result.exit_code == 0
    assert "methods-for-task" in result.stdout
    assert "--task  the task, by any of its names" in result.stdout


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "xml", "table"])
def test_a_table_comes_in_every_format(built: str, form: str) -> None:
    result = kg("query", "SELECT ?p { ?p a kg:Paper } ORDER BY ?p", "-g", built, "-f", form)
    assert result.exit_code == 0
    assert result.stdout.count("paper/") + result.stdout.count("paper:") == 19


def test_json_results_follow_the_sparql_format(built: str) -> None:
    answer = json.loads(kg("query", "ASK { ?p a kg:Paper }", "-g", built, "-f", "json").stdout)
    assert answer["boolean"] is True


def test_ask_says_yes_or_no(built: str) -> None:
    assert kg("query", "ASK { ?p a kg:Paper }", "-g", built).stdout == "yes\n"
    assert kg("query", "ASK { ?p a kg:Nothing }", "-g", built).stdout == "no\n"


@pytest.mark.parametrize(
    "query", ["CONSTRUCT { ?p a kg:Paper } WHERE { ?p a kg:Paper }", "DESCRIBE entity:large_language_model"]
)
def test_triples_come_as_turtle(built: str, query: str) -> None:
    result = kg("query", query, "-g", built)
    assert result.exit_code == 0
    assert "\n@prefix kg: <https://w3id.org/paperkg/ontology#> .\n" in result.stdout
    assert kg("query", query, "-g", built, "-f", "csv").exit_code == 2


def test_a_query_comes_from_a_file_or_standard_input(built: str, tmp_path: Path) -> None:
    (tmp_path / "q.rq").write_text("ASK { ?p a kg:Paper }", encoding="utf-8")
    assert kg("query", str(tmp_path / "q.rq"), "-g", built).stdout == "yes\n"
    assert kg("query", "-", "-g", built, stdin="ASK { ?p a kg:Paper }").stdout == "yes\n"


@pytest.mark.parametrize("call", [("--about", "MLA"), ("--about=MLA",)])
def test_a_named_query_takes_its_parameters_as_options(built: str, call: tuple[str, ...]) -> None:
    result = kg("query", "claims", *call, "-g", built)
    assert result.exit_code == 0
    assert "We provide a justification for the effectiveness of MLA" in result.stdout


def test_explain_prints_the_sentence_with_its_mentions_marked(built: str) -> None:
    result = kg("explain", "Self-MoE", "-g", built)
    assert result.exit_code == 0
    assert "**Self-MoE**" in result.stdout
    assert "confidence" in result.stdout


def test_validate_and_verify_pass_on_a_build(built: str) -> None:
    assert kg("validate", "-g", built).exit_code == 0
    result = kg("verify", "-g", built)
    assert result.exit_code == 0
    assert "100.00 %" in result.stdout


def test_validate_and_verify_fail_on_a_graph_that_was_tampered_with(built: str, tmp_path: Path) -> None:
    text = (Path(built) / "graph.ttl").read_text(encoding="utf-8")
    (tmp_path / "bad.ttl").write_text(
        text.replace("kg:start 0", "kg:start 1").replace("kg:Finding", "kg:Rumour"), encoding="utf-8"
    )
    assert kg("validate", "-g", str(tmp_path / "bad.ttl")).exit_code == 1
    result = kg("verify", "-g", str(tmp_path / "bad.ttl"))
    assert result.exit_code == 1
    assert "quoted:" in result.stdout


def test_diff_says_what_changed(built: str, tmp_path: Path) -> None:
    assert "0 added, 0 removed, 0 altered" in kg("diff", built, f"{built}/graph.ttl").stdout
    kg("build", "-", "-o", str(tmp_path), stdin="We propose SOAP for pre-training of language models.")
    result = kg("diff", built, str(tmp_path))
    assert result.exit_code == 0
    assert "removed paper: Graph-structured data is ubiquitous" in result.stdout


def test_stats_names_the_most_used_and_what_was_missed(built: str) -> None:
    result = kg("stats", "-g", built, "--top", "3")
    assert result.exit_code == 0
    assert "large language models" in result.stdout
    assert "left nothing in the graph" in result.stdout


def test_view_writes_a_page_of_what_is_near(built: str, tmp_path: Path) -> None:
    result = kg("view", built, "--around", "SOAP", "--depth", "2", "-o", str(tmp_path / "soap.html"))
    assert result.exit_code == 0
    assert re.search(r"soap.html: (\d+) of \1 entities around “ShampoO.*”, to depth 2", result.stdout)
    assert "AdamW" in (tmp_path / "soap.html").read_text(encoding="utf-8")


def test_view_writes_a_page_of_what_a_query_gives(built: str, tmp_path: Path) -> None:
    (tmp_path / "q.rq").write_text("CONSTRUCT WHERE { ?a kg:comparedWith ?b }", encoding="utf-8")
    result = kg("view", built, "--query", str(tmp_path / "q.rq"), "--top", "5", "-o", str(tmp_path / "q.html"))
    assert re.search(r"q.html: 5 of \d+ entities in the answer of a query", result.stdout)


def test_view_draws_pictures_in_place_of_a_page(built: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    monkeypatch.chdir(tmp_path)
    result = kg("view", built, "--top", "10", "--svg", "a/graph.svg", "--png", "a/graph.png")
    assert result.exit_code == 0
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == ["graph.png", "graph.svg"]


def test_stats_draws_what_it_counts(built: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    result = kg("stats", "-g", built, "--plot", str(tmp_path / "stats.svg"))
    assert result.exit_code == 0
    assert "large language models" in (tmp_path / "stats.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("form", EXPORT_FORMATS)
def test_export_writes_every_format(built: str, tmp_path: Path, form: str) -> None:
    result = kg("export", "-f", form, "-o", str(tmp_path / "out"), "-g", built)
    assert result.exit_code == 0
    assert (tmp_path / "out").exists()


def test_the_command_line_knows_every_export_format() -> None:
    assert set(EXPORT_FORMATS) == set(FORMATS)


def test_a_hostile_title_does_not_reach_the_terminal_as_a_command(tmp_path: Path) -> None:
    record = {"title": "\x1b]0;owned\x07\x1b[31mred", "abstract": "We propose SOAP for image classification."}
    kg("build", "-", "-o", str(tmp_path), stdin=json.dumps(record))
    for call in (("explain", "SOAP"), ("query", "who-proposes", "--entity", "SOAP", "-f", "table"), ("stats",)):
        result = kg(*call, "-g", str(tmp_path))
        assert "\x1b" not in result.output
        assert result.exit_code == 0


def test_help_imports_nothing_heavy() -> None:
    heavy = ("spacy", "rdflib", "networkx", "pyoxigraph", "rich", "numpy", "onnxruntime", "matplotlib")
    code = f"import sys, kg.cli; print([name for name in {heavy} if name in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.strip() == "[]"
    )


def test_a_broken_pipe_is_no_error(built: str) -> None:
    command = f"{sys.executable} -m kg query 'SELECT * {{ ?s ?p ?o }}' -g {built} | head -1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in result.stderr


def test_read_prints_the_papers_as_json_lines_that_read_again(tmp_path: Path) -> None:
    printed = kg("read", str(SEED))
    assert printed.exit_code == 0
    (tmp_path / "again.jsonl").write_text(printed.stdout, encoding="utf-8")
    assert kg("read", "--count", str(tmp_path / "again.jsonl")).stdout == "19\n"


def test_read_counts_and_its_status_tells_of_broken_records(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"abstract": "We propose SOAP."}\n{"abst\n', encoding="utf-8")
    result = kg("read", "--count", str(tmp_path / "a.jsonl"))
    assert (result.exit_code, result.stdout) == (1, "1\n")
    assert "line 2" in result.stderr


def test_an_unknown_format_names_those_there_are(tmp_path: Path) -> None:
    for command in (("read",), ("build", "-o", str(tmp_path / "out"))):
        result = kg(*command, "--format", "docx", str(SEED))
        assert result.exit_code == 1
        assert "bibtex" in result.stderr


def test_formats_lists_them() -> None:
    result = kg("formats")
    assert result.exit_code == 0
    assert "pubmed" in result.stdout
