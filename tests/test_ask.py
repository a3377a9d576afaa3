from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import mention
from pyoxigraph import NamedNode, Store

from kg.ask import Form, ask, forms
from kg.cli import main
from kg.errors import NameUnknownError, QueryError
from kg.gaps import find_gaps
from kg.identity import BASE, entity_iri
from kg.query import named_queries
from kg.records import EntityType, Extraction, Paper, Relation, RelationType
from kg.trend import papers_by_year, trends

AsStore = Callable[..., Store]
METHOD, TASK, DATASET, METRIC = EntityType


def using(method: str, task: str, year: int | None = None) -> Extraction:
    text = f"{method} is used for {task}."
    one, other = mention(text, method, METHOD), mention(text, task, TASK)
    relation = Relation(one, RelationType.USED_FOR, other, 0, len(text))
    return Extraction(Paper(text, year=year), mentions=(one, other), relations=(relation,))


def node(key: str) -> NamedNode:
    return NamedNode(entity_iri(BASE, key))


@pytest.fixture
def store(as_store: AsStore) -> Store:
    return as_store(
        using("SOAP", "language modeling"), using("Adam", "language modeling"), using("SOAP", "translation")
    )


def test_there_are_enough_forms_and_each_has_its_query() -> None:
    assert len(forms()) >= 12
    for form in forms():
        query = named_queries()[form.query]
        required = {p.name for p in query.parameters if not p.optional}
        assert required <= {form.parameter, *(name for name, _ in form.fixed)}


@pytest.mark.parametrize("form", forms(), ids=lambda form: form.example)
def test_every_example_has_its_own_form_first(form: Form, as_store: AsStore) -> None:
    """With a graph that knows all the names, each example is answered by the query of its form."""
    names = {
        METHOD: ("SOAP", "Self-MoE", "diffusion models", "X-DRIVE", "graph neural networks"),
        TASK: ("text generation", "text-to-motion generation", "in-context learning", "memorization"),
        DATASET: ("ImageNet", "HumanML3D"),
    }
    text = " and ".join(name for group in names.values() for name in group)
    mentions = tuple(mention(text, name, kind) for kind, group in names.items() for name in group)
    title = "SOAP: Improving and Stabilizing Shampoo"
    known = as_store(Extraction(Paper(text, title=title), mentions=mentions))
    assert ask(known, form.example).query == form.query


@pytest.mark.parametrize(
    ("question", "query", "arguments"),
    [
        ("Which methods are used for language modeling?", "methods-for-task", (("task", "language modeling"),)),
        ("how do people do translation", "methods-for-task", (("task", "translation"),)),
        ('What is "SOAP" used for?', "tasks-of-method", (("method", "SOAP"),)),
        ("what is the SOAP method used for", "tasks-of-method", (("method", "the SOAP method"),)),
        ("which tasks are most popular?", "tasks-by-papers", ()),
        ("Where do papers disagree?", "contested-claims", ()),
        ("which papers use Adam", "papers-about", (("entity", "Adam"),)),
    ],
)
def test_a_question_is_read(store: Store, question: str, query: str, arguments: tuple[tuple[str, str], ...]) -> None:
    found = ask(store, question)
    assert (found.query, found.arguments) == (query, arguments)
    assert "SELECT" in found.sparql
    assert "UNDEF" not in found.sparql or not arguments


def test_the_answer_is_the_queries(store: Store) -> None:
    assert {row["method"].value for row in ask(store, "which methods are used for language modeling?").result} == {
        "SOAP",
        "Adam",
    }


def test_what_has_no_form_is_not_answered(store: Store) -> None:
    with pytest.raises(QueryError, match="can't answer") as caught:
        ask(store, "will it rain tomorrow")
    assert "which methods are used for" in str(caught.value)


def test_what_the_graph_does_not_know_is_said(store: Store) -> None:
    with pytest.raises(NameUnknownError, match="langauge modeling"):
        ask(store, "which methods are used for langauge modeling?")


def test_a_hostile_question_is_only_words(store: Store) -> None:
    with pytest.raises((QueryError, NameUnknownError)):
        ask(store, 'which methods are used for x" } INSERT { <a> <b> <c> } #')


@pytest.fixture
def near(as_store: AsStore) -> Store:
    """A and B are used for the same two tasks; only A for the third, which is near them."""
    full = [("A1", t) for t in ("tagging", "parsing", "chunking")] + [("B2", t) for t in ("tagging", "parsing")]
    more = [("C3", "tagging"), ("C3", "chunking"), ("D4", "cooking")]
    return as_store(*(using(m, t) for m, t in [*full, *more]))


