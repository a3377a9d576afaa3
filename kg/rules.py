"""Mentions, relations and proposals by surface rules: names, term heads and cue words, without a parser.

These stand in for the trained model (DESIGN.md, "The extractor") and give each stage real input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from kg.acronyms import Definition
from kg.records import EntityType, Mention, Proposal, Relation, RelationType, Sentence

__all__ = ["find_mentions", "find_proposals", "find_relations"]

_HEADS = {
    EntityType.METHOD: r"networks?|transformers?|models?|attention|algorithms?|flow|descent|pruning|architectures?"
    r"|frameworks?|mechanisms?|regularization|circuits?|preconditioning|adjustment|module|theory|distillation|encoders?",
    EntityType.TASK: r"recognition|generation|classification|segmentation|detection|estimation|understanding"
    r"|comprehension|retrieval|translation|reasoning|answering|summarization|parsing|prediction|regression"
    r"|programming|learning|modeling|synthesis|reconstruction|grounding|captioning",
    EntityType.DATASET: r"datasets?|benchmarks?|corpus|corpora",
    EntityType.METRIC: r"accuracy|precision|recall|F1|BLEU|ROUGE|latency|perplexity|mAP|mIoU|PSNR|FID|time|throughput",
}
_STOP = frozenset(
    """
    a an the this that these those its their our we it they which who and or but nor of for in on at to
    from by with without via as than over under into through between across within is are was were be
    been being has have had can could may might will would should must do does did not no more most less
    many some any each both all other such several various existing novel new simple effective efficient
    proposed recent traditional complex current previous prior different multiple diverse using use uses
    used show shows propose introduce present develop design improve improves achieve achieves enable
    enables train trained trains learn make makes model's enhance enhances reduce reduces despite while
    although however when where how what why if then also only even well often further first second two
    three one original same specific certain downstream including like based called named termed dubbed
    i.e e.g superior strong better best vanilla state-of-the-art small large-scale evaluate evaluates
    evaluating capture apply applied adapt via per versus vs overall entire standard important
    consistently
    """.split()  # noqa: SIM905 (a list of 150 words is easier to read as prose)
)
_NAME = re.compile(
    r"(?<![\w@/.])(?=[\w+.-]*[A-Z])(?:[A-Za-z]*[A-Z0-9][\w+]*|[A-Z][a-z]+-[A-Z][\w+]*)(?:[-/.][A-Za-z0-9][\w+]*)*\+?"
)
_WORD = re.compile(r"[\w+'’-]+")
_IS_NAME = re.compile(r".*(?:[A-Z].*[A-Z0-9]|[a-z].*[A-Z]|[A-Z].*\d)")
_NOT_A_NAME = re.compile(r"(?:AI|AR/VR|AR|VR|SOTA|URL|UIs?|[IVX]+|[0-9.]+[a-z]?|Q&A|OOD|I)s?$")
_DATASET_CONTEXT = re.compile(r"\s*(?:dataset|benchmark|corpus|corpora)", re.IGNORECASE)

_PROPOSE = re.compile(
    r"\b(?:we|this (?:paper|work|study)|paper)\b[^.;]{0,60}?\b(?:propos|introduc|present|develop|design|nam)"
    r"(?:e|es|ed|ing|s)?\b|\bthe proposed\b|\bwhich we (?:call|term|name)\b"
    r"|\b(?:called|named|termed|dubbed)\b|^introducing\b",
    re.IGNORECASE,
)
_BETWEEN = (
    (
        RelationType.COMPARED_WITH,
        re.compile(r"outperform|compared (?:to|with)|in comparison|\bthan\b|\bversus\b|\bvs\b|\bover\b|against"),
        False,
    ),
    (
        RelationType.EVALUATED_ON,
        re.compile(r"\b(?:evaluat|experiment|test|achiev|result|on)\w*\b.*\bon\b|\bon\b"),
        False,
    ),
    (RelationType.BENCHMARK_FOR, re.compile(r"^\W*(?:\w+\W+){0,6}?(?:for|to (?:assess|evaluate))\b"), False),
    (RelationType.KIND_OF, re.compile(r"^\W*(?:such as|like|including|e\.g\.)"), True),
    (RelationType.KIND_OF, re.compile(r"^,? (?:is )?an? (?:[\w-]+ ){0,3}$"), False),
    (
        RelationType.PART_OF,
        re.compile(r"\b(?:compos|consist|compris|combin|integrat|employ|leverag|incorporat|built|build)\w*"),
        True,
    ),
    (RelationType.USED_FOR, re.compile(r"^\W*(?:\w+\W+){0,4}?(?:for|to|in)\b"), False),
)
"""Relation, what stands between its two mentions, and whether the later mention is its head."""

_ENDS = {
    RelationType.COMPARED_WITH: {(t, t) for t in EntityType},
    RelationType.EVALUATED_ON: {(EntityType.METHOD, EntityType.DATASET)},
    RelationType.BENCHMARK_FOR: {(EntityType.DATASET, EntityType.TASK)},
    RelationType.KIND_OF: {(EntityType.METHOD, EntityType.METHOD)},
    RelationType.PART_OF: {(EntityType.METHOD, EntityType.METHOD)},
    RelationType.USED_FOR: {(EntityType.METHOD, EntityType.TASK), (EntityType.METHOD, EntityType.METHOD)},
}
_CONFIDENCE = 0.5  # surface rules are right about half the time on the seed gold


def find_mentions(text: str, definitions: Sequence[Definition]) -> tuple[Mention, ...]:
    """The mentions in `text`, in order and without overlap; a definition's two forms bear one type."""
    found: dict[tuple[int, int], EntityType] = {}
    for definition in definitions:
        kind = _type_of(text[slice(*definition.long)]) or EntityType.METHOD
        found[definition.long] = found[definition.short] = kind
    known = {text[slice(*definition.short)].rstrip("s"): found[definition.short] for definition in definitions}
    for span in [*_names(text), *_terms(text)]:
        if not any(start < span[1] and span[0] < end for start, end in found):
            found[span] = known.get(text[slice(*span)].rstrip("s")) or _type_in_context(text, span)
    return tuple(Mention(a, b, kind, text[a:b], _CONFIDENCE) for (a, b), kind in sorted(found.items()))


