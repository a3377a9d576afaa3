"""Is this graph what it says it is? SHACL shapes for its form, and every quote against its abstract."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from pyoxigraph import RdfFormat, Store, serialize

from kg import vocabulary as v
from kg.reading import literals, nodes, read_evidence
from kg.store import content

__all__ = ["Misquote", "Violation", "validate", "verify"]


@dataclass(frozen=True, slots=True, order=True)
class Violation:
    """A node that breaks a shape, where, and what the shape asks for."""

    node: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Misquote:
    """A piece of evidence whose quote is not the slice of its abstract, and what that slice is."""

    evidence: str
    quote: str
    found: str | None


def validate(store: Store) -> list[Violation]:
    """What breaks the shapes of `schemas/shapes.ttl`, sorted; an empty list for a valid graph."""
    from pyshacl import validate as validate_shacl
    from rdflib import SH, Graph

    data = Graph().parse(data=serialize(content(store), format=RdfFormat.N_TRIPLES), format="nt")
    shapes = Graph().parse(data=(files("kg.schemas") / "shapes.ttl").read_text(encoding="utf-8"), format="turtle")
    _, report, _ = validate_shacl(data, shacl_graph=shapes, advanced=True)
    results = report.objects(None, SH.result)
    return sorted(
        Violation(
            str(report.value(result, SH.focusNode)),
            str(report.value(result, SH.resultPath) or ""),
            str(report.value(result, SH.resultMessage)),
        )
        for result in results
    )


def verify(store: Store) -> tuple[int, list[Misquote]]:
    """How many quotes the graph holds, and those that differ from the slice of their abstract."""
    abstracts = {paper.value: abstract for paper, abstract in literals(store, v.ABSTRACT)}
    total = 0
    wrong = []
    for node in nodes(store, v.EVIDENCE):
        total += 1
        piece = read_evidence(store, node)
        abstract = abstracts.get(piece.paper)
        found = None if abstract is None else abstract[piece.start : piece.end]
        if found != piece.quote or not piece.quote:
            wrong.append(Misquote(node.value, piece.quote, found))
    return total, sorted(wrong, key=lambda misquote: misquote.evidence)
