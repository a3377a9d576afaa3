"""From trained weights to the files in `kg/weights`: two ONNX graphs in 8 bit, tokenizer, settings and manifest."""

from __future__ import annotations

import hashlib
import json
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from kg.model import MANIFEST, PAIRS, READER, SETTINGS, TOKENIZER, WORDS, Settings
from kg.train.network import Encoder, Network, States

__all__ = ["ByteEmbedding", "PairGraph", "ReaderGraph", "export_model"]

OPSET = 17


class ByteEmbedding(nn.Module):
    """An embedding table in 8 bits with one scale a row, a quarter of the size."""

    rows: Tensor
    scales: Tensor

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        scales = weight.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
        self.register_buffer("rows", (weight / scales).round().to(torch.int8))
        self.register_buffer("scales", scales)

    @property
    def weight(self) -> Tensor:
        """The table (rows, d) in 32 bits."""
        return self.rows.float() * self.scales

    def forward(self, places: Tensor) -> Tensor:
        """The rows (..., d) at `places` (...)."""
        return self.rows[places].float() * self.scales[places]


class ReaderGraph(nn.Module):
    """Encoder, tag head and role head as one graph."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, pieces: Tensor, shapes: Tensor, mask: Tensor, firsts: Tensor, sentences: Tensor
    ) -> tuple[Tensor, ...]:
        """Tags (b, w, tags), roles (b, s, roles), the top states (b, n, d) and those below for the relation head."""
        states = self.network(pieces, shapes, mask, firsts)
        tags, roles = self.network.tags(states.words), self.network.roles(states.words, sentences)
        return tags, roles, states.top, *states.below


class PairGraph(nn.Module):
    """The relation head as a graph."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.head = network.relations

    def forward(
        self, mask: Tensor, mentions: Tensor, mention_mask: Tensor, pairs: Tensor, top: Tensor, *below: Tensor
    ) -> Tensor:
        """Scores (k, labels) of `pairs` (k, 3)."""
        scores: Tensor = self.head(States(below, top, top), mask, mentions, mention_mask, pairs)
        return scores


