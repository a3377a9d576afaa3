"""The pages: what they say, in which form they come, and how they behave in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from browsing import Visit, needs_browser
from conftest import mention
from payloads import PAYLOADS
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, parse
from serving import Started, client_of, started, store_of
from starlette.testclient import TestClient

from kg import vocabulary as v
from kg.identity import BASE, paper_iri
from kg.pipeline import graph_of
from kg.query import run_named
from kg.records import Claim, ClaimKind, Extraction, Link, Paper, Proposal, Relation, RelationType, Sentence
from kg.serve.guard import POLICY
from kg.serve.names import Named, NameIndex
from kg.stats import stats
from kg.store import in_default_graph

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SOAP = "/entity/shampoo_with_adam_in_the_preconditioner%27s_eigenbasis"
AXE = Path(__file__).with_name("vendor") / "axe.min.js"


@pytest.fixture(scope="module")
def client(seed_folder: Path) -> Iterator[TestClient]:
    with client_of(seed_folder) as client:
        yield client


@pytest.fixture(scope="module")
def soap_paper(client: TestClient) -> str:
    query = "SELECT ?p { ?p kg:code <https://github.com/nikhilvyas/SOAP> }"
    (iri,) = client.get("/sparql", params={"query": query, "format": "csv"}).text.split()[1:]
    return iri.removeprefix(BASE.rstrip("/"))


def html(client: TestClient, path: str, status: int = 200) -> str:
    answer = client.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return answer.text


def words(page: str) -> str:
    """The text of a page."""
    return " ".join(re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(head|script).*?</\1>", "", page)).split())


def ledger_size(store: Store) -> int:
    """How many rows the ledger of this graph has."""
    return len(list(run_named(store, "results", {})))


class TestContent:
    def test_the_start_page_says_what_the_graph_holds(self, client: TestClient, seed_store: Store) -> None:
        page = html(client, "/")
        assert "What 19 papers say" in page
        assert 'href="/entity/large_language_model"' in page
        assert f"{stats(seed_store).entities['Method']} methods" in words(page)

    def test_an_entity_with_its_names_relations_results_and_sentences(self, client: TestClient) -> None:
        page = html(client, SOAP)
        assert "also: SOAP" in page
        assert "Compared with 3" in words(page)
        assert '<mark class="focus">SOAP</mark>' in page
        assert "wall clock time" in words(page)
        assert re.search(r'<a href="/paper/\w+">There is growing evidence', page)

    def test_a_paper_with_its_abstract_marked_and_its_claims(self, client: TestClient, soap_paper: str) -> None:
        page = html(client, soap_paper)
        assert f'<a href="{SOAP}"><mark>SOAP</mark></a>' in page
        assert 'href="https://github.com/nikhilvyas/SOAP" rel="noopener noreferrer nofollow external"' in page
        assert [kind in page for kind in ("Results", "Contributions", "Findings", "Limitations")] == [True] * 4

    def test_a_statement_and_an_ontology_term_have_pages_too(self, client: TestClient) -> None:
        query = "SELECT ?s { ?s a kg:Statement } ORDER BY ?s LIMIT 1"
        (iri,) = client.get("/sparql", params={"query": query, "format": "csv"}).text.split()[1:]
        assert "kg:support" in html(client, iri.removeprefix(BASE.rstrip("/")))
        assert "Where it occurs" in html(client, "/resource?iri=https%3A%2F%2Fgithub.com%2Fnikhilvyas%2FSOAP")
        answer = client.get("/resource", params={"iri": v.kg("usedFor").value})
        assert answer.headers["location"] == "/ontology#usedFor"
        assert 'id="usedFor"' in html(client, "/ontology")

    def test_a_resource_of_this_graph_is_sent_to_its_own_place(self, client: TestClient) -> None:
        answer = client.get("/resource", params={"iri": f"{BASE}entity/transformer"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/entity/transformer")

    def test_search(self, client: TestClient) -> None:
        assert SOAP in html(client, "/search?q=soap")
        assert "Nothing in this graph" in html(client, "/search?q=zzzz")
        found = client.get("/search?q=soap&kind=Method", headers={"Accept": "application/json"})
        assert found.json()[0]["href"] == SOAP

    def test_what_is_not_there(self, client: TestClient) -> None:
        assert "the graph says nothing of" in html(client, "/entity/nothing", 404)
        assert "nothing is at this address" in html(client, "/nothing", 404)
        plain = client.get("/entity/nothing", headers={"Accept": "text/turtle"})
        assert (plain.status_code, plain.headers["content-type"]) == (404, "text/plain; charset=utf-8")


class TestLedger:
    def test_shows_every_result(self, client: TestClient, seed_store: Store) -> None:
        page = html(client, "/results")
        assert f"{ledger_size(seed_store)} results" in page
        assert "over 35 %" in page

    @pytest.mark.parametrize(
        ("filters", "found"),
        [
            ("method=soap", "4 results"),
            ("metric=wall clock time", "1 result<"),
            ("method=soap&metric=wall clock time", "1 result<"),
            ("dataset=HumanML3D", "result"),
            ("year=1999", "No result in this graph fits"),
        ],
    )
    def test_is_narrowed_by_names(self, client: TestClient, filters: str, found: str) -> None:
        assert found in html(client, f"/results?{filters}")

    def test_says_what_is_near_a_name_that_is_not_there(self, client: TestClient) -> None:
        assert "near: wall clock time" in html(client, "/results?metric=wall clok time")

    @pytest.mark.parametrize("page", ["0", "2", "-1", "x", "99999999999999999999", "٣"])
    def test_any_page_number_will_do(self, client: TestClient, seed_store: Store, page: str) -> None:
        assert f"{ledger_size(seed_store)} results" in html(client, f"/results?page={page}")

    def test_by_year(self, tmp_path: Path, soap: Extraction) -> None:
        with client_of(stored([soap], tmp_path / "store")) as client:
            assert "1 result<" in html(client, "/results?year=2025&task=&method=soap")
            assert "No result" in html(client, "/results?year=2024")
            assert "<option selected>2025</option>" in html(client, "/results?year=2025")


class TestEditor:
    def test_shows_rows(self, client: TestClient) -> None:
        page = html(client, f"/editor?query={quote('SELECT ?p { ?p a kg:Paper }')}")
        assert "19 rows" in words(page)
        assert 'href="/paper/' in page

    @pytest.mark.parametrize(
        ("query", "shown"),
        [
            ("ASK {}", "Yes"),
            ("CONSTRUCT { ?t a kg:Task } { ?t a kg:Task }", "a kg:Task ."),
            ("SELECT * { ?s a kg:Nothing }", "holds nothing that fits"),
        ],
    )
    def test_shows_other_answers(self, client: TestClient, query: str, shown: str) -> None:
        assert shown in words(html(client, f"/editor?query={quote(query)}"))

    def test_shows_what_is_wrong(self, client: TestClient) -> None:
        assert "not valid SPARQL" in html(client, "/editor?query=SELECT", 400)
        assert "SERVICE is refused" in html(client, f"/editor?query={quote('ASK { SERVICE <a:a> {} }')}", 400)

    def test_every_example_has_an_answer(self, client: TestClient) -> None:
        examples = re.findall(r'href="(/editor\?example=[\w-]+)"', html(client, "/editor"))
        assert len(examples) >= 11
        for example in examples:
            text = re.search(r"(?s)<textarea[^>]*>(.*?)</textarea>", html(client, example))
            assert text
            query = text[1].replace("&lt;", "<").replace("&gt;", ">").replace("&#34;", '"').replace("&#39;", "'")
            answer = client.get("/sparql", params={"query": query.replace("&amp;", "&"), "format": "csv"})
            assert answer.status_code == 200, answer.text

    def test_offers_the_terms_of_the_ontology(self, client: TestClient) -> None:
        offered = client.get("/completions.json").json()
        assert "usedFor" in [term["name"] for term in offered["terms"]]
        assert offered["prefixes"]["kg"] == v.KG


class TestForms:
    @pytest.mark.parametrize(
        ("accept", "kind"),
        [
            ("text/turtle", RdfFormat.TURTLE),
            ("application/ld+json", RdfFormat.JSON_LD),
            ("application/n-triples", RdfFormat.N_TRIPLES),
            ("application/rdf+xml, text/html;q=0.5", RdfFormat.RDF_XML),
        ],
    )
    def test_a_thing_is_rdf_to_who_asks_for_it(self, client: TestClient, accept: str, kind: RdfFormat) -> None:
        answer = client.get(SOAP, headers={"Accept": accept})
        assert answer.headers["content-type"].partition(";")[0] == kind.media_type
        assert answer.headers["vary"] == "Accept"
        iri = NamedNode(f"{BASE.rstrip('/')}{SOAP}")
        facts = [quad.triple for quad in parse(answer.content, format=kind)]
        assert {iri} <= {fact.subject for fact in facts}
        assert Literal("SOAP") in {fact.object for fact in facts if fact.subject == iri}

    @pytest.mark.parametrize("accept", ["text/html", "*/*", "", "text/html,application/xhtml+xml,*/*;q=0.8"])
    def test_it_is_a_page_to_who_does_not(self, client: TestClient, accept: str) -> None:
        assert client.get(SOAP, headers={"Accept": accept}).headers["content-type"].startswith("text/html")

    def test_a_form_can_be_named_in_the_address(self, client: TestClient) -> None:
        assert client.get(f"{SOAP}?format=nt").text.startswith(f"<{BASE}")

    def test_a_form_that_is_not_there(self, client: TestClient) -> None:
        assert client.get(SOAP, headers={"Accept": "image/png"}).status_code == 406

    def test_the_ontology_is_turtle_to_who_asks_for_it(self, client: TestClient) -> None:
        assert "owl:Ontology" in client.get("/ontology", headers={"Accept": "text/turtle"}).text

    def test_every_page_keeps_to_itself(self, client: TestClient) -> None:
        for path in ("/", SOAP, "/results", "/editor", "/search", "/nothing", "/sparql?query=ASK%7B%7D"):
            headers = client.get(path).headers
            assert headers["content-security-policy"] == POLICY
            assert headers["x-content-type-options"] == "nosniff"

    def test_the_explorer_is_the_one_that_was_built(self, client: TestClient, seed_folder: Path) -> None:
        answer = client.get("/graph")
        assert answer.content == (seed_folder / "graph.html").read_bytes()
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]

    def test_a_graph_from_a_file_has_all_of_it_too(self, seed_folder: Path) -> None:
        with client_of(seed_folder / "graph.ttl") as client:
            assert "What 19 papers say" in html(client, "/")
            assert "vis-network" in html(client, "/graph")
            assert client.get("/data?default", headers={"Accept": "text/turtle"}).text.startswith("@prefix")


def test_names_are_found_whole_then_at_their_start_then_within() -> None:
    entries = [
        Named("GAN", "Method", "a:1", 1),
        Named("Gandalf", "Method", "a:2", 9),
        Named("organ", "Task", "a:3", 5),
        Named("a gang", "Task", "a:4", 5, ("Ünïcode",)),
    ]
    index = NameIndex(entries)
    assert [entry.label for entry in index.find("gan")] == ["GAN", "Gandalf", "a gang", "organ"]
    assert [entry.label for entry in index.find("gan", kind="Task")] == ["a gang", "organ"]
    assert [entry.label for entry in index.find("UNICODE")] == ["a gang"]
    assert index.find(" ") == []


def stored(extractions: list[Extraction], folder: Path, more: list[Quad] = []) -> Path:  # noqa: B006
    known = [(paper_iri(BASE, e.paper), e) for e in extractions]
    triples = graph_of(known)
    return store_of([*in_default_graph(triples), *more], folder)


def hostile(payload: str) -> Extraction:
    text = f"We propose {payload} for {payload[::-1]} at {payload}."
    one, other = mention(text, payload), mention(text, payload[::-1])
    end = len(text)
    return Extraction(
        Paper(text, title=payload, id=payload, url=payload, venue=payload, authors=(payload,), keywords=(payload,)),
        sentences=(Sentence(0, end),),
        mentions=(one, other),
        relations=(Relation(one, RelationType.USED_FOR, other, 0, end),),
        proposals=(Proposal(one, 0, end),),
        claims=(
            Claim(ClaimKind.RESULT, 0, end, about=(one,), subject=one, baseline=payload, unit=payload, metric=payload),
            Claim(ClaimKind.FINDING, 0, end, about=(one, other)),
        ),
        links=(Link(f"https://e.org/{payload}", 0, 10), Link(f"javascript:{payload}", 0, 10)),
    )


@pytest.fixture(scope="module")
def seed_server(seed_folder: Path) -> Iterator[Started]:
    with started(seed_folder, "--workers", "2") as server:
        yield server


@pytest.fixture(scope="module")
def hostile_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A graph of hostile abstracts, with IRIs in it that no builder would make."""
    bad = [
        "javascript:window.hacked=1",
        "data:text/html,x",
        f"{BASE}entity/'onmouseover='window.hacked=1",
        f"{BASE}paper/../../resource",
        "http://e.org/'onfocus='window.hacked=1",
    ]
    more = [Quad(NamedNode(iri), v.TYPE, v.kg("Method")) for iri in bad]
    more += [Quad(NamedNode(iri), v.PREF_LABEL, Literal(iri)) for iri in bad]
    folder = stored([hostile(payload) for payload in PAYLOADS], tmp_path_factory.mktemp("hostile") / "store", more)
    with started(folder, "--workers", "2") as server:
        yield server


