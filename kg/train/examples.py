"""Windows of documents as numbers: what the network reads, and what it should answer.

A target is a set of answers that the annotation allows, never one number: where a corpus is silent about a label,
that label is allowed as well, and the loss is the probability of the whole set (Tsuboi et al., COLING 2008, 2.3).
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from kg.model import CLS, PAIR_LABELS, SEP, TAGS, Pieces, allowed_pairs, split_pieces, windows
from kg.records import EntityType, RelationType, Role
from kg.train.corpora import Document, Labels, Span

__all__ = ["Batch", "Example", "Prepared", "collate", "examples", "length_batches", "prepare"]

TYPES = list(EntityType)
ROLES = list(Role)
TAG_NUMBERS = {tag: number for number, tag in enumerate(TAGS)}
PAIR_NUMBERS = {(label.type, label.reverse): number for number, label in enumerate(PAIR_LABELS) if label}
DOMAINS = allowed_pairs()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document in word pieces; `mentions` are spans of words with types, `homes` their sentences."""

    document: Document
    pieces: Pieces
    mentions: tuple[tuple[int, int, EntityType | None], ...]
    homes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """One window. Words, mentions and sentences are counted within it; pieces begin with the mark CLS.

    `tags` (words, tags) and `labels` (pairs, labels) are true on allowed answers; a role of -1 is not known.
    """

    prepared: Prepared
    sentence: int
    word: int
    pieces: NDArray[np.int64]
    shapes: NDArray[np.int64]
    firsts: NDArray[np.int64]
    tags: NDArray[np.bool_]
    mentions: NDArray[np.int64]
    """(mentions, 4): first piece, last piece, type, sentence."""
    pairs: NDArray[np.int64]
    """(pairs, 2): places in `mentions`, the earlier one first."""
    labels: NDArray[np.bool_]
    sentences: NDArray[np.int64]
    """(sentences, 2): first word and one past the last."""
    roles: NDArray[np.int64]


def prepare(document: Document, tokenizer: Tokenizer) -> Prepared:
    """`document` in word pieces; a mention that begins or ends inside a word is widened to the whole word."""
    pieces = split_pieces(document.text, document.sentences, tokenizer)
    starts, ends = [start for start, _ in pieces.words], [end for _, end in pieces.words]
    mentions, homes = [], []
    last_words = [last for _, last in pieces.sentences]
    for mention in document.mentions:
        first = bisect_right(ends, mention.start)
        last = bisect_left(starts, mention.end)
        mentions.append((first, max(last, first + 1), mention.type))
        homes.append(bisect_right(last_words, first))
    return Prepared(document, pieces, tuple(mentions), tuple(homes))


def examples(prepared: Prepared, longest: int, *, first: int | None = None) -> Iterator[Example]:
    """The windows of a document."""
    for start, end in windows(prepared.pieces, longest - 2, first=first):
        yield _example(prepared, start, end, longest)


def _example(prepared: Prepared, start: int, end: int, longest: int) -> Example:
    pieces, labels = prepared.pieces, prepared.document.annotates
    word, last = pieces.sentences[start][0], pieces.sentences[end - 1][1]
    while pieces.length(word, last) > longest - 2:
        last -= 1
    base = pieces.firsts[word]
    inside = [
        number
        for number, (home, span) in enumerate(zip(prepared.homes, prepared.mentions, strict=True))
        if start <= home < end and span[1] <= min(last, pieces.sentences[home][1])
    ]
    spans = [prepared.mentions[number] for number in inside]
    named = [(number, span) for number, span in zip(inside, spans, strict=True) if span[2] is not None]
    ids = [CLS, *pieces.ids[base : pieces.firsts[last]], SEP]
    sentences = [(a - word, min(b, last) - word) for a, b in pieces.sentences[start:end]]
    pairs, targets = _pairs(prepared, [number for number, _ in named])
    roles = prepared.document.roles[start:end] or (None,) * (end - start)
    return Example(
        prepared,
        start,
        word,
        np.array(ids),
        np.array([0, *pieces.shapes[base : pieces.firsts[last]], 0]),
        np.array(pieces.firsts[word:last]) - base + 1,
        _tags(last - word, [(a - word, b - word, type_) for a, b, type_ in spans], labels),
        np.array(
            [
                (
                    pieces.firsts[a] - base + 1,
                    pieces.firsts[b] - base,
                    TYPES.index(type_),
                    prepared.homes[number] - start,
                )
                for number, (a, b, type_) in named
                if type_ is not None
            ],
            dtype=np.int64,
        ).reshape(-1, 4),
        pairs,
        targets,
        np.array(sentences),
        np.array([-1 if role is None else ROLES.index(role) for role in roles]),
    )


