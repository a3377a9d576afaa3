import json

import pytest

from kg.errors import InputError
from kg.model import FoundRelation, FoundRole, FoundSpan, Reading
from kg.records import EntityType, RelationType, Role
from kg.train.corpora import Document, Labels
from kg.train.evaluate import as_json, as_table, evaluate, predicted, read_corpus
from kg.train.scores import Score
from kg.train.tune import fit_platt

M, T, D, X = EntityType
READING = Reading(
    (FoundSpan(0, 4, M, 0.9), FoundSpan(8, 13, D, 0.4), FoundSpan(14, 16, T, 0.8)),
    (FoundRelation(0, 1, RelationType.EVALUATED_ON, 0.9), FoundRelation(0, 2, RelationType.USED_FOR, 0.7)),
    (FoundRole(Role.RESULT, 0.9),),
)


class Always:
    """A model that reads the same in every text."""

    def read(self, texts, sentences, *, longest=None):  # noqa: ARG002
        self.longest = longest
        return [READING for _ in texts]


def test_what_is_not_confident_enough_is_dropped_with_its_relations():
    document = Document("d", "x" * 20, ((0, 20),), annotates=Labels(frozenset(EntityType)))
    found = predicted(document, READING, min_confidence=0.5)
    assert [(m.start, m.type) for m in found.mentions] == [(0, M), (14, T)]
    assert [(r.head, r.tail, r.type) for r in found.relations] == [(0, 1, RelationType.USED_FOR)]
    assert found.roles == (Role.RESULT,)


def scier(tmp_path):
    record = {
        "doc_id": 1,
        "sentences": [["BERT", "on", "SQuAD", "."]],
        "ner": [[[0, 0, "Method"], [2, 2, "Dataset"]]],
        "relations": [[[0, 0, 2, 2, "Evaluated-With"]]],
    }
    path = tmp_path / "scier.jsonl"
    path.write_text(json.dumps(record))
    return path


def test_a_scier_file_is_scored_in_windows_like_those_of_training(tmp_path):
    model = Always()
    scores = evaluate(scier(tmp_path), model)
    assert model.longest == 192
    assert scores["ner"]["all"] == Score(2, 3, 2)
    assert scores["rel"]["all"] == Score(1, 2, 1)
    assert scores["rel+"]["evaluatedOn"] == Score(1, 1, 1)


def test_scores_are_shown_as_json_and_as_a_table(tmp_path):
    scores = evaluate(scier(tmp_path), Always())
    assert json.loads(as_json(scores))["ner"]["all"]["recall"] == 1.0
    assert "80.00" in as_table(scores)


def test_a_file_of_an_unknown_form_is_refused_by_name(tmp_path):
    path = tmp_path / "other.jsonl"
    path.write_text('{"text": "x"}\n')
    with pytest.raises(InputError, match=r"other\.jsonl"):
        read_corpus(path)


def test_platt_scaling_finds_how_often_confidence_is_right():
    items = [(0.9, True)] * 60 + [(0.9, False)] * 40 + [(0.2, False)] * 95 + [(0.2, True)] * 5
    slope, shift = fit_platt(items)
    assert 1 / (1 + 2.718281828 ** -(slope * 2.1972 + shift)) == pytest.approx(0.6, abs=0.02)
