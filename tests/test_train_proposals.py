"""Learning what a paper introduces."""

from __future__ import annotations

import pytest

pytest.importorskip("scipy", reason="comes with scikit-learn, of the extra `train`")

from conftest import mention

from kg.clean import clean
from kg.proposals import Naming
from kg.records import Sentence
from kg.train.proposals import Annotated, annotated, fit, score, with_threshold
from kg.train.reads import Read

TEXT = "We propose the rinsing of samples (RoS), which beats Adam."


def abstract(*marks: str) -> Annotated:
    """An abstract whose names have one feature each; those of "new" are what it introduces."""
    names = tuple(Naming(f"{n}", (mention("SOAP", "SOAP"),), ({mark: 1.0},)) for n, mark in enumerate(marks))
    return Annotated(names, tuple(n if mark == "new" else None for n, mark in enumerate(marks)), marks.count("new"))


def test_a_feature_of_what_is_introduced_gets_weight() -> None:
    known = [abstract("new", "old", "old") for _ in range(32)]
    content = with_threshold(fit(known), known)
    assert content["weights"]["new"] > 0 > content["weights"]["old"]
    assert score(content, known).f1 == 1.0
    missed = score(content, [abstract("old", "odd", "old")._replace(introduced=1)])
    assert (missed.right, missed.gold, missed.f1) == (0, 1, 0.0)


def read(*seen: str) -> Read:
    """What is annotated of TEXT, beside the names that an extractor saw in it."""
    spans = [mention(TEXT, name) for name in ("rinsing of samples", "RoS", "Adam")]
    line = {
        "abstract": TEXT,
        "mentions": [{"start": m.start, "end": m.end, "type": str(m.type)} for m in spans],
        "relations": [{"head": 0, "tail": 1, "type": "sameEntity"}],
        "proposes": [0],
    }
    return Read(line, clean(TEXT), (Sentence(0, len(TEXT)),), tuple(mention(TEXT, name) for name in seen))


@pytest.mark.parametrize("seen", ["RoS", "rinsing of samples", "the rinsing of samples"])
def test_a_thing_is_known_by_each_of_its_names_and_by_most_of_its_words(seen: str) -> None:
    assert annotated(read(seen, "Adam")).things == (0, None)


def test_a_thing_that_is_not_seen_counts_as_missed() -> None:
    found = annotated(read("samples", "Adam"))
    assert (found.things, found.introduced) == ((None, None), 1)
