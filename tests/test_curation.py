from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import mention

from kg.cli import main
from kg.curation import NO_DECISIONS, Action, Curation, Decision, read_curation, write_curation
from kg.errors import InputError
from kg.records import EntityType, Extraction, Mention, MergeRule, Paper, Relation, RelationType
from kg.resolve import Resolution, resolve_entities

HEADER = "subject_label\tpredicate_id\tobject_label\n"


def naming(*names: str, kind: EntityType = EntityType.METHOD) -> Extraction:
    text = " and ".join(names)
    return Extraction(Paper(text), mentions=tuple(mention(text, name, kind) for name in names))


def defining(long: str, short: str) -> Extraction:
    text = f"We use {long} ({short})."
    one, start = mention(text, long), text.index(f"({short})") + 1
    other = Mention(start, start + len(short), EntityType.METHOD, short)
    same = Relation(one, RelationType.SAME_ENTITY, other, 0, len(text))
    return Extraction(Paper(text), mentions=(one, other), relations=(same,))


def resolved(*extractions: Extraction, decisions: tuple[Decision, ...] = ()) -> Resolution:
    return resolve_entities([(f"p{n}", e) for n, e in enumerate(extractions)], Curation(decisions))


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    decisions = Curation(
        (
            Decision(Action.MERGE, "Mr. Holmes", "Sherlock\tHolmes", "mara", "2026-12-01", "one\nman"),
            Decision(Action.BLOCK, "the case"),
        )
    )
    write_curation(decisions, tmp_path / "curation.tsv")
    first, second = read_curation(tmp_path / "curation.tsv").decisions
    assert (first.object, first.comment) == ("Sherlock Holmes", "one man")
    assert second == Decision(Action.BLOCK, "the case")
    assert not list(tmp_path.glob("*.new"))


def test_no_file_is_no_decision(tmp_path: Path) -> None:
    assert read_curation(tmp_path / "curation.tsv") == NO_DECISIONS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name\tother\n", "line 1: the header lacks"),
        (HEADER + "A\tis\tB\n", 'line 2: no decision is called "is"'),
        (HEADER + "# note\nA\tskos:exactMatch\t\n", "line 3: a decision needs"),
        (HEADER + "A\trdf:type\tThing\n", 'no type is called "Thing"'),
        (HEADER + "\tkg:blocked\t\n", "a decision needs"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "curation.tsv").write_text(text)
    with pytest.raises(InputError) as caught:
        read_curation(tmp_path / "curation.tsv")
    assert said in str(caught.value)


def test_a_file_that_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / "curation.tsv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        read_curation(tmp_path / "curation.tsv")


def test_a_later_decision_stands_in_the_place_of_the_one_it_contradicts() -> None:
    merge, split = Decision(Action.MERGE, "A", "B"), Decision(Action.SPLIT, "b", "a")
    assert Curation((merge,)).with_decision(split).decisions == (split,)
    named = Curation((Decision(Action.RENAME, "A", "X"),)).with_decision(Decision(Action.RENAME, "A", "Y"))
    assert [each.object for each in named.decisions] == ["Y"]


def test_merged_by_hand() -> None:
    found = resolved(naming("Sherlock"), naming("Watson"), decisions=(Decision(Action.MERGE, "Sherlock", "Watson"),))
    assert found.entity("p0", "Sherlock").key == "watson"
    assert found.entity("p0", "Sherlock").names == ("Sherlock", "Watson")
    assert [(m.key, m.into, m.rule) for m in found.merges] == [("sherlock", "watson", MergeRule.BY_HAND)]


def test_a_hand_joins_across_a_veto() -> None:
    found = resolved(naming("GPT-3"), naming("GPT-4"), decisions=(Decision(Action.MERGE, "GPT-3", "GPT-4"),))
    assert found.entity("p0", "GPT-3").key == "gpt_4"


