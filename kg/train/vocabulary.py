"""A smaller word-piece vocabulary: the pieces that texts of the field use, and every single character.

A word whose piece is gone is still read, in smaller pieces, so nothing becomes impossible.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

from kg.model import MARKS

__all__ = ["Vocabulary", "count_pieces", "prune"]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A pruned tokenizer as JSON; piece k of it was piece `origins[k]` of the full one."""

    tokenizer: str
    origins: tuple[int, ...]


def count_pieces(texts: Iterable[str], tokenizer: Tokenizer) -> Counter[int]:
    """How often each piece occurs in `texts`."""
    counts: Counter[int] = Counter()
    for text in texts:
        counts.update(tokenizer.encode(text, add_special_tokens=False).ids)
    return counts


def prune(tokenizer: Tokenizer, counts: Counter[int], fewest: int) -> Vocabulary:
    """The vocabulary of the marks, all single characters and every piece with a count of `fewest` or more."""
    full = tokenizer.get_vocab(with_added_tokens=True)
    pieces = sorted((number, piece) for piece, number in full.items() if piece not in MARKS)
    kept = [
        (number, piece) for number, piece in pieces if counts[number] >= fewest or len(piece.removeprefix("##")) == 1
    ]
    order: Sequence[tuple[int, str]] = [(full[mark], mark) for mark in MARKS] + kept
    content = json.loads(tokenizer.to_str())
    content["model"]["vocab"] = {piece: place for place, (_, piece) in enumerate(order)}
    content["added_tokens"] = [
        token | {"id": MARKS.index(token["content"])} for token in content["added_tokens"] if token["content"] in MARKS
    ]
    content |= {"truncation": None, "padding": None, "post_processor": None}
    return Vocabulary(json.dumps(content, ensure_ascii=False, separators=(",", ":")), tuple(n for n, _ in order))
