"""Readers of the published corpora, all into one form: natural text, character offsets, and what is annotated.

The corpora come as tokens, some with digits and hyphens split ("2 0 1 4", "R - CNN"). :func:`join_tokens` rebuilds
the text as an author would write it, so that training sees what an abstract looks like.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from kg.clean import clean
from kg.errors import InputError
from kg.records import CleanText, EntityType, RelationType, Role

__all__ = [
    "Document",
    "Labels",
    "Link",
    "Span",
    "in_clean_text",
    "join_tokens",
    "read_corpora",
    "read_csabstruct",
    "read_gsap",
    "read_own",
    "read_plain",
    "read_scier",
    "read_scierc",
    "read_scinlp",
    "read_tdmsci",
    "sentence_key",
    "without_sentences",
]

METHOD, TASK, DATASET, METRIC = EntityType
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Labels:
    """What a corpus annotates; where it is silent about a label, its texts teach nothing about that label."""

    entities: frozenset[EntityType] = frozenset()
    relations: frozenset[RelationType] = frozenset()
    roles: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A mention in the text of a document; without a type it is a place of which nothing is known."""

    start: int
    end: int
    type: EntityType | None


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between the mentions at the places `head` and `tail` of a document's list."""

    head: int
    tail: int
    type: RelationType


@dataclass(frozen=True, slots=True)
class Document:
    """One text of a corpus; all offsets are characters of `text`, and `roles` has one entry a sentence."""

    id: str
    text: str
    sentences: tuple[tuple[int, int], ...]
    mentions: tuple[Span, ...] = ()
    relations: tuple[Link, ...] = ()
    roles: tuple[Role | None, ...] = ()
    annotates: Labels = Labels()


THREE = frozenset({METHOD, TASK, DATASET})
ALL_RELATIONS = frozenset(RelationType)

SCIER_RELATIONS = {
    "Used-For": RelationType.USED_FOR,
    "Part-Of": RelationType.PART_OF,
    "SubClass-Of": RelationType.KIND_OF,
    "SubTask-Of": RelationType.SUB_TASK_OF,
    "Evaluated-With": RelationType.EVALUATED_ON,
    "Trained-With": RelationType.TRAINED_ON,
    "Benchmark-For": RelationType.BENCHMARK_FOR,
    "Compare-With": RelationType.COMPARED_WITH,
    "Synonym-Of": RelationType.SAME_ENTITY,
}
SCIERC_TYPES = {"Method": METHOD, "Task": TASK, "Metric": METRIC}
SCIERC_UNKNOWN = frozenset({"Material", "OtherScientificTerm"})
"""Wider than our types: an image collection may or may not be a Dataset, a term may be a Method."""
SCIERC_RELATIONS = {
    ("USED-FOR", METHOD, TASK): RelationType.USED_FOR,
    ("USED-FOR", METHOD, METHOD): RelationType.USED_FOR,
    ("HYPONYM-OF", METHOD, METHOD): RelationType.KIND_OF,
    ("HYPONYM-OF", TASK, TASK): RelationType.SUB_TASK_OF,
    ("PART-OF", METHOD, METHOD): RelationType.PART_OF,
    ("PART-OF", TASK, TASK): RelationType.SUB_TASK_OF,
    ("COMPARE", METHOD, METHOD): RelationType.COMPARED_WITH,
}
SCINLP_TYPES = {"method": METHOD, "tool": METHOD, "task": TASK, "dataset": DATASET, "metric": METRIC}
GSAP_TYPES = {
    "Dataset": DATASET,
    "Datasource": DATASET,
    "Method": METHOD,
    "MLModel": METHOD,
    "ModelArchitecture": METHOD,
    "Task": TASK,
    "MLModelGeneric": None,
}
"""In order of preference for one span; generic models ("a language model") are methods in part, so unknown."""

BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
NO_SPACE_BEFORE = re.compile(r"[)\]},.;:?!%°]|n't$|['’](s|re|ve|ll|d|m|t)?$")
OPENING = frozenset("([{$#")
TIGHT = frozenset({"-", "/", "–", "_"})
NAME_WITH_NUMBER = re.compile(r".*[A-Z].*[A-Z]|[A-Z]$|.*[A-Z]\d+$")
"""A word that a number may follow without a space: RCV1, S3D, but not Figure 1."""


