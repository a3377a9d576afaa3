"""The SPARQL 1.1 Protocol and the Graph Store Protocol, case by case; and with the clients that people use.

The cases after https://www.w3.org/2009/sparql/docs/tests/data-sparql11/protocol/ that concern queries.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode
from xml.etree import ElementTree

import pytest
from pyoxigraph import Literal, NamedNode, Quad, QueryResultsFormat, RdfFormat, Store, parse, parse_query_results
from rdflib import Graph
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from serving import Started, client_of, started, store_of
from SPARQLWrapper import CSV, JSON, POST, POSTDIRECTLY, TURTLE, XML, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import QueryBadFormed
from starlette.testclient import TestClient

from kg.serve.answer import Limits
from kg.stats import stats

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
QUERY = {"Content-Type": "application/sparql-query"}
G1, G2, G3 = (f"http://example.org/graph{number}" for number in (1, 2, 3))
ASK_WHERE = "ASK { ?s ?p ?o }"
RESULTS = {
    "application/sparql-results+json": QueryResultsFormat.JSON,
    "application/sparql-results+xml": QueryResultsFormat.XML,
    "text/tab-separated-values": QueryResultsFormat.TSV,
}


@pytest.fixture(scope="module")
def client(seed_folder: Path) -> Iterator[TestClient]:
    with client_of(seed_folder) as client:
        yield client


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Three named graphs, each with one triple that tells it, and nothing in the default graph."""
    quads = [
        Quad(NamedNode(f"{name}/s"), NamedNode("http://example.org/p"), Literal(name), NamedNode(name))
        for name in (G1, G2, G3)
    ]
    with client_of(store_of(quads, tmp_path_factory.mktemp("graphs") / "store")) as client:
        yield client


def ask(client: TestClient, query: str, accept: str = "*/*", **parameters: str) -> str:
    answer = client.get("/sparql", params={"query": query, **parameters}, headers={"Accept": accept})
    assert answer.status_code == 200, answer.text
    return answer.text


def truth(answer: str) -> bool:
    found = json.loads(answer)["boolean"]
    assert isinstance(found, bool)
    return found


class TestAsking:
    def test_by_get(self, client: TestClient) -> None:
        assert truth(ask(client, "ASK {}"))

    def test_by_post_of_a_form(self, client: TestClient) -> None:
        assert truth(client.post("/sparql", content=urlencode({"query": "ASK {}"}), headers=FORM).text)

    def test_by_post_of_the_query(self, client: TestClient) -> None:
        headers = {"Content-Type": "application/sparql-query; charset=utf-8"}
        assert truth(client.post("/sparql", content="ASK { FILTER('ü' = '\\u00fc') }".encode(), headers=headers).text)

    def test_head_gives_the_headers_alone(self, client: TestClient) -> None:
        answer = client.head("/sparql", params={"query": "ASK {}"})
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/sparql-results+json")

    def test_prefixes_of_the_vocabulary_need_no_declaration(self, client: TestClient) -> None:
        assert "19" in ask(client, "SELECT (COUNT(*) AS ?n) { ?paper a kg:Paper }", "text/csv")


