from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import mention
from pyoxigraph import Store

from kg.alignment import Alignment, Term, align, read_links, read_vocabulary, write_links
from kg.cli import main
from kg.errors import InputError
from kg.records import EntityType, Extraction, Paper

AsStore = Callable[..., Store]
EX = "https://example.org/"


def naming(*names: str, kind: EntityType = EntityType.METHOD) -> Extraction:
    text = " and ".join(names)
    return Extraction(Paper(text), mentions=tuple(mention(text, name, kind) for name in names))


def linked(store: Store, *terms: Term) -> list[tuple[str, str, str, float]]:
    return [(each.key, each.predicate, each.iri, each.score) for each in align(store, terms, "test")]


def test_a_name_an_alias_and_the_letters_link(as_store: AsStore) -> None:
    store = as_store(naming("Adam", "graph neural networks", "U-Net", "BERT"))
    terms = (
        Term(EX + "adam", "Adam"),
        Term(EX + "gnn", "GNN", ("Graph Neural Network",)),
        Term(EX + "unet", "UNet"),
        Term(EX + "other", "Something else"),
    )
    assert linked(store, *terms) == [
        ("adam", "skos:exactMatch", EX + "adam", 1.0),
        ("graph_neural_network", "skos:exactMatch", EX + "gnn", 0.95),
        ("u_net", "skos:exactMatch", EX + "unet", 0.9),
    ]


def test_of_two_terms_that_fit_as_well_each_is_only_close(as_store: AsStore) -> None:
    found = linked(as_store(naming("attention")), Term(EX + "1", "Attention"), Term(EX + "2", "attention"))
    assert [each[1] for each in found] == ["skos:closeMatch"] * 2


def test_an_alike_name_is_close(as_store: AsStore) -> None:
    ((key, predicate, _, score),) = linked(as_store(naming("positional encoding")), Term(EX + "p", "Position Encoding"))
    assert (key, predicate) == ("positional_encoding", "skos:closeMatch")
    assert 0.5 < score < 0.9


def test_versions_do_not_link(as_store: AsStore) -> None:
    assert not linked(as_store(naming("GPT-4")), Term(EX + "3", "GPT-3"))


def test_skos_and_owl_are_read_with_what_is_broader(tmp_path: Path) -> None:
    (tmp_path / "v.ttl").write_text(
        """@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <https://example.org/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :a skos:prefLabel "Adam"@en, "Adán"@es ; skos:altLabel "Adam optimizer" ; skos:broader :o .
        :o rdfs:label "optimizer" ; skos:narrower :b . :b rdfs:label "SGD" . [] rdfs:label "nobody" ."""
    )
    assert read_vocabulary(tmp_path / "v.ttl") == [
        Term(EX + "a", "Adam", ("Adam optimizer",), (EX + "o",)),
        Term(EX + "b", "SGD", (), (EX + "o",)),
        Term(EX + "o", "optimizer"),
    ]


def test_tables_are_read_with_and_without_ids(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(f"id,name,aliases\n{EX}a,Adam,Adam optimizer|ADAM\nnot an iri,X,\n")
    assert read_vocabulary(tmp_path / "v.csv") == [Term(EX + "a", "Adam", ("Adam optimizer", "ADAM"))]
    (tmp_path / "v.tsv").write_text("name\tfull_name\nRAG\tRetrieval-Augmented Generation\n")
    (term,) = read_vocabulary(tmp_path / "v.tsv", base=EX)
    assert term == Term(EX + "RAG", "RAG", ("Retrieval-Augmented Generation",))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("v.ttl", "<a> <b>", "cannot be read"),
        ("v.ttl", "", "names nothing"),
        ("v.csv", "a,b\n1,2\n", 'no column "name"'),
        ("v.csv", "name\nAdam\n", 'no column "id"'),
        ("v.doc", "x", "unknown kind"),
    ],
)
def test_a_vocabulary_that_cannot_be_read_says_why(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=said):
        read_vocabulary(tmp_path / name)


def test_links_are_read_as_they_were_written(tmp_path: Path) -> None:
    link = Alignment(
        "adam", "Adam", "skos:exactMatch", EX + "a", "Adam", "“Adam” is one of its names", 1.0, "v", (EX + "o",)
    )
    write_links([link], tmp_path / "links.tsv")
    assert read_links(tmp_path / "links.tsv") == [link]
    (tmp_path / "links.tsv").write_text((tmp_path / "links.tsv").read_text().replace("1.0000", "2"))
    with pytest.raises(InputError, match="line 2"):
        read_links(tmp_path / "links.tsv")


def run(*arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == status, result.output
    return result.output


def test_links_go_into_the_graph_and_survive_a_rebuild(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("We train Transformers with AdamW and compare it with Adam on language modeling.\n")
    (tmp_path / "v.csv").write_text(f"id,name\n{EX}adam,Adam\n{EX}gone,Nothing here\n")
    source, out = str(tmp_path / "a.txt"), str(tmp_path / "g")
    run("build", source, "-o", out)
    before = (tmp_path / "g" / "graph.ttl").read_bytes()
    assert "1 entities are one of them" in run("link", "--vocabulary", str(tmp_path / "v.csv"), "-g", out)
    linked_once = (tmp_path / "g" / "graph.ttl").read_bytes()
    assert f"skos:exactMatch <{EX}adam>".encode() in linked_once
    run("link", "--vocabulary", str(tmp_path / "v.csv"), "-g", out)
    assert (tmp_path / "g" / "graph.ttl").read_bytes() == linked_once
    run("build", source, "-o", out)
    assert (tmp_path / "g" / "graph.ttl").read_bytes() == linked_once
    run("validate", "-g", out)
    (tmp_path / "v.csv").write_text(f"id,name\n{EX}gone,Nothing here\n")
    run("link", "--vocabulary", str(tmp_path / "v.csv"), "-g", out)
    assert (tmp_path / "g" / "graph.ttl").read_bytes() == before


def test_a_folder_without_a_build_takes_no_links(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(f"id,name\n{EX}adam,Adam\n")
    said = run("link", "--vocabulary", str(tmp_path / "v.csv"), "-g", str(tmp_path / "none"), status=1)
    assert "a folder that kg build wrote" in said
