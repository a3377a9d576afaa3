"""Positions for drawing a graph: each component by forces, components packed in rows, labels pushed apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate

import networkx as nx
import numpy as np
from numpy.typing import NDArray

__all__ = ["layout"]

Positions = NDArray[np.float64]

_SEED = 7
_ROOM = 80.0  # pixels that a node takes on average, in each direction
_LINE = 33.0  # half the height of a node with its label, in pixels
_LETTER = 5.2  # half the width of a letter, in pixels
_WIDER = 1.7  # how much wider than high a component starts, since labels are wide and push each other up and down
_ASPECT = 1.6  # width of the picture to its height
_ROUNDS = 150


def layout(graph: nx.Graph, labels: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """The place of each node in pixels, as whole numbers, such that the labels below the nodes do not overlap.

    The same graph, with its nodes in the same order, gives the same places.
    """
    components = sorted(nx.connected_components(graph), key=lambda nodes: (-len(nodes), min(nodes)))
    drawn = [_component(graph, sorted(nodes), labels) for nodes in components]
    corners = _packed([_size(places) for _, places in drawn])
    return {
        node: (round(x), round(y))
        for (nodes, places), corner in zip(drawn, corners, strict=True)
        for node, (x, y) in zip(nodes, places - places.min(axis=0) + corner, strict=True)
    }


def _component(graph: nx.Graph, nodes: Sequence[str], labels: Mapping[str, str]) -> tuple[Sequence[str], Positions]:
    """The nodes of one component and their places, shape (n_nodes, 2)."""
    alone = nx.Graph()  # not a subgraph view: those are walked in the order of a set
    alone.add_nodes_from(nodes)
    alone.add_edges_from(sorted(sorted(edge) for edge in graph.edges(nodes)))
    forces = nx.forceatlas2_layout(alone, max_iter=150, seed=_SEED, scaling_ratio=3.0, gravity=1.5)
    places = np.array([forces[node] for node in nodes], dtype=float)
    places = _lying(places - places.mean(axis=0))
    reach = np.abs(places).max() or 1.0
    places *= np.array([_WIDER, 1.0]) * _ROOM * math.sqrt(len(nodes)) / reach
    halves = np.array([(_LETTER * len(labels[node]) + 14, _LINE) for node in nodes])
    return nodes, _apart(places, halves)


def _lying(places: Positions) -> Positions:
    """The places turned such that they spread most from left to right."""
    _, _, axes = np.linalg.svd(places, full_matrices=len(places) > 1)
    return places @ (axes * np.sign(axes.sum(axis=1, keepdims=True) + 1e-12)).T if len(places) > 1 else places


def _apart(places: Positions, halves: Positions) -> Positions:
    """The places with boxes pushed apart where they overlap; `halves` are half widths and heights, (n_nodes, 2)."""
    places = places + np.arange(len(places))[:, None] * 1e-6  # no two in one spot
    reach = halves[:, None, :] + halves[None, :, :]
    for _ in range(_ROUNDS):
        between = places[:, None, :] - places[None, :, :]
        overlap = reach - np.abs(between)
        np.einsum("iij->ij", overlap)[:] = 0.0
        overlapping: NDArray[np.bool_] = np.all(overlap > 0, axis=2)
        if not overlapping.any():
            break
        along_y = overlap[:, :, 1] <= overlap[:, :, 0]
        push = np.stack([np.where(along_y, 0, overlap[:, :, 0]), np.where(along_y, overlap[:, :, 1], 0)], axis=2)
        places = places + 0.4 * (np.sign(between) * push * overlapping[:, :, None]).sum(axis=1)
    return places


def _size(places: Positions) -> Positions:
    size: Positions = places.max(axis=0) - places.min(axis=0) + 3.0 * _ROOM
    return size


def _packed(sizes: Sequence[Positions]) -> list[Positions]:
    """The upper left corner of each box, in rows as wide as makes the whole about `_ASPECT` to one."""
    width = (
        max(max(size[0] for size in sizes), math.sqrt(_ASPECT * sum(size[0] * size[1] for size in sizes)))
        if sizes
        else 0
    )
    rows: list[list[Positions]] = [[]]
    for size in sizes:
        if rows[-1] and sum(box[0] for box in rows[-1]) + size[0] > width * 1.05:
            rows.append([])
        rows[-1].append(size)
    tops = accumulate((max((box[1] for box in row), default=0.0) for row in rows), initial=0.0)
    return [
        np.array([left, top])
        for row, top in zip(rows, tops, strict=False)
        for left in [*accumulate((box[0] for box in row), initial=0.0)][:-1]
    ]
