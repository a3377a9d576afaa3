"""Readers: two papers in every format, and what is particular to each."""

from __future__ import annotations

import io
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from kg.errors import InputError, RecordError
from kg.identity import BASE, paper_iri
from kg.read import FORMATS, SUFFIXES, json_line, read_papers
from kg.records import Paper

DATA = Path(__file__).parent / "data"

ABSTRACT = "We propose Gödel networks, which read abstracts. They are 12% faster than BERT."
SECOND = "We present a parser. It is fast and small, at $O(n)$."

DOI = "10.1000/kg.1"
OPENREVIEW = "openreview:AbCdEfGhI"

SAMPLES = [
    ("arxiv.jsonl", "arxiv", DOI, "arXiv:2401.00001"),
    ("arxiv.xml", "arxiv-atom", DOI, "arXiv:2401.00001v1"),
    ("crossref.json", "crossref", DOI, "10.1000/kg.2"),
    ("csl.json", "csl", DOI, "turing2024"),
    ("endnote.xml", "endnote", DOI, "arXiv:2401.00001"),
    ("openalex.json", "openalex", DOI, "https://openalex.org/W2"),
    ("openreview-v1.json", "openreview", f"{OPENREVIEW}1", f"{OPENREVIEW}2"),
    ("openreview-v2.json", "openreview", f"{OPENREVIEW}1", f"{OPENREVIEW}2"),
    ("own.jsonl", "json", DOI, "arXiv:2401.00001"),
    ("papers.bib", "bibtex", DOI, "arXiv:2401.00001"),
    ("papers.md", "markdown", DOI, "arXiv:2401.00001"),
    ("papers.nbib", "nbib", DOI, "PMID:222"),
    ("papers.parquet", "parquet", DOI, "arXiv:2401.00001"),
    ("papers.ris", "ris", DOI, "arXiv:2401.00001"),
    ("paperswithcode.json", "paperswithcode", f"{OPENREVIEW}1", "arXiv:2401.00001"),
    ("pubmed.xml", "pubmed", DOI, "PMID:222"),
    ("s2orc.jsonl", "s2orc", DOI, "arXiv:2401.00001"),
    ("scopus.csv", "scopus", DOI, "2-s2.0-2"),
    ("semanticscholar.json", "semanticscholar", DOI, "arXiv:2401.00001"),
    ("wos.ciw", "wos", DOI, "WOS:000000000000002"),
    ("wos.tsv", "wos-table", DOI, "WOS:2"),
    ("zotero.json", "zotero", DOI, "arXiv:2401.00001"),
]


def read(data: bytes | str, *, form: str | None = None) -> list[Paper | InputError]:
    content = data.encode() if isinstance(data, str) else data
    return list(read_papers(["-"], stdin=io.BytesIO(content), format=form))


def papers(data: bytes | str, *, form: str | None = None) -> list[Paper]:
    records = read(data, form=form)
    assert [record for record in records if not isinstance(record, Paper)] == []
    return [record for record in records if isinstance(record, Paper)]


def paper(data: bytes | str, *, form: str | None = None) -> Paper:
    (only,) = papers(data, form=form)
    return only


def faults(data: bytes | str) -> list[tuple[str, str]]:
    return [(record.where, record.fault) for record in read(data) if isinstance(record, InputError)]


def words(text: str) -> str:
    return " ".join(text.replace("\\%", "%").split())


# Every format


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(("file", "form", "first_id", "second_id"), SAMPLES)
def test_two_papers_arrive_whole_in_every_format(file: str, form: str, first_id: str, second_id: str, named: bool):
    records = list(read_papers([DATA / file], format=form if named else None))
    assert [record for record in records if not isinstance(record, Paper)] == []
    first, second = (record for record in records if isinstance(record, Paper))
    assert (words(first.abstract), words(second.abstract)) == (ABSTRACT, SECOND)
    assert (first.title, second.title) == ("Gödel Networks for Reading", "A Second Parser")
    assert (first.id, second.id) == (first_id, second_id)
    assert first.authors == ("Ada Lovelace", "Kurt Gödel")
    assert first.year == 2024
    assert first.source.startswith(str(DATA / file))


