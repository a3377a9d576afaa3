"""Pictures for a paper or a slide, drawn with matplotlib (the extra `plot`): of a graph, and of its numbers.

The same graph gives the same bytes, given the same version of matplotlib. The letters of an SVG stay letters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx

from kg.errors import GraphError, KgError
from kg.layout import layout
from kg.looks import LINES, LOOKS, PAPER_SIZE, short, size_of, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kg.stats import Trends

__all__ = ["FORMATS", "draw_graph", "draw_trends"]

FORMATS = ("svg", "png", "pdf")

_POINTS = 0.55  # points that a pixel of the layout takes; labels of 8 points then have the room that it left them
_MARGIN = (160, 110)  # points, left and right and above and below: for labels at the edge and for the legend
_MOST_PIXELS = 12_000
_LEAST_BARS = 8  # for how many there is room, so that two bars are no walls
_TEXT, _GREY, _HALO = "#1d232b", "#8b96a2", "white"
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "paperkg",
    "pdf.fonttype": 42,
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "text.color": _TEXT,
    "axes.labelcolor": _TEXT,
    "text.parse_math": False,  # a dollar sign of a paper starts no formula
}
_SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7A828B")
_MARKERS = "os^Dvph*"


def draw_graph(graph: nx.MultiDiGraph, path: Path, *, form: str | None = None, papers: bool = False) -> None:
    """Draws the entities of this graph and their relations, and with `papers` the papers that name them.

    `form` is svg, png or pdf, by default what the file's name ends in. Raises KgError without matplotlib, GraphError
    where nothing can be written.
    """
    kept = [node for node, kind in graph.nodes(data="type") if papers or kind != "Paper"]
    drawn = graph.subgraph(kept)
    labels = {n: "" if graph.nodes[n]["type"] == "Paper" else short(graph.nodes[n]["label"]) for n in kept}
    joined = nx.Graph()
    joined.add_nodes_from(kept)
    joined.add_edges_from(sorted({tuple(sorted(edge)) for edge in drawn.edges()}))
    partners = {node: sum(1 for other in joined[node] if labels[other]) for node in kept}
    sizes = {node: size_of(partners[node]) if labels[node] else PAPER_SIZE for node in kept}
    places = {node: (x * _POINTS, -y * _POINTS) for node, (x, y) in layout(joined, labels, sizes).items()}
    with _saved(path, *_extent(places), form=form) as figure:
        axes = _bare_axes(figure, places)
        _draw_edges(axes, drawn, places, sizes)
        _draw_nodes(axes, drawn, places, sizes, labels)
        _draw_legend(axes, drawn)


def _extent(places: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    """The size of the figure, in inches: that of the layout and a margin."""
    spans = [max(axis) - min(axis) for axis in zip(*places.values(), strict=True)] or [100.0, 100.0]
    return (max(spans[0], 250) + _MARGIN[0]) / 72, (max(spans[1], 80) + _MARGIN[1]) / 72


def _bare_axes(figure: Figure, places: Mapping[str, tuple[float, float]]) -> Axes:
    """Axes over the whole figure whose unit is the point, with the layout in the middle."""
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    size = [72 * float(inches) for inches in figure.get_size_inches()]
    for axis, span, limit in zip(
        zip(*places.values(), strict=True), size, (axes.set_xlim, axes.set_ylim), strict=False
    ):
        middle = (min(axis) + max(axis)) / 2
        limit(middle - span / 2, middle + span / 2)
    return axes


def _draw_edges(
    axes: Axes, graph: nx.MultiDiGraph, places: Mapping[str, tuple[float, float]], sizes: Mapping[str, float]
) -> None:
    from matplotlib.patches import FancyArrowPatch

    for head, tail, facts in sorted(graph.edges(data=True), key=lambda edge: (edge[0], edge[1], edge[2]["type"])):
        dashes = _dashes(facts["type"])
        arrow = FancyArrowPatch(
            places[head],
            places[tail],
            arrowstyle="-" if facts["type"] == "comparedWith" else "-|>,head_width=2,head_length=3.5",
            shrinkA=sizes[head] * _POINTS,
            shrinkB=sizes[tail] * _POINTS,
            linewidth=0.7 * width_of(facts["support"]),
            linestyle=(0, dashes) if dashes else "solid",
            color=_GREY,
            zorder=1,
        )
        axes.add_patch(arrow)


def _dashes(relation: str) -> tuple[int, ...]:
    found = (dashes for dashes, relations in LINES.values() if relation in relations)
    return tuple(length * 3 // 5 or 1 for length in next(found, ()))


def _draw_nodes(
    axes: Axes,
    graph: nx.MultiDiGraph,
    places: Mapping[str, tuple[float, float]],
    sizes: Mapping[str, float],
    labels: Mapping[str, str],
) -> None:
    ground = {"facecolor": _HALO, "alpha": 0.75, "edgecolor": "none", "pad": 0.5}
    for node, facts in sorted(graph.nodes(data=True)):
        look = LOOKS[facts["type"]]
        x, y = places[node]
        width = 2 * sizes[node] * _POINTS
        axes.plot(x, y, look.marker, ms=width, mfc=look.light, mec=_HALO, mew=0.8, zorder=2)
        if labels[node]:
            below = y - width / 2 - 1.5
            axes.text(x, below, _plain(labels[node]), ha="center", va="top", zorder=3, bbox=ground)


def _plain(text: str) -> str:
    """The text without characters that no font and no XML file has."""
    return "".join(c if c.isprintable() else " " for c in text)


def _draw_legend(axes: Axes, graph: nx.MultiDiGraph) -> None:
    from matplotlib.lines import Line2D

    kinds = {kind for _, kind in graph.nodes(data="type")}
    relations = {kind for _, _, kind in graph.edges(data="type")}
    signs: list[Line2D] = [
        Line2D([], [], marker=look.marker, ls="", mfc=look.light, mec=_HALO, ms=7, label=kind)
        for kind, look in LOOKS.items()
        if kind in kinds
    ]
    signs += [
        Line2D([], [], color=_GREY, lw=1.2, ls=(0, _dashes(names[0])) if dashes else "solid", label=words)
        for words, (dashes, names) in LINES.items()
        if relations & {*names}
    ]
    axes.legend(
        handles=signs,
        loc="lower center",
        ncols=len(signs),
        frameon=False,
        handlelength=2.6,
        columnspacing=1.6,
        fontsize=7,
    )


def draw_trends(trends: Trends, path: Path) -> None:
    """Draws the most used methods by year beside the tasks by number of papers.

    Raises KgError without matplotlib, GraphError where nothing can be written.
    """
    with _saved(path, 11, 4.8) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
        if len({year for years in trends.methods.values() for year in years}) > 1:
            _draw_years(left, trends.methods)
        else:
            totals = {name: sum(years.values()) for name, years in trends.methods.items()}
            year = next((str(year) for years in trends.methods.values() for year in years if year), "")
            _draw_bars(left, totals, LOOKS["Method"].light)
            left.set_title(f"Methods by number of papers{f', {year}' if year else ''}", loc="left", fontweight="bold")
        _draw_bars(right, trends.tasks, LOOKS["Task"].light)
        right.set_title("Tasks by number of papers", loc="left", fontweight="bold")
        figure.tight_layout(w_pad=3)


def _draw_years(axes: Axes, methods: Mapping[str, Mapping[int, int]]) -> None:
    """A line a method, each with its own colour and mark and with its name at its end."""
    years = sorted({year for counts in methods.values() for year in counts})
    span = range(years[0], years[-1] + 1)
    ends = _spread([float(counts.get(span[-1], 0)) for counts in methods.values()])
    for number, ((name, counts), end) in enumerate(zip(methods.items(), ends, strict=True)):
        look: dict[str, Any] = {"color": _SERIES[number % len(_SERIES)], "marker": _MARKERS[number % len(_MARKERS)]}
        axes.plot(list(span), [counts.get(year, 0) for year in span], ms=5, lw=1.4, clip_on=False, **look)
        axes.annotate(
            _plain(short(name)),
            (span[-1], counts.get(span[-1], 0)),
            (1.03, end),
            textcoords=axes.get_yaxis_transform(),
            va="center",
            color=look["color"],
            arrowprops={
                "arrowstyle": "-",
                "color": look["color"],
                "lw": 0.5,
                "shrinkA": 1,
                "shrinkB": 5,
                "relpos": (0, 0.5),
            },
        )
    axes.set_xticks(list(span)[:: math.ceil(len(span) / 8)])
    axes.set_ylim(bottom=0)
    axes.set_title("Methods over time, by number of papers", loc="left", fontweight="bold")
    _quiet(axes)


def _spread(values: list[float]) -> list[float]:
    """These heights, moved up where they come too near to the one below to be read apart."""
    room = (max(values, default=0) or 1) / 22
    moved = [0.0] * len(values)
    floor = -math.inf
    for index in sorted(range(len(values)), key=lambda index: (values[index], -index)):
        floor = moved[index] = max(values[index], floor + room)
    return moved


def _draw_bars(axes: Axes, counts: Mapping[str, int], colour: str) -> None:
    names = [_plain(short(name)) for name in counts]
    bars = axes.barh(range(len(names)), list(counts.values()), color=colour, height=0.7)
    axes.bar_label(bars, padding=3)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), _LEAST_BARS) - 0.5, -0.5)  # the first on top
    axes.xaxis.set_visible(False)
    axes.spines.bottom.set_visible(False)
    axes.tick_params(left=False)
    _quiet(axes)


def _quiet(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)


@contextmanager
def _saved(path: Path, width: float, height: float, *, form: str | None = None) -> Iterator[Figure]:
    """A figure of this size in inches, which is written to `path` in the end."""
    kind = form or path.suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        raise GraphError(f'"{path.suffix}" is no kind of picture', where=str(path), hint=f"one of: {' '.join(FORMATS)}")
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise KgError(f"pictures need one more package: {error.name}", hint="pip install 'paperkg[plot]'") from error
    made = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[kind]
    with rc_context(_STYLE):
        figure = Figure(figsize=(width, height), facecolor="white")
        yield figure
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(path, format=kind, dpi=min(200, _MOST_PIXELS / max(width, height)), metadata=made)
        except OSError as error:
            raise GraphError(f"cannot write: {error.strerror or error}", where=str(path)) from error