def join_tokens(tokens: Sequence[str], *, digits_split: bool = False) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text that `tokens` were split from, as far as can be told, and the span of each token in it.

    >>> join_tokens("R - CNN ( in 2 0 1 4 ) got 4 2 . 2 % with S 3 D .".split(), digits_split=True)[0]
    'R-CNN (in 2014) got 42.2% with S3D.'
    """
    text, spans = "", []
    quoted = False
    for place, raw in enumerate(tokens):
        word = BRACKETS.get(raw, raw).strip() or " "
        closing = word == '"' and quoted
        quoted ^= word == '"'
        glued = closing or _is_glued(tokens, place, digits_split) or text.endswith(" ")
        opened = place > 0 and tokens[place - 1] in ('"', "``") and quoted and word != '"'
        if text and not glued and not opened and word != " ":
            text += " "
        spans.append((len(text), len(text) + len(word)))
        text += word
    return text, tuple(spans)


def _is_glued(tokens: Sequence[str], place: int, digits_split: bool) -> bool:
    """Whether the token at `place` follows the one before it without a space."""
    if place == 0:
        return True
    before, word = (BRACKETS.get(each, each) for each in tokens[place - 1 : place + 1])
    if NO_SPACE_BEFORE.match(word) or before[-1:] in OPENING:
        return True
    if word in TIGHT or before in TIGHT or (digits_split and word.startswith("-") and len(word) > 1):
        return True
    return digits_split and _is_number_part(tokens, place)


def _is_number_part(tokens: Sequence[str], place: int) -> bool:
    """Whether a digit was split from what stands before it, or a letter from the digit before it."""
    before, word = tokens[place - 1 : place + 1]
    earlier = tokens[place - 2] if place > 1 else ""
    if word[:1].isdigit():
        after_point = before in {".", ","} and earlier[-1:].isdigit() and (before == "." or _thousands(tokens, place))
        decimal = re.fullmatch(r"\d*\.", before) is not None
        name = NAME_WITH_NUMBER.match(before) is not None or (word == "2" and tokens[place + 1 : place + 2] == ["vec"])
        return before.isdigit() or after_point or decimal or name
    joined = before.isdigit() and len(before) == 1 and NAME_WITH_NUMBER.match(earlier) is not None
    return (joined and re.fullmatch(r"[A-Z]", word) is not None) or (before == "2" and word in {"vec", "seq"})


def _thousands(tokens: Sequence[str], place: int) -> bool:
    digits = [word.isdigit() for word in tokens[place : place + 4]]
    return len(digits) >= 3 and all(digits[:3]) and not (len(digits) == 4 and digits[3])


def read_scier(path: Path) -> Iterator[Document]:
    """The documents of SciER (Zhang et al., EMNLP 2024) in its PLM form."""
    labels = Labels(THREE, ALL_RELATIONS)
    for line in _lines(path):
        mentions = [[(first, last, EntityType(label)) for first, last, label in sentence] for sentence in line["ner"]]
        relations = [
            [((h1, h2), (t1, t2), SCIER_RELATIONS[label]) for h1, h2, t1, t2, label in sentence]
            for sentence in line["relations"]
        ]
        yield _from_tokens(str(line["doc_id"]), line["sentences"], mentions, relations, labels, digits_split=True)


def read_scierc(path: Path) -> Iterator[Document]:
    """The abstracts of SciERC (Luan et al., EMNLP 2018), mapped to our types as far as they agree."""
    labels = Labels(frozenset({METHOD, TASK, METRIC}), frozenset(SCIERC_RELATIONS.values()))
    for line in _lines(path):
        mentions = [
            [
                (first, last, SCIERC_TYPES.get(label))
                for first, last, label in sentence
                if label in SCIERC_TYPES or label in SCIERC_UNKNOWN
            ]
            for sentence in line["ner"]
        ]
        types = {(first, last): type_ for sentence in mentions for first, last, type_ in sentence}
        relations = [_scierc_relations(sentence, types) for sentence in line["relations"]]
        yield _from_tokens(line["doc_key"], line["sentences"], mentions, relations, labels)


def _scierc_relations(sentence: list[Any], types: dict[tuple[int, int], EntityType | None]) -> list[Any]:
    named = [
        ((h1, h2), (t1, t2), SCIERC_RELATIONS.get((label, types.get((h1, h2)), types.get((t1, t2)))))  # type: ignore[arg-type]
        for h1, h2, t1, t2, label in sentence
    ]
    return [relation for relation in named if relation[2] is not None]


def read_scinlp(path: Path) -> Iterator[Document]:
    """SciNLP (2025), only its sentences with entities; many mentions of the others are not annotated."""
    labels = Labels(frozenset(EntityType))
    for line in _lines(path):
        kept = [place for place, sentence in enumerate(line["ner"]) if sentence]
        starts = [0]
        for sentence in line["sentences"]:
            starts.append(starts[-1] + len(sentence))
        sentences = [line["sentences"][place] for place in kept]
        mentions: list[list[tuple[int, int, EntityType | None]]] = []
        start = 0
        for place in kept:
            shift = start - starts[place]
            mentions.append([(a + shift, b + shift, SCINLP_TYPES[label.lower()]) for a, b, label in line["ner"][place]])
            start += len(line["sentences"][place])
        yield _from_tokens(line["doc_key"], sentences, mentions, [[] for _ in kept], labels)


def read_tdmsci(path: Path) -> Iterator[Document]:
    """The sentences of TDMSci (Hou et al., EACL 2021), each a document; methods are not annotated."""
    labels = Labels(frozenset({TASK, DATASET, METRIC}))
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    for number, block in enumerate(blocks):
        rows = [row.split("\t") for row in block.splitlines() if row.count("\t") >= 2]
        if rows:
            yield _from_rows(f"tdmsci-{path.stem}-{number}", rows, labels)


def _from_rows(name: str, rows: list[list[str]], labels: Labels) -> Document:
    text, mentions, end = "", [], int(rows[0][1])
    for token, offset, tag, *_ in rows:
        text += " " * min(1, max(0, int(offset) - end))
        start, end = len(text), int(offset) + len(token)
        text += token
        if tag.startswith("B-"):
            mentions.append(Span(start, len(text), EntityType(tag[2:].capitalize())))
        elif tag.startswith("I-") and mentions:
            mentions[-1] = replace(mentions[-1], end=len(text))
    return Document(name, text, ((0, len(text)),), tuple(mentions), annotates=labels)


def read_gsap(path: Path, folds: Iterable[int]) -> Iterator[Document]:
    """The paragraphs of GSAP-NER (Otto et al., Findings of EMNLP 2023) in `folds`; of nested spans the longest."""
    wanted = frozenset(folds)
    labels = Labels(THREE)
    order = list(GSAP_TYPES)
    for line in _lines(path):
        if line["fold"] not in wanted:
            continue
        named = [(start, end, label) for start, end, label in line["entities"] if label in GSAP_TYPES]
        named.sort(key=lambda span: (span[0] - span[1], order.index(span[2]), span[0]))
        mentions = _without_overlap(Span(start, end, GSAP_TYPES[label]) for start, end, label in named)
        yield Document(line["id"], line["text"], split_sentences(line["text"]), mentions, annotates=labels)


def read_csabstruct(path: Path, *, least: float = 0.0) -> Iterator[Document]:
    """The abstracts of CSAbstruct (Cohan et al., EMNLP 2019): sentence roles and nothing else.

    A role on which less than the share `least` of the crowd agreed is not known. All of the test split has 0.6 or
    more, but only half of the train and dev splits.
    """
    for number, line in enumerate(_lines(path)):
        text, sentences = "", []
        for sentence in line["sentences"]:
            text += " " if text else ""
            sentences.append((len(text), len(text) + len(sentence)))
            text += sentence
        sure = line.get("confs") or [1.0] * len(line["labels"])
        roles = tuple(
            Role(label) if agreed >= least else None for label, agreed in zip(line["labels"], sure, strict=True)
        )
        yield Document(f"csabstruct-{number}", text, tuple(sentences), roles=roles, annotates=Labels(roles=True))


def read_own(path: Path) -> Iterator[Document]:
    """The abstracts that the project annotated itself (`kg/train/data`), cleaned as at run time, with all labels."""
    labels = Labels(frozenset(EntityType), ALL_RELATIONS, roles=True)
    for line in _lines(path):
        mentions = tuple(Span(item["start"], item["end"], EntityType(item["type"])) for item in line["mentions"])
        relations = tuple(Link(item["head"], item["tail"], RelationType(item["type"])) for item in line["relations"])
        sentences = tuple((item["start"], item["end"]) for item in line["sentences"])
        roles = tuple(Role(item["role"]) for item in line["sentences"])
        original = Document(line["id"], line["abstract"], sentences, mentions, relations, roles, labels)
        yield in_clean_text(original, clean)


def in_clean_text(document: Document, cleaner: Callable[[str], CleanText]) -> Document:
    """`document` as the model meets it at run time: cleaned, with all offsets carried over.

    A mention or sentence of which cleaning left nothing is dropped.
    """
    cleaned = cleaner(document.text)
    sentences = [(_carry(cleaned, *span), role) for span, role in zip(document.sentences, document.roles, strict=True)]
    spans = [_carry(cleaned, mention.start, mention.end) for mention in document.mentions]
    numbers = {old: new for new, old in enumerate(n for n, span in enumerate(spans) if span is not None)}
    mentions = tuple(
        Span(*span, mention.type) for mention, span in zip(document.mentions, spans, strict=True) if span is not None
    )
    relations = tuple(
        Link(numbers[link.head], numbers[link.tail], link.type)
        for link in document.relations
        if link.head in numbers and link.tail in numbers
    )
    return replace(
        document,
        text=cleaned.text,
        sentences=tuple(span for span, _ in sentences if span is not None),
        roles=tuple(role for span, role in sentences if span is not None),
        mentions=mentions,
        relations=relations,
    )


def _carry(cleaned: CleanText, start: int, end: int) -> tuple[int, int] | None:
    """The clean span of all clean characters that come from inside the source's [start, end)."""
    places = [place for place, (first, last) in enumerate(cleaned.offsets) if first >= start and last <= end]
    while places and cleaned.text[places[0]].isspace():
        places.pop(0)
    while places and cleaned.text[places[-1]].isspace():
        places.pop()
    return (places[0], places[-1] + 1) if places else None