class TestRefusing:
    @pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
    def test_another_method(self, client: TestClient, method: str) -> None:
        answer = client.request(method, "/sparql", params={"query": "ASK {}"})
        assert answer.status_code == 405
        assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD", "POST"}

    def test_two_queries(self, client: TestClient) -> None:
        assert client.get("/sparql?query=ASK%20%7B%7D&query=SELECT%20%2A%20%7B%7D").status_code == 400

    def test_two_queries_in_a_form(self, client: TestClient) -> None:
        assert client.post("/sparql", content="query=ASK%20%7B%7D&query=ASK%20%7B%7D", headers=FORM).status_code == 400

    @pytest.mark.parametrize("kind", ["text/plain", "application/json", "multipart/form-data; boundary=x", ""])
    def test_another_media_type(self, client: TestClient, kind: str) -> None:
        answer = client.post("/sparql", content=b"ASK {}", headers={"Content-Type": kind})
        assert answer.status_code == 415
        assert "application/sparql-query" in answer.text

    def test_a_form_without_a_query(self, client: TestClient) -> None:
        assert client.post("/sparql", content="q=ASK%20%7B%7D", headers=FORM).status_code == 400

    @pytest.mark.parametrize(
        ("content", "headers"), [("ASK { 'ü' }".encode("latin-1"), QUERY), (b"query=ASK%20%7B%20%27%FC%27%7D", FORM)]
    )
    def test_what_is_not_utf_8(self, client: TestClient, content: bytes, headers: dict[str, str]) -> None:
        answer = client.post("/sparql", content=content, headers=headers)
        assert answer.status_code == 400
        assert "UTF-8" in answer.text

    def test_wrong_syntax_and_says_where(self, client: TestClient) -> None:
        answer = client.get("/sparql", params={"query": "ASK {"})
        assert answer.status_code == 400
        assert "1:6" in answer.text
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"

    @pytest.mark.parametrize(
        ("query", "why"),
        [
            ("ASK { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }", "SERVICE"),
            ("ASK { service silent <http://127.0.0.1:9/> { ?s ?p ?o } }", "SERVICE"),
            ("SELECT * { # '\n SERVICE ?where { ?s ?p ?o } }", "SERVICE"),
            ("LOAD <file:///etc/passwd>", "updates"),
            ("INSERT DATA { <a:a> <a:b> <a:c> }", "updates"),
            ("PREFIX a: <http://a/> DELETE WHERE { ?s a:p ?o }", "updates"),
        ],
    )
    def test_a_call_to_another_server_and_updates(self, client: TestClient, query: str, why: str) -> None:
        answer = client.post("/sparql", content=query, headers=QUERY)
        assert (answer.status_code, why in answer.text) == (400, True)

    def test_the_word_service_where_it_calls_nothing(self, client: TestClient) -> None:
        query = "PREFIX service: <http://e/service#> ASK { ?service <http://e/service> 'SERVICE <x> {}' } # SERVICE"
        assert client.get("/sparql", params={"query": query.replace("PREFIX service:", "PREFIX s:")}).status_code == 200

    def test_an_update_in_either_way(self, client: TestClient) -> None:
        update = "INSERT DATA { <a:a> <a:b> <a:c> }"
        direct = client.post("/sparql", content=update, headers={"Content-Type": "application/sparql-update"})
        form = client.post("/sparql", content=urlencode({"update": update}), headers=FORM)
        assert [answer.status_code for answer in (direct, form)] == [403, 403]
        assert "only reads" in direct.text

    def test_a_query_that_is_too_long(self, client: TestClient) -> None:
        assert client.post("/sparql", content=b" " * (2**20 + 1), headers=QUERY).status_code == 413

    def test_far_too_many_parameters(self, client: TestClient) -> None:
        assert client.get("/sparql?" + "a=b&" * 300).status_code == 400

    def test_a_graph_name_that_is_no_iri(self, client: TestClient) -> None:
        assert client.get("/sparql", params={"query": "ASK {}", "default-graph-uri": "not an iri"}).status_code == 400


class TestDatasets:
    """The cases dataset-default-graph, -default-graphs, -named-graphs, -full and multiple-dataset, by GET and POST."""

    @pytest.mark.parametrize("way", ["get", "form", "direct"])
    @pytest.mark.parametrize(
        ("query", "parameters", "expected"),
        [
            (ASK_WHERE, [], False),
            (ASK_WHERE, [("default-graph-uri", G1)], True),
            (f"ASK {{ ?s ?p ?o FILTER(?o = '{G1}') }}", [("default-graph-uri", G2)], False),
            (
                f"ASK {{ ?a ?p '{G1}' . ?b ?p '{G2}' }}",
                [("default-graph-uri", G1), ("default-graph-uri", G2)],
                True,
            ),
            (ASK_WHERE, [("named-graph-uri", G1)], False),
            ("ASK { GRAPH ?g { ?s ?p ?o } }", [("default-graph-uri", G1)], False),
            (f"ASK {{ GRAPH <{G2}> {{ ?s ?p ?o }} }}", [("named-graph-uri", G1), ("named-graph-uri", G2)], True),
            (f"ASK {{ GRAPH <{G3}> {{ ?s ?p ?o }} }}", [("named-graph-uri", G1), ("named-graph-uri", G2)], False),
            (
                f"ASK {{ ?s ?p '{G3}' GRAPH <{G1}> {{ ?t ?p ?o }} }}",
                [("default-graph-uri", G3), ("named-graph-uri", G1), ("named-graph-uri", G2)],
                True,
            ),
            (f"ASK FROM <{G1}> {{ ?s ?p '{G2}' }}", [("default-graph-uri", G2)], True),
            (f"ASK FROM <{G1}> {{ ?s ?p '{G1}' }}", [], True),
            ("ASK FROM <http://127.0.0.1:9/remote> { ?s ?p ?o }", [], False),
            ("ASK FROM NAMED <http://127.0.0.1:9/remote> { GRAPH ?g { ?s ?p ?o } }", [], False),
        ],
    )
    def test_what_is_asked(
        self, graphs: TestClient, way: str, query: str, parameters: list[tuple[str, str]], expected: bool
    ) -> None:
        if way == "direct":
            answer = graphs.post("/sparql", params=parameters, content=query, headers=QUERY)
        elif way == "form":
            answer = graphs.post("/sparql", content=urlencode([("query", query), *parameters]), headers=FORM)
        else:
            answer = graphs.get("/sparql", params=[("query", query), *parameters])
        assert truth(answer.text) is expected


