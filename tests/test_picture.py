"""Pictures for papers and slides: what is in them, and that they come out the same."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import networkx as nx
import pytest
from pyoxigraph import Store

from kg.errors import GraphError, KgError
from kg.picture import draw_graph, draw_trends
from kg.selection import most_connected
from kg.stats import Trends

pytest.importorskip("matplotlib", reason="the extra plot is not installed")


def texts(svg: Path) -> list[str]:
    return ["".join(element.itertext()) for element in ET.parse(svg).iter("{http://www.w3.org/2000/svg}text")]


def places(svg: Path) -> list[tuple[str, float, float]]:
    """The texts of 8 points, which are the labels, with the middle of each."""
    found = []
    for element in ET.parse(svg).iter("{http://www.w3.org/2000/svg}text"):
        moved = re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", element.get("transform", ""))
        x, y = moved.groups() if moved else (element.get("x", "0"), element.get("y", "0"))
        found.append(("".join(element.itertext()), float(x), float(y)))
    return found


@pytest.fixture
def graph(seed_store: Store) -> nx.MultiDiGraph:
    return most_connected(seed_store, top=30).graph


def test_a_picture_has_its_names_as_text(graph: nx.MultiDiGraph, tmp_path: Path) -> None:
    draw_graph(graph, tmp_path / "graph.svg")
    names = {label for _, label in graph.nodes(data="label") if len(label) <= 32}
    entities = {facts["label"] for _, facts in graph.nodes(data=True) if facts["type"] != "Paper"}
    assert names & entities <= {*texts(tmp_path / "graph.svg")}
    assert {"Method", "Task", "used for"} <= {*texts(tmp_path / "graph.svg")}


def test_labels_of_a_picture_do_not_lie_on_each_other(graph: nx.MultiDiGraph, tmp_path: Path) -> None:
    draw_graph(graph, tmp_path / "graph.svg")
    labels = [(text, x, y) for text, x, y in places(tmp_path / "graph.svg")]
    touching = [
        (one, other)
        for index, (one, x, y) in enumerate(labels)
        for other, x2, y2 in labels[:index]
        if abs(y - y2) < 7 and abs(x - x2) < 1.9 * (len(one) + len(other))
    ]
    assert touching == []


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_graph_gives_the_same_picture(graph: nx.MultiDiGraph, tmp_path: Path, kind: str) -> None:
    for name in ("one", "two"):
        draw_graph(graph, tmp_path / f"{name}.{kind}")
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()


def test_hostile_names_are_only_drawn(tmp_path: Path) -> None:
    graph = nx.MultiDiGraph()
    for name in ("$\\frac{1}$", "<b>&\u0000\u0007", "_^{"):
        graph.add_node(name, label=name, type="Method")
    draw_graph(graph, tmp_path / "graph.svg")
    assert {"$\\frac{1}$", "<b>&", "_^{"} <= {text.strip() for text in texts(tmp_path / "graph.svg")}


def test_an_empty_graph_is_an_empty_picture(tmp_path: Path) -> None:
    draw_graph(nx.MultiDiGraph(), tmp_path / "graph.png")
    assert (tmp_path / "graph.png").stat().st_size > 0


def test_an_unknown_kind_of_picture_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="one of: svg png pdf"):
        draw_graph(nx.MultiDiGraph(), tmp_path / "graph.bmp")


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(KgError, match=r"pip install 'paperkg\[plot\]'"):
        draw_graph(nx.MultiDiGraph(), tmp_path / "graph.svg")


def test_trends_show_methods_by_year_and_tasks(tmp_path: Path) -> None:
    drawn = Trends({"Anet": {2023: 2, 2025: 5}, "Bnet": {2024: 5}}, {"vision": 7, "speech": 3})
    draw_trends(drawn, tmp_path / "trends.svg")
    found = texts(tmp_path / "trends.svg")
    assert {"Methods over time, by number of papers", "Anet", "Bnet", "2023", "2024", "2025"} <= {*found}
    assert {"vision", "7", "speech", "3"} <= {*found}


@pytest.mark.parametrize(("year", "title"), [(2025, "number of papers, 2025"), (0, "Methods by number of papers")])
def test_with_one_year_or_none_methods_are_bars(tmp_path: Path, year: int, title: str) -> None:
    draw_trends(Trends({"Anet": {year: 2}}, {}), tmp_path / "trends.svg")
    assert any(text.endswith(title) for text in texts(tmp_path / "trends.svg"))


def test_trends_of_nothing_are_drawn_too(tmp_path: Path) -> None:
    draw_trends(Trends({}, {}), tmp_path / "trends.png")
    assert (tmp_path / "trends.png").stat().st_size > 0
