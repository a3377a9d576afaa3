from __future__ import annotations

from itertools import permutations

import pytest
from conftest import mention

from kg.records import EntityType, Extraction, Mention, MergeRule, Paper, Relation, RelationType
from kg.resolve import Resolution, resolve_entities


def defining(long: str, short: str, kind: EntityType = EntityType.METHOD) -> Extraction:
    text = f"We use {long} ({short})."
    one, other = mention(text, long, kind), mention(text, f"({short})", kind)
    other = Mention(other.start + 1, other.end - 1, kind, short, 0.9)
    return Extraction(
        Paper(text), mentions=(one, other), relations=(Relation(one, RelationType.SAME_ENTITY, other, 0, len(text)),)
    )


def naming(*names: str, kind: EntityType = EntityType.METHOD) -> Extraction:
    text = " ".join(names)
    return Extraction(Paper(text), mentions=tuple(mention(text, name, kind) for name in names))


def resolved(*extractions: Extraction) -> Resolution:
    return resolve_entities([(f"p{number}", extraction) for number, extraction in enumerate(extractions)])


def test_an_acronym_is_its_long_form_in_the_paper_that_defines_it() -> None:
    found = resolved(defining("graph neural networks", "GNNs"))
    assert found.entity("p0", "GNNs") is found.entity("p0", "graph neural networks")
    assert found.entity("p0", "GNNs").names == ("GNNs", "graph neural networks")
    assert found.entity("p0", "GNNs").label == "graph neural networks"


def test_an_undefined_acronym_takes_the_only_meaning_that_the_corpus_gives_it() -> None:
    found = resolved(defining("graph neural networks", "GNNs"), naming("GNN"))
    assert found.entity("p1", "GNN").key == "graph_neural_network"


def test_an_undefined_acronym_of_two_meanings_stays_its_own_entity() -> None:
    found = resolved(
        defining("multiplicative logit adjustment", "MLA"),
        defining("multi-head latent attention", "MLA"),
        naming("MLA"),
    )
    assert found.entity("p2", "MLA").key == "MLA"
    assert found.entity("p0", "MLA").key != found.entity("p1", "MLA").key


def test_a_rare_other_definition_does_not_split_an_acronym() -> None:
    usual = [defining("large language models", "LLMs") for _ in range(5)]
    found = resolved(*usual, defining("large lange models", "LLMs"), naming("LLM"))
    assert found.entity("p6", "LLM").key == "large_language_model"
    assert found.entity("p5", "LLMs").key == "large_lange_model"


def test_words_that_describe_a_long_form_name_nothing_else_in_the_paper_that_defines_its_acronym() -> None:
    long = "message-passing based graph neural networks"
    found = resolved(defining(long, "GNNs"), naming("GNN"), naming(long))
    assert found.entity("p0", long).key == found.entity("p0", "GNNs").key == "graph_neural_network"
    assert found.entity("p1", "GNN").key == "graph_neural_network"
    assert found.entity("p2", long).key == "message_passing_based_graph_neural_network"
    merge = next(merge for merge in found.merges if merge.rule is MergeRule.DESCRIBED)
    assert (merge.key, merge.into) == ("message_passing_based_graph_neural_network", "graph_neural_network")


def test_a_compound_spelled_out_with_for_is_one_thing_in_its_paper() -> None:
    text = "Distributed algorithms for LPs: a distributed LP algorithm beats other distributed algorithms."
    names = "Distributed algorithms", "LPs", "distributed LP algorithm", "distributed algorithms"
    compound = Extraction(Paper(text), mentions=tuple(mention(text, name, EntityType.METHOD) for name in names))
    found = resolved(compound, naming("distributed algorithms", "LP"))
    assert found.entity("p0", "distributed algorithms") is found.entity("p0", "distributed LP algorithm")
    assert found.entity("p1", "distributed algorithms") is not found.entity("p0", "distributed LP algorithm")
    merge = next(merge for merge in found.merges if merge.rule is MergeRule.DESCRIBED)
    ((_, start, end),) = merge.places
    assert text[start:end] == "Distributed algorithms for LPs"


@pytest.mark.parametrize("words", ["monocular 3D", "weakly-supervised", "detection of"])
def test_other_words_before_a_long_form_make_a_name_of_their_own(words: str) -> None:
    name = f"{words} human pose estimation"
    found = resolved(defining(name, "HPE"), naming("HPE"))
    assert found.entity("p0", "HPE").key == found.entity("p1", "HPE").key == "human_pose_estimation"
    assert found.entity("p0", name).key != "human_pose_estimation"


def test_one_word_after_others_is_no_long_form() -> None:
    assert resolved(defining("visual fidelity", "FID")).entity("p0", "FID").key == "FID"


def test_the_representation_of_what_a_paper_defines_is_that() -> None:
    text = "We solve mixed-integer linear programs (MILP), by learning MILP representation and MILP solvers."
    names = ("mixed-integer linear programs", "MILP", "MILP representation", "MILP solvers")
    mentions = tuple(mention(text, name, EntityType.TASK) for name in names)
    definition = Relation(mentions[0], RelationType.SAME_ENTITY, mentions[1], 0, len(text))
    found = resolved(Extraction(Paper(text), mentions=mentions, relations=(definition,)), naming("MILP representation"))
    keys = ["mixed_integer_linear_program"] * 3 + ["milp_solver"]
    assert [found.entity("p0", name).key for name in names] == keys
    assert found.entity("p1", "MILP representation").key == "milp_representation"


def test_a_word_of_a_longer_name_is_not_its_acronym() -> None:
    found = resolved(defining("LiDAR-inertial odometry", "LiDAR"), naming("LiDAR"))
    assert found.entity("p0", "LiDAR").key == found.entity("p1", "LiDAR").key == "lidar"


def test_two_names_of_one_thing_are_joined_only_where_one_is_the_acronym_of_the_other() -> None:
    found = resolved(defining("three stabilizers", "CNN"), naming("CNN"))
    assert found.entity("p1", "CNN").key == found.entity("p0", "CNN").key == "CNN"


def test_the_type_that_most_papers_give_wins() -> None:
    found = resolved(
        naming("SQuAD"), naming("SQuAD", kind=EntityType.DATASET), naming("SQuAD", kind=EntityType.DATASET)
    )
    assert found.entity("p0", "SQuAD").type is EntityType.DATASET


def test_the_most_used_spelling_is_the_label() -> None:
    found = resolved(naming("Adam optimizer"), naming("adam optimizer"), naming("Adam optimizer"))
    assert [entity.label for entity in found.entities.values()] == ["Adam optimizer"]


def test_a_superscript_is_a_name_beside_its_plain_form() -> None:
    assert resolved(naming("HGM³")).entity("p0", "HGM³").names == ("HGM3", "HGM³")


def test_definitions_that_go_in_a_circle_end() -> None:
    text = "alpha beta AB"
    one, other = mention(text, "alpha beta"), mention(text, "AB")
    loop = (
        Relation(one, RelationType.SAME_ENTITY, other, 0, 13),
        Relation(other, RelationType.SAME_ENTITY, one, 0, 13),
    )
    assert len(resolved(Extraction(Paper(text), mentions=(one, other), relations=loop)).entities) == 1


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_the_papers_changes_nothing(order: tuple[int, ...]) -> None:
    papers = [
        ("a", defining("linear programs", "LP")),
        ("b", defining("language pruning", "LP")),
        ("c", naming("LP", "linear program")),
    ]
    assert resolve_entities([papers[i] for i in order]) == resolve_entities(papers)
