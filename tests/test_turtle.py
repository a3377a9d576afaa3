from __future__ import annotations

from itertools import groupby
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from kg import vocabulary as v
from kg.identity import BASE, entity_iri
from kg.turtle import patch_turtle, reading_order, turtle, turtle_parts

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)
SUBJECTS = st.builds(lambda name: NamedNode(entity_iri(BASE, name)), NAMES) | st.builds(
    lambda number: NamedNode(f"https://example.org/{number}"), st.integers(0, 30)
)
OBJECTS = st.builds(Literal, st.text(st.characters(codec="utf-8"))) | SUBJECTS
GRAPHS = st.sets(st.builds(Triple, SUBJECTS, st.sampled_from([v.TYPE, v.PREF_LABEL, v.MENTIONS]), OBJECTS), max_size=25)


@given(GRAPHS, GRAPHS, GRAPHS)
@settings(max_examples=200, deadline=None)
def test_a_patched_file_is_the_file_of_the_changed_graph(
    tmp_path_factory, old: set[Triple], removed: set[Triple], added: set[Triple]
) -> None:
    folder = tmp_path_factory.mktemp("turtle")
    new = (old - removed) | added
    (folder / "old.ttl").write_bytes(turtle(old))
    touched = {triple.subject for triple in old ^ new}
    blocks = {str(each): [triple for triple in new if triple.subject == each] for each in touched}
    patch_turtle(folder / "old.ttl", folder / "new.ttl", blocks)
    assert (folder / "new.ttl").read_bytes() == turtle(new)


@given(GRAPHS)
@settings(max_examples=50, deadline=None)
def test_parts_make_the_same_file_as_the_whole(triples: set[Triple]) -> None:
    subjects = groupby(sorted(triples, key=reading_order), key=lambda triple: triple.subject)
    parts = [serialize(list(some), format=RdfFormat.N_TRIPLES) for _, some in subjects]
    assert b"".join(turtle_parts(filter(None, parts))) == turtle(triples)


def test_a_subject_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    triples = {Triple(NamedNode(f"{BASE}paper/{n}"), v.PREF_LABEL, Literal("x .\n\ny")) for n in range(50)}
    (tmp_path / "old.ttl").write_bytes(turtle(triples))
    for name in ("", "25a", "99"):
        patch_turtle(tmp_path / "old.ttl", tmp_path / "new.ttl", {f"<{BASE}paper/{name}>": []})
        assert (tmp_path / "new.ttl").read_bytes() == turtle(triples)
