"""A graph in the formats that other tools read: RDF, network files for Gephi, tables for neo4j and pandas."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import networkx as nx
from pyoxigraph import Literal, Quad, RdfFormat, Store, Triple, serialize

from kg.errors import GraphError
from kg.network import to_networkx
from kg.store import content
from kg.turtle import prefixes, turtle

__all__ = ["FORMATS", "export"]

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML 1.0 document can hold (W3C XML 1.0, section 2.2)."""


def export(store: Store, kind: str, out: Path) -> None:
    """Writes the graph to the file `out`; the format `csv` writes nodes.csv and edges.csv into the folder `out`.

    nq and trig hold the build's record too; the other formats hold the content alone.
    """
    try:
        write = FORMATS[kind]
    except KeyError:
        raise GraphError(f'unknown export format "{kind}"', hint=f"one of: {' '.join(FORMATS)}") from None
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write(store, out)
    except OSError as error:
        raise GraphError(f"cannot write: {error.strerror or error}", where=str(out)) from error


def _write_turtle(store: Store, out: Path) -> None:
    out.write_bytes(turtle(content(store)))


def _rdf_writer(kind: RdfFormat) -> Callable[[Store, Path], None]:
    def write(store: Store, out: Path) -> None:
        statements: Iterable[Triple] | Iterable[Quad]
        if kind.supports_datasets and kind is not RdfFormat.JSON_LD:
            statements = sorted(store.quads_for_pattern(None, None, None), key=str)
        else:
            statements = sorted(content(store), key=str)
        serialize(statements, str(out), kind, prefixes=prefixes())

    return write


def _write_rdf_xml(store: Store, out: Path) -> None:
    triples = sorted(content(store), key=str)
    literals = ((t.subject, t.object) for t in triples if isinstance(t.object, Literal))
    if bad := next((subject for subject, text in literals if _NOT_XML.search(text.value)), None):
        fault = f"a text holds a character that XML cannot: {bad}"
        raise GraphError(fault, where=str(out), hint="export as ttl, nt or jsonld instead")
    serialize(triples, str(out), RdfFormat.RDF_XML, prefixes=prefixes())


def _write_graphml(store: Store, out: Path) -> None:
    nx.write_graphml(_for_xml(to_networkx(store)), out, encoding="utf-8")


def _write_gexf(store: Store, out: Path) -> None:
    nx.write_gexf(_for_xml(to_networkx(store)), out, encoding="utf-8")


def _for_xml(graph: nx.MultiDiGraph) -> nx.MultiDiGraph:
    """The same graph with characters that XML cannot hold replaced, and `type`, a reserved word of GEXF, renamed."""
    for _, facts in graph.nodes(data=True):
        facts["label"] = _NOT_XML.sub("\ufffd", facts["label"])
        facts["kind"] = facts.pop("type")
    for _, _, facts in graph.edges(data=True):
        facts["relation"] = facts.pop("type")
    return graph


def _write_tables(store: Store, out: Path) -> None:
    """Headers as neo4j-admin's import wants them; pandas reads them as plain columns."""
    out.mkdir(exist_ok=True)
    graph = to_networkx(store)
    with (out / "nodes.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["iri:ID", "name", "papers:int", ":LABEL"])
        for node, facts in sorted(graph.nodes(data=True)):
            rows.writerow([node, facts["label"], facts.get("papers", ""), facts["type"]])
    with (out / "edges.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([":START_ID", ":END_ID", "support:int", "confidence:float", ":TYPE"])
        for head, tail, facts in sorted(graph.edges(data=True), key=lambda e: (e[0], e[1], e[2]["type"])):
            rows.writerow([head, tail, facts["support"], facts["confidence"], facts["type"]])


FORMATS: Mapping[str, Callable[[Store, Path], None]] = {
    "ttl": _write_turtle,
    "nt": _rdf_writer(RdfFormat.N_TRIPLES),
    "nq": _rdf_writer(RdfFormat.N_QUADS),
    "trig": _rdf_writer(RdfFormat.TRIG),
    "jsonld": _rdf_writer(RdfFormat.JSON_LD),
    "rdfxml": _write_rdf_xml,
    "graphml": _write_graphml,
    "gexf": _write_gexf,
    "csv": _write_tables,
}