def split_sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Rough sentence spans of a paragraph: after . ? or ! before a capital, but not after "al." and the like."""
    cuts = [
        match.end()
        for match in re.finditer(r"(?<!\bal)(?<!\bFig)(?<!\bEq)(?<!\be\.g)(?<!\bi\.e)[.?!]\s+(?=[A-Z\"(])", text)
    ]
    edges = [0, *cuts, len(text)]
    return tuple(
        (start, start + len(text[start:end].rstrip())) for start, end in pairwise(edges) if text[start:end].strip()
    )


def sentence_key(text: str) -> str:
    """What two printings of a sentence have in common: its letters and digits, in lower case."""
    return "".join(character for character in text.lower() if character.isalnum())


def sentence_keys(documents: Iterable[Document], *, shortest: int = 30) -> frozenset[str]:
    """The keys of all sentences of `documents` with at least `shortest` letters and digits."""
    keys = (sentence_key(document.text[start:end]) for document in documents for start, end in document.sentences)
    return frozenset(key for key in keys if len(key) >= shortest)


def without_sentences(document: Document, held: frozenset[str]) -> Document:
    """`document` without the sentences whose key is in `held`; what stood in them goes too."""
    kept = [
        place
        for place, (start, end) in enumerate(document.sentences)
        if sentence_key(document.text[start:end]) not in held
    ]
    if len(kept) == len(document.sentences):
        return document
    return _select(document, kept)


def _select(document: Document, kept: Sequence[int]) -> Document:
    text, sentences, shifts = "", [], {}
    for place in kept:
        start, end = document.sentences[place]
        text += " " if text else ""
        shifts[place] = len(text) - start
        sentences.append((len(text), len(text) + end - start))
        text += document.text[start:end]
    homes = [_sentence_of(document.sentences, mention) for mention in document.mentions]
    numbers: dict[int, int] = {}
    mentions: list[Span] = []
    for number, (mention, home) in enumerate(zip(document.mentions, homes, strict=True)):
        if home in shifts:
            numbers[number] = len(mentions)
            shift = shifts[home]
            mentions.append(replace(mention, start=mention.start + shift, end=mention.end + shift))
    relations = tuple(
        replace(link, head=numbers[link.head], tail=numbers[link.tail])
        for link in document.relations
        if link.head in numbers and link.tail in numbers
    )
    roles = tuple(document.roles[place] for place in kept) if document.roles else ()
    return replace(
        document, text=text, sentences=tuple(sentences), mentions=tuple(mentions), relations=relations, roles=roles
    )


def _sentence_of(sentences: Sequence[tuple[int, int]], mention: Span) -> int:
    return next((i for i, (start, end) in enumerate(sentences) if start <= mention.start and mention.end <= end), -1)


def _from_tokens(
    name: str,
    token_sentences: Sequence[Sequence[str]],
    mentions: Sequence[Sequence[tuple[int, int, EntityType | None]]],
    relations: Sequence[Sequence[tuple[tuple[int, int], tuple[int, int], RelationType]]],
    labels: Labels,
    *,
    digits_split: bool = False,
) -> Document:
    """A document from tokens, with mentions as first and last token counted over the whole document."""
    text, sentences, places = "", [], []
    for tokens in token_sentences:
        joined, spans = join_tokens(tokens, digits_split=digits_split)
        text += " " if text else ""
        places += [(start + len(text), end + len(text)) for start, end in spans]
        sentences.append((len(text), len(text) + len(joined)))
        text += joined
    named = [Span(places[a][0], places[b][1], type_) for sentence in mentions for a, b, type_ in sentence]
    kept = _without_overlap(named)
    numbers = {(span.start, span.end): number for number, span in enumerate(kept)}
    found = {
        (numbers.get(_characters(places, head)), numbers.get(_characters(places, tail)), label)
        for sentence in relations
        for head, tail, label in sentence
    }
    links = [Link(head, tail, label) for head, tail, label in found if head is not None and tail is not None]
    links.sort(key=lambda link: (link.head, link.tail, link.type))
    return Document(name, text, tuple(sentences), kept, tuple(links), annotates=labels)


def _characters(places: Sequence[tuple[int, int]], tokens: tuple[int, int]) -> tuple[int, int]:
    return places[tokens[0]][0], places[tokens[1]][1]


def _without_overlap(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in text order; of two that overlap the earlier in `spans` is kept."""
    kept: list[Span] = []
    taken: set[int] = set()
    for span in spans:
        covered = range(span.start, span.end)
        if taken.isdisjoint(covered):
            kept.append(span)
            taken.update(covered)
    return tuple(sorted(kept, key=lambda span: (span.start, span.end)))


