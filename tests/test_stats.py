from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pyoxigraph import Store

from kg.records import Extraction, Paper
from kg.stats import Trends, coverage, stats, trends

AsStore = Callable[..., Store]


def test_what_a_graph_holds_is_counted(soap: Extraction, as_store: AsStore) -> None:
    found = stats(as_store(soap), top=1)
    assert found.papers == 1
    assert found.entities == {"Method": 2, "Task": 1, "Dataset": 1, "Metric": 0}
    assert found.statements == {"code": 1, "comparedWith": 1, "evaluatedOn": 1, "proposes": 1, "usedFor": 1}
    assert found.claims == {"Contribution": 0, "Result": 1, "Finding": 0, "Limitation": 0}
    assert found.top["Method"] == (("AdamW", 1),)


def test_an_empty_graph_counts_nothing() -> None:
    assert stats(Store()).papers == 0
    assert coverage(Store()).sentences == 0


def test_a_sentence_that_asserts_but_left_nothing_is_shown(soap: Extraction, as_store: AsStore) -> None:
    silent = Extraction(Paper("The sky is blue. We propose a thing."))
    found = coverage(as_store(soap, silent))
    assert (found.sentences, found.with_cue, found.missed) == (3, 2, ("We propose a thing.",))


def test_a_mention_alone_does_not_cover_a_sentence(soap: Extraction, as_store: AsStore) -> None:
    bare = replace(soap, relations=(), proposals=(), claims=(), links=())
    assert coverage(as_store(bare)).missed == (soap.paper.abstract,)


def test_methods_are_counted_by_year_and_tasks_in_all(soap: Extraction, as_store: AsStore) -> None:
    later = replace(soap, paper=replace(soap.paper, id="other", title="Another", year=2026))
    found = trends(as_store(soap, later), methods=1)
    assert found == Trends({"AdamW": {2025: 1, 2026: 1}}, {"pre-training": 2})


def test_without_years_all_papers_count_together(soap: Extraction, as_store: AsStore) -> None:
    dateless = replace(soap, paper=replace(soap.paper, year=None))
    assert trends(as_store(dateless), methods=1).methods == {"AdamW": {0: 1}}