def _tags(words: int, spans: Sequence[tuple[int, int, EntityType | None]], labels: Labels) -> NDArray[np.bool_]:
    """The allowed tags of each word; all are allowed where the corpus annotates no entities at all."""
    allowed = np.zeros((words, len(TAGS)), dtype=bool)
    silent = [type_ not in labels.entities for _, type_ in TAGS]
    silent[0] = True
    allowed[:] = silent
    for start, end, type_ in spans:
        if type_ is None:
            allowed[start:end] = True
            continue
        allowed[start:end] = False
        marks = ["S"] if end - start == 1 else ["B", *["I"] * (end - start - 2), "E"]
        for place, mark in enumerate(marks, start):
            allowed[place, TAG_NUMBERS[mark, type_]] = True
    return allowed


def _pairs(prepared: Prepared, numbers: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """All pairs of mentions in one sentence and their allowed labels; none if relations are not annotated."""
    document, labels = prepared.document, prepared.document.annotates
    empty = np.zeros((0, 2), dtype=np.int64), np.zeros((0, len(PAIR_LABELS)), dtype=bool)
    if not labels.relations:
        return empty
    known = {(link.head, link.tail): link.type for link in document.relations}
    silent = np.array([label is None or label.type not in labels.relations for label in PAIR_LABELS])
    pairs, targets = [], []
    for left, one in enumerate(numbers):
        for right in range(left + 1, len(numbers)):
            other = numbers[right]
            if prepared.homes[one] != prepared.homes[other]:
                break
            allowed = DOMAINS[_type(prepared, one), _type(prepared, other)]
            wanted = _wanted(known, one, other)
            target = silent & allowed if wanted is None else (np.arange(len(PAIR_LABELS)) == wanted) & allowed
            if target.any():
                pairs.append((left, right))
                targets.append(target)
    return (np.array(pairs), np.array(targets)) if pairs else empty


def _type(prepared: Prepared, number: int) -> int:
    type_ = prepared.mentions[number][2]
    return -1 if type_ is None else TYPES.index(type_)


def _wanted(known: dict[tuple[int, int], RelationType], one: int, other: int) -> int | None:
    """The label of the pair, whichever way the corpus wrote it."""
    if (one, other) in known:
        return PAIR_NUMBERS[known[one, other], False]
    if (other, one) in known:
        type_ = known[other, one]
        return PAIR_NUMBERS.get((type_, True), PAIR_NUMBERS[type_, False])
    return None


@dataclass(frozen=True, slots=True)
class Batch:
    """Several windows, padded; shapes as in :class:`Example` with the text in front."""

    examples: tuple[Example, ...]
    pieces: Tensor
    shapes: Tensor
    mask: Tensor
    firsts: Tensor
    tags: Tensor
    mentions: Tensor
    mention_mask: Tensor
    pairs: Tensor
    """(pairs, 3): text, earlier mention, later mention."""
    labels: Tensor
    sentences: Tensor
    roles: Tensor


def collate(group: Sequence[Example]) -> Batch:
    """The windows of `group` as one batch; padding words allow every tag, so they teach nothing."""
    pairs = [np.concatenate([np.full((len(each.pairs), 1), row), each.pairs], 1) for row, each in enumerate(group)]
    return Batch(
        tuple(group),
        _pad([each.pieces for each in group]),
        _pad([each.shapes for each in group]),
        _pad([np.ones(len(each.pieces), dtype=bool) for each in group]),
        _pad([each.firsts for each in group]),
        _pad([each.tags for each in group], fill=True),
        _pad([each.mentions for each in group]),
        _pad([np.ones(len(each.mentions), dtype=bool) for each in group]),
        torch.from_numpy(np.concatenate(pairs)),
        torch.from_numpy(np.concatenate([each.labels for each in group])),
        _pad([each.sentences for each in group]),
        _pad([each.roles for each in group], fill=-1),
    )


def _pad(arrays: Sequence[NDArray[np.generic]], fill: bool | int = 0) -> Tensor:
    """The arrays stacked, each filled up to the longest one, and to a length of at least 1."""
    longest = max(1, *(len(array) for array in arrays))
    padded = np.full((len(arrays), longest, *arrays[0].shape[1:]), fill, dtype=arrays[0].dtype)
    for row, array in enumerate(arrays):
        padded[row, : len(array)] = array
    return torch.from_numpy(padded)


def length_batches(group: Sequence[Example], size: int, rng: random.Random) -> list[list[Example]]:
    """Batches of about `size` pieces, windows of like length together, in random order."""
    order = sorted(group, key=lambda each: len(each.pieces) + rng.random() * 20)
    made: list[list[Example]] = [[]]
    for each in order:
        if made[-1] and len(each.pieces) * (len(made[-1]) + 1) > size:
            made.append([])
        made[-1].append(each)
    rng.shuffle(made)
    return made


def as_mentions(prepared: Prepared, spans: Sequence[tuple[int, int, EntityType]]) -> list[Span]:
    """Spans of words as mentions in the text."""
    words = prepared.pieces.words
    return [Span(words[first][0], words[last - 1][1], type_) for first, last, type_ in spans]
