"""How the number of papers that mention something changes over the years."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.reading import label_of, links, literals, nodes

__all__ = ["Trend", "papers_by_year", "trends"]


@dataclass(frozen=True, slots=True)
class Trend:
    """An entity's papers by year, and how its share of all papers changed: the last year's over that of all before.

    `change` is None where nothing came before.
    """

    label: str
    papers: Mapping[int, int]
    change: float | None


def papers_by_year(store: Store) -> Counter[int]:
    """How many papers of each year the graph has; papers without a year are left out."""
    return Counter(_years(store).values())


def trends(store: Store, *, kind: str = "Method", only: Iterable[NamedNode] = (), top: int = 20) -> list[Trend]:
    """The entities of a type, those whose share grew most first, or the given ones in their order.

    Of a type, only entities with at least three papers count.
    """
    years = _years(store)
    wanted = list(only) or list(nodes(store, v.kg(kind)))
    known = set(wanted)
    counts: defaultdict[NamedNode, Counter[int]] = defaultdict(Counter)
    for paper, entity in links(store, v.MENTIONS):
        if entity in known and paper in years:
            counts[entity][years[paper]] += 1
    totals = Counter(years.values())
    made = [
        Trend(label_of(store, each), dict(sorted(counts[each].items())), _change(counts[each], totals))
        for each in wanted
    ]
    if only:
        return made
    enough = [each for each in made if sum(each.papers.values()) >= 3]
    infinite = float("inf")
    order = sorted(
        enough, key=lambda t: (-(infinite if t.change is None else t.change), -sum(t.papers.values()), t.label)
    )
    return order[:top]


def _change(papers: Counter[int], totals: Counter[int]) -> float | None:
    if not totals:
        return None
    last = max(totals)
    before = sum(count for year, count in papers.items() if year < last)
    all_before = sum(count for year, count in totals.items() if year < last)
    if not before or not all_before:
        return None
    return (papers[last] / totals[last]) / (before / all_before)


def _years(store: Store) -> dict[NamedNode, int]:
    return {paper: int(year) for paper, year in literals(store, v.ISSUED) if year.lstrip("-").isdigit()}
