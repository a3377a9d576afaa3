"""Positions for drawing a graph: each component by forces, components packed in rows, labels pushed apart."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate

import networkx as nx
import numpy as np
from numpy.typing import NDArray

__all__ = ["layout"]

Positions = NDArray[np.float64]
Halves = Mapping[str, tuple[float, float]]
"""Half the width and half the height of each node with its label, in pixels."""

_SEED = 7
_ROOM = 62.0  # pixels that a node takes on average, in each direction
_LINE = 14.0  # what a label adds to half the height of a node, in pixels
_SIZE = 12.0  # half the height of a node whose size is not given, in pixels
_LETTER = 3.9  # half the width of a letter, in pixels
_WIDER = 1.7  # how much wider than high a component starts, since labels are wide and push each other up and down
_ASPECT = 1.6  # width of the picture to its height
_ROUNDS = 200  # in which boxes are pushed apart
_SIGHT, _SIGHTED = 40.0, 10  # how near boxes must come to be watched, in pixels, and after how many rounds that is seen
_FORCE_ROUNDS = 50  # in which forces act on up to 400 nodes; 100 bring neighbours no nearer
_LEAST_ROUNDS = 40  # in which forces act on however many nodes; a round takes time by the square of their number
_AROUND = 34.0  # how far from the middle of its neighbours a node without a place of its own stands, in pixels
_TURN = 2.399963  # golden angle, which never leads to the same spot twice


def layout(
    graph: nx.Graph,
    labels: Mapping[str, str],
    sizes: Mapping[str, float] | None = None,
    *,
    later: Collection[str] = frozenset(),
) -> dict[str, tuple[int, int]]:
    """The place of each node in pixels, as whole numbers, such that the labels below the nodes do not overlap.

    `sizes` holds half the height of each node. Nodes in `later` have no say in where the others stand; each is put in
    the midst of its neighbours. The same graph, with its nodes in the same order, gives the same places.
    """
    halves = {
        node: (max(_LETTER * len(labels[node]), size) + 14, size + _LINE)
        for node in graph
        for size in [_SIZE if sizes is None else sizes[node]]
    }
    places = _laid_out(graph.subgraph(node for node in graph if node not in later), halves)
    for number, node in enumerate(node for node in graph if node in later):
        around = [places[other] for other in sorted(graph[node]) if other not in later] or [(0, 0)]
        x, y = (sum(axis) / len(around) for axis in zip(*around, strict=True))
        reach = _AROUND * (1 + number % 3)
        places[node] = round(x + reach * math.cos(number * _TURN)), round(y + reach * math.sin(number * _TURN))
    return places


def _laid_out(graph: nx.Graph, halves: Halves) -> dict[str, tuple[int, int]]:
    components = sorted(nx.connected_components(graph), key=lambda nodes: (-len(nodes), min(nodes)))
    drawn = [_component(graph, sorted(nodes), halves) for nodes in components]
    corners = _packed([_size(places) for _, places in drawn])
    return {
        node: (round(x), round(y))
        for (nodes, places), corner in zip(drawn, corners, strict=True)
        for node, (x, y) in zip(nodes, places - places.min(axis=0) + corner, strict=True)
    }


def _component(graph: nx.Graph, nodes: Sequence[str], halves: Halves) -> tuple[Sequence[str], Positions]:
    """The nodes of one component and their places, shape (n_nodes, 2)."""
    alone = nx.Graph()  # not a subgraph view: those are walked in the order of a set
    alone.add_nodes_from(nodes)
    alone.add_edges_from(sorted(sorted(edge) for edge in graph.edges(nodes)))
    rounds = max(_LEAST_ROUNDS, min(_FORCE_ROUNDS, 400 * _FORCE_ROUNDS // len(nodes)))
    forces = nx.forceatlas2_layout(alone, max_iter=rounds, seed=_SEED, scaling_ratio=3.0, gravity=1.5)
    places = np.array([forces[node] for node in nodes], dtype=float)
    places = _lying(places - places.mean(axis=0))
    reach = np.abs(places).max() or 1.0
    places *= np.array([_WIDER, 1.0]) * _ROOM * math.sqrt(len(nodes)) / reach
    return nodes, _apart(places, np.array([halves[node] for node in nodes]))


def _lying(places: Positions) -> Positions:
    """The places turned such that they spread most from left to right."""
    _, _, axes = np.linalg.svd(places, full_matrices=len(places) > 1)
    return places @ (axes * np.sign(axes.sum(axis=1, keepdims=True) + 1e-12)).T if len(places) > 1 else places


def _apart(places: Positions, halves: Positions) -> Positions:
    """The places with boxes pushed apart where they overlap; `halves` are half widths and heights, (n_nodes, 2)."""
    places = places + np.arange(len(places))[:, None] * 1e-6  # no two in one spot
    for number in range(_ROUNDS):
        if number % _SIGHTED == 0:
            one, other = _near(places, halves)
        between = places[other] - places[one]
        overlap = halves[one] + halves[other] - np.abs(between)
        along_y = overlap[:, 1] <= overlap[:, 0]
        push = np.where(np.stack([~along_y, along_y], axis=1), 0.4 * np.sign(between) * overlap, 0.0)
        push[(overlap <= 0).any(axis=1)] = 0.0
        np.add.at(places, other, push)
        np.subtract.at(places, one, push)
    return places


def _near(places: Positions, halves: Positions) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs of boxes that overlap, or may after a few rounds."""
    order = np.argsort(places[:, 1], kind="stable")
    places, reach = places[order], halves[order] + _SIGHT / 2
    pairs = [(order[:0], order[:0])]
    for step in range(1, len(places)):
        between = np.abs(places[step:] - places[:-step])
        if (between[:, 1] >= 2 * reach[:, 1].max()).all():
            break
        near = np.flatnonzero((between < reach[step:] + reach[:-step]).all(axis=1))
        pairs.append((order[near], order[near + step]))
    one, other = map(np.concatenate, zip(*pairs, strict=True))
    return one, other


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
