"""The extractor as people use it: on papers, and as components of any spaCy pipeline."""

from __future__ import annotations

import pytest
import spacy
from conftest import SEED
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.pool import extract, model_hash
from kg.records import EntityType, Extraction, Paper, RelationType, Role

TEXT = (
    "Transformers are costly. We propose \\textbf{SOAP}, an optimizer for language model pre-training. "
    "Experiments on C4 show that SOAP reduces wall clock time by over 35\\% compared to AdamW. "
    "Our code is available at \\href{https://github.com/x/soap}{this repository}."
)


def extracted(text: str) -> Extraction:
    (extraction,) = extract([Paper(text)])
    return extraction


def test_every_offset_is_into_the_original_abstract() -> None:
    found = extracted(TEXT)
    assert found.mentions
    assert all(TEXT[m.start : m.end] == m.name for m in found.mentions)
    starts = {s.start for s in found.sentences}
    assert all(claim.start in starts for claim in found.claims)
    assert TEXT[found.sentences[1].start : found.sentences[1].end].startswith("We propose \\textbf{SOAP}")


def test_names_lose_their_markup_and_keep_their_type() -> None:
    found = {mention.name: mention.type for mention in extracted(TEXT).mentions}
    assert found["SOAP"] is EntityType.METHOD
    assert found["AdamW"] is EntityType.METHOD


def test_the_paper_proposes_what_it_introduces() -> None:
    assert [p.mention.name for p in extracted(TEXT).proposals] == ["SOAP"]


def test_a_link_in_latex_is_kept() -> None:
    assert [link.url for link in extracted(TEXT).links] == ["https://github.com/x/soap"]


def test_sentences_have_roles() -> None:
    text = "Networks need large labelled datasets. We propose SOAP, a new optimizer. SOAP outperforms Adam by 40%."
    roles = [sentence.role for sentence in extracted(text).sentences]
    assert roles == [Role.BACKGROUND, Role.OBJECTIVE, Role.RESULT]
    assert extracted(TEXT).sentences[2].role is Role.RESULT


def test_a_result_has_its_numbers() -> None:
    (result,) = (c for c in extracted(TEXT).claims if c.value is not None)
    assert (str(result.value), result.unit, result.qualifier, str(result.direction)) == ("35", "%", "over", "decrease")


def test_an_acronym_and_its_long_form_are_one_entity() -> None:
    found = extracted("We study graph neural networks (GNNs) for molecules. GNNs are strong.")
    pairs = {(r.head.name, r.tail.name) for r in found.relations if r.type is RelationType.SAME_ENTITY}
    assert {frozenset(pair) for pair in pairs} == {frozenset({"graph neural networks", "GNNs"})}


def test_a_part_of_a_long_form_is_not_what_the_acronym_stands_for() -> None:
    text = (
        "Shampoo beats Adam. This leads to **S**hampo**O** with **A**dam in the **P**reconditioner's eigenbasis (SOAP)."
    )
    found = extracted(text)
    (definition,) = (r for r in found.relations if r.type is RelationType.SAME_ENTITY)
    names = {definition.head.name, definition.tail.name}
    assert names == {"ShampoO with Adam in the Preconditioner's eigenbasis", "SOAP"}


def test_an_adjective_made_of_a_name_is_no_mention() -> None:
    found = extracted(
        "GNN-augmented and BERT-based variants of graph neural networks are trained. GNN-aware pruning helps."
    )
    assert not [m.name for m in found.mentions if m.name in ("GNN-augmented", "BERT-based")]


def test_a_mention_ends_before_the_acronym_that_it_defines() -> None:
    found = extracted("Shallow networks solve linear programming (LP) problems. LP is hard.")
    assert not [mention.name for mention in found.mentions if "(" in mention.name]


def test_a_paper_reads_the_same_whatever_stands_beside_it() -> None:
    others = [Paper(text) for text in SEED.read_text(encoding="utf-8").split("\n\n")[1:4]]
    alone = extracted(TEXT)
    assert list(extract([*others, Paper(TEXT)]))[-1] == alone
    assert next(extract([Paper(TEXT), *others])) == alone


def test_two_processes_find_what_one_finds() -> None:
    papers = [Paper(text) for text in SEED.read_text(encoding="utf-8").split("\n\n")[1:8]]
    assert list(extract(papers, workers=2)) == list(extract(papers))


@pytest.mark.parametrize(
    "text",
    [
        "SOAP",
        "$x^2 + y^2$",
        "我们提出了一种新的图神经网络方法。",
        "\N{BAR OF SOAP}",
        "a\x00b\ud83d",
        "?!",
        "www.",
        "<script>x</script>",
    ],
)
def test_an_odd_abstract_is_read_without_fuss(text: str) -> None:
    found = extracted(text)
    assert all(0 <= m.start < m.end <= len(text) for m in found.mentions)


def test_an_abstract_of_10000_words_is_read_to_its_end() -> None:
    text = "We train large language models on many tasks. " * 1250 + "Finally we propose SOAP for image classification."
    found = extracted(text)
    assert any(m.name == "SOAP" and m.start > len(text) - 60 for m in found.mentions)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    found = extracted(text)
    spans = [(m.start, m.end) for m in found.mentions] + [(s.start, s.end) for s in found.sentences]
    assert all(0 <= start < end <= len(text) for start, end in spans)


def test_the_components_work_in_any_spacy_pipeline() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("kg_sentences")
    nlp.add_pipe("kg_extractor")
    doc = nlp("We propose SOAP, an optimizer. It beats AdamW on C4.")
    assert len(list(doc.sents)) == 2
    assert [span.text for span in doc.spans["kg_mentions"] if span.label_ == "Method"][:1] == ["SOAP"]
    assert [m.name for m in doc._.kg_mentions] == [doc.text[m.start : m.end] for m in doc._.kg_mentions]
    assert doc._.kg_claims


def test_the_components_find_what_the_extractor_finds() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("kg_sentences")
    nlp.add_pipe("kg_extractor")
    text = "We propose SOAP, an optimizer for language model pre-training. It beats AdamW by 3% on C4."
    doc, found = nlp(text), extracted(text)
    assert doc._.kg_sentences == found.sentences
    assert doc._.kg_mentions == found.mentions
    assert doc._.kg_relations == found.relations
    assert doc._.kg_claims == found.claims


def test_the_components_are_found_through_the_entry_points() -> None:
    from importlib.metadata import entry_points

    found = {
        point.name: point.load() for point in entry_points(group="spacy_factories") if point.name.startswith("kg_")
    }
    assert set(found) == {"kg_extractor", "kg_sentences"}


def test_the_hash_of_the_extractor_is_stable() -> None:
    assert model_hash() == model_hash()
    assert len(model_hash()) == 64