def test_split_by_hand_from_what_an_acronym_means() -> None:
    papers = defining("graph neural networks", "GNN"), naming("GNN")
    assert resolved(*papers).entity("p1", "GNN").key == "graph_neural_network"
    apart = resolved(*papers, decisions=(Decision(Action.SPLIT, "GNN", "graph neural networks"),))
    assert apart.entity("p0", "GNN").key == apart.entity("p1", "GNN").key == "GNN"


def test_split_by_hand_from_an_alike_name() -> None:
    papers = naming("position encoding"), naming("positional encoding")
    assert len(resolved(*papers).entities) == 1
    apart = resolved(*papers, decisions=(Decision(Action.SPLIT, "positional encoding", "position encoding"),))
    assert len(apart.entities) == 2


def test_split_by_hand_from_a_name_with_the_same_key() -> None:
    papers = naming("Transformer"), naming("transformers")
    apart = resolved(*papers, decisions=(Decision(Action.SPLIT, "Transformer", "transformers"),))
    assert apart.entity("p0", "Transformer") is not apart.entity("p1", "transformers")


def test_renamed_retyped_and_blocked_by_hand() -> None:
    decisions = (
        Decision(Action.RENAME, "adam", "Adam (optimiser)"),
        Decision(Action.RETYPE, "adam", "Task"),
        Decision(Action.BLOCK, "approach"),
    )
    found = resolved(naming("Adam", "approach"), decisions=decisions)
    assert found.entity("p0", "Adam").label == "Adam (optimiser)"
    assert found.entity("p0", "Adam").type is EntityType.TASK
    assert "approach" not in found.entities
    assert ("p0", "Approaches") not in found.keys


def test_a_decision_about_a_name_that_is_gone_is_reported() -> None:
    gone = Decision(Action.MERGE, "Moriarty", "Adam")
    assert resolved(naming("Adam"), decisions=(gone,)).unapplied == (gone,)


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text(
        "We propose the SOAP optimizer and compare SOAP with Shampoo on language modeling.\n\n"
        "Graph neural networks (GNNs) are used for link prediction. We evaluate GNNs on Cora.\n"
    )
    run("build", str(tmp_path / "a.txt"), "-o", str(tmp_path / "g"))
    return tmp_path / "g"


def run(*arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == status, result.output
    return result.output


def test_decisions_survive_a_rebuild(graph: Path) -> None:
    source, out = str(graph.parent / "a.txt"), str(graph)
    run("merge", "Shampoo", "SOAP", "-g", out, "--comment", "same family")
    run("rename", "link prediction", "edge prediction", "-g", out)
    run("block", "Cora", "-g", out)
    for _ in range(2):
        run("build", source, "-o", out)
        turtle = (graph / "graph.ttl").read_text()
        assert 'skos:prefLabel "edge prediction"' in turtle
        assert "decided by hand" in turtle
        assert "entity/cora>" not in turtle
    assert "same family" in (graph / "curation.tsv").read_text()
    run("unblock", "Cora", "-g", out)
    assert "is not blocked" in run("unblock", "Cora", "-g", out, status=1)


def test_what_is_decided_of_an_unknown_name_is_refused(graph: Path) -> None:
    assert "Moriarty" in run("merge", "Moriarty", "SOAP", "-g", str(graph), status=1)
    assert not (graph / "curation.tsv").exists()


def test_a_build_says_which_decision_no_longer_applies(graph: Path) -> None:
    run("rename", "SOAP", "Soap", "-g", str(graph))
    (graph.parent / "b.txt").write_text("We study graph neural networks for node classification.\n")
    assert '"SOAP" is called "Soap"' in run("build", str(graph.parent / "b.txt"), "-o", str(graph))


def test_why_two_names_are_one(graph: Path) -> None:
    said = run("why-same", "GNNs", "graph neural networks", "-g", str(graph))
    assert "are one entity" in said
    assert "a paper defines the acronym (1.00, 1 paper)" in said
    assert "Graph neural networks (GNNs) are used" in said


def test_why_two_names_are_not_one(graph: Path) -> None:
    said = run("why-same", "SOAP", "Shampoo", "-g", str(graph))
    assert "are two entities" in said
    assert "from 0." in said