@pytest.mark.parametrize(("file", "form"), [(sample[0], sample[1]) for sample in SAMPLES])
def test_each_file_is_recognised_by_its_content(file: str, form: str):
    content = (DATA / file).read_bytes()
    told = list(read_papers(["-"], stdin=io.BytesIO(content)))
    named = list(read_papers(["-"], stdin=io.BytesIO(content), format=form))
    assert told == named


def test_every_format_but_text_and_table_has_a_sample():
    assert {known.name for known in FORMATS} - {sample[1] for sample in SAMPLES} == {"text", "table"}


def test_the_suffix_of_every_sample_is_read_in_a_directory():
    assert {Path(sample[0]).suffix for sample in SAMPLES} <= SUFFIXES
    assert len(list(read_papers([DATA]))) == 2 * len(SAMPLES)


def test_a_paper_has_one_iri_whatever_format_it_comes_in():
    records = (next(read_papers([DATA / sample[0]])) for sample in SAMPLES if sample[2] == DOI)
    assert {paper_iri(BASE, record) for record in records if isinstance(record, Paper)} == {
        "https://w3id.org/paperkg/paper/doi:10.1000%2Fkg.1"
    }


@pytest.mark.parametrize("file", [sample[0] for sample in SAMPLES])
def test_a_paper_that_was_written_as_json_lines_is_read_as_the_same(file: str):
    first = [record for record in read_papers([DATA / file]) if isinstance(record, Paper)]
    again = papers("\n".join(map(json_line, first)))
    assert again == [replace(record, source=f"standard input, line {n}") for n, record in enumerate(first, start=1)]


def test_formats_have_distinct_names_and_say_what_they_are():
    assert len({known.name for known in FORMATS}) == len(FORMATS)
    assert all(known.about for known in FORMATS)


def test_an_unknown_format_is_an_error_with_the_names_there_are():
    with pytest.raises(InputError, match='no format is called "word"') as raised:
        read_papers([], format="word")
    assert "bibtex" in raised.value.hint


def test_a_format_that_is_given_overrides_the_content():
    assert [record.abstract for record in papers("@misc{a, abstract = {We propose A.}}", form="text")] == [
        "@misc{a, abstract = {We propose A.}}"
    ]


@pytest.mark.parametrize("form", [known.name for known in FORMATS])
@pytest.mark.parametrize("data", ["no such thing", "{", "<a>", "\0\1", "@x{", "TY  - "])
def test_a_wrong_format_is_reported_not_raised(form: str, data: str):
    assert read(data, form=form) != []


# What is no abstract


@pytest.mark.parametrize(
    "tail",
    [
        " © 2015 Elsevier B.V. All rights reserved.",
        " (C) 2013 Elsevier Ltd. All rights reserved.",
        " (c) 2015 Wiley Periodicals, Inc. J. Appl. Polym. Sci. 2015, 132, 42037.",
        " Copyright © 2020 The Authors.",
        " © Springer Science+Business Media New York 2016.",
        "\n© The Author(s) 2020. Published by Oxford University Press.",
        "\nThis work was supported by a grant of nobody.",
        "\nFunding: none.",
        "\nThis research was partially supported by X. © 2020 ACM.",
    ],
)
def test_copyright_and_funding_after_the_abstract_are_left_out(tail: str):
    record = {"paperId": "1", "abstract": f"Abstract: We propose A. It is good.{tail}"}
    assert paper(json.dumps(record)).abstract == "We propose A. It is good."


@pytest.mark.parametrize(
    "text",
    [
        "Abstract interpretation is hard. We solve it.",
        "We measure (a) 10 cases. (b) 20 cases. (c) 2000 cases.",
        "We study the sign ©. It was rare.",
        "This work was supported by cranes. They lifted it.",
        "We use ImageNet. Copyright law is studied.",
    ],
)
def test_what_only_looks_like_it_stays(text: str):
    assert paper(json.dumps({"paperId": "1", "abstract": text})).abstract == text


