import json

import pytest

from kg.records import CleanText, EntityType, RelationType, Role
from kg.train.corpora import (
    Document,
    Labels,
    Link,
    Span,
    in_clean_text,
    join_tokens,
    read_csabstruct,
    read_gsap,
    read_scier,
    read_scierc,
    read_scinlp,
    read_tdmsci,
    sentence_key,
    sentence_keys,
    without_sentences,
)

M, T, D, X = EntityType


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("state - of - the - art ( SOTA ) .", "state-of-the-art (SOTA)."),
        ("in 2 0 1 4 and 4 2 . 2 % on 1 0 , 0 0 0 images", "in 2014 and 42.2% on 10,000 images"),
        ("see [ 5 2 , 4 5 , 1 1 ] and Figure 1", "see [52, 45, 11] and Figure 1"),
        ("the S 3 D net , RCV 1 and word 2 vec", "the S3D net, RCV1 and word2vec"),
        ('the " golden trident " of CNN \'s', 'the "golden trident" of CNN\'s'),
        ("R - CNN / YOLO", "R-CNN/YOLO"),
    ],
)
def test_split_tokens_are_joined_to_natural_text(tokens, text):
    assert join_tokens(tokens.split(), digits_split=True)[0] == text


def test_every_token_is_a_slice_of_the_joined_text():
    tokens = [
        "Faster",
        "-",
        "RCNN",
        "(",
        "Ren",
        "et",
        "al.",
        ",",
        "2",
        "0",
        "1",
        "5",
        ")",
        "beats",
        '"',
        "SPP",
        '"',
        ".",
    ]
    text, spans = join_tokens(tokens, digits_split=True)
    assert [text[start:end] for start, end in spans] == tokens


def names(document):
    return [(document.text[m.start : m.end], m.type) for m in document.mentions]


def links(document):
    mentions = document.mentions
    return [
        (
            document.text[mentions[r.head].start : mentions[r.head].end],
            r.type,
            document.text[mentions[r.tail].start : mentions[r.tail].end],
        )
        for r in document.relations
    ]


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_scier_is_read_with_offsets_over_the_whole_document(tmp_path):
    record = {
        "doc_id": 7,
        "sentences": [["We", "use", "R", "-", "CNN", "."], ["SSD", "is", "tested", "on", "COCO", "."]],
        "ner": [[[2, 4, "Method"]], [[6, 6, "Method"], [10, 10, "Dataset"]]],
        "relations": [[], [[6, 6, 10, 10, "Evaluated-With"]]],
    }
    (document,) = read_scier(write(tmp_path / "d.jsonl", record))
    assert document.text == "We use R-CNN. SSD is tested on COCO."
    assert names(document) == [("R-CNN", M), ("SSD", M), ("COCO", D)]
    assert links(document) == [("SSD", RelationType.EVALUATED_ON, "COCO")]
    assert X not in document.annotates.entities


def test_scierc_is_mapped_and_what_has_no_counterpart_is_unknown(tmp_path):
    record = {
        "doc_key": "a",
        "sentences": [["SVM", "for", "parsing", "images", "-LRB-", "it", "-RRB-"]],
        "ner": [[[0, 0, "Method"], [2, 2, "Task"], [3, 3, "Material"], [5, 5, "Generic"]]],
        "relations": [[[0, 0, 2, 2, "USED-FOR"], [3, 3, 0, 0, "USED-FOR"]]],
    }
    (document,) = read_scierc(write(tmp_path / "d.json", record))
    assert document.text == "SVM for parsing images (it)"
    assert names(document) == [("SVM", M), ("parsing", T), ("images", None)]
    assert links(document) == [("SVM", RelationType.USED_FOR, "parsing")]
    assert D not in document.annotates.entities


def test_scinlp_keeps_only_sentences_with_entities(tmp_path):
    record = {"doc_key": "a", "sentences": [["no", "."], ["BLEU", "rose", "."]], "ner": [[], [[2, 2, "metric"]]]}
    (document,) = read_scinlp(write(tmp_path / "d.json", record))
    assert document.text == "BLEU rose."
    assert names(document) == [("BLEU", X)]


def test_tdmsci_keeps_the_spaces_of_its_offsets_and_knows_no_methods(tmp_path):
    path = tmp_path / "d.conll"
    path.write_text("on\t5\tO\nSNLI\t8\tB-DATASET\n-\t12\tI-DATASET\nhard\t13\tI-DATASET\n\nx\t0\tO\n")
    first, second = read_tdmsci(path)
    assert first.text == "on SNLI-hard"
    assert names(first) == [("SNLI-hard", D)]
    assert M not in first.annotates.entities
    assert second.text == "x"


def test_gsap_keeps_the_longest_of_nested_spans_and_only_its_folds(tmp_path):
    record = {
        "id": "1",
        "fold": 0,
        "text": "A BERT encoder.",
        "entities": [[2, 6, "MLModel"], [2, 14, "ModelArchitecture"]],
    }
    path = write(tmp_path / "d.jsonl", record, record | {"fold": 9})
    (document,) = read_gsap(path, range(8))
    assert names(document) == [("BERT encoder", M)]


def test_csabstruct_gives_roles_alone(tmp_path):
    record = {"sentences": ["It is so.", "We do."], "labels": ["background", "objective"]}
    (document,) = read_csabstruct(write(tmp_path / "d.jsonl", record))
    assert [document.text[a:b] for a, b in document.sentences] == record["sentences"]
    assert document.roles == (Role.BACKGROUND, Role.OBJECTIVE)
    assert document.annotates == Labels(roles=True)


TWO = Document(
    "d",
    "Here is BERT first. There is GPT with T5.",
    ((0, 19), (20, 41)),
    (Span(8, 12, M), Span(29, 32, M), Span(38, 40, M)),
    (Link(1, 2, RelationType.COMPARED_WITH),),
    (Role.METHOD, Role.RESULT),
)


def test_sentences_of_a_test_split_are_taken_out_with_what_stands_in_them():
    held = frozenset({sentence_key("Here is  BERT, first")})
    left = without_sentences(TWO, held)
    assert left.text == "There is GPT with T5."
    assert names(left) == [("GPT", M), ("T5", M)]
    assert links(left) == [("GPT", RelationType.COMPARED_WITH, "T5")]
    assert left.roles == (Role.RESULT,)


def test_short_sentences_are_no_sign_of_a_copy():
    assert sentence_keys([TWO]) == frozenset()
    assert without_sentences(TWO, sentence_keys([TWO])) == TWO


def test_annotations_move_with_the_cleaned_text():
    def strip_stars(text):
        kept = [place for place, character in enumerate(text) if character != "*"]
        return CleanText(text, "".join(text[place] for place in kept), tuple((place, place + 1) for place in kept))

    marked = Document("d", "Use **BERT** now.", ((0, 17),), (Span(6, 10, M),), (), (Role.METHOD,))
    cleaned = in_clean_text(marked, strip_stars)
    assert cleaned.text == "Use BERT now."
    assert names(cleaned) == [("BERT", M)]
    assert cleaned.sentences == ((0, 13),)
