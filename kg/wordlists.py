"""Lists of words, written as running text."""

from __future__ import annotations

__all__ = ["word_list"]


def word_list(text: str) -> frozenset[str]:
    """The words of `text`, without their order."""
    return frozenset(text.split())