def export_model(network: Network, tokenizer: str, settings: Settings, folder: Path, *, bits: int = 8) -> None:
    """Write the model to `folder`: graphs with weights in `bits` (8 or 32), tokenizer, settings and manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    network = network.eval()
    np.save(folder / WORDS, word_table(network.encoder))
    if bits == 8:
        for name in ("words", "places"):
            table = getattr(network.encoder, name)
            setattr(network.encoder, name, ByteEmbedding(table.weight.detach()))
    below = [f"below{number}" for number in range(len(network.relations.layers))]
    with tempfile.TemporaryDirectory() as place:
        for name, graph, inputs, given, made in (
            (READER, ReaderGraph(network), _reader_inputs(network), READER_INPUTS, ["tags", "roles", "top", *below]),
            (PAIRS, PairGraph(network), _pair_inputs(network, len(below)), [*PAIR_INPUTS, *below], ["scores"]),
        ):
            full = Path(place) / name
            _to_onnx(graph, inputs, given, made, full)
            _finish(full, folder / name, bits)
    (folder / TOKENIZER).write_text(tokenizer, encoding="utf-8")
    write_settings(settings, folder)


def word_table(encoder: Encoder, dimensions: int = 64) -> NDArray[np.int8]:
    """The first principal components of the word embeddings, (pieces, dimensions), in 8 bits."""
    weights = encoder.words.weight.detach().float()
    centred = weights - weights.mean(0)
    _, _, directions = torch.linalg.svd(centred, full_matrices=False)
    table = (centred @ directions[:dimensions].T).numpy()
    scaled: NDArray[np.int8] = np.round(table / np.abs(table).max() * 127).astype(np.int8)
    return scaled


def write_settings(settings: Settings, folder: Path) -> None:
    """Write the settings and, as the last thing, the manifest."""
    (folder / SETTINGS).write_text(json.dumps(asdict(settings), indent=1) + "\n", encoding="utf-8")
    names = (READER, PAIRS, TOKENIZER, WORDS, SETTINGS)
    manifest = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


READER_INPUTS = ["pieces", "shapes", "mask", "firsts", "sentences"]
PAIR_INPUTS = ["mask", "mentions", "mention_mask", "pairs", "top"]
AXES = {
    "pieces": "bn", "shapes": "bn", "mask": "bn", "firsts": "bw", "sentences": "bs", "mentions": "bm",
    "mention_mask": "bm", "pairs": "k", "top": "bn", "tags": "bw", "roles": "bs", "scores": "k",
}  # fmt: skip


def _reader_inputs(network: Network) -> tuple[Tensor, ...]:
    pieces = torch.randint(5, network.encoder.config.pieces, (2, 12))
    shapes, mask = torch.ones_like(pieces), torch.ones_like(pieces, dtype=torch.bool)
    return pieces, shapes, mask, torch.arange(1, 9).repeat(2, 1), torch.tensor([[[0, 4], [4, 8], [0, 0]]] * 2)


def _pair_inputs(network: Network, layers: int) -> tuple[Tensor, ...]:
    states = torch.randn(2, 12, network.encoder.config.hidden)
    mentions = torch.tensor([[[1, 2, 0, 0], [4, 4, 0, 0], [6, 7, 1, 0]]] * 2)
    mask, mention_mask = torch.ones(2, 12, dtype=torch.bool), torch.ones(2, 3, dtype=torch.bool)
    pairs = torch.tensor([[0, 0, 1], [0, 1, 2], [1, 0, 2], [1, 0, 1]])
    return mask, mentions, mention_mask, pairs, states, *[states] * layers


def _to_onnx(graph: nn.Module, inputs: tuple[Tensor, ...], given: list[str], made: list[str], path: Path) -> None:
    axes = {name: dict(enumerate(AXES.get(name, "bn"))) for name in [*given, *made]}
    with warnings.catch_warnings():  # the exporter that needs no onnxscript is called legacy
        warnings.simplefilter("ignore")
        torch.onnx.export(
            graph.eval(), inputs, str(path), input_names=given, output_names=made, dynamic_axes=axes,
            opset_version=OPSET, dynamo=False,
        )  # fmt: skip


def _finish(full: Path, path: Path, bits: int) -> None:
    """Write the graph at `full` to `path`, with the weights of its matrix products in 8 bits if so asked."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-untyped]
    from onnxruntime.quantization.shape_inference import quant_pre_process  # type: ignore[import-untyped]

    if bits == 32:
        onnx.save(onnx.load(str(full)), str(path))
        return
    ready = full.with_suffix(".ready.onnx")
    quant_pre_process(str(full), str(ready), skip_symbolic_shape=True)
    options: dict[str, Any] = {"DefaultTensorType": onnx.TensorProto.FLOAT}
    quantize_dynamic(
        str(ready), str(path), op_types_to_quantize=["MatMul", "Gemm"], per_channel=True, weight_type=QuantType.QInt8,
        extra_options=options,
    )  # fmt: skip
    model = onnx.load(str(path))
    _unshare(model.graph)
    onnx.save(model, str(path))


def _unshare(graph: Any) -> None:
    """Give each 8-bit product weights of its own, as onnxruntime wants it for exact sums (`kg.model.EXACT`)."""
    weights = {each.name: each for each in graph.initializer}
    seen: set[str] = set()
    for node in graph.node:
        for place, name in enumerate(node.input if node.op_type == "MatMulInteger" else ()):
            if name in seen:
                copy = graph.initializer.add()
                copy.CopyFrom(weights[name])
                copy.name = node.input[place] = f"{name} of {node.name}"
            elif name in weights:
                seen.add(name)


def model_size(folder: Path, names: Sequence[str] = (READER, PAIRS, TOKENIZER, WORDS, SETTINGS, MANIFEST)) -> int:
    """The bytes of the model's files."""
    return sum((folder / name).stat().st_size for name in names)
