"""What nobody seems to have tried: methods and tasks that the graph does not join, though all that is near is joined.

A method is near another one when they are used for the same tasks, a task near another when the same methods are used
for it (cosine over the number of papers). An empty pair counts as much as its near pairs are full.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from pyoxigraph import NamedNode, Store

from kg import vocabulary as v
from kg.reading import label_of, nodes, objects, read_statement, subjects

__all__ = ["Gap", "Reason", "find_gaps"]

NEAREST = 10
"""So many near methods and tasks are looked at for each."""

Table = Mapping[str, Counter[str]]
"""How many papers join each key of the first kind with each of the second."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A near pair that is full: the other method or task, how near it is (0 to 1), and in how many papers."""

    kind: str
    label: str
    nearness: float
    papers: int

    def __str__(self) -> str:
        """The reason in words."""
        papers = f"{self.papers} paper{'s' * (self.papers != 1)}"
        if self.kind == "method":
            return f"{self.label}, a method near it ({self.nearness:.2f}), is used for the task ({papers})"
        return f"the method is used for {self.label}, a task near it ({self.nearness:.2f}; {papers})"


@dataclass(frozen=True, slots=True)
class Gap:
    """A method and a task that no paper joins, and why one might."""

    method: str
    task: str
    score: float
    reasons: tuple[Reason, ...]


def find_gaps(
    store: Store, *, task: NamedNode | None = None, method: NamedNode | None = None, top: int = 20
) -> list[Gap]:
    """The empty pairs with the most that is near and full, narrowed to a task or a method where given."""
    by_method = _used_for(store)
    by_task: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, tasks in by_method.items():
        for other, papers in tasks.items():
            by_task[other][name] += papers
    near_methods, near_tasks = _Nearness(by_method, by_task), _Nearness(by_task, by_method)
    found = []
    for one in [method.value] if method else sorted(by_method):
        for other in [task.value] if task else _candidates(one, by_method, near_methods, near_tasks):
            if by_method.get(one, Counter())[other] == 0:
                reasons = [
                    *(
                        (sim * by_method[m][other], "method", m, sim, by_method[m][other])
                        for m, sim in near_methods.of(one)
                    ),
                    *((sim * by_task[t][one], "task", t, sim, by_task[t][one]) for t, sim in near_tasks.of(other)),
                ]
                full = sorted((each for each in reasons if each[4]), key=lambda each: (-each[0], each[2]))
                if {kind for _, kind, *_ in full} == {"method", "task"}:
                    found.append((sum(weight for weight, *_ in full), one, other, full))
    found.sort(key=lambda each: (-each[0], each[1], each[2]))
    return [
        Gap(
            _label(store, one),
            _label(store, other),
            score,
            tuple(Reason(kind, _label(store, iri), sim, papers) for _, kind, iri, sim, papers in full[:4]),
        )
        for score, one, other, full in found[:top]
    ]


def _candidates(method: str, by_method: Table, near_methods: _Nearness, near_tasks: _Nearness) -> list[str]:
    """The tasks that are near those of a method, or those of a method near it."""
    tasks = {task for near, _ in near_methods.of(method) for task in by_method[near]}
    tasks |= {near for task in by_method[method] for near, _ in near_tasks.of(task)}
    return sorted(tasks - by_method[method].keys())


class _Nearness:
    """The nearest others of each row of a table, by the cosine of their rows."""

    def __init__(self, rows: Table, columns: Table) -> None:
        self._rows = rows
        self._columns = columns
        self._norms = {key: math.sqrt(sum(n * n for n in row.values())) for key, row in rows.items()}
        self._known: dict[str, list[tuple[str, float]]] = {}

    def of(self, key: str) -> list[tuple[str, float]]:
        """The nearest others, the nearest first, each with its nearness."""
        if key not in self._known:
            shared: Counter[str] = Counter()
            for column, papers in self._rows.get(key, Counter()).items():
                for other, others in self._columns[column].items():
                    if other != key:
                        shared[other] += papers * others
            near = [(other, dot / (self._norms[key] * self._norms[other])) for other, dot in shared.items()]
            self._known[key] = sorted(near, key=lambda each: (-each[1], each[0]))[:NEAREST]
        return self._known[key]


def _used_for(store: Store) -> dict[str, Counter[str]]:
    """The number of papers that say that a method is used for a task."""
    tasks = {node.value for node in nodes(store, v.kg("Task"))}
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for node in subjects(store, v.PREDICATE, v.kg("usedFor")):
        statement = read_statement(store, node)
        if statement.object in tasks:
            found[statement.subject][statement.object] += sum(1 for _ in objects(store, node, v.SUPPORT))
    return found


def _label(store: Store, iri: str) -> str:
    return label_of(store, NamedNode(iri))
