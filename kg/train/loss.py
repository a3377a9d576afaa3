"""The joint loss of the three heads, each averaged over what the corpora annotate."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from kg.train.examples import Batch
from kg.train.network import Network

__all__ = ["Weights", "joint_loss", "partial_loss"]


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each head counts."""

    tags: float = 1.0
    relations: float = 1.0
    roles: float = 0.5


def partial_loss(scores: Tensor, allowed: Tensor) -> Tensor:
    """Minus the log of the share of the probability that falls on allowed answers, mean over the known ones.

    `scores` and `allowed` are (..., labels). Where everything is allowed nothing is known, and nothing counts.
    """
    known = ~allowed.all(-1)
    if not known.any():
        return scores.sum() * 0.0
    logs = functional.log_softmax(scores[known].float(), -1)
    return -torch.logsumexp(logs.masked_fill(~allowed[known], -1e4), -1).mean()


def joint_loss(network: Network, batch: Batch, weights: Weights) -> tuple[Tensor, Tensor, Tensor]:
    """The weighted losses of tags, relations and roles on `batch`; a head without targets gives 0."""
    states = network(batch.pieces, batch.shapes, batch.mask, batch.firsts)
    zero = states.top.new_zeros((), dtype=torch.float32)
    tags = relations = roles = zero
    if not bool(batch.tags.all()):
        tags = partial_loss(network.tags(states.words), batch.tags) * weights.tags
    if len(batch.pairs):
        scores = network.relations(states, batch.mask, batch.mentions, batch.mention_mask, batch.pairs)
        relations = partial_loss(scores, batch.labels) * weights.relations
    if bool((batch.roles >= 0).any()):
        scores = network.roles(states.words, batch.sentences)
        roles = functional.cross_entropy(scores.float().flatten(0, 1), batch.roles.flatten(), ignore_index=-1)
        roles = roles * weights.roles
    return tags, relations, roles