def test_the_abstract_of_paperkgs_own_records_stays_as_it_is():
    text = "Abstract: We propose A. © 2020 ACM. "
    assert paper(json.dumps({"abstract": text})).abstract == text


# BibTeX


def test_a_broken_entry_is_reported_and_the_next_one_is_read():
    text = "@misc{a, title = {A}, abstract = {We {propose A.}\n}\n\n@misc{b, abstract = {We propose B.}}\n"
    broken, good = read(text)
    assert isinstance(broken, RecordError)
    assert (broken.where, broken.fault) == (
        "standard input, line 1",
        "not a valid BibTeX entry: its braces do not close",
    )
    assert isinstance(good, Paper)
    assert (good.abstract, good.source) == ("We propose B.", "standard input, line 4")


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ("@misc{a, abstract {We}}", 'expected "name = value", found "abstract {We}"'),
        ('@misc{a, abstract = "We propose}', "a text is left open"),
        ("@misc{a, abstract = , year = 2}", "a value is missing"),
    ],
)
def test_a_wrong_entry_says_what_is_wrong(entry: str, fault: str):
    assert faults(entry) == [("standard input, line 1", f"not a valid BibTeX entry: {fault}")]


def test_an_entry_without_an_abstract_is_reported_by_its_title():
    (bad,) = read("@misc{a, title = {On {B}}}")
    assert str(bad) == "standard input, line 1: the abstract is missing (of On B)"


def test_the_abstract_keeps_its_latex():
    assert paper(r"@misc{a, abstract = {We \emph{propose} {A} at $x_{1}$, \{so\}.}}").abstract == (
        r"We \emph{propose} {A} at $x_{1}$, \{so\}."
    )


def test_entries_in_parentheses_and_on_one_line_are_read():
    text = '@misc(a, abstract = {We (really) propose A.}) @misc{b, abstract = "We propose {"}B{"}."}'
    assert [record.abstract for record in papers(text)] == ["We (really) propose A.", 'We propose {"}B{"}.']


def test_authors_of_institutions_stay_whole():
    assert paper("@misc{a, author = {{Barnes and Noble, Inc.} and Knuth, Donald}, abstract = {We.}}").authors == (
        "Barnes and Noble, Inc.",
        "Donald Knuth",
    )


def test_a_preprint_of_arxiv_is_told_from_its_journal():
    entry = "@article{a, journal = {arXiv preprint arXiv:2104.12255}, abstract = {We propose A.}}"
    assert paper(entry).id == "arXiv:2104.12255"


# Tagged formats


def test_a_ris_record_ends_where_the_next_begins_and_what_stands_outside_is_none():
    text = "Record 1\nTY  - JOUR\nAB  - We propose A.\nTY  - JOUR\nAB  - We propose B.\nER  -\nRecord 2\n"
    assert [record.abstract for record in papers(text)] == ["We propose A.", "We propose B."]


def test_a_line_that_goes_on_is_no_tag():
    text = "TY  - JOUR\nN2  - first,\nER then second,\n      and third.\nER  -\n"
    assert paper(text).abstract == "first,\nER then second,\nand third."


def test_a_ris_record_without_an_abstract_is_reported_with_its_line():
    assert faults("TY  - JOUR\nTI  - A\nER  - \n") == [("standard input, line 1", "the abstract is missing")]


# XML


def pubmed(*articles: str) -> str:
    return f"<?xml version='1.0'?>\n<PubmedArticleSet>\n{chr(10).join(articles)}\n</PubmedArticleSet>\n"


def article(abstract: str) -> str:
    return (
        "<PubmedArticle><MedlineCitation><Article><Abstract>"
        f"{abstract}</Abstract></Article></MedlineCitation></PubmedArticle>"
    )


