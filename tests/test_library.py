from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import networkx as nx
import pytest
import rdflib
from conftest import SEED

import kg
from kg.store import memory_store


@pytest.fixture(scope="module")
def graph() -> kg.Graph:
    return kg.build(SEED)


def test_the_public_names_are_these() -> None:
    assert sorted(kg.__all__) == [
        "Graph",
        "GraphError",
        "InputError",
        "KgError",
        "ModelError",
        "NameUnknownError",
        "QueryError",
        "RecordError",
        "__version__",
        "build",
        "load",
    ]
    assert all(getattr(kg, name) is not None for name in kg.__all__)
    with pytest.raises(AttributeError):
        _ = kg.nothing


def test_a_select_gives_rows_with_python_values(graph: kg.Graph) -> None:
    (row,) = graph.query("SELECT (1 AS ?i) (1.5 AS ?d) (1e0 AS ?f) (true AS ?b) ('x' AS ?s) (kg:Paper AS ?n) ?none {}")  # type: ignore[misc]
    assert row == {
        "i": 1,
        "d": Decimal("1.5"),
        "f": 1.0,
        "b": True,
        "s": "x",
        "n": "https://w3id.org/paperkg/ontology#Paper",
        "none": None,
    }


def test_ask_gives_a_bool_and_construct_a_graph(graph: kg.Graph) -> None:
    assert graph.query("ASK { ?p a kg:Paper }") is True
    constructed = graph.query("CONSTRUCT { ?p a kg:Paper } WHERE { ?p a kg:Paper }")
    assert isinstance(constructed, kg.Graph)
    assert len(constructed) == 19


def test_a_named_query_takes_its_arguments_by_name(graph: kg.Graph) -> None:
    rows = graph.query("claims", about="MLA")
    assert isinstance(rows, list)
    assert {row["kind_name"] for row in rows} >= {"Contribution", "Finding"}


def test_the_graph_goes_to_networkx_and_rdflib(graph: kg.Graph) -> None:
    assert isinstance(graph.to_networkx(), nx.MultiDiGraph)
    assert all(facts["type"] != "Paper" for _, facts in graph.to_networkx(papers=False).nodes(data=True))
    assert isinstance(graph.to_rdflib(), rdflib.Graph)
    assert len(graph.to_rdflib()) == len(graph)


def test_what_is_saved_loads_again(graph: kg.Graph, tmp_path: Path) -> None:
    for name in ("g.ttl", "g.nt", "g.rdf", "g.jsonld"):
        graph.save(tmp_path / name)
        assert len(kg.load(tmp_path / name)) == len(graph)
    with pytest.raises(kg.GraphError, match="no format"):
        graph.save(tmp_path / "g.docx")


def test_a_statement_is_explained_by_name(graph: kg.Graph) -> None:
    explanations = graph.explain("large language models")
    assert explanations
    assert all("large language models" in (e.subject, e.object) for e in explanations)


def test_records_that_were_left_out_stand_in_problems(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"abstract": "We propose SOAP."}\n{"abstract": \n', encoding="utf-8")
    graph = kg.build(tmp_path / "a.jsonl")
    assert [("line 2" in problem.where) for problem in graph.problems] == [True]
    assert kg.Graph(memory_store([])).problems == ()