class TestFormats:
    SELECT = "SELECT ?s ?l ?n ?none { VALUES (?s ?l ?n) { (<http://e/a> 'ü \"<&,\\n\\t'@de 1.5) (UNDEF 'b' true) } }"

    @pytest.mark.parametrize("media_type", RESULTS)
    def test_of_select_say_the_same_in_every_format(self, client: TestClient, media_type: str) -> None:
        answer = client.get("/sparql", params={"query": self.SELECT}, headers={"Accept": media_type})
        assert answer.headers["content-type"].partition(";")[0] == media_type
        rows = [tuple(row) for row in parse_query_results(answer.content, format=RESULTS[media_type])]  # type: ignore[union-attr]
        decimal, boolean = (NamedNode(f"http://www.w3.org/2001/XMLSchema#{name}") for name in ("decimal", "boolean"))
        assert rows == [
            (
                NamedNode("http://e/a"),
                Literal('ü "<&,\n\t', language="de"),
                Literal("1.5", datatype=decimal),
                None,
            ),
            (None, Literal("b"), Literal("true", datatype=boolean), None),
        ]

    def test_of_select_as_csv(self, client: TestClient) -> None:
        assert ask(client, self.SELECT, "text/csv") == ('s,l,n,none\r\nhttp://e/a,"ü ""<&,\n\t",1.5,\r\n,b,true,\r\n')

    @pytest.mark.parametrize(
        ("media_type", "expected"),
        [
            ("application/sparql-results+json", '{"head":{},"boolean":true}'),
            ("text/csv", "true\r\n"),
            ("text/tab-separated-values", "true\n"),
        ],
    )
    def test_of_ask(self, client: TestClient, media_type: str, expected: str) -> None:
        assert ask(client, "ASK {}", media_type) == expected

    def test_of_ask_as_xml(self, client: TestClient) -> None:
        root = ElementTree.fromstring(ask(client, "ASK {}", "application/sparql-results+xml"))
        assert root.findtext("{*}boolean") == "true"

    def test_xml_is_well_formed_whatever_a_literal_holds(self, client: TestClient) -> None:
        answer = ask(client, r"SELECT ('\u0001\u000D]]>' AS ?x) {}", "application/sparql-results+xml")
        assert ElementTree.fromstring(answer).findtext(".//{*}literal") == "\ufffd\r]]>"

    def test_a_triple_as_a_term(self, client: TestClient) -> None:
        query = "SELECT ?t { BIND(<<( <a:a> <a:b> 'c' )>> AS ?t) }"
        (row,) = json.loads(ask(client, query))["results"]["bindings"]
        assert row["t"]["value"]["object"] == {"type": "literal", "value": "c"}
        assert "<object><literal>c</literal></object>" in ask(client, query, "application/sparql-results+xml")

    @pytest.mark.parametrize(
        ("media_type", "form"),
        [
            ("text/turtle", RdfFormat.TURTLE),
            ("application/n-triples", RdfFormat.N_TRIPLES),
            ("application/ld+json", RdfFormat.JSON_LD),
            ("application/rdf+xml", RdfFormat.RDF_XML),
        ],
    )
    @pytest.mark.parametrize("query", ["CONSTRUCT { ?s a kg:Task } { ?s a kg:Task }", "DESCRIBE ?s { ?s a kg:Task }"])
    def test_of_construct_and_describe(
        self, client: TestClient, seed_store: Store, query: str, media_type: str, form: RdfFormat
    ) -> None:
        answer = client.get("/sparql", params={"query": query}, headers={"Accept": media_type})
        assert answer.headers["content-type"].partition(";")[0] == media_type
        tasks = {quad.subject for quad in parse(answer.content, format=form) if "Task" in str(quad.object)}
        assert len(tasks) == stats(seed_store).entities["Task"]

    @pytest.mark.parametrize(
        ("accept", "expected"),
        [
            ("", "application/sparql-results+json"),
            ("*/*", "application/sparql-results+json"),
            ("text/csv;q=0.4, application/sparql-results+xml;q=0.9", "application/sparql-results+xml"),
            ("text/*", "text/csv"),
            ("application/json", "application/json"),
            ("application/sparql-results+json;q=0, */*;q=0.1", "application/sparql-results+xml"),
            ("text/html, application/xml;q=0.9, */*;q=0.8", "application/xml"),
        ],
    )
    def test_are_chosen_by_quality(self, client: TestClient, accept: str, expected: str) -> None:
        answer = client.get("/sparql", params={"query": "ASK {}"}, headers={"Accept": accept})
        assert answer.headers["content-type"].partition(";")[0] == expected
        assert answer.headers["vary"] == "Accept"

    @pytest.mark.parametrize(
        ("query", "accept"),
        [("ASK {}", "image/png"), ("ASK {}", "text/turtle"), ("CONSTRUCT WHERE { ?s ?p ?o }", "text/csv")],
    )
    def test_that_we_do_not_have_are_refused(self, client: TestClient, query: str, accept: str) -> None:
        answer = client.get("/sparql", params={"query": query}, headers={"Accept": accept})
        assert answer.status_code == 406
        assert "one of:" in answer.text

    def test_can_be_named_in_the_address(self, client: TestClient) -> None:
        assert ask(client, "ASK {}", "text/html", format="csv") == "true\r\n"
        assert ask(client, "CONSTRUCT { <a:a> <a:b> 1 } {}", "*/*", format="nt").startswith("<a:a> <a:b>")
        assert client.get("/sparql", params={"query": "ASK {}", "format": "docx"}).status_code == 406


