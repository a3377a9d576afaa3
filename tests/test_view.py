"""The page in a real browser: it draws, it answers, and no text of a paper runs in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx
from browsing import Opened, needs_browser
from conftest import mention
from pyoxigraph import Store

from kg.layout import layout
from kg.records import Claim, ClaimKind, Extraction, Paper, Proposal, Relation, RelationType
from kg.selection import most_connected
from kg.view import render_html, write_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser

AsStore = Callable[..., Store]

PAYLOADS = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "<a href='javascript:window.hacked = 1'>href</a>",
    '" onmouseover="window.hacked = 1',
    "'); window.hacked = 1; ('",
    "{{ 7 * 7 }}{% include 'x' %}",
    "<!--<script>window.hacked = 1",
    "\u2028window.hacked = 1\u2029",
]


@needs_browser
def test_the_page_opens_without_a_network_and_without_a_complaint(opened: Opened) -> None:
    assert opened.complaints == []
    assert [url.split(":")[0] for url in opened.requests] == ["file"]
    assert "19 papers" in opened.panel


@needs_browser
def test_search_finds_an_entity_and_shows_its_sentences(opened: Opened) -> None:
    opened.page.fill("#search", "mla")
    opened.page.keyboard.press("Enter")
    assert "multiplicative logit adjustment" in opened.panel
    assert "We provide a justification for the effectiveness of MLA" in opened.panel
    assert "MLA" in opened.page.locator("#panel mark").all_inner_texts()


@needs_browser
def test_a_click_on_a_node_shows_a_sentence(
    browser: Browser, soap: Extraction, as_store: AsStore, tmp_path: Path
) -> None:
    bare = replace(
        soap,
        mentions=soap.mentions[:1],
        relations=(),
        claims=(Claim(ClaimKind.FINDING, 0, 20, about=soap.mentions[:1]),),
    )
    write_html(as_store(bare), tmp_path / "graph.html")
    opened = Opened(browser, tmp_path / "graph.html")
    box = opened.page.locator("#network canvas").bounding_box()
    assert box is not None
    for x in range(50, int(box["width"]), 15):
        opened.page.mouse.click(box["x"] + x, box["y"] + box["height"] / 2)
        if "Findings" in opened.panel:
            break
    opened.page.wait_for_function("() => document.querySelector('#panel').innerText.includes('We propose SOAP')")


@needs_browser
def test_papers_can_be_hidden_and_come_back_when_one_is_asked_for(opened: Opened) -> None:
    opened.page.uncheck("#types input[value=Paper]")
    opened.page.fill("#search", "SOAP")
    opened.page.keyboard.press("Enter")
    opened.page.click("#panel blockquote .go:visible >> nth=0")
    assert opened.page.is_checked("#types input[value=Paper]")
    assert "Paper" in opened.panel


@needs_browser
def test_no_text_of_a_paper_runs(browser: Browser, as_store: AsStore, tmp_path: Path) -> None:
    store = as_store(*(hostile(payload) for payload in PAYLOADS))
    write_html(store, tmp_path / "graph.html")
    opened = Opened(browser, tmp_path / "graph.html")
    for payload in PAYLOADS:
        opened.page.fill("#search", payload)
        opened.page.keyboard.press("Enter")
        for fold in opened.page.locator("#panel .fold").all():
            fold.click()
    opened.page.wait_for_timeout(200)
    assert opened.page.evaluate("window.hacked") is None
    assert opened.complaints == []
    assert [url.split(":")[0] for url in opened.requests] == ["file"]


def hostile(payload: str) -> Extraction:
    text = f"We propose {payload} for {payload[::-1]}."
    one, other = mention(text, payload), mention(text, payload[::-1])
    end = len(text)
    return Extraction(
        Paper(text, title=payload, id=payload, url=payload, venue=payload),
        mentions=(one, other),
        relations=(Relation(one, RelationType.USED_FOR, other, 0, end),),
        proposals=(Proposal(one, 0, end),),
        claims=(Claim(ClaimKind.RESULT, 0, end, about=(one,), subject=one, baseline=payload, unit=payload),),
    )


def test_the_page_names_no_other_host(seed_store: Store) -> None:
    page = re.sub(
        r'<script type="application/json" id="data">.*?</script>', "", render_html(seed_store), flags=re.DOTALL
    )
    assert re.findall(r"""(?:src|href)\s*=\s*["']?https?:""", page) == []


def test_the_same_graph_gives_the_same_page(seed_store: Store) -> None:
    assert render_html(seed_store) == render_html(seed_store)


def test_a_page_of_part_of_the_graph_says_so(seed_store: Store) -> None:
    page = render_html(seed_store, most_connected(seed_store, top=5))
    assert page.count('"type": "Paper"') == 1
    assert re.search(r'"total": \{"entities": \d{2,}, "matching": \d{2,}, "papers": 19\}', page)


def test_a_sentence_marks_what_it_is_cited_about(seed_store: Store) -> None:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', render_html(seed_store), re.DOTALL)
    assert found
    data = json.loads(found[1])
    about: list[set[str]] = [set() for _ in data["sentences"]]
    for node, entry in data["details"].items():
        for said in entry["relations"] + entry["claims"]:
            for number in said["sentences"]:
                about[number] |= {node, said.get("other", node)}
    marked = [{data["entities"][entity] for _, _, entity in sentence["marks"]} for sentence in data["sentences"]]
    assert any(marked)
    assert all(entities <= known for entities, known in zip(marked, about, strict=True))
    assert {entity for entities in marked for entity in entities} == {*data["entities"]}


def test_an_empty_graph_has_a_page() -> None:
    assert "paperkg" in render_html(Store())


def test_labels_do_not_overlap() -> None:
    graph = nx.disjoint_union(nx.star_graph(25), nx.path_graph(4))
    names = {node: f"a label of node {node}" for node in graph}
    named = nx.relabel_nodes(graph, names)
    places = list(layout(named, {name: name for name in named}).values())
    close = [
        (a, b) for i, a in enumerate(places) for b in places[:i] if abs(a[0] - b[0]) < 150 and abs(a[1] - b[1]) < 40
    ]
    assert close == []
