"""Continued masked-language-model training of the encoder on plain abstracts (Gururangan et al., ACL 2020).

Whole words are masked; their shapes stay visible, so that the shape embeddings learn what they mean.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from kg.model import piece_shapes
from kg.train.network import Encoder, EncoderConfig, load_minilm, minilm_folder

__all__ = ["MaskedModel", "Masking", "Piecewise", "pretrain"]

log = logging.getLogger(__name__)

MASK, FIRST_WORD = 103, 1996
"""The mask piece and the first piece of the vocabulary that is a whole word, in BERT's uncased vocabulary."""


@dataclass(frozen=True, slots=True)
class Piecewise:
    """A text as pieces: their ids, shapes, and the number of the word that each belongs to (-1: none)."""

    pieces: tuple[int, ...]
    shapes: tuple[int, ...]
    words: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Masking:
    """How a pass of pre-training is run."""

    rate: float = 0.15
    """Share of words that are masked."""
    batch: int = 4000
    """Word pieces in a batch."""
    longest: int = 288
    """Texts are cut after so many pieces."""
    learning_rate: float = 3e-4
    warmup: int = 60
    save_every: int = 100
    seed: int = 1


class MaskedModel(nn.Module):
    """The encoder with BERT's masked-word head; the output embeddings are the input's."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        hidden = encoder.config.hidden
        self.dense = nn.Linear(hidden, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.bias = nn.Parameter(torch.zeros(encoder.config.pieces))

    def forward(self, pieces: Tensor, shapes: Tensor, mask: Tensor, chosen: Tensor) -> Tensor:
        """Scores (k, pieces) of each vocabulary entry at the k places where `chosen` (b, n) is true."""
        hidden = self.encoder(pieces, shapes, mask)[chosen]
        hidden = self.norm(functional.gelu(self.dense(hidden)))
        return functional.linear(hidden, self.encoder.words.weight, self.bias)


def piecewise(texts: Sequence[str], tokenizer: Tokenizer, longest: int) -> list[Piecewise]:
    """Each text as pieces, cut after `longest`."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    return [
        Piecewise(
            tuple(encoding.ids),
            tuple(piece_shapes(text, encoding.offsets)),
            tuple(-1 if word is None else word for word in encoding.word_ids),
        )
        for text, encoding in zip(texts, tokenizer.encode_batch(list(texts)), strict=True)
    ]


def batches(texts: Sequence[Piecewise], size: int, rng: random.Random) -> Iterator[list[Piecewise]]:
    """All texts in batches of about `size` pieces, texts of like length together, batches in random order."""
    order = sorted(texts, key=lambda text: (len(text.pieces), rng.random()))
    groups: list[list[Piecewise]] = [[]]
    for text in order:
        if groups[-1] and len(text.pieces) * (len(groups[-1]) + 1) > size:
            groups.append([])
        groups[-1].append(text)
    rng.shuffle(groups)
    yield from groups


def mask_words(text: Piecewise, rate: float, rng: random.Random) -> tuple[list[int], list[bool]]:
    """The pieces with about `rate` of the words hidden, and which places are to be guessed.

    Of the chosen words 80 % are masked, 10 % replaced and 10 % kept (Devlin et al., 2019, section 3.1).
    """
    last = max(text.words)
    picked = {word: rng.random() for word in range(last + 1) if rng.random() < rate}
    pieces, chosen = list(text.pieces), [word in picked for word in text.words]
    for place, word in enumerate(text.words):
        fate = picked.get(word, 1.0)
        if fate < 0.8:
            pieces[place] = MASK
        elif fate < 0.9:
            pieces[place] = rng.randrange(FIRST_WORD, 30522)
    return pieces, chosen


def _tensors(group: Sequence[Piecewise], rate: float, rng: random.Random) -> tuple[Tensor, ...]:
    width = max(len(text.pieces) for text in group)
    pieces, targets, shapes = (torch.zeros(len(group), width, dtype=torch.long) for _ in range(3))
    mask, chosen = (torch.zeros(len(group), width, dtype=torch.bool) for _ in range(2))
    for row, text in enumerate(group):
        length = len(text.pieces)
        hidden, places = mask_words(text, rate, rng)
        pieces[row, :length] = torch.tensor(hidden)
        targets[row, :length] = torch.tensor(text.pieces)
        shapes[row, :length] = torch.tensor(text.shapes)
        chosen[row, :length] = torch.tensor(places)
        mask[row, :length] = True
    return pieces, shapes, mask, chosen, targets[chosen]


def pretrain(texts: Sequence[str], out: Path, masking: Masking, *, passes: int = 1) -> Path:
    """The encoder's weights after `passes` over `texts`, at `out`/encoder.pt; resumes from `out`/resume.pt."""
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(masking.seed)
    folder = minilm_folder()
    encoder = Encoder(EncoderConfig(dropout=0.0))
    load_minilm(encoder, folder)
    model = MaskedModel(encoder)
    optimizer = torch.optim.AdamW(model.parameters(), lr=masking.learning_rate, weight_decay=0.01, betas=(0.9, 0.98))
    read = piecewise(texts, Tokenizer.from_file(str(folder / "tokenizer.json")), masking.longest)
    plan = [group for turn in range(passes) for group in batches(read, masking.batch, random.Random(turn))]  # noqa: S311
    first = _resume(out, model, optimizer)
    started, seen = time.perf_counter(), 0
    for step in range(first, len(plan)):
        for parameters in optimizer.param_groups:
            parameters["lr"] = masking.learning_rate * _slope(step, masking.warmup, len(plan))
        *inputs, targets = _tensors(plan[step], masking.rate, random.Random(step))  # noqa: S311
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = model(*inputs)
        loss = functional.cross_entropy(scores.float(), targets)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seen += int(inputs[2].sum())
        if step % 10 == 0:
            pace = seen / (time.perf_counter() - started)
            log.info("step %d of %d, loss %.3f, %.0f pieces/s", step, len(plan), loss.item(), pace)
        if (step + 1) % masking.save_every == 0 or step + 1 == len(plan):
            torch.save(encoder.state_dict(), out / "encoder.pt")
            torch.save((model.state_dict(), optimizer.state_dict(), step + 1), out / "resume.pt")
    return out / "encoder.pt"


def _slope(step: int, warmup: int, steps: int) -> float:
    """The share of the learning rate at `step`: up in `warmup` steps, then down to 0 in a straight line."""
    return min((step + 1) / warmup, (steps - step) / max(1, steps - warmup))


def _resume(out: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    if not (out / "resume.pt").exists():
        return 0
    weights, state, step = torch.load(out / "resume.pt", weights_only=True)
    model.load_state_dict(weights)
    optimizer.load_state_dict(state)
    return int(step)