class TestServiceDescription:
    def test_says_what_the_endpoint_is(self, client: TestClient) -> None:
        answer = client.get("/sparql", headers={"Accept": "text/turtle"})
        facts = {
            (str(q.predicate.value).rpartition("#")[2], str(q.object))
            for q in parse(answer.content, format=RdfFormat.TURTLE)
        }
        assert ("supportedLanguage", "<http://www.w3.org/ns/sparql-service-description#SPARQL11Query>") in facts
        assert ("name", "<https://w3id.org/paperkg/build>") in facts
        assert ("endpoint", "<http://127.0.0.1/sparql>") in facts

    def test_sends_a_browser_to_the_editor(self, client: TestClient) -> None:
        answer = client.get("/sparql", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/editor")


class TestGraphStore:
    def test_gives_the_default_graph_as_it_was_built(self, client: TestClient, seed_folder: Path) -> None:
        for accept in ("text/turtle", "*/*", ""):
            answer = client.get("/data?default", headers={"Accept": accept})
            assert answer.content == (seed_folder / "graph.ttl").read_bytes()

    @pytest.mark.parametrize("form", ["application/n-triples", "application/ld+json"])
    def test_gives_it_in_other_formats(self, client: TestClient, seed_folder: Path, form: str) -> None:
        answer = client.get("/data?default", headers={"Accept": form})
        kind = RdfFormat.from_media_type(form)
        built = {quad.triple for quad in parse(path=str(seed_folder / "graph.ttl"), format=RdfFormat.TURTLE)}
        assert {quad.triple for quad in parse(answer.content, format=kind)} == built

    def test_gives_a_named_graph(self, client: TestClient) -> None:
        answer = client.get("/data", params={"graph": "https://w3id.org/paperkg/build"})
        assert "kg:inputHash" in answer.text

    def test_head(self, client: TestClient) -> None:
        answer = client.head("/data?default")
        assert (answer.status_code, answer.content) == (200, b"")

    @pytest.mark.parametrize(
        ("query", "status"),
        [("?graph=http://nowhere/", 404), ("", 400), ("?default&graph=http://a/", 400), ("?graph=no%20iri", 400)],
    )
    def test_refuses(self, client: TestClient, query: str, status: int) -> None:
        assert client.get(f"/data{query}").status_code == status

    @pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "PATCH"])
    def test_is_never_written_to(self, client: TestClient, method: str) -> None:
        answer = client.request(method, "/data?default")
        assert (answer.status_code, set(answer.headers["allow"].split(", "))) == (405, {"GET", "HEAD"})


