"""Lists of words, written as running text, and words that their form tells."""

from __future__ import annotations

import re

__all__ = ["is_adjective", "word_list"]

_ADJECTIVE = re.compile(r"\S+-(?:[a-z]+ed|aware|driven|free|specific|like|style|centric|agnostic)")


def word_list(text: str) -> frozenset[str]:
    """The words of `text`, without their order."""
    return frozenset(text.split())


def is_adjective(word: str) -> bool:
    """Whether a word such as "GNN-augmented" says how something is, and names nothing."""
    return _ADJECTIVE.fullmatch(word) is not None
