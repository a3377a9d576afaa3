"""The training loop: all corpora mixed, one joint loss, averaged weights, checkpoints that it resumes from."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

from kg.model import MASK
from kg.train.examples import Batch, Example, Prepared, collate, examples, length_batches
from kg.train.loss import Weights, joint_loss
from kg.train.network import Network
from kg.train.predict import predict
from kg.train.scores import Score, score_documents

__all__ = ["Plan", "train"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Plan:
    """How the network is trained."""

    passes: int = 10
    shares: dict[str, float] = field(default_factory=lambda: {"scier": 1.0})
    """How much of each corpus a pass reads; 0.5 is a random half, 2 is everything twice."""
    late: int = 0
    """So many of the last passes read `late_shares` instead, to end on the corpora that count."""
    late_shares: dict[str, float] = field(default_factory=dict)
    longest: int = 192
    """Word pieces in a window."""
    longest_abstract: int = 384
    """Word pieces in a window of the corpora of abstracts, which are read whole."""
    batch: int = 2048
    """Word pieces in a batch, padding included."""
    rate: float = 2e-4
    """Learning rate of the encoder's top layer."""
    decay: float = 0.85
    """Each layer below learns at this share of the rate of the layer above it."""
    head_rate: float = 1e-3
    warmup: float = 0.06
    """Share of the steps in which the learning rate rises."""
    averaging: float = 0.995
    """Share of the averaged weights that a step keeps."""
    masking: float = 0.0
    """Share of the words whose pieces are hidden from the network."""
    renaming: float = 0.0
    """Share of the names in a text that are exchanged for others of their type, anew in every pass."""
    weights: Weights = field(default_factory=Weights)
    watched: int = 60
    """So many texts of each dev split are scored after a pass."""
    seed: int = 1


ABSTRACTS = frozenset({"csabstruct", "scierc", "own"})
SHORTEST = 4
"""A window needs more pieces than these to teach anything."""


Texts = Mapping[str, Sequence[Prepared]]
Rewriting = Callable[[Prepared, random.Random], Prepared]
"""What happens to a text before each reading, such as an exchange of its names."""


def train(
    network: Network, corpora: Texts, dev: Texts, plan: Plan, out: Path, rewriting: Rewriting | None = None
) -> Path:
    """The averaged weights after all passes, at `out`/network.pt; resumes from `out`/resume.pt."""
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    early, last = len(_pass(corpora, plan, 0)), len(_pass(corpora, plan, plan.passes - 1))
    steps = [last if number >= plan.passes - plan.late else early for number in range(plan.passes)]
    optimizer = torch.optim.AdamW(_groups(network, plan), weight_decay=0.01, fused=True)
    peaks = [group["lr"] for group in optimizer.param_groups]
    average = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
    first, total = _resume(out, network, optimizer, average), sum(steps)
    for number in range(first, plan.passes):
        started, sums, step = time.perf_counter(), torch.zeros(3), sum(steps[:number])
        # Other names make other lengths, so a pass may have a few batches more or fewer than planned.
        for group in _pass(corpora, plan, number, rewriting):
            slope = max(0.0, _slope(step, max(1, int(plan.warmup * total)), total))
            for peak, parameters in zip(peaks, optimizer.param_groups, strict=True):
                parameters["lr"] = peak * slope
            sums += _step(network, hide_words(collate(group), plan.masking), optimizer, plan)
            step += 1
            _average(average, network, min(plan.averaging, step / (step + 10)))
            if step % 50 == 0:
                log.info("step %d of %d", step, total)
        taken = time.perf_counter() - started
        losses = " ".join(f"{value:.4f}" for value in (sums / steps[number]).tolist())
        log.info("pass %d: losses %s, %.0f s", number + 1, losses, taken)
        _save(out, network, optimizer, average, number + 1)
        log.info("pass %d: %s", number + 1, _report(network, average, dev, plan))
    return out / "network.pt"


