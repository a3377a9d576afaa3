"""The records that the stages hand to each other: frozen, hashable, and nothing but data.

Offsets are half-open and count Unicode characters. `start` and `end` are always offsets into the original
abstract, `Paper.abstract`; only :class:`CleanText` knows the cleaned text, and maps it back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

__all__ = [
    "DOMAIN_AND_RANGE",
    "SLOTS",
    "Claim",
    "ClaimKind",
    "CleanText",
    "Direction",
    "Entity",
    "EntityType",
    "Evidence",
    "Extraction",
    "Link",
    "Mention",
    "Merge",
    "MergeRule",
    "Paper",
    "Proposal",
    "Relation",
    "RelationType",
    "Role",
    "Sentence",
    "Statement",
    "map_slots",
]


class EntityType(StrEnum):
    """What a mention or an entity is; the value is the local name of its class in the ontology."""

    METHOD = "Method"
    TASK = "Task"
    DATASET = "Dataset"
    METRIC = "Metric"


class RelationType(StrEnum):
    """How two mentions are related; the value is the local name of the property, but for `SAME_ENTITY`."""

    USED_FOR = "usedFor"
    PART_OF = "partOf"
    KIND_OF = "kindOf"
    SUB_TASK_OF = "subTaskOf"
    EVALUATED_ON = "evaluatedOn"
    TRAINED_ON = "trainedOn"
    BENCHMARK_FOR = "benchmarkFor"
    COMPARED_WITH = "comparedWith"
    SAME_ENTITY = "sameEntity"
    """Two mentions name one entity, such as a long form and its acronym; makes no triple."""


_SAME_TYPE = frozenset((kind, kind) for kind in EntityType)
_METHOD, _TASK, _DATASET, _ = EntityType

DOMAIN_AND_RANGE: Mapping[RelationType, frozenset[tuple[EntityType, EntityType]]] = {
    RelationType.USED_FOR: frozenset({(_METHOD, _TASK), (_METHOD, _METHOD)}),
    RelationType.PART_OF: frozenset({(_METHOD, _METHOD)}),
    RelationType.KIND_OF: frozenset({(_METHOD, _METHOD)}),
    RelationType.SUB_TASK_OF: frozenset({(_TASK, _TASK)}),
    RelationType.EVALUATED_ON: frozenset({(_METHOD, _DATASET)}),
    RelationType.TRAINED_ON: frozenset({(_METHOD, _DATASET)}),
    RelationType.BENCHMARK_FOR: frozenset({(_DATASET, _TASK)}),
    RelationType.COMPARED_WITH: _SAME_TYPE,
    RelationType.SAME_ENTITY: _SAME_TYPE,
}
"""The types of head and tail that a relation may join."""


class ClaimKind(StrEnum):
    """The four kinds of claim; the value is the local name of the class."""

    CONTRIBUTION = "Contribution"
    RESULT = "Result"
    FINDING = "Finding"
    LIMITATION = "Limitation"


class Direction(StrEnum):
    """Which way a result goes: a quantity rises or falls, or the subject is better, worse or equal."""

    INCREASE = "increase"
    DECREASE = "decrease"
    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"


class Role(StrEnum):
    """The rhetorical role of a sentence, as in CSAbstruct (Cohan et al., EMNLP 2019)."""

    BACKGROUND = "background"
    OBJECTIVE = "objective"
    METHOD = "method"
    RESULT = "result"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper as it was read. `source` says where from ("papers.jsonl, line 3") and never enters the graph.

    `aliases` are identifiers and addresses of the same paper beside `id` and `url`.
    """

    abstract: str
    title: str | None = None
    id: str | None = None
    year: int | None = None
    venue: str | None = None
    authors: tuple[str, ...] = ()
    url: str | None = None
    keywords: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class CleanText:
    """A cleaned text; `offsets[i]` is the slice of `source` that the clean character `text[i]` stands for."""

    source: str
    text: str
    offsets: tuple[tuple[int, int], ...]

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """The slice of `source` that `text[start:end]` came from.

        >>> CleanText("a **b**", "a b", ((0, 1), (1, 2), (4, 5))).to_source(2, 3)
        (4, 5)
        """
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"empty or outside the text of {len(self.text)} characters: [{start}, {end})")
        return self.offsets[start][0], self.offsets[end - 1][1]


@dataclass(frozen=True, slots=True)
class Mention:
    """A span that names an entity. `name` is its cleaned text; `confidence` is a probability, 0 to 1."""

    start: int
    end: int
    type: EntityType
    name: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the abstract and, where it is known, its rhetorical role."""

    start: int
    end: int
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """`head` type `tail`, said in the span from `start` to `end`."""

    head: Mention
    type: RelationType
    tail: Mention
    start: int
    end: int
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Proposal:
    """The paper introduces `mention`, says the span from `start` to `end`."""

    mention: Mention
    start: int
    end: int
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Claim:
    """An asserted sentence or clause. The slots from `subject` on are filled only where the text fills them.

    A slot holds a mention where the text names an entity, else the words of the text.
    """

    kind: ClaimKind
    start: int
    end: int
    confidence: float = 1.0
    about: tuple[Mention, ...] = ()
    subject: Mention | str | None = None
    metric: Mention | str | None = None
    direction: Direction | None = None
    value: Decimal | None = None
    unit: str | None = None
    qualifier: str | None = None
    baseline: Mention | str | None = None
    dataset: Mention | str | None = None
    task: Mention | str | None = None
    condition: str | None = None
    negated: bool = False
    hedged: bool = False


SLOTS = ("subject", "metric", "baseline", "dataset", "task")
"""The slots of a claim that hold a mention where the text names an entity, else the words of the text."""


def map_slots(claim: Claim, change: Callable[[Mention], Mention | str]) -> Claim:
    """The claim with every mention in its slots changed."""
    slots = {name: getattr(claim, name) for name in SLOTS}
    changed = {name: change(value) for name, value in slots.items() if isinstance(value, Mention)}
    return replace(claim, **changed)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Link:
    """A link to code or data; `start` and `end` span the address as it is written."""

    url: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that one abstract says."""

    paper: Paper
    sentences: tuple[Sentence, ...] = ()
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    claims: tuple[Claim, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """What mentions of all papers name: one key, a type, a preferred label and every name in use."""

    key: str
    type: EntityType
    label: str
    names: tuple[str, ...]
    second_type: EntityType | None = None
    """Another type, where many mentions have it."""

    @property
    def types(self) -> tuple[EntityType, ...]:
        """Its type, and the second one if it has one."""
        return (self.type,) if self.second_type is None else (self.type, self.second_type)


class MergeRule(StrEnum):
    """Why two names are one entity, as a person would say it."""

    DEFINED_ACRONYM = "a paper defines the acronym"
    DESCRIBED = "a paper describes what it defines an acronym for"
    AGREED_ACRONYM = "the papers that define the acronym agree"
    ACRONYM_BY_CONTEXT = "the acronym stands among what belongs to this meaning"
    SAME_LETTERS = "the same letters, spelled apart or together"
    ALIKE = "alike names"
    BY_HAND = "decided by hand"


@dataclass(frozen=True, slots=True)
class Merge:
    """That names with the key `key` are the entity `into`: by which rule, how sure (0 to 1), and who says so.

    `places` are sentences of papers that define it: the paper's IRI, and where in its abstract.
    """

    key: str
    into: str
    rule: MergeRule
    score: float
    places: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The slice `quote` of a paper's abstract; `paper` is the paper's IRI."""

    paper: str
    start: int
    end: int
    quote: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Statement:
    """A triple of the graph, as IRIs."""

    subject: str
    predicate: str
    object: str
