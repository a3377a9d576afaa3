from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.sentences import split_sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "We follow Feng et al. (2024) here.",
        "It gains 2.5 points, e.g. on C4, vs. AdamW.",
        "See Fig. 3 and Sec. 2.",
        "Methods (i.e. GNNs) fail.",
        "Results of J. Smith hold.",
        "Is it? yes",
    ],
)
def test_a_dot_within_a_sentence_does_not_end_it(sentence: str) -> None:
    assert split(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("We ask: does it work? It does! ", ["We ask: does it work?", "It does!"]),
        ('He said "no." We said yes.', ['He said "no."', "We said yes."]),
        ("We extend Smith et al. We also win.", ["We extend Smith et al.", "We also win."]),
        ("First paragraph\n\nsecond paragraph", ["First paragraph", "second paragraph"]),
        ("  padded.  ", ["padded."]),
        ("", []),
    ],
)
def test_sentences_are_told_apart(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


@given(st.text(alphabet='ab. !?\nA("é1', max_size=200))
def test_nothing_but_space_is_lost_and_nothing_overlaps(text: str) -> None:
    spans = list(split_sentences(text))
    assert all(a < b for a, b in spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
