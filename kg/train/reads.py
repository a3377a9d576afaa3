"""The project's annotated abstracts as the shipped extractor reads them, for the models beside the network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kg.clean import clean
from kg.extract import layout, read_names, shipped_model
from kg.records import CleanText, Mention, Sentence
from kg.train.claim_scores import Json

__all__ = ["DATA", "Read", "read_lines"]

DATA = Path(__file__).with_name("data")


@dataclass(frozen=True, slots=True)
class Read:
    """An annotated line, and the abstract as the extractor reads it, in cleaned text."""

    line: Json
    text: CleanText
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...]


def read_lines(path: Path) -> Iterator[Read]:
    """The annotated abstracts of a corpus file, with what run time will see of each."""
    for row in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(row)
        text = clean(line["abstract"])
        names = read_names(text.text, *layout(text), shipped_model())
        yield Read(line, text, names.sentences, names.mentions)
