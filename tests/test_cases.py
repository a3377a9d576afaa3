"""Whole builds, as folders: `cases/NAME/input.*` gives `expected.ttl`, all but the confidences.

`python tests/test_cases.py` writes the expected files anew; read the difference before you commit it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import Triple

from kg import vocabulary as v
from kg.pipeline import build
from kg.store import content, load_graph
from kg.turtle import turtle

CASES = sorted(path for path in Path(__file__).with_name("cases").iterdir() if path.is_dir())


def built(case: Path) -> set[Triple]:
    """What the input gives, without how sure the extractor is: that may differ in the last place between processors."""
    (given,) = case.glob("input.*")
    return {triple for triple in build([given]).triples if triple.predicate != v.CONFIDENCE}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_input_gives_the_expected_graph(case: Path) -> None:
    assert built(case) == set(content(load_graph(case / "expected.ttl")))


if __name__ == "__main__":
    for each in CASES:
        (each / "expected.ttl").write_bytes(turtle(built(each)))