def test_a_gap_is_an_empty_pair_among_full_ones(near: Store) -> None:
    first, *rest = find_gaps(near)
    assert {(first.method, first.task), *((g.method, g.task) for g in rest)} == {("B2", "chunking"), ("C3", "parsing")}
    assert {reason.kind for reason in first.reasons} == {"method", "task"}
    assert "A1, a method near it" in " ".join(map(str, first.reasons))
    assert all(g.method != "D4" and g.task != "cooking" for g in (first, *rest))


def test_gaps_are_narrowed(near: Store) -> None:
    assert [g.method for g in find_gaps(near, task=node("chunking"))] == ["B2"]
    assert [g.task for g in find_gaps(near, method=node("c_3"))] == []
    assert len(find_gaps(near, top=1)) == 1


def test_a_trend_compares_the_last_year_with_those_before(as_store: AsStore) -> None:
    old = [using("Adam", "parsing", 2024), using("Adam", "tagging", 2024), using("SOAP", "tagging", 2024)]
    new = [using("SOAP", "parsing", 2025), using("SOAP", "chunking", 2025), using("Mamba", "parsing", 2025)]
    known = as_store(*old, *new, replace(using("SOAP", "x-ray reading"), sentences=()))
    assert papers_by_year(known) == {2024: 3, 2025: 3}
    (soap,) = trends(known)
    assert (soap.label, dict(soap.papers)) == ("SOAP", {2024: 1, 2025: 2})
    assert soap.change == pytest.approx(2.0)
    named = trends(known, only=[node("mamba"), node("adam")])
    assert [(t.label, t.change) for t in named] == [("Mamba", None), ("Adam", 0.0)]


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    rows = [("We use Adam for language modeling.", 2024), ("We use SOAP for language modeling and translation.", 2025)]
    lines = [json.dumps({"abstract": text, "year": year, "title": f"Paper {year}"}) for text, year in rows]
    (tmp_path / "p.jsonl").write_text("\n".join(lines))
    run("build", str(tmp_path / "p.jsonl"), "-o", str(tmp_path / "g"))
    return tmp_path / "g"


def run(*arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == status, result.output
    return result.output


def test_ask_shows_the_query_it_asked(graph: Path) -> None:
    said = run("ask", "which papers mention", "language modeling?", "-g", str(graph))
    assert '# kg query papers-about --entity "language modeling"' in said
    assert "SELECT ?paper" in said
    assert "Paper 2025" in said
    assert "SELECT" not in run("ask", "which papers mention language modeling", "--no-sparql", "-g", str(graph))
    assert "these I can" in run("ask", "why", "-g", str(graph), status=1)


def test_trend_and_gaps_print_rows(graph: Path) -> None:
    header, *rows = csv.reader(io.StringIO(run("trend", "language modeling", "-f", "csv", "-g", str(graph))))
    assert header == ["name", "2024", "2025", "change"]
    assert rows == [["language modeling", "1", "1", "×1.0"]]
    (gap,) = json.loads(run("gaps", "-f", "json", "-g", str(graph)))
    assert (gap["method"], gap["task"]) == ("Adam", "translation")
    assert "SOAP, a method near it" in gap["reasons"]


def test_trend_wants_years(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("We use Adam for language modeling.\n")
    run("build", str(tmp_path / "a.txt"), "-o", str(tmp_path / "g"))
    assert "no paper in this graph has a year" in run("trend", "-g", str(tmp_path / "g"), status=1)


def test_no_title_steers_the_terminal(tmp_path: Path) -> None:
    texts = ["We use BERT for machine translation.", "We use LSTM for speech recognition."]
    rows = [{"abstract": text, "year": 2025, "title": "\x07gone"} for text in texts]
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run("build", str(tmp_path / "p.jsonl"), "-o", str(tmp_path / "g"))
    (tmp_path / "g" / "curation.tsv").write_text(
        "subject_label\tpredicate_id\tobject_label\nmachine translation\tskos:prefLabel\t\x07machine translation\n"
    )
    run("build", str(tmp_path / "p.jsonl"), "-o", str(tmp_path / "g"))
    name = "machine translation"
    for command in (("trend", name), ("gaps",), ("why-same", name, name)):
        assert "\x07" not in run(*command, "-g", str(tmp_path / "g"))
