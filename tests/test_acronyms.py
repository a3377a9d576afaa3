from __future__ import annotations

from pathlib import Path

import pytest

from kg.acronyms import find_definitions


@pytest.mark.parametrize(
    ("text", "long", "short"),
    [
        ("We use graph neural networks (GNNs) here.", "graph neural networks", "GNNs"),
        ("with multiplicative logit adjustment (MLA) as", "multiplicative logit adjustment", "MLA"),
        (
            "such as CLIP (Contrastive Language-Image Pretraining), which",
            "Contrastive Language-Image Pretraining",
            "CLIP",
        ),
        ("named MiXSE (MiXture of Self-specialized Experts).", "MiXture of Self-specialized Experts", "MiXSE"),
        ("a data-dependent tempered selection (DDTS) mechanism", "data-dependent tempered selection", "DDTS"),
        ("Masked Motion: a Generative Masked Motion Model (GM³).", "Generative Masked Motion Model", "GM³"),
        (
            "ShampoO with Adam in the Preconditioner's eigenbasis (SOAP).",
            "ShampoO with Adam in the Preconditioner's eigenbasis",
            "SOAP",
        ),
        ("the retrieval-augmented generation (RAG; Lewis et al.) idea", "retrieval-augmented generation", "RAG"),
        ("for three-dimensional (3D) shapes", "three-dimensional", "3D"),
        ("and text-to-image (T2I) models", "text-to-image", "T2I"),
    ],
)
def test_a_definition_is_found_with_its_offsets(text: str, long: str, short: str) -> None:
    definitions = list(find_definitions(text))
    assert [(text[slice(*d.long)], text[slice(*d.short)]) for d in definitions] == [(long, short)]


@pytest.mark.parametrize(
    "text",
    [
        "on ten datasets (see Table 2).",
        "It is fast (and cheap).",
        "the results (GPU) are good",
        "(ABC) at the start",
        "we train (CNN) and (RNN)",
        "Vaswani et al. (NeurIPS) say",
        "((((",
        "",
    ],
)
def test_what_is_no_definition_is_none(text: str) -> None:
    assert list(find_definitions(text)) == []


def test_many_open_brackets_take_no_time() -> None:
    assert list(find_definitions("(a " * 50_000)) == []


def test_acronyms_of_other_fields_are_found() -> None:
    """109 sentences of medicine, physics, chemistry, economics and others, written for this test."""
    path = Path(__file__).parent / "identity" / "acronyms.tsv"
    right = proposed = wanted = 0
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        text, definitions = line.split("\t")
        gold = {tuple(each.split("=", 1)) for each in definitions.split("; ") if each}
        found = {(text[slice(*d.short)], text[slice(*d.long)]) for d in find_definitions(text)}
        right, proposed, wanted = right + len(gold & found), proposed + len(found), wanted + len(gold)
    assert 2 * right / (proposed + wanted) >= 0.95