class TestOrigins:
    def test_no_other_page_may_read_unless_asked_for(self, client: TestClient) -> None:
        answer = client.get("/sparql", params={"query": "ASK {}"}, headers={"Origin": "https://elsewhere.org"})
        assert "access-control-allow-origin" not in answer.headers

    def test_a_page_of_a_named_origin_may(self, seed_folder: Path) -> None:
        with client_of(seed_folder, Limits(workers=1), ["https://friend.org"]) as client:
            headers = {"Origin": "https://friend.org", "Access-Control-Request-Method": "POST"}
            asked = client.options("/sparql", headers={**headers, "Access-Control-Request-Headers": "content-type"})
            told = client.get("/sparql?query=ASK%7B%7D", headers={"Origin": "https://friend.org"})
            other = client.get("/sparql?query=ASK%7B%7D", headers={"Origin": "https://foe.org"})
        assert asked.headers["access-control-allow-origin"] == "https://friend.org"
        assert told.headers["access-control-allow-origin"] == "https://friend.org"
        assert "access-control-allow-origin" not in other.headers

    def test_a_name_that_points_here_from_elsewhere_is_refused(self, client: TestClient) -> None:
        assert client.get("/", headers={"Host": "rebound.example"}).status_code == 421
        assert client.get("/", headers={"Host": "localhost:8000"}).status_code == 200


@pytest.fixture(scope="module")
def server(seed_folder: Path) -> Iterator[Started]:
    with started(seed_folder, "--workers", "2") as server:
        yield server


class TestClients:
    QUERY = "SELECT ?p { ?p a <https://w3id.org/paperkg/ontology#Paper> }"

    @pytest.mark.parametrize("way", ["GET", POST, "direct"])
    @pytest.mark.parametrize("form", [JSON, XML, CSV])
    def test_sparqlwrapper_select(self, server: Started, way: str, form: str) -> None:
        wrapper = SPARQLWrapper(f"{server.url}/sparql", returnFormat=form)
        wrapper.setMethod("GET" if way == "GET" else POST)
        if way == "direct":
            wrapper.setRequestMethod(POSTDIRECTLY)
        wrapper.setQuery(self.QUERY)
        answer = wrapper.query().convert()
        rows = {
            JSON: lambda: len(answer["results"]["bindings"]),
            XML: lambda: len(answer.getElementsByTagName("result")),
            CSV: lambda: len(answer.splitlines()) - 1,
        }
        assert rows[form]() == 19

    def test_sparqlwrapper_construct_and_fault(self, server: Started, seed_store: Store) -> None:
        wrapper = SPARQLWrapper(f"{server.url}/sparql", returnFormat=TURTLE)
        wrapper.setQuery("CONSTRUCT { ?s a kg:Task } { ?s a kg:Task }")
        assert wrapper.query().convert().count(b"kg:Task") == stats(seed_store).entities["Task"]
        wrapper.setReturnFormat(JSON)
        wrapper.setQuery("SELECT")
        with pytest.raises(QueryBadFormed, match="not valid SPARQL"):
            wrapper.query()

    def test_rdflib(self, server: Started) -> None:
        graph = Graph(SPARQLStore(f"{server.url}/sparql"))
        assert len(list(graph.query(self.QUERY))) == 19
        assert len(list(graph.triples((None, None, None)))) > 1000

    @pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
    def test_curl(self, server: Started) -> None:
        def curl(*arguments: str) -> str:
            return subprocess.run(["curl", "-sS", *arguments], check=True, capture_output=True, text=True).stdout

        endpoint = f"{server.url}/sparql"
        assert curl("-G", endpoint, "--data-urlencode", "query=ASK {}", "-H", "Accept: text/csv") == "true\n"
        assert "boolean" in curl(endpoint, "--data-urlencode", "query=ASK {}")
        assert "boolean" in curl(endpoint, "-H", "Content-Type: application/sparql-query", "--data-binary", "ASK {}")
        assert curl("-H", "Accept: text/turtle", f"{server.url}/data?default").startswith("@prefix")
        assert curl("-o", "/dev/null", "-w", "%{http_code}", "-I", f"{endpoint}?query={quote('ASK {}')}") == "200"