_FOREIGN = """() => {
  const all = [...document.querySelectorAll("*")];
  const handlers = all.flatMap((e) => [...e.attributes].map((a) => a.name).filter((name) => name.startsWith("on")));
  const runs = [...document.links].map((a) => a.protocol).filter((p) => p !== "http:" && p !== "https:");
  const foreign = "iframe, object, embed, base, form[action^=java], script:not([src^='/static/'])";
  const elements = [...document.querySelectorAll(foreign)].map((e) => e.outerHTML);
  return [...handlers, ...runs, ...elements, ...(window.hacked === undefined ? [] : ["it ran"])];
}"""
"""What must not be on a page: handlers, links to run, foreign elements, and the mark of a payload that ran."""


@needs_browser
def test_no_text_runs_on_any_page(browser: Browser, hostile_server: Started) -> None:
    assert len(PAYLOADS) >= 40
    visit = Visit(browser, hostile_server.url)
    page = visit.to("/search?q=hacked")
    places = [
        link for link in page.evaluate("[...document.links].map((a) => a.getAttribute('href'))") if "hacked" in link
    ]
    listed = "/sparql?format=csv&query=" + quote("SELECT ?p { ?p a kg:Paper }")
    iris = page.evaluate(f"fetch('{listed}').then((answer) => answer.text())").split()[1:]
    papers = [iri.removeprefix(BASE.rstrip("/")) for iri in iris]
    asked = quote("SELECT * { ?s ?p ?o FILTER(CONTAINS(STR(?o), 'hacked')) }")
    triples = quote("CONSTRUCT WHERE { ?s ?p ?o }")
    fixed = ["/", "/results", f"/editor?query={asked}", f"/editor?query={triples}", "/search?q=e.org"]
    typed = [
        address + quote(payload, safe="")
        for payload in PAYLOADS
        for address in ("/search?q=", "/results?method=", "/editor?query=", "/resource?iri=", "/entity/")
    ]
    assert len(papers) >= 50
    for path in dict.fromkeys([*fixed, "/results?page=2", *papers, *places[::4], *typed[::7]]):
        page.goto(path, wait_until="domcontentloaded")
        assert page.evaluate(_FOREIGN) == [], path
    complaints = [c for c in visit.complaints if "status of 40" not in c]
    assert complaints == []
    assert visit.strangers == []


