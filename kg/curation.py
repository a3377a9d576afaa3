"""What people decided about entities, in a plain file that every build replays.

The file is a table of tab-separated values with the columns of SSSOM (Matentzoglu et al., Database 2022) that apply:
made to be read, edited and reviewed line by line. A line says that two names are one thing (`skos:exactMatch`), that a
name is not an entity's (`owl:differentFrom`), what an entity is called (`skos:prefLabel`), what it is (`rdf:type`), or
that a name names nothing (`kg:blocked`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from kg.errors import InputError
from kg.identity import canonical_key
from kg.records import EntityType

__all__ = ["CURATION_FILE", "NO_DECISIONS", "Action", "Curation", "Decision", "read_curation", "write_curation"]

CURATION_FILE = "curation.tsv"
"""Its name, beside the graph."""

COLUMNS = (
    "subject_label",
    "predicate_id",
    "object_label",
    "mapping_justification",
    "author_label",
    "mapping_date",
    "comment",
)
BY_HAND = "semapv:ManualMappingCuration"


class Action(StrEnum):
    """What a decision does; the value is its predicate in the file."""

    MERGE = "skos:exactMatch"
    SPLIT = "owl:differentFrom"
    RENAME = "skos:prefLabel"
    RETYPE = "rdf:type"
    BLOCK = "kg:blocked"


@dataclass(frozen=True, slots=True)
class Decision:
    """One line of the file; `object` is a name, a label or a type, and empty for a block."""

    action: Action
    subject: str
    object: str = ""
    author: str = ""
    date: str = ""
    comment: str = ""

    def __str__(self) -> str:
        """The decision as a person would say it."""
        said = {
            Action.MERGE: f'"{self.subject}" is "{self.object}"',
            Action.SPLIT: f'"{self.subject}" is not "{self.object}"',
            Action.RENAME: f'"{self.subject}" is called "{self.object}"',
            Action.RETYPE: f'"{self.subject}" is a {self.object}',
            Action.BLOCK: f'"{self.subject}" names nothing',
        }
        return said[self.action]


@dataclass(frozen=True, slots=True)
class Curation:
    """All decisions, in the order of the file."""

    decisions: tuple[Decision, ...] = ()

    def of(self, *actions: Action) -> Iterator[Decision]:
        """The decisions of these kinds."""
        return (each for each in self.decisions if each.action in actions)

    def with_decision(self, decision: Decision) -> Curation:
        """The curation with one more decision, in the place of those that it contradicts or repeats."""
        kept = tuple(each for each in self.decisions if not _replaces(decision, each))
        return Curation((*kept, decision))

    def without_block(self, name: str) -> Curation:
        """The curation in which `name` is not blocked. Raises InputError if it is not now."""
        blocks = {each for each in self.of(Action.BLOCK) if canonical_key(each.subject) == canonical_key(name)}
        if not blocks:
            known = ", ".join(each.subject for each in self.of(Action.BLOCK)) or "nothing"
            raise InputError(f'"{name}" is not blocked', hint=f"blocked: {known}")
        return Curation(tuple(each for each in self.decisions if each not in blocks))


NO_DECISIONS = Curation()


def _replaces(new: Decision, old: Decision) -> bool:
    """Whether the new decision stands in the place of the old one."""
    pair = frozenset(map(canonical_key, (new.subject, new.object)))
    if {new.action, old.action} <= {Action.MERGE, Action.SPLIT}:
        return pair == frozenset(map(canonical_key, (old.subject, old.object)))
    return new.action is old.action and canonical_key(new.subject) == canonical_key(old.subject)


def read_curation(path: Path) -> Curation:
    """The decisions in the file at `path`; none if there is no file. Raises InputError with the line that is wrong."""
    if not path.exists():
        return NO_DECISIONS
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("the curation file cannot be read", where=str(path), hint=str(error)) from error
    rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
    numbered = [(number, row) for number, row in enumerate(rows, 1) if row and not row[0].startswith("#")]
    if not numbered:
        return NO_DECISIONS
    header = numbered[0][1]
    missing = [name for name in COLUMNS[:3] if name not in header]
    if missing:
        raise InputError(f"the header lacks {', '.join(missing)}", where=f"{path}, line {numbered[0][0]}")
    named = ((dict(zip(header, row, strict=False)), number) for number, row in numbered[1:])
    return Curation(tuple(_decision(row, f"{path}, line {number}") for row, number in named))


def _decision(row: dict[str, str], where: str) -> Decision:
    subject, predicate, target = ((row.get(name) or "").strip() for name in COLUMNS[:3])
    try:
        action = Action(predicate)
    except ValueError:
        known = ", ".join(Action)
        raise InputError(f'no decision is called "{predicate}"', where=where, hint=f"known: {known}") from None
    if not subject or not (target or action is Action.BLOCK):
        raise InputError("a decision needs a subject_label and an object_label", where=where)
    if action is Action.RETYPE and target not in list(EntityType):
        raise InputError(f'no type is called "{target}"', where=where, hint="known: " + ", ".join(EntityType))
    rest = ((row.get(name) or "").strip() for name in COLUMNS[4:])
    return Decision(action, subject, target, *rest)


def write_curation(curation: Curation, path: Path) -> None:
    """Write the file anew, whole or not at all. Raises InputError when it cannot be written."""
    out = io.StringIO(newline="")
    out.write("\t".join(COLUMNS) + "\n")
    for each in curation.decisions:
        cells = (each.subject, each.action, each.object, BY_HAND, each.author, each.date, each.comment)
        out.write("\t".join(_cell(cell) for cell in cells) + "\n")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(path.name + ".new")
        draft.write_text(out.getvalue(), encoding="utf-8", newline="")
        draft.replace(path)
    except OSError as error:
        raise InputError("the curation file cannot be written", where=str(path), hint=str(error)) from error


def _cell(text: str) -> str:
    return " ".join(text.split())
