"""How the graph is drawn, on the page and in pictures: shapes, colours and lines that need no colour to tell apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["LINES", "LOOKS", "PAPER_SIZE", "Look", "short", "size_of", "width_of"]


@dataclass(frozen=True, slots=True)
class Look:
    """A type's shape, as vis-network and as matplotlib name it, and its colour on a light and on a dark page."""

    shape: str
    marker: str
    light: str
    dark: str


LOOKS = {
    "Method": Look("dot", "o", "#0072B2", "#56B4E9"),
    "Task": Look("triangle", "^", "#D55E00", "#E8742A"),
    "Dataset": Look("square", "s", "#009E73", "#1DB48A"),
    "Metric": Look("diamond", "D", "#B5568E", "#CC79A7"),
    "Paper": Look("hexagon", "h", "#7A828B", "#8E98A3"),
}
"""Colours of Okabe and Ito, which colour-blind people can tell apart, some shades lighter or darker for contrast."""

LINES = {
    "used for": ((), ("usedFor", "proposes")),
    "part, kind or sub-task of": ((2, 5), ("partOf", "kindOf", "subTaskOf")),
    "trained or evaluated on": ((10, 4, 2, 4), ("evaluatedOn", "trainedOn", "benchmarkFor")),
    "compared with": ((8, 6), ("comparedWith",)),
}
"""Lines of the families of relations: what the legend says, lengths of dashes and gaps, and the relations."""

PAPER_SIZE = 6
_LABEL = 32


def size_of(partners: int) -> float:
    """Half the width in pixels of an entity that is joined to so many others."""
    return round(9 + 4 * min(8.0, math.sqrt(partners)), 2)


def width_of(support: int) -> float:
    """The width in pixels of a relation that so many papers support."""
    return 1 + min(4, (support - 1) / 2)


def short(label: str) -> str:
    """A name short enough to be read among others."""
    return label if len(label) <= _LABEL else f"{label[: _LABEL - 2]}…"
