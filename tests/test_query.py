from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyoxigraph import QuerySolutions, Store

from kg.errors import NameUnknownError, QueryError
from kg.query import named_queries, run, run_named
from kg.records import Extraction

AsStore = Callable[..., Store]


def rows(answer: Any) -> list[dict[str, str]]:
    assert isinstance(answer, QuerySolutions)
    names = [variable.value for variable in answer.variables]
    return [{name: row[name].value for name in names if row[name] is not None} for row in answer]


def test_there_are_named_queries_and_each_says_what_it_answers() -> None:
    assert len(named_queries()) >= 8
    for query in named_queries().values():
        assert query.description.endswith(".")
        assert all(f"VALUES ?{parameter.name} {{ UNDEF }}" in query.text for parameter in query.parameters)


@pytest.mark.parametrize("name", named_queries())
def test_a_named_query_is_sparql_as_it_stands(name: str) -> None:
    run(Store(), named_queries()[name].text)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("methods-for-task", {"task": "pre-trainning"}, None),
        ("methods-for-task", {"task": "Pre-Training"}, [{"method": "SOAP", "papers": "1", "confidence": "0.5"}]),
        ("datasets-for-task", {"task": "pre-training"}, [{"dataset": "C4", "how": "evaluated on", "papers": "1"}]),
        ("compared-with", {"entity": "AdamW"}, [{"other": "SOAP", "papers": "1"}]),
        ("tasks-by-papers", {}, [{"task": "pre-training", "papers": "1"}]),
        (
            "methods-by-papers",
            {},
            [{"method": "AdamW", "papers": "1", "proposed": "0"}, {"method": "SOAP", "papers": "1", "proposed": "1"}],
        ),
    ],
)
def test_a_named_query_answers(
    soap: Extraction, as_store: AsStore, name: str, arguments: dict[str, str], expected: Any
) -> None:
    if expected is None:
        with pytest.raises(NameUnknownError, match="near: pre-training"):
            run_named(as_store(soap), name, arguments)
    else:
        assert rows(run_named(as_store(soap), name, arguments)) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "row"),
    [
        ("who-proposes", {"entity": "SOAP"}, {"title": "SOAP: improving Shampoo"}),
        ("results-of-method", {"method": "SOAP"}, {"direction": "better", "unit": "%", "compared": "AdamW"}),
        ("paper-says", {"paper": "arXiv:2409.11321"}, {"kind": "Result"}),
        ("claims", {"about": "AdamW", "kind": "results"}, {"kind_name": "Result"}),
        ("results", {"method": "SOAP", "dataset": "C4"}, {"direction": "better", "unit": "%", "baseline": "AdamW"}),
        ("evidence-of", {"subject": "SOAP", "predicate": "used for", "object": "pre-training"}, {"confidence": "0.5"}),
    ],
)
def test_an_answer_comes_with_its_sentence(
    soap: Extraction, as_store: AsStore, name: str, arguments: dict[str, str], row: dict[str, str]
) -> None:
    (found,) = rows(run_named(as_store(soap), name, arguments))
    assert found["sentence"] == soap.paper.abstract
    assert row.items() <= found.items()


def test_a_wrong_call_of_a_named_query_says_what_it_takes(soap: Extraction, as_store: AsStore) -> None:
    store = as_store(soap)
    with pytest.raises(QueryError, match=r"lacks task.*--task \(the task, by any of its names\)"):
        run_named(store, "methods-for-task", {})
    with pytest.raises(QueryError, match="does not know taks"):
        run_named(store, "methods-for-task", {"task": "x", "taks": "y"})
    with pytest.raises(QueryError, match="no query named"):
        run_named(store, "nothing", {})


def test_a_filter_leaves_out_what_does_not_fit(soap: Extraction, as_store: AsStore) -> None:
    store = as_store(soap)
    assert len(rows(run_named(store, "claims", {}))) == 1
    assert rows(run_named(store, "claims", {"kind": "Limitation"})) == []
    with pytest.raises(QueryError, match="no kind of claim"):
        run_named(store, "claims", {"kind": "rumour"})


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * { service silent ?x { ?s ?p ?o } }",
        "#harmless\nSELECT * { SERVICE<http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * { ?s ?p '#' . SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
        'SELECT * { ?s ?p """\\""" """ . SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }',
    ],
)
def test_a_query_reaches_no_other_server(query: str) -> None:
    with pytest.raises(QueryError, match="SERVICE is refused"):
        run(Store(), query)


@pytest.mark.parametrize(
    "query", ["SELECT ?service { ?service ?p 'SERVICE <x>' }", "# SERVICE\nASK { ?s <http://SERVICE/> kg:service }"]
)
def test_the_word_service_alone_is_harmless(query: str) -> None:
    run(Store(), query)


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("SELECT", "not valid SPARQL"),
        ("SELECT * { ?s unknown:x ?o }", "not valid SPARQL"),
        ("INSERT DATA { <http://a/> <http://a/> <http://a/> }", "updates are refused"),
        ("LOAD <http://127.0.0.1:9/>", "updates are refused"),
        ("PREFIX a: <http://a/> # so\nDROP ALL", "updates are refused"),
    ],
)
def test_what_is_no_query_is_refused(query: str, fault: str) -> None:
    with pytest.raises(QueryError, match=fault):
        run(Store(), query)
