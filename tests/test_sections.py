"""Structured abstracts: their labels are found, say the roles of their sentences, and are no part of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from kg.pool import extract
from kg.read import read_papers
from kg.records import Extraction, Paper, Role
from kg.sections import find_sections, opening_label

B, O, M, R, X = Role.BACKGROUND, Role.OBJECTIVE, Role.METHOD, Role.RESULT, Role.OTHER  # noqa: E741


def sections(text: str) -> list[tuple[Role | None, str]]:
    return [(section.role, text[section.start : section.end].strip()) for section in find_sections(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BACKGROUND: A is slow. METHODS: We do B.\nRESULTS: C.", [(B, "A is slow."), (M, "We do B."), (R, "C.")]),
        ("Background\nA is slow.\nMethods\nWe do B.", [(B, "A is slow."), (M, "We do B.")]),
        ("**Background:** A. **Methods** We do B.", [(B, "A."), (M, "We do B.")]),
        ("<b>Purpose</b>: To ask. <b>Findings</b>: It is.", [(O, "To ask."), (R, "It is.")]),
        ("\\textbf{Aims:} To ask. \\textbf{Results:} It is.", [(O, "To ask."), (R, "It is.")]),
        ("BACKGROUND Models are slow. METHODS We do B.", [(B, "Models are slow."), (M, "We do B.")]),
        ("Introduction. We read. Methods. We did.", [(B, "We read."), (M, "We did.")]),
        ("Objective—To ask. Design—A trial. Results—None.", [(O, "To ask."), (M, "A trial."), (R, "None.")]),
        ("OBJECTIVE:To ask. RESULTS:None.", [(O, "To ask."), (R, "None.")]),
        ("Background and aims: A. Results: B.", [(None, "A."), (R, "B.")]),
        ("BACKGROUND (WHY IT MATTERS): A. RESULTS: B.", [(B, "A."), (R, "B.")]),
        ("Motivation: A. Results: B. Availability: http://b.org", [(B, "A."), (R, "B."), (X, "http://b.org")]),
        ("We begin. RESULTS: B wins.", [(R, "B wins.")]),
        ("METHODS:\nRESULTS: B.", [(R, "B.")]),
    ],
)
def test_labels_are_found_in_the_ways_that_people_write_them(text: str, expected: list[tuple[Role, str]]) -> None:
    assert sections(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We propose methods. Results show that A wins. Methods are good.",
        "Methods of this kind are slow. Results: A wins.",
        "RESULTS OF A study. METHODS AND more.",
        "Approach: we like it.",
        "There are two aims: results, and methods: none.",
        "Background",
        "",
    ],
)
def test_words_that_are_no_labels_are_left_alone(text: str) -> None:
    assert sections(text) == []


@given(st.text(alphabet="ABab:. \n*METHODS", max_size=80))
def test_sections_lie_in_the_text_one_after_the_other(text: str) -> None:
    position = 0
    for section in find_sections(text):
        assert position <= section.label < section.start < section.end <= len(text)
        position = section.end


def test_many_labels_take_no_long_time() -> None:
    for text in ("methods and " * 8_000, "\n" * 100_000, ". " * 50_000, "\nMethods (" * 10_000, "**" * 50_000):
        assert find_sections(text) == ()
    assert len(find_sections("METHODS: x. " * 5_000)) == 5_000


def test_a_section_alone_is_told_from_a_whole_abstract() -> None:
    assert opening_label("**Methods**") == "methods"
    assert opening_label("METHODS: We do B. It works.") == "methods"
    assert opening_label("AIM: To ask. METHODS: We do B.") is None
    assert opening_label("Methods are good.") is None


# What the extractor makes of them

STRUCTURED = (
    "BACKGROUND: Transformers are costly. METHODS: SOAP is run on C4. We compare it with AdamW.\n"
    "RESULTS: SOAP reduces wall clock time by 35% compared to AdamW. CONCLUSIONS: It may be used."
)


def extracted(text: str) -> Extraction:
    (extraction,) = extract([Paper(text)])
    return extraction


def said(extraction: Extraction) -> list[tuple[Role | None, str]]:
    abstract = extraction.paper.abstract
    return [(sentence.role, abstract[sentence.start : sentence.end]) for sentence in extraction.sentences]


EXPECTED = [
    (B, "Transformers are costly."),
    (M, "SOAP is run on C4."),
    (M, "We compare it with AdamW."),
    (R, "SOAP reduces wall clock time by 35% compared to AdamW."),
    (R, "It may be used."),
]


def test_the_labels_are_the_roles_and_no_part_of_the_sentences() -> None:
    assert said(extracted(STRUCTURED)) == EXPECTED


def test_what_was_found_still_stands_at_its_offsets() -> None:
    found = extracted(STRUCTURED)
    assert all(STRUCTURED[m.start : m.end] == m.name for m in found.mentions)
    assert not {m.name.upper() for m in found.mentions} & {"METHODS", "RESULTS", "BACKGROUND", "CONCLUSIONS"}
    quotes = {STRUCTURED[claim.start : claim.end] for claim in found.claims}
    assert any(quote.startswith("SOAP reduces") for quote in quotes)
    assert not any(":" in quote for quote in quotes)


def test_markup_and_lines_around_labels_move_no_offset() -> None:
    text = "**Background**\nTransformers are \\emph{costly}\n\n**Methods**\nSOAP is run on $C_4$\n"
    (background, before), (method, after) = said(extracted(text))
    assert (background, method) == (B, M)
    assert before.startswith("Transformers are \\emph{costly")
    assert after.startswith("SOAP is run on $C_4")


def test_a_label_of_several_roles_leaves_the_role_to_the_model() -> None:
    (first, *_) = extracted("Background and aims: Transformers are costly. Results: SOAP wins.").sentences
    assert first.role is not None


def test_the_components_find_labels_in_any_text() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("kg_sentences")
    nlp.add_pipe("kg_extractor")
    doc = nlp(STRUCTURED)
    assert [sentence.role for sentence in doc._.kg_sentences] == [role for role, _ in EXPECTED]


# From files


def papers(folder: Path, name: str, text: str) -> list[Paper]:
    (folder / name).write_text(text, encoding="utf-8")
    found = list(read_papers([folder / name]))
    assert all(isinstance(paper, Paper) for paper in found), found
    return [paper for paper in found if isinstance(paper, Paper)]


PUBMED = """<?xml version="1.0"?>
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>On A</ArticleTitle><Abstract>
<AbstractText Label="WHAT IS THE TROUBLE" NlmCategory="BACKGROUND">Transformers are costly.</AbstractText>
<AbstractText Label="MATERIALS AND METHODS" NlmCategory="METHODS">SOAP is run on C4.
We compare it with AdamW.</AbstractText>
<AbstractText NlmCategory="RESULTS">SOAP reduces wall clock time by 35% compared to AdamW.</AbstractText>
<AbstractText Label="CONCLUSION" NlmCategory="CONCLUSIONS">It may be used.</AbstractText>
<AbstractText Label="UNLABELLED" NlmCategory="UNASSIGNED">Nobody paid.</AbstractText>
</Abstract></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"""


def test_pubmed_keeps_the_labels_and_the_categories_where_a_label_tells_none(tmp_path: Path) -> None:
    (paper,) = papers(tmp_path, "a.xml", PUBMED)
    assert paper.abstract == (
        "BACKGROUND (WHAT IS THE TROUBLE): Transformers are costly.\n"
        "MATERIALS AND METHODS: SOAP is run on C4. We compare it with AdamW.\n"
        "RESULTS: SOAP reduces wall clock time by 35% compared to AdamW.\n"
        "CONCLUSION: It may be used.\n"
        "Nobody paid."
    )
    (found,) = extract([paper])
    assert said(found)[:5] == EXPECTED


TEXTS = {
    "in one line": STRUCTURED.replace("\n", " "),
    "in lines": STRUCTURED.replace(". METHODS", ".\nMETHODS").replace(". CONCL", ".\nCONCL"),
    "in paragraphs": STRUCTURED.replace("\n", "\n\n").replace(". METHODS", ".\n\nMETHODS").replace(". CON", ".\n\nCON"),
    "under headings": "Background\n\nTransformers are costly.\n\nMethods\n\nSOAP is run on C4. "
    "We compare it with AdamW.\n\nResults\n\nSOAP reduces wall clock time by 35% compared to AdamW.\n\n"
    "Conclusions\n\nIt may be used.",
    "headings in lines": "Background\nTransformers are costly.\nMethods\nSOAP is run on C4. We compare it with AdamW.\n"
    "Results\nSOAP reduces wall clock time by 35% compared to AdamW.\nConclusions\nIt may be used.",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_structured_abstract_in_plain_text_is_one_abstract(text: str, tmp_path: Path) -> None:
    two = papers(tmp_path, "a.txt", f"{text}\n\nWe propose B for C. It works.\n\n{text}\n")
    assert len(two) == 3
    first, between, last = extract(two)
    assert said(first) == said(last) == EXPECTED
    assert between.paper.abstract == "We propose B for C. It works."


def test_structured_abstracts_one_after_the_other_are_several(tmp_path: Path) -> None:
    assert len(papers(tmp_path, "a.txt", "\n\n".join(TEXTS.values()))) == len(TEXTS)


def test_long_labelled_lines_are_one_abstract(tmp_path: Path) -> None:
    text = "\n".join(f"{label}: {'We read many long texts. ' * 20}".strip() for label in ("AIM", "METHODS", "RESULTS"))
    (paper,) = papers(tmp_path, "a.txt", text)
    assert [section.role for section in find_sections(paper.abstract)] == [O, M, R]
