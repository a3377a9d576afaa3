"""Sizes of models, and the families that they are sizes of."""

import pytest

from kg import vocabulary as v
from kg.extract import extract_one
from kg.identity import BASE, canonical_key, entity_iri
from kg.pipeline import graph_of
from kg.records import EntityType, Mention, Paper, RelationType, Sentence
from kg.variants import find_families


def family_of(name: str, kind: EntityType = EntityType.METHOD) -> str | None:
    found = list(find_families([Mention(0, len(name), kind, name)], []))
    return found[0].tail.name if found else None


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Qwen2-1.5B", "Qwen2"),
        ("Llama-3.1-8B-Instruct", "Llama-3.1"),
        ("Llama 2 7B", "Llama 2"),
        ("Mixtral-8x7B", "Mixtral"),
        ("olmo2-7b-instruct", "olmo2"),
        ("InternViT-300M", "InternViT"),
        ("DeepSeek-R1-Distill-Qwen-1.5B", "DeepSeek-R1-Distill-Qwen"),
    ],
)
def test_a_model_named_with_its_size_is_of_the_family_before_that(name: str, family: str) -> None:
    assert family_of(name) == family


@pytest.mark.parametrize(
    "name", ["7B", "7B model", "S3M", "GPT-4", "ResNet-50", "self-hosted 8B-parameter model", "3B-to-1B", "C2B", "BERT"]
)
def test_what_names_no_family_or_no_size_is_left_alone(name: str) -> None:
    assert family_of(name) is None


def test_a_data_set_has_no_size_of_parameters() -> None:
    assert family_of("WebVid-10M", EntityType.DATASET) is None


def test_the_family_stands_where_the_size_does_and_its_sentence_says_so() -> None:
    text = "We test it. Qwen2-1.5B wins."
    (found,) = find_families(
        [Mention(12, 22, EntityType.METHOD, "Qwen2-1.5B", 0.8)], [Sentence(0, 11), Sentence(12, 28)]
    )
    assert found.type is RelationType.KIND_OF
    assert text[found.tail.start : found.tail.end] == "Qwen2"
    assert (found.start, found.end, found.confidence) == (12, 28, 0.8)


def test_the_graph_says_that_a_size_is_a_kind_of_its_family() -> None:
    abstract = "We fine-tune Qwen2-1.5B with LoRA for question answering."
    triples = {" ".join(map(str, triple)) for triple in graph_of([("https://e.org/p", extract_one(Paper(abstract)))])}
    size, family = (entity_iri(BASE, canonical_key(name)) for name in ("Qwen2-1.5B", "Qwen2"))
    assert f"<{size}> <{v.KG}kindOf> <{family}>" in triples
