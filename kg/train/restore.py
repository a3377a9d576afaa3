"""The network in torch from the shipped 8-bit graphs, to train on from there when the checkpoints are gone."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from kg.model import PAIRS, READER
from kg.train.network import EncoderConfig, Network

__all__ = ["restore_network"]

Arrays = dict[str, NDArray[Any]]


def restore_network(folder: Path, measures: EncoderConfig | None = None) -> Network:
    """The network whose 8-bit graphs are in `folder`; its weights are what the bytes and their scales say.

    `measures` are those of its encoder, but for the size of the vocabulary, which the graph tells.
    """
    reader, pairs = _weights(folder / READER), _weights(folder / PAIRS)
    named = {name.removeprefix("network."): tensor for name, tensor in reader.items()}
    named |= {name.replace("head.", "relations.", 1): tensor for name, tensor in pairs.items()}
    layers = {name.split(".")[2] for name in named if name.startswith("relations.layers.")}
    config = replace(measures or EncoderConfig(), pieces=len(named["encoder.words.weight"]))
    network = Network(config, marker_layers=len(layers))
    network.load_state_dict(named)
    return network


def _weights(path: Path) -> dict[str, Tensor]:
    """The parameters of the graph at `path` by the names that they had in torch."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    arrays: Arrays = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    found = {name: array for name, array in arrays.items() if name.endswith((".weight", ".bias"))}
    found |= _tables(arrays) | _matrices(graph, arrays)
    return {name: torch.from_numpy(np.array(array)) for name, array in found.items()}


def _tables(arrays: Arrays) -> Arrays:
    """The embedding tables: words in 8 bits with a scale a row, places folded into one table in 32 bits."""
    rows = "network.encoder.words.rows"
    if rows not in arrays:
        return {}
    (places,) = (
        each
        for name, each in arrays.items()
        if name.startswith("onnx::") and each.ndim == 2 and each.dtype == np.float32
    )
    words = arrays[rows].astype(np.float32) * arrays["network.encoder.words.scales"]
    return {"network.encoder.words.weight": words, "network.encoder.places.weight": places}


def _matrices(graph: Any, arrays: Arrays) -> Arrays:
    """The matrices of the 8-bit products; what a product is called is told by the bias added to it."""
    readers: defaultdict[str, list[Any]] = defaultdict(list)
    for node in graph.node:
        for name in node.input:
            readers[name].append(node)
    found: Arrays = {}
    for node in graph.node:
        if node.op_type == "MatMulInteger" and node.input[1].endswith("_quantized"):  # not a copy of another's
            stem = node.input[1].removesuffix("_quantized")
            steps = arrays[f"{stem}_quantized"].astype(np.float32) - arrays[f"{stem}_zero_point"].astype(np.float32)
            matrix = steps * arrays[f"{stem}_scale"]
            found[_bias_after(node, readers).removesuffix("bias") + "weight"] = np.ascontiguousarray(matrix.T)
    return found


def _bias_after(node: Any, readers: dict[str, list[Any]]) -> str:
    """The name of the first bias that is added to what `node` makes."""
    biases = [name for name in node.input if name.endswith(".bias")]
    return biases[0] if node.op_type == "Add" and biases else _bias_after(readers[node.output[0]][0], readers)
