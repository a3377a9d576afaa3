"""What a query would do is told from its words, whatever hides them; Oxigraph itself is the judge."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

from kg.syntax import is_update, reaches_out

CALL = "SERVICE <http://127.0.0.1:9/>{}"
PIECES = [
    "'", '"', '"""', "'''", "<", ">", "#", "\n", "\r", " ", "\\", "\\'", '\\"', "?a", "?a<", "1", "1e0", "true", "x:a",
    "x:", "(", ")", "FILTER(", "||1", "{", "}", ".", "?s ?p ?o", "<http://a/>", "<http://a/#>", "<a:'>", "&&", "a",
    "OPTIONAL", "?", "\\u0022", "\\u0027", "UNION", "MINUS", "BIND(", "AS ?z", "^^", "@en", ";", ",", "<'>'", "'>'",
]  # fmt: skip

STORE = Store()
STORE.add(Quad(NamedNode("a:a"), NamedNode("a:b"), Literal(1)))


def calls(query: str) -> bool:
    """Whether the query, when it is asked, tries to reach another server: port 9 is one that cannot be."""
    try:
        STORE.query(query)
    except SyntaxError:
        return False
    except OSError:
        return True
    return False


@pytest.mark.parametrize(
    "query",
    [
        f"ASK {{ {CALL} }}",
        f"ASK{{#'\r{CALL}}}",
        f"ASK {{ FILTER(1<'>'||1) {CALL} #'\n}}",
        f"ASK {{ ?s ?p 1 OPTIONAL{{}}{CALL.lower()} }}",
        "PREFIX x:<http://127.0.0.1:9/> ASK{SERVICEx:{}}",
        "PREFIX :<http://127.0.0.1:9/> ASK{SERVICE:a{}}",
        f"ASK {{ VALUES ?x {{ UNDEF }}{CALL} }}",
    ],
)
def test_a_call_is_seen_where_it_hides(query: str) -> None:
    assert calls(query)
    assert reaches_out(query)


@pytest.mark.parametrize(
    "query",
    [
        f"ASK {{ ?s ?p true{CALL} }}",
        f"ASK {{ ?s ?p 1e0{CALL} }}",
        f'ASK {{ ?s ?p """a\\"""" . {CALL} #"\n}}',
        f"ASK {{ <http://a/\\u0041#> ?p ?o . {CALL} }}",
        "ASK { SERVICE SILENT <http://127.0.0.1:9/> {} }",
    ],
)
def test_a_call_that_would_not_be_reached_is_seen_too(query: str) -> None:
    STORE.query(query)
    assert reaches_out(query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?service { ?service ?p $Service }",
        "ASK { ?s <http://example.org/service#it's> 'SERVICE <x> {}' } # SERVICE",
        'PREFIX x: <http://x/> ASK { ?s x:service """SERVICE "quoted" SERVICE""" }',
        "ASK { ?s ?p 'it\\'s a service' FILTER(1<2) }",
    ],
)
def test_the_word_alone_is_no_call(query: str) -> None:
    STORE.query(query)
    assert not reaches_out(query)


@settings(max_examples=1500, deadline=None)
@example(before=["FILTER(1", "<'>'", "||1", ")"], after=["#", "'", "\n"])
@given(before=st.lists(st.sampled_from(PIECES), max_size=8), after=st.lists(st.sampled_from(PIECES), max_size=5))
def test_no_call_passes_unseen(before: list[str], after: list[str]) -> None:
    query = f"PREFIX x: <http://x/> ASK{{{''.join(before)}{CALL}{''.join(after)}}}"
    assert reaches_out(query) or not calls(query)


@pytest.mark.parametrize(
    ("text", "update"),
    [
        ("INSERT DATA { <a:a> <a:b> <a:c> }", True),
        ("# SELECT\nPREFIX a: <http://a/>\nBASE <http://b/>\nload <http://a/>", True),
        ("SELECT * { ?insert ?delete 'LOAD' } # DROP ALL", False),
        ("PREFIX drop: <http://a/> SELECT * { ?s drop:all ?o }", False),
        ("", False),
    ],
)
def test_an_update_is_told_by_its_first_word(text: str, update: bool) -> None:
    assert is_update(text) is update