def _lines(path: Path) -> Iterator[Json]:
    try:
        read = gzip.open if path.suffix == ".gz" else open
        with read(path, "rt", encoding="utf-8") as stream:
            content = stream.read()
    except OSError as error:
        raise InputError("corpus file cannot be read", where=str(path), hint=str(error)) from error
    for number, line in enumerate(content.split("\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except json.JSONDecodeError as error:
                raise InputError("not a line of JSON", where=f"{path}, line {number}") from error


@dataclass(frozen=True, slots=True)
class Corpora:
    """All training texts by corpus, cleaned of what stands in a test split."""

    train: dict[str, tuple[Document, ...]]
    dev: dict[str, tuple[Document, ...]]


def held_sentences(data: Path, own: Path | None) -> frozenset[str]:
    """The keys of every sentence of every test split, our own included."""
    documents = [
        *read_scier(data / "scier/PLM/test.jsonl"),
        *read_scierc(data / "scierc/processed_json/test.json"),
        *read_tdmsci(data / "nlp_tdms/TDMSci/conllFormat/test_500_v2.conll"),
        *read_scinlp_whole(data / "scinlp/test.json"),
        *read_csabstruct(data / "csabstruct/data/CSAbstruct/test.jsonl"),
        *read_gsap(data / "gsap_ner/gsap_ner_all.jsonl", (8, 9)),
    ]
    if own is not None and (own / "test.jsonl").exists():
        documents += read_own(own / "test.jsonl")
    return sentence_keys(documents)


def read_scinlp_whole(path: Path) -> Iterator[Document]:
    """SciNLP with every sentence and no annotation, to compare texts."""
    for line in _lines(path):
        empty: list[list[Any]] = [[] for _ in line["sentences"]]
        yield _from_tokens(line["doc_key"], line["sentences"], empty, empty, Labels())


def read_corpora(data: Path, own: Path | None = None) -> Corpora:
    """Train and dev texts of all corpora under `data` and of our own under `own`; no sentence of a test split."""
    gsap = data / "gsap_ner/gsap_ner_all.jsonl"
    train = {
        "scier": read_scier(data / "scier/PLM/train_reconstructed.jsonl"),
        "scierc": read_scierc(data / "scierc/processed_json/train.json"),
        "tdmsci": read_tdmsci(data / "nlp_tdms/TDMSci/conllFormat/train_1500_v2.conll"),
        "scinlp": read_scinlp(data / "scinlp/train.json"),
        "gsap": read_gsap(gsap, range(8)),
        "csabstruct": read_csabstruct(data / "csabstruct/derived/train_nodup.jsonl", least=0.5),
    }
    dev = {
        "scier": read_scier(data / "scier/PLM/dev.jsonl"),
        "csabstruct": read_csabstruct(data / "csabstruct/derived/dev_nodup.jsonl", least=0.6),
    }
    if own is not None and (own / "train.jsonl").exists():
        train["own"] = read_own(own / "train.jsonl")
        dev["own"] = read_own(own / "dev.jsonl")
    dev_texts = {name: tuple(documents) for name, documents in dev.items()}
    held = held_sentences(data, own) | sentence_keys(text for texts in dev_texts.values() for text in texts)
    return Corpora(
        {name: tuple(without_sentences(each, held) for each in documents) for name, documents in train.items()},
        dev_texts,
    )


def read_plain(data: Path, own: Path | None = None, *, shortest: int = 200) -> Iterator[str]:
    """Title and abstract of all plain abstracts under `data`, in a fixed random order.

    Without the seed corpus, and without every abstract that shares a sentence with it, with a test split, or with
    an abstract that we annotated ourselves.
    """
    held = held_sentences(data, own) | _own_and_seed_sentences(data, own)
    texts: dict[str, str] = {}
    for line in _plain_lines(data):
        abstract = line.get("abstract") or ""
        sentences = (abstract[start:end] for start, end in split_sentences(abstract))
        if len(abstract) >= shortest and held.isdisjoint(map(sentence_key, sentences)):
            title = f"{line['title']}. " if line.get("title") else ""
            texts.setdefault(sentence_key(abstract)[:80], title + abstract)
    order = list(texts.values())
    random.Random(0).shuffle(order)  # noqa: S311
    yield from order


def _own_and_seed_sentences(data: Path, own: Path | None) -> frozenset[str]:
    texts = [(data / "abstracts/iclr2025-seed.txt").read_text(encoding="utf-8")]
    if own is not None:
        texts += [line["abstract"] for path in sorted(own.glob("*.jsonl")) for line in _lines(path)]
    return sentence_keys(Document("", text, split_sentences(text)) for text in texts)


def _plain_lines(data: Path) -> Iterator[Json]:
    for path in sorted((data / "abstracts").glob("*.jsonl*")):
        yield from _lines(path)
    yield from (line for line in _lines(data / "sota_leaderboard/train.jsonl.gz") if line["clean"])