@needs_browser
def test_no_text_runs_among_the_suggestions_or_in_the_editor(browser: Browser, hostile_server: Started) -> None:
    visit = Visit(browser, hostile_server.url)
    page = visit.to("/")
    page.fill("#big-search", "window.hacked")
    page.wait_for_selector("[role=option]")
    assert page.evaluate(_FOREIGN) == []
    page = visit.to(f"/editor?query={quote('# ' + ' '.join(PAYLOADS).replace(chr(0), ''))}")
    page.wait_for_selector("html[data-editor=ready]", state="attached")
    assert page.evaluate("window.hacked") is None
    assert [c for c in visit.complaints if "status of 40" not in c] == []


@needs_browser
def test_a_name_is_found_while_it_is_typed_and_opened_by_key(browser: Browser, seed_server: Started) -> None:
    visit = Visit(browser, seed_server.url)
    page = visit.to("/")
    page.keyboard.press("/")
    page.keyboard.type("shampoo w")
    page.wait_for_selector("[role=option]")
    page.keyboard.press("ArrowDown")
    assert page.get_attribute("#search", "aria-activedescendant") is not None
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{SOAP}")
    assert visit.complaints == []
    assert visit.strangers == []


@needs_browser
def test_the_editor_completes_terms_and_runs_a_query(browser: Browser, seed_server: Started) -> None:
    visit = Visit(browser, seed_server.url)
    page = visit.to("/editor")
    page.wait_for_selector("html[data-editor=ready]", state="attached")
    page.click(".CodeMirror")
    page.keyboard.press("Control+a")
    page.keyboard.type("PREFIX kg: <https://w3id.org/paperkg/ontology#>\nSELECT ?p { ?p a kg:Pap")
    page.wait_for_selector(".CodeMirror-hints")
    page.keyboard.press("Enter")
    page.keyboard.type(" }")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#answer")
    assert "19 rows" in page.inner_text("#answer")
    assert visit.complaints == []
    assert visit.strangers == []


