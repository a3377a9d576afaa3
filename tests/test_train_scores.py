import pytest

from kg.records import EntityType, RelationType, Role
from kg.train.corpora import Document, Labels, Link, Span
from kg.train.scores import Score, calibration_error, score_documents

M, T, D, X = EntityType
ALL = Labels(frozenset({M, T, D}), frozenset(RelationType), roles=True)


def document(*mentions, links=(), annotates=ALL, roles=()):
    return Document("d", "x" * 40, ((0, 20), (20, 40)), tuple(mentions), tuple(links), tuple(roles), annotates)


BERT, SQUAD, QA = Span(0, 4, M), Span(5, 9, D), Span(10, 12, T)
GOLD = document(BERT, SQUAD, QA, links=[Link(0, 1, RelationType.EVALUATED_ON), Link(0, 2, RelationType.USED_FOR)])


def test_a_perfect_prediction_scores_one():
    scores = score_documents([(GOLD, GOLD)])
    assert {name: by["all"].f1 for name, by in scores.items()} == {"ner": 1.0, "rel": 1.0, "rel+": 1.0}


def test_an_empty_prediction_scores_zero():
    scores = score_documents([(GOLD, document())])
    assert scores["ner"]["all"] == Score(0, 0, 3)
    assert scores["rel"]["all"] == Score(0, 0, 2)


def test_nothing_against_nothing_has_no_scores():
    assert score_documents([(document(), document())]) == {}


def test_what_is_proposed_twice_counts_once():
    twice = document(
        BERT, BERT, SQUAD, QA, links=[Link(0, 2, RelationType.EVALUATED_ON), Link(1, 2, RelationType.EVALUATED_ON)]
    )
    scores = score_documents([(GOLD, twice)])
    assert scores["ner"]["all"] == Score(3, 3, 3)
    assert scores["rel"]["all"] == Score(1, 1, 2)


def test_labels_that_the_gold_never_proposes_count_against_precision():
    extra = document(BERT, SQUAD, QA, Span(20, 24, T))
    assert score_documents([(GOLD, extra)])["ner"]["Task"] == Score(1, 2, 1)


def test_types_that_the_corpus_does_not_annotate_are_left_out():
    assert score_documents([(GOLD, document(BERT, SQUAD, QA, Span(20, 24, X)))])["ner"]["all"] == Score(3, 3, 3)


def test_rel_ignores_the_types_of_the_ends_and_rel_plus_does_not():
    other = document(BERT, Span(5, 9, T), QA, links=[Link(0, 1, RelationType.EVALUATED_ON)])
    scores = score_documents([(GOLD, other)])
    assert scores["rel"]["all"].right == 1
    assert scores["rel+"]["all"].right == 0


@pytest.mark.parametrize(("type_", "right"), [(RelationType.COMPARED_WITH, 1), (RelationType.PART_OF, 0)])
def test_only_symmetric_relations_are_right_in_either_direction(type_, right):
    gold = document(BERT, Span(5, 9, M), links=[Link(0, 1, type_)])
    turned = document(BERT, Span(5, 9, M), links=[Link(1, 0, type_)])
    assert score_documents([(gold, turned)])["rel+"]["all"].right == right


def test_roles_are_scored_by_sentence():
    gold = document(roles=[Role.METHOD, Role.RESULT])
    assert score_documents([(gold, document(roles=[Role.METHOD, Role.METHOD]))])["role"]["all"] == Score(1, 2, 2)


def test_confidence_that_is_right_as_often_as_it_says_has_no_error():
    assert calibration_error([0.75] * 4, [True, True, True, False]) == 0.0
    assert calibration_error([1.0, 1.0], [False, False]) == 1.0