def test_the_labels_of_a_structured_abstract_stay_in_the_text():
    parts = '<AbstractText Label="METHODS">We try.</AbstractText><AbstractText Label="RESULTS">A wins.</AbstractText>'
    assert paper(pubmed(article(parts))).abstract == "METHODS: We try.\nRESULTS: A wins."


def test_a_broken_record_is_passed_over():
    good = [article(f"<AbstractText>We propose {letter}.</AbstractText>") for letter in "ABC"]
    first, broken, second, third = read(pubmed(good[0], article("<AbstractText>a < b</AbstractTxt>"), *good[1:]))
    assert isinstance(broken, RecordError)
    assert (broken.where, broken.fault) == (
        "standard input, line 4",
        "not valid XML: not well-formed (invalid token)",
    )
    assert [record.abstract for record in (first, second, third) if isinstance(record, Paper)] == [
        f"We propose {letter}." for letter in "ABC"
    ]
    assert isinstance(third, Paper)
    assert third.source == "standard input, line 6"


def test_xml_that_breaks_off_is_reported_after_what_is_whole():
    good = article("<AbstractText>We propose A.</AbstractText>")
    record, cut_off = read(pubmed(good, good)[:-150])
    assert isinstance(record, Paper)
    assert isinstance(cut_off, InputError)
    assert (cut_off.fault, cut_off.where) == ("the XML breaks off", "standard input, line 4")


def test_a_control_character_does_not_break_a_record():
    assert paper(pubmed(article("<AbstractText>We\x0bpropose A.</AbstractText>"))).abstract == "We\ufffdpropose A."


def test_an_entity_of_html_is_its_character():
    assert paper(pubmed(article("<AbstractText>&alpha; &amp; &nowhere;.</AbstractText>"))).abstract == "α & &nowhere;."


BOMB = "".join(f'<!ENTITY x{n} "{f"&x{n - 1};" * 10}">' for n in range(1, 12))


@pytest.mark.parametrize(
    "declarations",
    [
        '<!ENTITY x0 "ha">' + BOMB,
        '<!ENTITY x11 SYSTEM "file:///etc/passwd">',
        '<!ENTITY % x11 SYSTEM "http://127.0.0.1:9/x.dtd"> %x11;',
        '<!ENTITY x11 PUBLIC "a" "http://127.0.0.1:9/x">',
    ],
)
@pytest.mark.parametrize("form", ["pubmed", "endnote", "arxiv-atom"])
def test_no_entity_is_expanded_or_fetched(declarations: str, form: str):
    text = f"<!DOCTYPE PubmedArticleSet [{declarations}]>" + pubmed(article("<AbstractText>&x11;</AbstractText>"))[22:]
    started = time.monotonic()
    (bad,) = read(text, form=form)
    assert isinstance(bad, InputError)
    assert "declares an entity" in bad.fault
    assert time.monotonic() - started < 1


def test_a_dtd_elsewhere_is_not_fetched():
    head = '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD" "http://127.0.0.1:9/pubmed.dtd">'
    text = head + pubmed(article("<AbstractText>We propose A.</AbstractText>"))[22:]
    assert paper(text).abstract == "We propose A."


@pytest.mark.parametrize(
    "text", ["<?xml version='1.0'?><rss><a>We propose.</a></rss>", "<!DOCTYPE html>\n<html><p>We propose.</p>"]
)
def test_markup_of_an_unknown_kind_is_reported(text: str):
    ((where, fault),) = faults(text)
    assert (where, fault[:31]) == ("standard input", "this is markup of an unknown ki")


def test_deep_nesting_is_no_danger():
    deep = article("<AbstractText>We propose A." + "<b>" * 100_000 + "</b>" * 100_000 + "</AbstractText>")
    assert paper(pubmed(deep)).abstract == "We propose A."


def test_an_error_that_arxiv_reports_is_an_error():
    entry = "<entry><id>https://arxiv.org/api/errors#x</id><title>Error</title><summary>bad id</summary></entry>"
    assert faults(f"<feed xmlns='http://www.w3.org/2005/Atom'>{entry}</feed>") == [
        ("standard input, line 1", "arXiv reports: bad id")
    ]


