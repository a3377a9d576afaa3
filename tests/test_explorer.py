"""The explorer in a real browser: what a view shows, how it is shared, and what it is saved as."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx
import pytest
from browsing import Opened, needs_browser
from conftest import mention
from pyoxigraph import Store

from kg.records import EntityType, Extraction, Paper, Relation, RelationType
from kg.selection import most_connected
from kg.view import write_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = needs_browser

KINDS = {"vision": EntityType.TASK, "speech": EntityType.TASK, "Datum": EntityType.DATASET}
ENTITIES = {"Alphanet", "Betanet", "Gammanet", "Deltanet", "vision", "speech", "Datum"}


def paper(year: int, *said: tuple[str, RelationType, str, float]) -> Extraction:
    """A paper of this year that says these things, each with its confidence."""
    names = sorted({name for head, _, tail, _ in said for name in (head, tail)})
    text = f"Of {year}: {', '.join(names)}."
    mentions = {name: mention(text, name, KINDS.get(name, EntityType.METHOD)) for name in names}
    relations = tuple(
        Relation(mentions[head], relation, mentions[tail], 0, len(text), sure) for head, relation, tail, sure in said
    )
    return Extraction(
        Paper(text, title=f"Paper of {year}", year=year), mentions=tuple(mentions.values()), relations=relations
    )


@pytest.fixture(scope="module")
def small_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """vision < Alphanet - Betanet > Datum, Gammanet < Betanet, and apart from them Deltanet > speech."""
    from kg.identity import BASE, paper_iri
    from kg.pipeline import graph_of
    from kg.store import memory_store

    papers = (
        paper(2023, ("Alphanet", RelationType.USED_FOR, "vision", 0.9)),
        paper(
            2024,
            ("Alphanet", RelationType.USED_FOR, "vision", 0.9),
            ("Betanet", RelationType.COMPARED_WITH, "Alphanet", 0.6),
        ),
        paper(
            2025,
            ("Betanet", RelationType.EVALUATED_ON, "Datum", 0.8),
            ("Gammanet", RelationType.PART_OF, "Betanet", 0.7),
            ("Deltanet", RelationType.USED_FOR, "speech", 0.95),
        ),
    )
    known = [(paper_iri(BASE, e.paper), e) for e in papers]
    page = tmp_path_factory.mktemp("small") / "graph.html"
    write_html(memory_store(graph_of(known)), page, papers=False)
    return page


@pytest.fixture(scope="module")
def shared(browser: Browser, small_page: Path) -> Iterator[Opened]:
    opened = Opened(browser, small_page)
    yield opened
    opened.page.close()


@pytest.fixture
def small(shared: Opened) -> Iterator[Opened]:
    """The page as it opens: one for all tests, since an address without a view leads back to the start."""
    shared.page.evaluate("location.hash = ''; document.querySelectorAll('.menu').forEach(menu => menu.open = false)")
    shared.page.wait_for_function("() => document.querySelector('#note').textContent.startsWith('7 entities shown')")
    yield shared
    assert shared.complaints == []


def find_path(opened: Opened, start: str, end: str) -> None:
    opened.page.click("#path-menu > summary")
    opened.search(start, "#path-from")
    opened.search(end, "#path-to")
    opened.page.click("#path-find")


def test_papers_can_be_switched_on_and_off(small: Opened) -> None:
    assert small.names == ENTITIES
    small.page.check("#types input[value=Paper]")
    assert small.names == ENTITIES | {"Paper of 2023", "Paper of 2024", "Paper of 2025"}


def test_search_shows_the_neighbourhood_to_the_chosen_depth(small: Opened) -> None:
    small.search("alpha")
    assert small.names == {"Alphanet", "vision", "Betanet"}
    small.page.select_option("#depth", "2")
    assert small.names == {"Alphanet", "vision", "Betanet", "Datum", "Gammanet"}
    assert "Around Alphanet, 2 steps: 5 entities shown." in small.page.inner_text("#note")
    small.page.click("#note .go")
    assert small.names == ENTITIES


def test_search_says_when_a_page_does_not_hold_a_name(small: Opened) -> None:
    small.page.fill("#search", "zeta")
    assert "kg view --around" in small.page.inner_text("#matches")


def test_the_shortest_path_is_shown_with_its_sentences(small: Opened) -> None:
    find_path(small, "vision", "gamma")
    assert small.names == {"vision", "Alphanet", "Betanet", "Gammanet"}
    assert "3 steps" in small.panel
    assert [line for line in small.panel.splitlines() if "compared with" in line] == ["Alphanet compared with Betanet"]
    assert small.page.locator("#panel li blockquote").count() == 3


def test_a_path_goes_only_over_what_the_filters_let_through(small: Opened) -> None:
    find_path(small, "vision", "gamma")
    small.page.click("#filter-menu > summary")
    small.page.fill("#confidence", "0.65")
    assert "No path" in small.panel
    small.page.click("#reset")
    assert "3 steps" in small.panel


def test_what_nothing_joins_has_no_path(small: Opened) -> None:
    find_path(small, "vision", "speech")
    assert "No path" in small.panel


@pytest.mark.parametrize(
    ("field", "value", "left"),
    [
        ("#confidence", "0.85", {"Alphanet", "vision", "Deltanet", "speech"}),
        ("#support", "2", {"Alphanet", "vision"}),
        ("#year-to", "2024", {"Alphanet", "vision", "Betanet"}),
        ("#year-from", "2025", {"Betanet", "Datum", "Gammanet", "Deltanet", "speech"}),
    ],
)
def test_a_filter_leaves_what_it_says(small: Opened, field: str, value: str, left: set[str]) -> None:
    small.page.click("#filter-menu > summary")
    small.page.fill(field, value)
    small.page.keyboard.press("Tab")
    assert small.names == left
    assert small.page.inner_text("#filter-count") == "(1)"


def test_relations_and_types_can_be_filtered(small: Opened) -> None:
    small.page.click("#filter-menu > summary")
    for name in ("usedFor", "comparedWith", "partOf"):
        small.page.uncheck(f"#relations input[value={name}]")
    assert small.names == {"Betanet", "Datum"}
    small.page.uncheck("#types input[value=Dataset]")
    assert small.names == set()


def test_an_address_holds_the_whole_view(browser: Browser, small: Opened, small_page: Path) -> None:
    small.search("betanet")
    small.page.select_option("#depth", "2")
    small.page.check("#types input[value=Paper]")
    small.page.uncheck("#types input[value=Dataset]")
    small.page.click("#filter-menu > summary")
    small.page.uncheck("#relations input[value=partOf]")
    small.page.fill("#confidence", "0.5")
    small.page.fill("#year-from", "2024")
    small.page.select_option("#theme", "dark")
    small.page.focus("#network")
    small.page.keyboard.press("+")
    names, address = small.names, small.address
    other = Opened(browser, small_page, address)
    assert (
        other.names
        == names
        == {"Betanet", "Alphanet", "vision", "Paper of 2024", "Paper of 2025", "Deltanet", "speech"}
    )
    assert other.panel == small.panel
    assert other.address == address
    assert not other.page.is_checked("#relations input[value=partOf]")
    fields = {"#depth": "2", "#confidence": "0.5", "#year-from": "2024", "#year-to": "", "#theme": "dark"}
    assert {field: other.page.input_value(field) for field in fields} == fields
    other.page.close()


def test_an_address_holds_a_path(browser: Browser, small: Opened, small_page: Path) -> None:
    find_path(small, "vision", "gamma")
    other = Opened(browser, small_page, small.address)
    assert other.panel == small.panel
    other.page.close()


def test_a_node_that_was_moved_stays_there_and_in_the_address(
    browser: Browser, small: Opened, small_page: Path, tmp_path: Path
) -> None:
    for kind in ("Method", "Task"):
        small.page.uncheck(f"#types input[value={kind}]")
    small.page.click("#fit")
    small.page.wait_for_timeout(500)
    box = small.page.locator("#network").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2 - 27  # the one node left, above the legend
    small.page.mouse.move(x, y)
    small.page.mouse.down()
    small.page.mouse.move(x + 100, y + 60, steps=5)
    small.page.mouse.up()
    address = small.address
    assert "put=" in address
    other = Opened(browser, small_page, address)
    one, two = (save(opened.page, "gexf", tmp_path).read_text(encoding="utf-8") for opened in (small, other))
    assert one == two
    other.page.close()


def test_the_back_button_goes_back(small: Opened) -> None:
    small.search("alpha")
    small.search("delta")
    assert small.names == {"Deltanet", "speech"}
    small.page.go_back()
    assert small.names == {"Alphanet", "vision", "Betanet"}


@pytest.mark.parametrize(
    "address",
    [
        "#select=<img src=x onerror='window.hacked=1'>&focus=__proto__&path=constructor%20toString&depth=NaN",
        "#at=1,2,NaN&depth=9e99&from=1e999&to=-Infinity&confidence=7&support=-3&theme=javascript:alert(1)",
        "#types=__proto__,Method&relations=<b>&at=0,0,0&table=1",
        "#%E0%A4%A&&&===&at=1e7,1,1&put=x 1 2&put=&put=https://w3id.org/paperkg/entity/alphanet NaN 1",
    ],
)
def test_a_hostile_address_does_no_harm(browser: Browser, small_page: Path, address: str) -> None:
    opened = Opened(browser, small_page, address)
    assert opened.complaints == []
    assert opened.page.evaluate("window.hacked") is None
    assert opened.page.locator("#panel h2").inner_text() == "7 entities, 3 papers"
    opened.page.close()


def save(page: Page, form: str, folder: Path) -> Path:
    page.click("#save-menu > summary")
    with page.expect_download() as download:
        page.click(f"#save-{form}")
    page.click("#save-menu > summary")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_the_view_is_saved_as_svg(small: Opened, tmp_path: Path) -> None:
    small.search("alpha")
    root = ET.parse(save(small.page, "svg", tmp_path)).getroot()
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert {"Alphanet", "vision", "Betanet", "used for"} <= {*texts}
    assert "Deltanet" not in texts


def test_the_view_is_saved_as_png(small: Opened, tmp_path: Path) -> None:
    content = save(small.page, "png", tmp_path).read_bytes()
    box = small.page.locator("#network").bounding_box()
    assert box is not None
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == (2 * round(box["width"]), 2 * round(box["height"]))


def test_the_view_is_saved_as_gexf(small: Opened, tmp_path: Path) -> None:
    small.search("alpha")
    graph = nx.read_gexf(save(small.page, "gexf", tmp_path))
    assert {facts["label"]: facts["kind"] for _, facts in graph.nodes(data=True)} == {
        "Alphanet": "Method",
        "vision": "Task",
        "Betanet": "Method",
    }
    assert sorted((facts["relation"], facts["support"]) for *_, facts in graph.edges(data=True)) == [
        ("comparedWith", 1),
        ("usedFor", 2),
    ]


def test_hostile_names_are_saved_as_text(browser: Browser, as_store: Callable[..., Store], tmp_path: Path) -> None:
    name = "<script>alert(1)</script>&\u0001]"
    text = f"We propose {name} for speed."
    one, other = mention(text, name), mention(text, "speed", EntityType.TASK)
    said = Relation(one, RelationType.USED_FOR, other, 0, len(text))
    write_html(as_store(Extraction(Paper(text), mentions=(one, other), relations=(said,))), tmp_path / "graph.html")
    opened = Opened(browser, tmp_path / "graph.html")
    shown = name.replace("\u0001", "\ufffd")
    svg = ET.parse(save(opened.page, "svg", tmp_path))
    gexf = nx.read_gexf(save(opened.page, "gexf", tmp_path))
    assert shown in [element.text for element in svg.iter()]
    assert shown in [label for _, label in gexf.nodes(data="label")]
    assert opened.complaints == []
    opened.page.close()


def test_the_graph_can_be_walked_with_the_keyboard(small: Opened) -> None:
    small.page.focus("#network")
    small.page.keyboard.press("ArrowRight")
    seen = {small.page.inner_text("#panel h2")}
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"):
        small.page.keyboard.press(key)
        seen.add(small.page.inner_text("#panel h2"))
    assert seen <= ENTITIES
    assert len(seen) > 2
    small.page.keyboard.press("Enter")
    assert "Around" in small.page.inner_text("#note")
    small.page.keyboard.press("Escape")
    assert "Around" not in small.page.inner_text("#note")
    small.page.keyboard.press("p")
    assert small.page.evaluate("document.activeElement.id") == "path-to"
    small.page.keyboard.press("Escape")
    small.page.keyboard.press("/")
    assert small.page.evaluate("document.activeElement.id") == "search"


def test_the_table_says_what_is_shown(small: Opened) -> None:
    small.search("alpha")
    assert sorted(small.rows("Nodes")) == [
        ["Alphanet", "Method", "2"],
        ["Betanet", "Method", "2"],
        ["vision", "Task", "2"],
    ]
    assert small.rows("Relations") == [
        ["Alphanet", "used for", "vision", "2", "0.9"],
        ["Alphanet", "compared with", "Betanet", "1", "0.6"],
    ]


def test_the_page_is_dark_where_the_reader_wants_it_dark(browser: Browser, small_page: Path) -> None:
    opened = Opened(browser, small_page, color_scheme="dark")
    back = "getComputedStyle(document.body).backgroundColor"
    assert opened.page.evaluate(back) == "rgb(20, 24, 29)"
    opened.page.select_option("#theme", "light")
    assert opened.page.evaluate(back) == "rgb(255, 255, 255)"
    opened.page.close()


def test_claims_are_shown_by_kind_with_their_numbers(opened: Opened) -> None:
    opened.search("SOAP")
    assert "Results (4)" in opened.panel
    assert "value 35, unit %" in opened.panel


def test_the_page_says_what_part_of_the_graph_it_holds(browser: Browser, seed_store: Store, tmp_path: Path) -> None:
    write_html(seed_store, tmp_path / "graph.html", most_connected(seed_store, top=20))
    opened = Opened(browser, tmp_path / "graph.html")
    assert "20 entities shown. This page holds 20 of the graph's" in opened.page.inner_text("#note")
    assert "the graph has" in opened.panel
    opened.page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser: Browser, small_page: Path, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    opened = Opened(browser, small_page, color_scheme=scheme)
    opened.search("alpha")
    assert opened.rows("Nodes")
    opened.page.click("#filter-menu > summary")
    faults = [
        (fault["id"], node["html"])
        for fault in axe.run(opened.page).response["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]
    assert faults == []
    opened.page.close()