def _pass(corpora: Texts, plan: Plan, number: int, rewriting: Rewriting | None = None) -> list[list[Example]]:
    """The batches of one pass: another share of each corpus every time, windows cut at other places."""
    rng = random.Random(plan.seed * 1000 + number)  # noqa: S311
    made: list[list[Example]] = []
    for name, share in (plan.late_shares if number >= plan.passes - plan.late else plan.shares).items():
        longest = plan.longest_abstract if name in ABSTRACTS else plan.longest
        chosen = _share(corpora[name], share, rng)
        if rewriting is not None:
            chosen = [rewriting(each, rng) for each in chosen]
        read = [
            example
            for each in chosen
            for example in examples(each, longest, first=rng.randint(longest // 3, longest - 2))
        ]
        made += length_batches([each for each in read if len(each.pieces) > SHORTEST], plan.batch, rng)
    rng.shuffle(made)
    return made


def _share(texts: Sequence[Prepared], share: float, rng: random.Random) -> list[Prepared]:
    whole, rest = divmod(share, 1)
    return [*list(texts) * int(whole), *rng.sample(list(texts), round(rest * len(texts)))]


def _step(network: Network, batch: Batch, optimizer: torch.optim.Optimizer, plan: Plan) -> Tensor:
    """The losses of tags, relations and roles before one step down."""
    network.train()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        losses = joint_loss(network, batch, plan.weights)
    optimizer.zero_grad()
    sum(losses, torch.zeros(())).backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    return torch.stack([loss.detach().float() for loss in losses])


def hide_words(batch: Batch, share: float) -> Batch:
    """`batch` with a share of its pieces masked, so that the network leans on the context."""
    if share > 0:
        hidden = (torch.rand(batch.pieces.shape) < share) & (batch.pieces > MASK)
        batch.pieces[hidden] = MASK
    return batch


def _groups(network: Network, plan: Plan) -> list[dict[str, object]]:
    """The parameters in groups, each with its learning rate: lower layers change less."""
    layers = len(network.encoder.layers)
    inside = [
        {"params": list(layer.parameters()), "lr": plan.rate * plan.decay ** (layers - 1 - number)}
        for number, layer in enumerate(network.encoder.layers)
    ]
    known = {id(p) for layer in network.encoder.layers for p in layer.parameters()}
    input_ = [p for p in network.encoder.parameters() if id(p) not in known]
    markers = list(network.relations.layers.parameters())
    known |= {id(p) for p in [*input_, *markers]}
    heads = [p for p in network.parameters() if id(p) not in known]
    return [
        *inside,
        {"params": input_, "lr": plan.rate * plan.decay**layers},
        {"params": markers, "lr": plan.rate},
        {"params": heads, "lr": plan.head_rate},
    ]


def _slope(step: int, warmup: int, steps: int) -> float:
    return min((step + 1) / warmup, (steps - step) / max(1, steps - warmup))


@torch.no_grad()
def _average(average: dict[str, Tensor], network: nn.Module, keep: float) -> None:
    for name, tensor in network.state_dict().items():
        if tensor.is_floating_point():
            average[name].lerp_(tensor, 1 - keep)


def _save(
    out: Path, network: Network, optimizer: torch.optim.Optimizer, average: dict[str, Tensor], passes: int
) -> None:
    torch.save(average, out / "network.pt")
    torch.save((network.state_dict(), optimizer.state_dict(), average, passes), out / "resume.tmp")
    (out / "resume.tmp").replace(out / "resume.pt")


def _resume(out: Path, network: Network, optimizer: torch.optim.Optimizer, average: dict[str, Tensor]) -> int:
    if not (out / "resume.pt").exists():
        return 0
    weights, state, averaged, passes = torch.load(out / "resume.pt", weights_only=True)
    network.load_state_dict(weights)
    optimizer.load_state_dict(state)
    average.update(averaged)
    return int(passes)


def _report(network: Network, average: dict[str, Tensor], dev: Texts, plan: Plan) -> str:
    """The F1 of the averaged weights on every dev split."""
    kept = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    network.load_state_dict(average)
    lines = []
    for name, whole in dev.items():
        texts = whole[: plan.watched]
        longest = plan.longest_abstract if name in ABSTRACTS else plan.longest
        found = predict(network, texts, longest)
        scores = score_documents((each.document, made) for each, made in zip(texts, found, strict=True))
        lines.append(f"{name} " + " ".join(f"{measure} {_f1(by['all'])}" for measure, by in scores.items()))
    network.load_state_dict(kept)
    return "; ".join(lines)


def _f1(score: Score) -> str:
    return f"{100 * score.f1:.2f} (P {100 * score.precision:.1f} R {100 * score.recall:.1f})"
