"""Vectors of words from the encoder's own input embeddings, small and fast: no run of the network.

The table lies beside the weights as `words.npy`: a row of whole numbers in 8 bits for each word piece, the first
principal components of the embeddings.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from kg.errors import ModelError
from kg.model import TOKENIZER, WEIGHTS, WORDS

__all__ = ["WordVectors", "word_vectors"]


class WordVectors:
    """The vector of each word piece of a tokenizer; `table` is (pieces, dimensions)."""

    def __init__(self, table: NDArray[np.int8], tokenizer: Tokenizer) -> None:
        self._table = table
        self._tokenizer = tokenizer

    def mean_of(self, text: str) -> NDArray[np.float64]:
        """The mean vector (dimensions) of the pieces of `text`; zero for an empty text."""
        pieces = self._tokenizer.encode(text, add_special_tokens=False).ids
        if not pieces:
            return np.zeros(self._table.shape[1])
        mean: NDArray[np.float64] = self._table[pieces].astype(np.float64).mean(0)
        return mean


@lru_cache(maxsize=1)
def word_vectors() -> WordVectors:
    """The vectors that the package carries. Raises ModelError if they are missing or damaged."""
    try:
        table = np.load(WEIGHTS / WORDS, allow_pickle=False)
        tokenizer = Tokenizer.from_file(str(WEIGHTS / TOKENIZER))
    except Exception as error:
        raise ModelError("the word vectors cannot be loaded", where=str(WEIGHTS / WORDS), hint=str(error)) from error
    tokenizer.no_truncation()
    return WordVectors(table, tokenizer)