def _names(text: str) -> Iterator[tuple[int, int]]:
    for match in _NAME.finditer(text):
        if _IS_NAME.match(match[0]) and not _NOT_A_NAME.match(match[0]):
            yield match.span()


def _terms(text: str) -> Iterator[tuple[int, int]]:
    words = list(_WORD.finditer(text))
    for index, word in enumerate(words):
        if _type_of(word[0]) is None:
            continue
        first = index
        while (
            first
            and index - first < 3
            and _may_modify(words[first - 1][0], text[words[first - 1].end() : words[first].start()])
        ):
            first -= 1
        if first < index:
            yield words[first].start(), word.end()


def _may_modify(word: str, gap: str) -> bool:
    return gap == " " and word.lower() not in _STOP and not word.endswith("ly") and len(word) > 2 and not word.isdigit()


def _type_of(name: str) -> EntityType | None:
    last = name.rsplit(None, 1)[-1]
    return next((kind for kind, heads in _HEADS.items() if re.fullmatch(heads, last, re.IGNORECASE)), None)


def _type_in_context(text: str, span: tuple[int, int]) -> EntityType:
    if _DATASET_CONTEXT.match(text, span[1]) or re.search(r"datasets?,? (?:including|such as) [^.]*$", text[: span[0]]):
        return EntityType.DATASET
    return _type_of(text[slice(*span)]) or EntityType.METHOD


def find_relations(
    text: str, sentences: Sequence[Sentence], mentions: Sequence[Mention], definitions: Sequence[Definition]
) -> tuple[Relation, ...]:
    """The relations between neighbouring mentions of each sentence, and the two forms of each definition."""
    at = {(mention.start, mention.end): mention for mention in mentions}
    found = [
        Relation(at[d.long], RelationType.SAME_ENTITY, at[d.short], d.long[0], max(d.long[1], d.short[1]), 0.95)
        for d in definitions
        if d.long in at and d.short in at
    ]
    for sentence in sentences:
        inside = [m for m in mentions if sentence.start <= m.start and m.end <= sentence.end]
        for left, right in pairwise(inside):
            if relation := _relation_between(text, left, right):
                found.append(Relation(*relation, sentence.start, sentence.end, _CONFIDENCE))
    return tuple(found)


def _relation_between(text: str, left: Mention, right: Mention) -> tuple[Mention, RelationType, Mention] | None:
    between = text[left.end : right.start]
    if left.name == right.name or len(between) > 80:
        return None
    for kind, cue, later_is_head in _BETWEEN:
        head, tail = (right, left) if later_is_head else (left, right)
        if (head.type, tail.type) in _ENDS[kind] and cue.search(between):
            return head, kind, tail
    return None


def find_proposals(text: str, sentences: Sequence[Sentence], mentions: Sequence[Mention]) -> tuple[Proposal, ...]:
    """The first mention after each cue such as "we propose", where it has not been named before."""
    found: dict[str, Proposal] = {}
    before: set[str] = set()
    for sentence in sentences:
        inside = [m for m in mentions if sentence.start <= m.start and m.end <= sentence.end]
        for cue in _PROPOSE.finditer(text[sentence.start : sentence.end]):
            after = [m for m in inside if m.start >= sentence.start + cue.end() and m.type is not EntityType.METRIC]
            named = [m for m in after if _IS_NAME.match(m.name)] or after
            if named and named[0].name not in before:
                found.setdefault(named[0].name, Proposal(named[0], sentence.start, sentence.end, _CONFIDENCE))
        before.update(m.name for m in inside)
    return tuple(found.values())
