"""How fast a page is made and drawn: 300 and 2,000 entities of a graph, in headless Chromium.

python benchmarks/bench_view.py [GRAPH]

Without a graph it makes one of 6,500 papers up, with few names that many papers share and many that few do, as names
are in abstracts; the extractor is left out. Of a page the time until its first drawing counts, then frames while it is
dragged and zoomed.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pyoxigraph import Store

from kg.identity import BASE, paper_iri
from kg.pipeline import graph_of
from kg.records import (
    Claim,
    ClaimKind,
    EntityType,
    Extraction,
    Mention,
    Paper,
    Proposal,
    Relation,
    RelationType,
    Sentence,
)
from kg.selection import most_connected
from kg.store import load_graph, memory_store
from kg.view import write_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAPERS, SHARED, OWN = 6500, 8000, 6  # papers, names that papers share, names that each paper brings along
KINDS = (EntityType.METHOD, EntityType.METHOD, EntityType.METHOD, EntityType.TASK, EntityType.DATASET)
SAYS = {
    EntityType.METHOD: RelationType.COMPARED_WITH,
    EntityType.TASK: RelationType.USED_FOR,
    EntityType.DATASET: RelationType.EVALUATED_ON,
}
FRAMES = """async () => {
  const times = [];
  const box = document.querySelector("#network canvas");
  const at = box.getBoundingClientRect();
  for (let frame = 0; frame < 40; frame += 1) {
    const started = performance.now();
    const where = {clientX: at.x + 300, clientY: at.y + 300, bubbles: true, cancelable: true};
    box.dispatchEvent(new WheelEvent("wheel", {deltaY: frame % 2 ? 40 : -40, ...where}));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    times.push(performance.now() - started);
  }
  return times;
}"""


def made_up() -> Iterator[Extraction]:
    """Papers that name and relate things about as often as abstracts do: the most frequent name in a third of them."""
    chance = random.Random(1)
    weights = [1 / (rank + 2) ** 1.1 for rank in range(SHARED)]
    for number in range(PAPERS):
        shared = dict.fromkeys(chance.choices(range(SHARED), weights, k=4))
        picked = [*shared, *(SHARED + OWN * number + own for own in range(OWN))]
        chance.shuffle(picked)
        text, mentions = f"Of paper {number}: ", []
        for name in picked:
            mentions.append(Mention(len(text), len(text) + len(f"thing{name}"), KINDS[name % 5], f"thing{name}", 0.9))
            text += f"thing{name} and some words, "
        end = len(text)
        methods = [m for m in mentions if m.type is EntityType.METHOD]
        pairs = [(chance.choice(methods), chance.choice(mentions)) for _ in range(6)] if methods else []
        yield Extraction(
            Paper(text, title=f"Paper {number}", year=2020 + number % 6, id=f"made:{number}"),
            sentences=(Sentence(0, end),),
            mentions=tuple(mentions),
            relations=tuple(Relation(a, SAYS[b.type], b, 0, end, 0.8) for a, b in pairs if a is not b),
            proposals=tuple(Proposal(m, 0, end) for m in methods[-1:]),
            claims=tuple(Claim(kind, 0, end, 0.8, about=tuple(mentions[:3])) for kind in ClaimKind),
        )


def made_up_store() -> Store:
    known = [(paper_iri(BASE, extraction.paper), extraction) for extraction in made_up()]
    return memory_store(graph_of(known))


def opened(browser: Browser, page: Path) -> tuple[float, float]:
    """Seconds from the call to the first drawing, and milliseconds of the median frame while zooming."""
    tab = browser.new_page(viewport={"width": 1400, "height": 900})
    started = time.perf_counter()
    tab.goto(page.as_uri(), wait_until="commit")
    tab.wait_for_selector("html[data-ready=true]", state="attached")
    spent = time.perf_counter() - started
    frames = tab.evaluate(FRAMES)
    tab.close()
    return spent, statistics.median(frames)


def main(graph: str | None) -> None:
    from playwright.sync_api import sync_playwright

    started = time.perf_counter()
    store = load_graph(graph) if graph else made_up_store()
    print(f"{len(store)} triples, {'loaded' if graph else 'made up'} in {time.perf_counter() - started:.1f} s")
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for top in (300, 2000):
            started = time.perf_counter()
            page = Path(name) / f"{top}.html"
            write_html(store, page, most_connected(store, top=top))
            written = time.perf_counter() - started
            runs = [opened(browser, page) for _ in range(5)]
            spent = [seconds for seconds, _ in runs]
            print(
                f"{top:5} entities: written in {written:5.1f} s, {page.stat().st_size / 1e6:5.1f} MB; "
                f"first drawing after {statistics.median(spent):.2f} s (worst of 5: {max(spent):.2f} s), "
                f"frame {runs[-1][1]:.0f} ms"
            )
        browser.close()
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