# JSON of many sources


def test_a_single_openalex_work_is_a_paper():
    work = {
        "id": "https://openalex.org/W1",
        "authorships": [{"author": {"display_name": "Ada Lovelace"}}],
        "abstract_inverted_index": {"We": [0], "propose": [1], "A.": [2]},
    }
    assert paper(json.dumps(work)) == Paper(
        "We propose A.",
        id="https://openalex.org/W1",
        authors=("Ada Lovelace",),
        url="https://openalex.org/W1",
        source="standard input, line 1",
    )


def test_an_inverted_index_with_far_positions_is_read():
    work = {"abstract_inverted_index": {"A.": [10**15], "We": [-1], "propose": [0], "bad": "x", "worse": [None, "0"]}}
    assert paper(json.dumps(work)).abstract == "We propose A."


def test_sections_of_jats_keep_their_titles():
    abstract = (
        "<jats:sec><jats:title>Background</jats:title><jats:p>It is &lt;old&gt;.</jats:p></jats:sec>"
        "<jats:sec><jats:title>Results:</jats:title><jats:p>It wins.</jats:p></jats:sec>"
    )
    assert paper(json.dumps({"DOI": "10.1000/1", "title": ["A"], "abstract": abstract})).abstract == (
        "Background: It is <old>.\nResults: It wins."
    )


def test_an_answer_with_one_work_of_crossref_is_a_paper():
    work = {"DOI": "10.1000/1", "title": ["A"], "author": [{"family": "B"}], "abstract": "We propose A."}
    assert paper(json.dumps({"status": "ok", "message": work})).id == "10.1000/1"
    assert paper(json.dumps({"message": {"title": ["A"], "abstract": "<jats:p>We.</jats:p>"}})).abstract == "We."
    assert paper(json.dumps({"status": "ok", "message": work}, indent=1)).id == "10.1000/1"


def test_the_paragraphs_of_a_parsed_pdf_are_its_abstract():
    parsed = {"paper_id": "1", "metadata": {"title": "A"}, "abstract": [{"text": "We."}, {"text": "They."}]}
    assert paper(json.dumps(parsed)).abstract == "We.\nThey."


def test_citing_papers_of_semantic_scholar_are_papers():
    answer = {"offset": 0, "data": [{"citingPaper": {"paperId": "1", "abstract": "We cite."}}]}
    assert paper(json.dumps(answer)).abstract == "We cite."


def test_a_broken_object_in_an_array_is_passed_over():
    text = '[\n{"abstract": "We propose A."},\n{"abstract": oops, "x": "}"},\n{"abstract": "We propose C."}\n]'
    first, broken, third = read(text)
    assert isinstance(broken, RecordError)
    assert (broken.where, broken.fault) == ("standard input, line 3", "not valid JSON: expecting value at column 14")
    assert isinstance(first, Paper)
    assert isinstance(third, Paper)
    assert third.abstract == "We propose C."


class Counted(io.BytesIO):
    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


BIG = {
    "array": ("[", '{"abstract": "We propose A."},\n', '{"abstract": "We propose Z."}]'),
    "list on one line": ("[", '{"abstract": "We propose A."},', '{"abstract": "We propose Z."}]'),
    "answer": ('{"meta": {}, "results": [', '{"abstract": "We propose A."},', '{"abstract": "We propose Z."}]}'),
    "crossref": ('{"message": {"items": [', '{"DOI": "1", "title": [], "abstract": "We."},', '{"abstract": "A"}]}}'),
    "xml": ("<PubmedArticleSet>", article("<AbstractText>We propose.</AbstractText>"), "</PubmedArticleSet>"),
    "bibtex": ("", "@misc{a,\n abstract = {We propose A.}\n}\n", ""),
    "ris": ("", "TY  - JOUR\nAB  - We propose A.\nER  - \n", ""),
    "nbib": ("", "PMID- 1\nAB  - We propose A.\n\n", ""),
    "wos": ("FN ISI\nVR 1.0\n", "PT J\nAB We propose A.\nER\n\n", "EF\n"),
    "markdown": ("", "## [A](https://arxiv.org/abs/2401.00001)\n\n> We propose A.\n\n", ""),
}