@needs_browser
def test_everything_but_suggestions_works_without_script(browser: Browser, seed_server: Started) -> None:
    page = browser.new_context(java_script_enabled=False, base_url=seed_server.url).new_page()
    page.goto("/")
    page.fill("#big-search", "SOAP")
    page.click("text=Search >> nth=-1")
    page.click(".found a")
    assert "eigenbasis" in page.inner_text("h1")
    page.goto("/editor")
    page.fill("#query", "ASK {}")
    page.click("#run")
    assert page.inner_text(".truth") == "Yes"


@needs_browser
@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not here")
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_serious_fault(browser: Browser, seed_server: Started, soap_paper: str, dark: bool) -> None:
    visit = Visit(browser, seed_server.url, dark=dark)
    script = AXE.read_text(encoding="utf-8")
    query = quote("SELECT * { ?s a kg:Method } LIMIT 5")
    for path in ("/", "/search?q=a", SOAP, soap_paper, "/results", f"/editor?query={query}", "/ontology", "/nothing",
                 "/resource?iri=https%3A%2F%2Fgithub.com%2Fnikhilvyas%2FSOAP"):  # fmt: skip
        page = visit.to(path)
        if "editor" in path:
            page.wait_for_selector("html[data-editor=ready]", state="attached")
        page.evaluate(script)
        found = page.evaluate("axe.run({ resultTypes: ['violations'] }).then((found) => found.violations)")
        serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
        faults = [(fault["id"], [node["html"][:200] for node in fault["nodes"]]) for fault in serious]
        assert faults == [], path
