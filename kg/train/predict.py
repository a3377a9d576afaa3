"""What the network, in torch, reads in documents; for dev scores during training and to check the export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import torch

from kg.model import PAIR_LABELS, decode_tags
from kg.records import EntityType, RelationType, Role
from kg.train.corpora import Document, Link
from kg.train.examples import TYPES, Batch, Example, Prepared, as_mentions, collate, examples
from kg.train.network import Network, States

__all__ = ["predict"]

ROLES = list(Role)
WordSpan = tuple[int, int, EntityType]


@torch.no_grad()
def predict(network: Network, prepared: Sequence[Prepared], longest: int, size: int = 16) -> list[Document]:
    """Each document with the network's mentions, relations and roles in place of its own."""
    network.eval()
    found: dict[int, tuple[list[WordSpan], list[tuple[int, int, RelationType]], list[Role]]] = {
        id(each): ([], [], []) for each in prepared
    }
    texts = [example for each in prepared for example in examples(each, longest)]
    order = sorted(range(len(texts)), key=lambda number: len(texts[number].pieces))
    read: dict[int, tuple[list[WordSpan], list[tuple[int, int, RelationType]], list[Role]]] = {}
    for group in _groups(order, size):
        batch = collate([texts[number] for number in group])
        read.update(zip(group, _read(network, batch), strict=True))
    for number, example in enumerate(texts):
        mentions, relations, roles = found[id(example.prepared)]
        spans, links, sentence_roles = read[number]
        shift = len(mentions)
        mentions += [(a + example.word, b + example.word, type_) for a, b, type_ in spans]
        relations += [(head + shift, tail + shift, type_) for head, tail, type_ in links]
        roles += sentence_roles
    return [_document(each, *found[id(each)]) for each in prepared]


def _groups(order: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(order), size):
        yield order[start : start + size]


def _document(
    prepared: Prepared,
    spans: Sequence[WordSpan],
    links: Sequence[tuple[int, int, RelationType]],
    roles: Sequence[Role],
) -> Document:
    relations = tuple(Link(head, tail, type_) for head, tail, type_ in links)
    mentions = tuple(as_mentions(prepared, spans))
    return replace(prepared.document, mentions=mentions, relations=relations, roles=tuple(roles))


def _read(
    network: Network, batch: Batch
) -> Iterable[tuple[list[WordSpan], list[tuple[int, int, RelationType]], list[Role]]]:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        states = network(batch.pieces, batch.shapes, batch.mask, batch.firsts)
        tags = network.tags(states.words).float().log_softmax(-1).numpy()
        roles = network.roles(states.words, batch.sentences).float().argmax(-1)
    spans = [decode_tags(tags[row, : len(each.firsts)]) for row, each in enumerate(batch.examples)]
    links = _relations(network, batch, states, spans)
    for row, example in enumerate(batch.examples):
        count = len(example.sentences)
        yield spans[row], links[row], [ROLES[number] for number in roles[row, :count].tolist()]


def _relations(
    network: Network, batch: Batch, states: States, spans: Sequence[Sequence[WordSpan]]
) -> list[list[tuple[int, int, RelationType]]]:
    links: list[list[tuple[int, int, RelationType]]] = [[] for _ in spans]
    placed = [_placed(example, found) for example, found in zip(batch.examples, spans, strict=True)]
    pairs = [
        (row, one, other)
        for row, found in enumerate(placed)
        for one in range(len(found))
        for other in range(one + 1, len(found))
        if found[one][3] == found[other][3]
    ]
    if not pairs:
        return links
    longest = max(map(len, placed))
    mentions = torch.zeros(len(placed), longest, 4, dtype=torch.long)
    mask = torch.zeros(len(placed), longest, dtype=torch.bool)
    for row, found in enumerate(placed):
        if found:
            mentions[row, : len(found)] = torch.tensor(found)
            mask[row, : len(found)] = True
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = network.relations(states, batch.mask, mentions, mask, torch.tensor(pairs))
    for (row, one, other), number in zip(pairs, scores.argmax(-1).tolist(), strict=True):
        label = PAIR_LABELS[number]
        if label is not None:
            links[row].append((other, one, label.type) if label.reverse else (one, other, label.type))
    return links


def _placed(example: Example, spans: Sequence[WordSpan]) -> list[tuple[int, int, int, int]]:
    """Each mention's first piece, last piece, type and sentence."""
    ends = [*example.firsts[1:].tolist(), len(example.pieces) - 1]
    lasts = example.sentences[:, 1].tolist()
    return [
        (
            int(example.firsts[first]),
            ends[last - 1] - 1,
            TYPES.index(type_),
            next((number for number, end in enumerate(lasts) if first < end), len(lasts) - 1),
        )
        for first, last, type_ in spans
    ]
