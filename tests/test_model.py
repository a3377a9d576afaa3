import json
import shutil
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from kg.errors import ModelError
from kg.model import (
    PAIR_LABELS,
    TAGS,
    WEIGHTS,
    Pieces,
    allowed_pairs,
    check_files,
    decode_tags,
    load_model,
    overlapping_windows,
    piece_shapes,
    windows,
)
from kg.records import DOMAIN_AND_RANGE, EntityType, RelationType

M, T, D, X = EntityType


def scores(*tags):
    """Scores that prefer the named tags, such as "O" or "B-Task"."""
    table = np.zeros((len(tags), len(TAGS)), dtype=np.float32)
    for word, tag in enumerate(tags):
        mark, _, type_ = tag.partition("-")
        table[word, TAGS.index((mark, EntityType(type_) if type_ else None))] = 5.0
    return table


def pieces_of(*lengths, words_each=1):
    """Sentences with so many words, each word of `words_each` pieces."""
    total = sum(lengths)
    ends = np.cumsum([0, *lengths]).tolist()
    firsts = tuple(range(0, (total + 1) * words_each, words_each))
    spans = tuple((2 * word, 2 * word + 1) for word in range(total))
    zeros = (0,) * (total * words_each)
    return Pieces(zeros, zeros, firsts, spans, tuple(pairwise(ends)))


def test_decoding_finds_whole_mentions():
    assert decode_tags(scores("O", "B-Task", "I-Task", "E-Task", "S-Method")) == [(1, 4, T), (4, 5, M)]


def test_decoding_never_yields_half_a_mention():
    broken = scores("I-Task", "O", "B-Method", "O")
    broken[2, TAGS.index(("B", M))] = 9.0
    for first, last, _ in decode_tags(broken):
        assert 0 <= first < last <= 4
    assert decode_tags(scores("B-Task")) in ([], [(0, 1, T)])


def test_decoding_of_no_words_is_empty():
    assert decode_tags(np.zeros((0, len(TAGS)), dtype=np.float32)) == []


def test_viterbi_finds_the_best_of_all_well_formed_taggings():
    rng = np.random.default_rng(0)
    for _ in range(20):
        table = rng.normal(size=(3, len(TAGS))).astype(np.float32)
        assert decode_tags(table) == best_by_hand(table)


def best_by_hand(table):
    found, best = [], -np.inf

    def extend(place, total, spans):
        nonlocal found, best
        if place == len(table):
            if total > best:
                found, best = spans, total
            return
        extend(place + 1, total + table[place, 0], spans)
        for type_ in EntityType:
            for end in range(place + 1, len(table) + 1):
                marks = ["S"] if end - place == 1 else ["B", *["I"] * (end - place - 2), "E"]
                gain = sum(table[place + k, TAGS.index((mark, type_))] for k, mark in enumerate(marks))
                extend(end, total + gain, [*spans, (place, end, type_)])

    extend(0, 0.0, [])
    return found


def test_labels_of_pairs_hold_symmetric_relations_once():
    assert len(PAIR_LABELS) == len(set(PAIR_LABELS)) == 1 + 2 * 7 + 2


def test_types_limit_the_relations_of_a_pair():
    allowed = allowed_pairs()
    types = list(EntityType)
    names = {(label.type, label.reverse) for label, ok in zip(PAIR_LABELS, allowed[2, 1], strict=True) if ok and label}
    assert (types[2], types[1]) == (D, T)
    assert names == {(RelationType.BENCHMARK_FOR, False)}
    assert set(DOMAIN_AND_RANGE) == set(RelationType)


def test_shapes_tell_case_and_the_space_before():
    text = "The GPT-4o"
    assert piece_shapes(text, [(0, 3), (4, 7), (7, 8), (8, 9), (9, 10)]) == [10, 11, 7, 6, 1]


def test_windows_hold_whole_sentences_and_every_one_once():
    assert list(windows(pieces_of(5, 5, 5, 20, 2), 10)) == [(0, 2), (2, 3), (3, 4), (4, 5)]


@pytest.mark.parametrize("lengths", [(3,), (5, 5, 5, 5), (50,), (4, 33, 2), (1,) * 40, ()])
def test_every_word_counts_in_exactly_one_overlapping_window(lengths):
    pieces = pieces_of(*lengths, words_each=2)
    counted = []
    for window in overlapping_windows(pieces, 24):
        assert pieces.length(window.first, window.last) <= 24
        assert window.first <= window.own < window.end <= window.last
        counted += range(window.own, window.end)
    assert counted == list(range(sum(lengths)))


