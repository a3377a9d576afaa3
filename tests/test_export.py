from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest
from pyoxigraph import Store
from rdflib import Dataset, Graph
from rdflib.compare import isomorphic

from kg.errors import GraphError
from kg.export import FORMATS, export
from kg.library import Graph as PaperGraph
from kg.records import Extraction

AsStore = Callable[..., Store]


@pytest.mark.parametrize(("kind", "name"), [("ttl", "turtle"), ("nt", "nt"), ("jsonld", "json-ld"), ("rdfxml", "xml")])
def test_every_rdf_format_says_the_same(
    soap: Extraction, as_store: AsStore, tmp_path: Path, kind: str, name: str
) -> None:
    store = as_store(soap)
    export(store, kind, tmp_path / "graph")
    assert isomorphic(Graph().parse(tmp_path / "graph", format=name), PaperGraph(store).to_rdflib())


@pytest.mark.parametrize(("kind", "name"), [("nq", "nquads"), ("trig", "trig")])
def test_the_formats_with_named_graphs_hold_the_build_too(
    seed_store: Store, tmp_path: Path, kind: str, name: str
) -> None:
    export(seed_store, kind, tmp_path / "graph")
    dataset = Dataset()
    dataset.parse(tmp_path / "graph", format=name)
    assert len({str(g.identifier) for g in dataset.graphs()}) == 2


def test_tables_read_as_neo4j_admin_wants_them(soap: Extraction, as_store: AsStore, tmp_path: Path) -> None:
    export(as_store(soap), "csv", tmp_path / "tables")
    with (tmp_path / "tables" / "nodes.csv").open(encoding="utf-8", newline="") as file:
        nodes = list(csv.DictReader(file))
    with (tmp_path / "tables" / "edges.csv").open(encoding="utf-8", newline="") as file:
        edges = list(csv.DictReader(file))
    assert {(row["name"], row[":LABEL"]) for row in nodes} >= {("SOAP", "Method"), ("SOAP: improving Shampoo", "Paper")}
    known = {row["iri:ID"] for row in nodes}
    assert all(row[":START_ID"] in known and row[":END_ID"] in known for row in edges)
    assert {row[":TYPE"] for row in edges} == {"comparedWith", "evaluatedOn", "mentions", "proposes", "usedFor"}


@pytest.mark.parametrize(("kind", "read"), [("graphml", nx.read_graphml), ("gexf", nx.read_gexf)])
def test_network_files_are_read_by_networkx(
    soap: Extraction, as_store: AsStore, tmp_path: Path, kind: str, read: Callable[[Path], nx.Graph]
) -> None:
    titled = replace(
        soap,
        paper=replace(soap.paper, title="a \x07 <b> & \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")),
    )
    export(as_store(titled), kind, tmp_path / "graph")
    found = read(tmp_path / "graph")
    assert {facts["kind"] for _, facts in found.nodes(data=True)} == {"Method", "Task", "Dataset", "Paper"}
    assert {facts["relation"] for *_, facts in found.edges(data=True)} >= {"usedFor", "proposes"}


def test_rdf_xml_refuses_what_xml_cannot_hold(soap: Extraction, as_store: AsStore, tmp_path: Path) -> None:
    store = as_store(replace(soap, paper=replace(soap.paper, title="a \x07")))
    with pytest.raises(GraphError, match="character that XML cannot"):
        export(store, "rdfxml", tmp_path / "graph.rdf")


def test_an_unknown_format_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="graphml"):
        export(Store(), "docx", tmp_path / "x")


@pytest.mark.parametrize("kind", FORMATS)
def test_an_empty_graph_can_be_exported(kind: str, tmp_path: Path) -> None:
    export(Store(), kind, tmp_path / "out")
    assert (tmp_path / "out").exists()


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(GraphError, match="cannot write"):
        export(Store(), "ttl", tmp_path / "file" / "graph.ttl")