@pytest.mark.parametrize("form", BIG)
def test_records_are_read_as_they_are_asked_for(form: str):
    head, body, tail = BIG[form]
    content = (head + body * 30_000 + tail).encode()
    stdin = Counted(content)
    assert isinstance(next(read_papers(["-"], stdin=stdin)), Paper)
    assert stdin.taken < len(content) / 2


# Tables


@pytest.mark.parametrize("authors", ["Pan, Y., Yu, C.", "Pan, Y.; Yu, C.", "Pan, Y. (123); Yu, C. (456)"])
def test_authors_of_scopus_are_told_apart(authors: str):
    table = f'Authors,Title,Source title,Abstract,Author Keywords\n"{authors}",A,B,We propose A.,\n'
    assert paper(table).authors == ("Y. Pan", "C. Yu")


def test_no_abstract_available_is_none():
    table = "Authors,Title,EID,Abstract\nA,B,1,[No abstract available]\n"
    assert faults(table) == [("standard input, line 2", "the abstract is missing")]


# Markdown


def test_a_list_of_links_without_abstracts_is_reported_by_title():
    text = "# Awesome\n\n- [Contents](#c)\n- [A](https://a.org): good.\n- [B](https://b.org)\n"
    assert [(record.where, getattr(record, "hint", "")) for record in read(text) if isinstance(record, InputError)] == [
        ("standard input, line 4", "of A"),
        ("standard input, line 5", "of B"),
    ]


def test_a_paragraph_of_sentences_under_a_linked_title_is_its_abstract():
    prose = "We propose a parser that reads abstracts of papers quickly and without any fault. " * 3
    text = (
        f"## [A](https://openreview.net/forum?id=AbCdEfGhI1)\n\nAda Lovelace, Kurt Gödel\n\n{prose}\n\n```\ncode\n```\n"
    )
    found = paper(text)
    assert (found.abstract, found.authors) == (prose.strip(), ("Ada Lovelace", "Kurt Gödel"))


def test_links_below_a_paper_are_no_papers():
    text = "- [A](https://a.org)\n  - Abstract: We propose A.\n  - [Appendix](https://b.org)\n- [Code](https://c.org)\n"
    assert [(record.title, record.abstract) for record in papers(text)] == [("A", "We propose A.")]


def test_an_abstract_of_several_lines_ends_at_the_next_label():
    text = "### A\n**Authors:** Ada Lovelace\n**Abstract:**\nWe propose A.\nIt is good.\n\n**Code:** none\n"
    assert paper(text).abstract == "We propose A.\nIt is good."


def test_badges_introductions_and_tables_are_no_papers():
    text = (
        "# Papers [![Badge](https://b.org/b.svg)](https://b.org)\n\nA list of papers that we have read, and "
        "that is long enough to be an abstract, which it is not, as it stands under no paper.\n\n"
        "- **Title:** A Parser\n- **Authors:** A. B., C. D.\n- **Abstract:** We propose A.\n\n| a |\n|---|\n"
        "- **Title:** Another\n- **Abstract:** We propose B.\n"
    )
    first, second = papers(text)
    assert (first.title, first.authors, first.abstract) == ("A Parser", ("A. B.", "C. D."), "We propose A.")
    assert (second.title, second.abstract) == ("Another", "We propose B.")


# Files that hold no papers


def test_files_that_go_with_a_directory_are_passed_over(tmp_path: Path):
    (tmp_path / "README.md").write_text("# Papers\n\n> We tell what is here.\n")
    (tmp_path / "LICENSE.txt").write_text("You may do what you like with this text, if you read it.")
    (tmp_path / "a.bib").write_text("@misc{a, abstract = {We propose A.}}")
    assert [record.abstract for record in read_papers([tmp_path]) if isinstance(record, Paper)] == ["We propose A."]
