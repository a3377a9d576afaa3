"""What several tests build on: small records made by hand, and the seed corpus built once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Opened, chromium
from pyoxigraph import Store

from kg.identity import BASE, paper_iri
from kg.pipeline import Build, build, build_to_folder, graph_of
from kg.records import (
    Claim,
    ClaimKind,
    Direction,
    EntityType,
    Extraction,
    Link,
    Mention,
    Paper,
    Proposal,
    Relation,
    RelationType,
    Sentence,
)
from kg.store import memory_store
from kg.view import write_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SEED = Path(__file__).parents[1] / "examples" / "iclr2025.txt"


@pytest.fixture(scope="session")
def seed_build() -> Build:
    return build([SEED])


@pytest.fixture(scope="session")
def seed_store(seed_build: Build) -> Store:
    return memory_store(seed_build.triples, seed_build.quads())


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def seed_page(seed_store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = tmp_path_factory.mktemp("page") / "graph.html"
    write_html(seed_store, page)
    return page


@pytest.fixture
def opened(browser: Browser, seed_page: Path) -> Iterator[Opened]:
    opened = Opened(browser, seed_page)
    yield opened
    opened.page.close()


@pytest.fixture(scope="session")
def seed_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seed") / "exports"
    build_to_folder([SEED], folder)
    return folder


def mention(text: str, name: str, kind: EntityType = EntityType.METHOD, confidence: float = 0.9) -> Mention:
    """The first occurrence of `name` in `text` as a mention."""
    start = text.index(name)
    return Mention(start, start + len(name), kind, name, confidence)


@pytest.fixture
def soap() -> Extraction:
    """One abstract of one sentence that holds a bit of everything."""
    text = "We propose SOAP, which beats AdamW by 40% on C4 for pre-training; code: https://example.org/soap."
    subject, baseline = mention(text, "SOAP"), mention(text, "AdamW", confidence=0.8)
    data, task = mention(text, "C4", EntityType.DATASET), mention(text, "pre-training", EntityType.TASK)
    end = len(text)
    return Extraction(
        Paper(text, title="SOAP: improving Shampoo", id="arXiv:2409.11321", year=2025, authors=("N. Vyas",)),
        sentences=(Sentence(0, end),),
        mentions=(subject, baseline, data, task),
        relations=(
            Relation(subject, RelationType.COMPARED_WITH, baseline, 0, end, 0.7),
            Relation(subject, RelationType.EVALUATED_ON, data, 0, end, 0.6),
            Relation(subject, RelationType.USED_FOR, task, 0, end, 0.5),
        ),
        proposals=(Proposal(subject, 0, end, 0.9),),
        claims=(
            Claim(
                ClaimKind.RESULT,
                0,
                end,
                0.8,
                about=(subject, baseline),
                subject=subject,
                baseline=baseline,
                dataset=data,
                direction=Direction.BETTER,
                unit="%",
            ),
        ),
        links=(Link("https://example.org/soap", text.index("https"), end - 1),),
    )


@pytest.fixture
def as_store() -> Callable[..., Store]:
    """A function from extractions to the store that they make."""

    def make(*extractions: Extraction) -> Store:
        known = [(paper_iri(BASE, e.paper), e) for e in extractions]
        return memory_store(graph_of(known))

    return make
