from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pyoxigraph import Store

from kg.diff import Change, diff
from kg.records import Extraction

AsStore = Callable[..., Store]


def test_a_graph_does_not_differ_from_itself(soap: Extraction, as_store: AsStore) -> None:
    assert diff(as_store(soap), as_store(soap)) == []


def test_what_went_is_said_in_words_and_comes_back_as_added(soap: Extraction, as_store: AsStore) -> None:
    more, less = as_store(soap), as_store(replace(soap, relations=soap.relations[:2], claims=()))
    removed = [
        Change("claim", f"Result: {soap.paper.abstract}", "removed"),
        Change("statement", "SOAP usedFor pre-training", "removed"),
    ]
    assert diff(more, less) == removed
    assert diff(less, more) == [replace(change, how="added") for change in removed]


def test_an_entity_with_a_new_name_is_altered(soap: Extraction, as_store: AsStore) -> None:
    renamed = replace(
        soap,
        mentions=(*soap.mentions[:1], replace(soap.mentions[1], name="Adamw"), *soap.mentions[2:]),
        relations=(),
        claims=(),
    )
    before = replace(soap, relations=(), claims=())
    assert diff(as_store(before), as_store(renamed)) == [
        Change("entity", "Method AdamW  is now  Method Adamw", "altered")
    ]
