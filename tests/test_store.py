from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Triple
from rdflib import Graph
from rdflib.compare import isomorphic

from kg import vocabulary as v
from kg.errors import GraphError
from kg.identity import BASE, entity_iri
from kg.store import build_quads, content, create_store, load_graph
from kg.turtle import turtle

THING = NamedNode(entity_iri(BASE, "c++ & <co>/%"))
TRIPLES = [
    Triple(THING, v.PREF_LABEL, Literal('say "hi"\nto \\ </script> .\n<x> <y> <z> .')),
    Triple(THING, v.TYPE, v.ENTITY),
    Triple(THING, v.CONFIDENCE, Literal("0.5", datatype=NamedNode(v.XSD + "decimal"))),
    Triple(NamedNode(BASE + "paper/x"), v.MENTIONS, THING),
]


def test_turtle_is_the_same_bytes_in_any_order() -> None:
    shuffled = random.Random(3).sample(TRIPLES, len(TRIPLES))
    assert turtle(shuffled) == turtle(TRIPLES)


def test_turtle_says_again_what_went_in() -> None:
    expected = Graph().parse(data="".join(f"{t} .\n" for t in TRIPLES), format="nt")
    assert isomorphic(Graph().parse(data=turtle(TRIPLES).decode(), format="turtle"), expected)


def test_turtle_is_readable() -> None:
    text = turtle(TRIPLES[1:]).decode()
    body = text.split("\n\n", 1)[1]
    assert text.startswith("@prefix")
    assert body == (
        "entity:c\\%2B\\%2B\\%20\\%26\\%20\\%3Cco\\%3E\\%2F\\%25 a kg:Entity ;\n\tkg:confidence 0.5 .\n\n"
        "paper:x kg:mentions entity:c\\%2B\\%2B\\%20\\%26\\%20\\%3Cco\\%3E\\%2F\\%25 .\n\n"
    )


def test_a_store_opens_again_with_what_was_put_in(tmp_path: Path) -> None:
    create_store(tmp_path / "store", TRIPLES, build_quads({"version": "1"}))
    assert set(content(load_graph(tmp_path))) == set(TRIPLES)


def test_the_build_stands_apart_from_the_content(tmp_path: Path) -> None:
    create_store(tmp_path / "store", TRIPLES, build_quads({"version": "1"}))
    (version,) = load_graph(tmp_path).quads_for_pattern(None, v.kg("version"), None)
    assert version.graph_name == NamedNode(f"{BASE}build")


def test_a_turtle_file_loads_like_the_store(tmp_path: Path) -> None:
    (tmp_path / "graph.ttl").write_bytes(turtle(TRIPLES))
    assert set(content(load_graph(tmp_path))) == set(content(load_graph(tmp_path / "graph.ttl"))) == set(TRIPLES)


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("broken.ttl", "<a> <b", "not valid Turtle"),
        ("graph.docx", "x", "unknown kind of graph file"),
        ("bad.nt", "\xff", "not valid N-Triples"),
    ],
)
def test_a_file_that_is_no_graph_is_said_to_be_none(tmp_path: Path, name: str, text: str, fault: str) -> None:
    (tmp_path / name).write_text(text, encoding="latin-1")
    with pytest.raises(GraphError, match=fault) as raised:
        load_graph(tmp_path / name)
    assert name in raised.value.where


def test_a_missing_graph_and_an_empty_folder_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="kg build"):
        load_graph(tmp_path / "nowhere")
    with pytest.raises(GraphError, match="holds no graph"):
        load_graph(tmp_path)