def test_a_text_that_fits_is_one_window():
    assert len(list(overlapping_windows(pieces_of(5, 5, 4), 14))) == 1


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.onnx").write_bytes(b"weights")
    digest = "9b6923f09cc4cf6fbfe2a9b5ff0e79b9f2cc0e9b4ce9bd3a3bcdaa3c2ae1fb7f"
    (tmp_path / "manifest.json").write_text(json.dumps({"a.onnx": digest}))
    return tmp_path


def test_a_damaged_file_says_so(folder):
    with pytest.raises(ModelError, match=r"damaged.*SHA-256"):
        check_files(folder)


def test_a_missing_file_says_so(folder):
    (folder / "a.onnx").unlink()
    with pytest.raises(ModelError, match="missing"):
        check_files(folder)


def test_a_missing_manifest_says_so(tmp_path):
    with pytest.raises(ModelError, match="cannot be read"):
        load_model(tmp_path)


needs_weights = pytest.mark.skipif(not (WEIGHTS / "manifest.json").exists(), reason="no trained weights here")


@pytest.fixture(scope="module")
def model():
    return load_model()


@needs_weights
def test_the_shipped_model_reads_an_easy_abstract(model):
    text = (
        "We propose FooNet, a convolutional neural network (CNN) for image classification. It beats ResNet on ImageNet."
    )
    (reading,) = model.read([text], [[(0, 82), (83, len(text))]])
    names = {text[span.start : span.end]: span.type for span in reading.spans}
    assert names["image classification"] == T
    assert names["ImageNet"] == D
    assert names["FooNet"] == names["ResNet"] == M
    assert len(reading.roles) == 2
    assert reading.vectors.shape[0] == len(reading.spans)
    assert all(0 < span.confidence < 1 for span in reading.spans)


@needs_weights
def test_reading_does_not_depend_on_what_is_read_with_it(model):
    texts = ["We train BERT on SQuAD for question answering.", "A long text about graph neural networks. " * 12]
    spans = [[(0, len(texts[0]))], [(start, start + 40) for start in range(0, len(texts[1]), 41)]]
    together = model.read(texts, spans)
    alone = [model.read([text], [each])[0] for text, each in zip(texts, spans, strict=True)]
    assert [[(s.start, s.end, s.type) for s in r.spans] for r in together] == [
        [(s.start, s.end, s.type) for s in r.spans] for r in alone
    ]


@needs_weights
def test_a_text_longer_than_the_window_is_read_to_its_end(model):
    sentence = "We evaluate ResNet on ImageNet for image classification."
    text = " ".join([sentence] * 60)
    spans = [(start, start + len(sentence)) for start in range(0, len(text), len(sentence) + 1)]
    (reading,) = model.read([text], [spans])
    assert max(span.end for span in reading.spans) > spans[-1][0]
    assert len(reading.roles) == 60


@needs_weights
def test_empty_input_gives_empty_readings(model):
    assert model.read([], []) == []
    (reading,) = model.read([""], [[]])
    assert reading.spans == reading.relations == reading.roles == ()


@needs_weights
def test_damage_to_the_shipped_weights_is_noticed(tmp_path):
    folder = tmp_path / "weights"
    shutil.copytree(WEIGHTS, folder)
    content = bytearray((folder / "reader.onnx").read_bytes())
    content[5000] ^= 1
    (folder / "reader.onnx").write_bytes(bytes(content))
    with pytest.raises(ModelError, match=r"reader\.onnx"):
        load_model(folder)


@needs_weights
def test_a_bias_on_a_relation_and_doubt_about_its_mentions_change_what_is_related(model):
    text = "We use BERT for question answering."
    plain = model.settings
    try:
        told = {}
        for name, changed in {
            "wanted": replace(plain, related=(9.0, *[0.0] * 8)),
            "unwanted": replace(plain, related=(-99.0, *[0.0] * 8)),
            "doubted": replace(plain, doubt=1e6),
        }.items():
            model.settings = changed
            (reading,) = model.read([text], [[(0, len(text))]])
            told[name] = {relation.type for relation in reading.relations}
    finally:
        model.settings = plain
    assert RelationType.USED_FOR in told["wanted"]
    assert RelationType.USED_FOR not in told["unwanted"]
    assert not told["doubted"]
