"""The project's own annotated abstracts: from the annotators' raw lines to the corpus in `kg/train/data`.

A raw line names mentions by their words, sentence by sentence, in text order (see the annotators' guide); the
compiled corpus has offsets into the abstract. One line of it is::

    {"id", "title", "abstract", "licence", "source",
     "sentences": [{"start", "end", "role"}],
     "mentions": [{"start", "end", "type"}],
     "relations": [{"head", "tail", "type"}],         places in `mentions`
     "proposes": [place],
     "claims": [{"kind", "start", "end", "about": [place], ...}]}

A claim keeps every slot that the annotator filled. The slots subject, metric, baseline, dataset and task hold a
place in `mentions` (a number), or the words of the text where they name no mention.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import RecordError
from kg.records import EntityType, RelationType
from kg.train.scores import Score, compare

__all__ = ["agreement", "compile_annotations", "compile_corpus", "read_raw", "split_corpus", "write_corpus"]

Json = dict[str, Any]
LETTERS = dict(zip("MTDX", EntityType, strict=True))
RELATIONS = {type_.value: type_ for type_ in RelationType} | {"same": RelationType.SAME_ENTITY}
NAMING_SLOTS = ("subject", "metric", "baseline", "dataset", "task")
PLAIN_SLOTS = ("direction", "value", "from", "unit", "qualifier", "condition", "whose", "polarity", "certainty")
SPLITS = {"train": 200, "dev": 40, "test": 60}


def read_raw(paths: Iterable[Path]) -> dict[int, Json]:
    """The annotators' lines of all files by the number of the abstract; a later line replaces an earlier one."""
    lines = (line for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return {record["n"]: record for record in map(json.loads, lines)}


def compile_annotations(items: Sequence[Json], raw: dict[int, Json]) -> Iterator[Json | RecordError]:
    """The compiled abstract of each item that has a raw line; an error in its place where the two do not fit."""
    for item in items:
        if item["n"] in raw:
            try:
                yield _compile(item, raw[item["n"]])
            except (LookupError, ValueError) as error:
                yield RecordError(f"annotation does not fit the text: {error}", where=item["id"])


@dataclass(frozen=True, slots=True)
class _Placed:
    """The mentions of an abstract, and where each surface stands among them, by sentence."""

    mentions: list[Json]
    by_sentence: list[dict[str, list[int]]]

    def of(self, surface: str, sentence: int) -> int:
        """The mention that `surface` means in `sentence`: there if it can be, else its first elsewhere."""
        name, mark, number = surface.rpartition("#")
        here = self.by_sentence[sentence]
        if surface not in here and mark and name in here and number.isdigit():
            return here[name][int(number) - 1]
        for names in (here, *self.by_sentence):
            if surface in names:
                return names[surface][0]
        raise LookupError(f"no mention {surface!r}")


def _compile(item: Json, raw: Json) -> Json:
    placed = _place(item, raw)
    sentences = [
        {"start": start, "end": end, "role": line["role"]}
        for (start, end), line in zip(item["sentences"], raw["s"], strict=True)
    ]
    relations = [
        {"head": placed.of(head, number), "tail": placed.of(tail, number), "type": RELATIONS[label].value}
        for number, line in enumerate(raw["s"])
        for head, label, tail in line.get("rel", ())
    ]
    claims = [
        _claim(claim, placed, number, item) for number, line in enumerate(raw["s"]) for claim in line.get("claims", ())
    ]
    about = {name: item[name] for name in ("id", "title", "abstract", "licence", "source")}
    proposes = sorted({placed.of(surface, 0) for surface in raw.get("proposes", ())})
    body = {"mentions": placed.mentions, "relations": relations, "proposes": proposes, "claims": claims}
    return about | {"sentences": sentences} | body


def _place(item: Json, raw: Json) -> _Placed:
    mentions: list[Json] = []
    by_sentence: list[dict[str, list[int]]] = []
    for (start, end), line in zip(item["sentences"], raw["s"], strict=True):
        sentence, place = item["abstract"][start:end], 0
        names: dict[str, list[int]] = {}
        for letter, surface in line.get("m", ()):
            found = find_surface(sentence, surface, place)
            place = found + len(surface)
            names.setdefault(surface, []).append(len(mentions))
            mentions.append({"start": start + found, "end": start + place, "type": LETTERS[letter].value})
        by_sentence.append(names)
    return _Placed(mentions, by_sentence)


def find_surface(sentence: str, surface: str, start: int) -> int:
    """Where `surface` next stands as whole words from `start` on, else anywhere.

    >>> find_surface("SGDM and SGD", "SGD", 0)
    9
    """
    place = anywhere = sentence.find(surface, start)
    while place >= 0:
        end = place + len(surface)
        inside_before = place > 0 and sentence[place - 1].isalnum() and surface[0].isalnum()
        inside_after = end < len(sentence) and sentence[end].isalnum() and surface[-1].isalnum()
        if not inside_before and not inside_after:
            return place
        place = sentence.find(surface, place + 1)
    if anywhere < 0:
        raise LookupError(f"{surface!r} is not in the rest of {sentence!r}")
    return anywhere


def _claim(claim: Json, placed: _Placed, sentence: int, item: Json) -> Json:
    start, end = item["sentences"][sentence]
    if "clause" in claim:
        start = item["abstract"].index(claim["clause"], start)
        end = start + len(claim["clause"])
    about = [placed.of(surface, sentence) for surface in claim.get("about", ())]
    slots = {name: _slot(claim[name], placed, sentence) for name in NAMING_SLOTS if name in claim}
    slots |= {name: claim[name] for name in PLAIN_SLOTS if name in claim}
    return {"kind": claim["kind"], "start": start, "end": end, "about": about, **slots}


def _slot(words: str, placed: _Placed, sentence: int) -> int | str:
    try:
        return placed.of(words, sentence)
    except LookupError:
        return words


def compile_corpus(items: Sequence[Json], raw: dict[int, Json], folder: Path) -> list[RecordError]:
    """Compile what is annotated of `items` into the splits in `folder`; what does not fit is left out and given back.

    The split is drawn over all items, so that it stays the same while annotations still come in.
    """
    compiled = list(compile_annotations(items, raw))
    done = {abstract["id"]: abstract for abstract in compiled if not isinstance(abstract, RecordError)}
    splits = {
        name: [done[item["id"]] for item in group if item["id"] in done] for name, group in split_corpus(items).items()
    }
    write_corpus(splits, folder)
    return [error for error in compiled if isinstance(error, RecordError)]


def split_corpus(abstracts: Sequence[Json]) -> dict[str, list[Json]]:
    """The abstracts in train, dev and test, about 200 to 40 to 60, each with the same mixture of sources.

    The order comes from the hash of the id, so a paper's split does not depend on the order of annotation.
    """
    splits: dict[str, list[Json]] = {name: [] for name in SPLITS}
    sources: dict[str, list[Json]] = {}
    for abstract in abstracts:
        sources.setdefault(abstract["licence"], []).append(abstract)
    for _, group in sorted(sources.items()):
        group.sort(key=lambda abstract: hashlib.sha256(abstract["id"].encode()).digest())
        start = 0.0
        for name, size in SPLITS.items():
            end = start + len(group) * size / sum(SPLITS.values())
            splits[name] += group[math.floor(start + 0.5) : math.floor(end + 0.5)]
            start = end
    return splits


def write_corpus(splits: dict[str, list[Json]], folder: Path) -> None:
    """Write each split to `folder`/NAME.jsonl, one abstract a line."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, abstracts in splits.items():
        lines = [json.dumps(abstract, ensure_ascii=False) + "\n" for abstract in abstracts]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


def agreement(first: Sequence[Json], second: Sequence[Json]) -> dict[str, Score]:
    """How far two compilations of the same abstracts agree, the second scored against the first.

    Entities by span and type, relations by both spans and the type, claims by the sentence and their kind.
    """
    readers: dict[str, Callable[[Json], Iterable[Hashable]]] = {
        "entities": lambda each: ((m["start"], m["end"], m["type"]) for m in each["mentions"]),
        "spans": lambda each: ((m["start"], m["end"]) for m in each["mentions"]),
        "relations": _relation_keys,
        "claims": lambda each: ((_home(each, claim), claim["kind"]) for claim in each["claims"]),
        "roles": lambda each: ((s["start"], s["role"]) for s in each["sentences"]),
        "proposes": lambda each: (
            each["abstract"][each["mentions"][m]["start"] : each["mentions"][m]["end"]] for m in each["proposes"]
        ),
    }
    both = {each["id"] for each in first} & {each["id"] for each in second}

    def items(side: Sequence[Json], read: Callable[[Json], Iterable[Hashable]]) -> set[Hashable]:
        return {(each["id"], key) for each in side if each["id"] in both for key in read(each)}

    return {name: compare(items(first, read), items(second, read)) for name, read in readers.items()}


def _relation_keys(abstract: Json) -> Iterator[Any]:
    for relation in abstract["relations"]:
        ends = [abstract["mentions"][relation[side]] for side in ("head", "tail")]
        spans = [(end["start"], end["end"]) for end in ends]
        symmetric = relation["type"] in (RelationType.COMPARED_WITH, RelationType.SAME_ENTITY)
        yield (tuple(sorted(spans) if symmetric else spans), relation["type"])


def _home(abstract: Json, claim: Json) -> int:
    return next(n for n, s in enumerate(abstract["sentences"]) if s["start"] <= claim["start"] < s["end"])
