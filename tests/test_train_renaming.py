from __future__ import annotations

import random
from pathlib import Path

import pytest

from kg.records import EntityType, RelationType
from kg.train.corpora import Document, Link, Span
from kg.train.renaming import collect_names, read_term_lists, renamed

METHOD, TASK, DATASET, METRIC = EntityType
TEXT = "BERT beats LSTM (long short-term memory) on SQuAD. BERT is good."


def document() -> Document:
    def span(name: str, kind: EntityType | None, start: int = 0) -> Span:
        place = TEXT.index(name, start)
        return Span(place, place + len(name), kind)

    mentions = (
        span("BERT", METHOD),
        span("LSTM", METHOD),
        span("long short-term memory", METHOD),
        span("SQuAD", DATASET),
        span("BERT", METHOD, 40),
    )
    cut = TEXT.index("BERT is")
    same = Link(1, 2, RelationType.SAME_ENTITY)
    return Document(
        "d", TEXT, ((0, cut - 1), (cut, len(TEXT))), mentions, (same, Link(0, 3, RelationType.EVALUATED_ON))
    )


def names_of(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.mentions]


NAMES = {(METHOD, "name"): ["XL-Net"], (DATASET, "name"): ["A very long corpus 7"]}


def test_names_are_exchanged_wherever_they_stand_and_offsets_follow() -> None:
    made = renamed(document(), NAMES, 1.0, random.Random(0))
    assert names_of(made) == ["XL-Net", "LSTM", "long short-term memory", "A very long corpus 7", "XL-Net"]
    assert made.text == "XL-Net beats LSTM (long short-term memory) on A very long corpus 7. XL-Net is good."
    assert [made.text[a:b] for a, b in made.sentences] == [made.text[: made.text.index(". XL") + 1], "XL-Net is good."]
    assert made.relations == document().relations


def test_nothing_changes_without_a_share_or_without_names() -> None:
    assert renamed(document(), NAMES, 0.0, random.Random(0)) == document()
    assert renamed(document(), {}, 1.0, random.Random(0)) == document()


def test_names_are_collected_by_type_and_shape() -> None:
    found = collect_names([document()], [("image classification", TASK), ("graph networks", METHOD)])
    assert found[METHOD, "name"] == ["BERT", "LSTM"]
    assert found[METHOD, "phrase"] == ["long short-term memory"]
    assert found[METHOD, "plural"] == ["graph networks"]
    assert found[TASK, "phrase"] == ["image classification"]


def test_titles_of_term_lists_are_written_as_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "pwc_methods.tsv").write_text("name\nLayer Normalization\nBERT\nX (old)\n")
    assert read_term_lists(tmp_path) == [("layer normalization", METHOD), ("BERT", METHOD)]


@pytest.mark.parametrize("seed", range(20))
def test_every_mention_keeps_a_text_of_its_own(seed: int) -> None:
    made = renamed(document(), NAMES, 0.5, random.Random(seed))
    assert all(0 <= each.start < each.end <= len(made.text) for each in made.mentions)
    assert len(made.mentions) == len(document().mentions)
