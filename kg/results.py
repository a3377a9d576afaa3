"""Results as data: what a sentence reports, of what, measured how, against what, on what.

A sentence is cut at its result verbs and nouns ("outperforms", "reducing", "gains of"). Each stretch, from one cue to
the next, is read on its own: its metrics, its quantities, what it compares with. What an earlier stretch has named
(the subject, the baseline, the dataset) holds for the later ones until they name their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kg.quantities import Quantity, find_quantities
from kg.records import Claim, Direction, EntityType, Mention

__all__ = ["Draft", "find_drafts", "find_results"]

Slot = Mention | str
_NOTHING: tuple[Slot | None, ...] = (None,)

_COMPARE, _CHANGE, _REACH, _SHIFT, _DEGREE = "compare", "change", "reach", "shift", "degree"
_MEASURED = r"(?= (?:of|in|over|up|by|across|on|for|from|to|compared)\b|[,.;)]| \(|$)"
_CUES: tuple[tuple[str, Direction | None, str], ...] = (
    (_COMPARE, Direction.BETTER, r"out-?perform\w*|out-?pac\w+|surpass\w*|exceed\w*|beat(?:s|ing)?|outstrip\w*"),
    (_COMPARE, Direction.BETTER, r"superior to|better than|favou?rabl[ey] (?:to|with|against)|improv\w+ (?:up)?on\b"),
    (_COMPARE, Direction.WORSE, r"underperform\w*|inferior to|worse than|fall\w* short of|lag\w* behind"),
    (
        _COMPARE,
        Direction.EQUAL,
        r"(?:comparabl[ey]|competitiv(?:e|ely)|on par|similar|equivalent) (?:\w+ ){0,3}?(?:to|with)\b|match(?:es|ing)\b"
        r"|rival(?:s|ing|ling)?\b|approach(?:es|ing) the\b",
    ),
    (_CHANGE, Direction.BETTER, r"(?:improv|enhanc|boost|strengthen|advanc)(?:e|es|ed|ing|s)?\b"),
    (_CHANGE, Direction.INCREASE, r"(?:increas|rais|accelerat|elevat)(?:e|es|ed|ing)\b|speed(?:s|ing)? up"),
    (
        _CHANGE,
        Direction.DECREASE,
        r"(?:reduc|decreas|lower|cut|shrink|sav|minimi[sz]|compress|slash)(?:e|es|ed|ing|s|ting)?\b",
    ),
    (_CHANGE, Direction.INCREASE, r"(?:doubl|tripl|quadrupl)(?:e|es|ed|ing)\b"),
    (_CHANGE, Direction.DECREASE, r"halv(?:e|es|ed|ing)\b"),
    (_CHANGE, Direction.WORSE, r"(?:degrad|worsen|hurt)(?:e|es|ed|ing|s)?\b"),
    (
        _CHANGE,
        Direction.EQUAL,
        r"(?:maintain|preserv|retain)(?:e|es|ed|ing|s)?\b"
        r"|without (?:compromising|sacrificing|degrading|hurting|any loss(?: of| in)?|loss(?: of| in)?)",
    ),
    (_SHIFT, Direction.BETTER, rf"(?:improvements?|gains?|boosts?|enhancements?|advances?)\b{_MEASURED}"),
    (_SHIFT, Direction.INCREASE, rf"(?:increases?|speed-?ups?|acceleration)\b{_MEASURED}"),
    (_SHIFT, Direction.DECREASE, rf"(?:reductions?|decreases?|drops?|declines?|savings?|slowdowns?)\b{_MEASURED}"),
    (_DEGREE, Direction.INCREASE, r"(?:faster|higher|more efficient|greater|larger|longer)\b"),
    (_DEGREE, Direction.DECREASE, r"(?:lower|fewer|less|smaller|shorter|slower|cheaper)\b"),
    (
        _DEGREE,
        Direction.BETTER,
        r"(?:superior|better|best|stronger|improved|state[- ]of[- ]the[- ]art|SOTA|leading|new records?)\b",
    ),
    (_DEGREE, Direction.WORSE, r"(?:worse|poorer|inferior|poorly)\b"),
    (_DEGREE, Direction.EQUAL, r"(?:comparable|competitive|on par|equivalent|near-?optimal)\b"),
    (_COMPARE, Direction.BETTER, r"superiority (?:of|over)|advantages? over"),
    (_REACH, None, r"(?:achiev|attain|obtain|reach|yield|deliver|scor|record|register)(?:e|es|ed|ing|s)?\b"),
)
_CUE = re.compile(
    "|".join(rf"(?P<c{n}>(?<![\w-])(?:{pattern})(?![\w-]))" for n, (_, _, pattern) in enumerate(_CUES)), re.IGNORECASE
)

_CONTRAST = re.compile(
    r"\b(?:compared (?:to|with|against)|in comparison (?:to|with)|relative to|as opposed to|over|than|versus|vs\.?"
    r"|against|in contrast to|up from)\s+(?!\d)",
    re.IGNORECASE,
)
_SCORE_OF_OTHER = re.compile(
    rf"(?:(?:{_CONTRAST.pattern})(?:[^(),;]|\([^()]*\),?)*\(|\b(?:vs\.?|versus|compared (?:to|with))\s)$",
    re.IGNORECASE,
)
_OWN_NOUN = re.compile(
    r"\b(?:(?:our|this|the proposed|the resulting)\s(?:[\w-]+\s){0,3}?(?:methods?|models?|approach(?:es)?|framework"
    r"|system|algorithms?|technique|pipeline|architecture|solution|design|strategy|module|agents?|network|paradigm|work"
    r"|intervention|formulation|scheme|procedure)|it|we|they)\b",
    re.IGNORECASE,
)
_STOP = re.compile(
    r"\s*(?:[.;:()]|,(?!\s*(?:and|or)\b)|—|–\s|(?<![\w-])(?:by|in|on|across|with|while|when|which|that|for|under|at"
    r"|using|and|to|from|over|than|compared|demonstrating|showing|without|despite|through|via|as|is|are|was|were|but|or|where|due|of)(?![\w-]))",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|a|an|its|their|our|both|all|any|overall)\s+", re.IGNORECASE)
_INTENSITY = re.compile(
    r"^(?:significant(?:ly)?|substantial(?:ly)?|consistent(?:ly)?|further|greatly|markedly|notabl[ey]"
    r"|dramatic(?:ally)?|the|its|a|an|our|both|strong|remarkable|considerabl[ey]|large|overall|effectively)\s+",
    re.IGNORECASE,
)
_MEASURE_OF = re.compile(
    r"(?:numbers?|amounts?|costs?|rates?|quality|sizes?|levels?|efficiency|speed) of\b", re.IGNORECASE
)
_ITEM_BY = re.compile(
    r"^\s*(?:,\s*)?(?:and\s+|,\s*)(?:the\s+|its\s+)?((?:[\w-]+\s+){1,4}?)by\s+(?:a factor of\s+)?$", re.IGNORECASE
)
_LIST = re.compile(r"\s*(?:,\s*(?:and|or|as well as)?|\band\b|\bor\b|/|\bas well as\b)\s*", re.IGNORECASE)
_DATA_WORDS = re.compile(
    r"\b(?:on|across|over|in)\s((?:[\w-]+\s){0,4}?(?:datasets?|benchmarks?|corpora|suites?))\b(?!\s*[(,:])",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:(?:In|On|Under|With|Without|When|For|At|Using|By|Given|During|Despite|After|Within|Across)\b[^,]{3,90})(?=,\s)"
)
_CLOSING = re.compile(
    r"\b((?:under|without|with only|with just|when|even (?:when|with|under|without)|in (?:the )?(?:[\w-]+\s){1,4}?"
    r"(?:settings?|scenarios?|regimes?|conditions?|environments?))\b[^,.;]{0,80})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Cue:
    """A word that reports a result, from `start` to `end`."""

    start: int
    end: int
    kind: str
    direction: Direction | None


@dataclass(frozen=True, slots=True)
class Draft:
    """A result as the rules read it, with its cue's kind and span and the span of its quantity, if it has them."""

    claim: Claim
    cue: tuple[int, int]
    kind: str = "none"
    quantity: Quantity | None = None


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A cue and the part of the text that it governs: from the end of the one before to the start of the next."""

    cue: _Cue
    start: int
    end: int


def find_results(text: str, claim: Claim, mentions: Sequence[Mention], *, own: Mention | None) -> Iterator[Claim]:
    """The results that the sentence of `claim` reports, as copies of it with their slots filled by rule.

    `mentions` are those of the sentence, `own` is what this paper proposes and "our method" means.
    """
    yield from (draft.claim for draft in find_drafts(text, claim, mentions, own=own))


def find_drafts(text: str, claim: Claim, mentions: Sequence[Mention], *, own: Mention | None) -> Iterator[Draft]:
    """The results of :func:`find_results`, each once, with where in the text they come from."""
    reader = _Reader(text[: claim.end], claim.start, mentions, own)
    found: dict[Claim, Draft] = {}
    for draft in reader.results(claim):
        found.setdefault(draft.claim, draft)
    yield from found.values()
    if not found:
        yield Draft(replace(claim, subject=reader.subject(claim.end)), (claim.end, claim.end))


class _Reader:
    """One sentence, with what it has named so far."""

    def __init__(self, text: str, start: int, mentions: Sequence[Mention], own: Mention | None) -> None:
        self.text, self.start, self.end = text, start, len(text)
        self.mentions, self.own = mentions, own
        found = [replace(q, start=q.start + start, end=q.end + start) for q in find_quantities(text[start:])]
        self.quantities = list(_completed(text, [q for q in found if not self._is_baselines_own(q)]))
        self.contrasts = [m for m in _CONTRAST.finditer(text, start) if not self._in_quantity(m.start(), m.end() - 1)]
        self.opening = _OPENING.match(text[start:])

    def results(self, claim: Claim) -> Iterator[Draft]:
        """The results of each stretch, with what earlier stretches say of baseline and dataset."""
        baselines: list[Slot] = self._opening_baselines()
        subject: Slot | None = None
        measured: Slot | None = None
        for stretch in self._stretches():
            subject = self.subject(stretch.cue.start) if subject is None else subject
            named = self._baselines(stretch)
            baselines = named or baselines
            filled = replace(
                claim, subject=subject, direction=stretch.cue.direction, condition=self._condition(stretch)
            )
            for metric, quantity in self._measures(stretch):
                if metric is None and quantity is not None and stretch.cue.kind == _COMPARE:
                    metric = measured  # "reaches 73.3% Dice, beating the baseline by 8%"
                measured = metric or measured
                near = self._near(stretch, quantity)
                paired = self._respective(quantity)
                data = paired or self._dataset(stretch, near)
                told = replace(filled, metric=metric, dataset=data, task=self._task(stretch, near))
                for baseline in baselines or _NOTHING:
                    whole = _with_quantity(replace(told, baseline=baseline), quantity, stretch.cue)
                    yield Draft(whole, (stretch.cue.start, stretch.cue.end), stretch.cue.kind, quantity)

    def _respective(self, quantity: Quantity | None) -> Mention | None:
        """The dataset that a quantity is paired with where "respectively" pairs as many of the one as of the other."""
        data = list({m.name: m for m in self.mentions if m.type is EntityType.DATASET}.values())
        if quantity is None or len(data) != len(self.quantities) or "respectively" not in self.text[self.start :]:
            return None
        return data[self.quantities.index(quantity)]

    def _near(self, stretch: _Stretch, quantity: Quantity | None) -> tuple[int, int]:
        """Where what a quantity holds for is named: after it, up to the next quantity; else in the whole stretch."""
        if quantity is None:
            return stretch.cue.start, stretch.end
        later = (q.start for q in self.quantities if q.start > quantity.start)
        return quantity.end, max(stretch.end, quantity.end) if (stop := min(later, default=None)) is None else stop

    def _stretches(self) -> Iterator[_Stretch]:
        cues = self._cues()
        for number, cue in enumerate(cues):
            start = cues[number - 1].end if number else self.start
            end = cues[number + 1].start if number + 1 < len(cues) else self.end
            yield _Stretch(cue, start, end)

    def _cues(self) -> list[_Cue]:
        """The cues that report; one that only qualifies its neighbour ("achieves better") is one with it."""
        found: list[_Cue] = []
        for match in _CUE.finditer(self.text, self.start):
            kind, direction, _ = _CUES[int((match.lastgroup or "c0")[1:])]
            if any(m.start <= match.start() < m.end for m in self.mentions) or self._in_baseline(match.start()):
                continue
            if found and found[-1].kind == _COMPARE and self._is_compared(found[-1], match.start()):
                continue
            cue = _Cue(match.start(), match.end(), kind, direction)
            if found and self._joins(found[-1], cue):
                found[-1] = replace(cue, start=found[-1].start, direction=cue.direction or found[-1].direction)
            else:
                found.append(cue)
        return [cue for cue in found if cue.kind != _REACH or self._reports(cue)]

    def _is_compared(self, cue: _Cue, position: int) -> bool:
        """Whether the position stands in the first words after a comparison, up to a comma or preposition."""
        stop = _STOP.search(self.text, cue.end + 1, self.end)
        return position < (stop.start() if stop else self.end)

    def _joins(self, earlier: _Cue, later: _Cue) -> bool:
        between = self.text[earlier.end : later.start]
        if earlier.kind == _REACH:
            return len(between.split()) <= 8 and not re.search(r"[,;]|\band\b|\bwhile\b", between)
        return later.kind in (_SHIFT, _DEGREE) and earlier.kind == _DEGREE and len(between.split()) <= 3

    def _reports(self, cue: _Cue) -> bool:
        """Whether "achieves" leads to something measured."""
        ahead = self.text[cue.end : cue.end + 80]
        near = any(cue.end <= q.start < cue.end + 60 for q in self.quantities)
        return (
            near
            or any(cue.end <= m.start < cue.end + 40 and m.type is EntityType.METRIC for m in self.mentions)
            or (re.match(r"\s+(?:\w+\s){0,2}(?:performance|results|accuracy)\b", ahead) is not None)
        )

    def _is_baselines_own(self, quantity: Quantity) -> bool:
        """Whether the quantity is the score of what is compared with: in brackets behind it, or right after "vs."."""
        before = self.text[max(self.start, quantity.start - 140) : quantity.start]
        return _SCORE_OF_OTHER.search(before) is not None

    def _in_quantity(self, start: int, end: int) -> bool:
        return any(q.start <= start and end <= q.end for q in self.quantities)

    def _in_baseline(self, position: int) -> bool:
        """Whether the position stands in what a contrast names, as in "over state-of-the-art methods"."""
        before = self.text[max(self.start, position - 24) : position]
        cue = re.search(r"(?:\bover|than|to|with|against|outperform\w*|surpass\w*|exceed\w*)\s+(?:\w+\s){0,2}$", before)
        return cue is not None and re.match(r"(?:state|SOTA|leading|best|superior)", self.text[position:]) is not None

    # subject

    def subject(self, until: int) -> Slot | None:
        """What the result is about: what stands before the cue, "our method" resolved to what the paper proposes."""
        start = self.start + (self.opening.end() if self.opening else 0)
        region = self.text[start:until]
        inside = [m for m in self.mentions if start <= m.start and m.end <= until and m.type is not EntityType.METRIC]
        if self.own and (same := [m for m in inside if m.name == self.own.name]):
            return same[-1]
        owned = _OWN_NOUN.search(region)
        free = [m for m in inside if not re.search(_PREPOSED, self.text[start : m.start])]
        if owned and (not free or start + owned.start() < free[0].start):
            return self.own or (None if _PRONOUN.fullmatch(owned[0]) else owned[0])
        if free:
            return free[0]
        if owned is None and (noun := _noun_phrase_before(region)):
            return next((m for m in inside if m.name in noun), noun)
        return self.own or (owned[0] if owned and not _PRONOUN.fullmatch(owned[0]) else None)

    # metric and quantity

    def _measures(self, stretch: _Stretch) -> Iterator[tuple[Slot | None, Quantity | None]]:
        quantities = [q for q in self.quantities if self._belongs(q.start, stretch)]
        metrics = self._metrics(stretch)
        if not quantities:
            yield from ((metric, None) for metric in metrics or _NOTHING)
        elif len(quantities) == len(metrics):
            yield from zip(metrics, quantities, strict=True)
        else:
            for quantity in quantities:
                yield self._named_before(quantity) or self._nearest(quantity, metrics), quantity

    def _belongs(self, position: int, stretch: _Stretch) -> bool:
        """Whether what stands here is the cue's: what follows it, or leads to it ("2.5 times faster")."""
        if stretch.cue.start <= position < stretch.end:
            return not self._leads(position, stretch.end)
        return position < stretch.cue.start and position >= stretch.start and self._leads(position, stretch.cue.start)

    def _leads(self, position: int, cue: int) -> bool:
        """Whether only few words, and no comma, stand between the position and the cue that follows it."""
        between = self.text[position:cue]
        for quantity in self.quantities:  # "71% and 65% fewer": what stands between two of a list does not part them
            if (
                position < quantity.start
                and quantity.end <= cue
                and re.fullmatch(r"[^,;]{1,8} and\s", between[: quantity.start - position])
            ):
                between = self.text[quantity.end : cue]
        return cue < self.end and len(between.split()) <= 4 and not re.search(r"[,;]|\band\b|\bby\b|\bwhile\b", between)

    def _metrics(self, stretch: _Stretch) -> list[Slot]:
        led = (q.start for q in self.quantities if stretch.start <= q.start < stretch.cue.start)
        first = min((start for start in led if self._leads(start, stretch.cue.start)), default=stretch.cue.start)
        measured = [
            m
            for m in self.mentions
            if m.type is EntityType.METRIC and first <= m.start < stretch.end and not self._compared(m, stretch)
        ]
        if measured:
            named: list[Slot] = list({m.name: m for m in measured}.values())
            return [*self._unnamed_object(stretch, measured[0].start), *named]
        if stretch.cue.kind == _CHANGE and _INTRANSITIVE.match(self.text, stretch.cue.end):
            earlier = [m for m in self.mentions if m.type is EntityType.METRIC and m.end <= stretch.cue.start]
            return [*earlier[-1:]]  # "accuracy improved by 7%"
        if stretch.cue.kind == _CHANGE:
            counted = any(stretch.cue.start <= q.start < stretch.end for q in self.quantities)
            return list(self._objects(stretch.cue.end, stretch.end, counted=counted))
        said = re.search(
            r"\b(?:(?:overall|average|downstream|model|generation|detection|classification)\s)?(?:performance|quality|efficiency"
            r"|generalization|robustness|effectiveness|scalability)\b",
            self.text[stretch.cue.end : stretch.end],
        )
        return [said[0]] if said else []

    def _unnamed_object(self, stretch: _Stretch, metric: int) -> Sequence[Slot]:
        """The words that a verb of change acts on by so much, where the first metric stands only after that."""
        led = [q for q in self.quantities if stretch.cue.end <= q.start < metric]
        if stretch.cue.kind != _CHANGE or not led or _INTRANSITIVE.match(self.text, stretch.cue.end):
            return []
        objects = self._objects(stretch.cue.end, led[0].start, counted=True)
        return [thing for thing in objects if isinstance(thing, str)][:1]

    def _compared(self, mention: Mention, stretch: _Stretch) -> bool:
        return any(c.start() >= stretch.cue.start and c.end() <= mention.start < c.end() + 40 for c in self.contrasts)

    def _objects(self, start: int, end: int, *, counted: bool) -> Iterator[Slot]:
        """What a verb of change acts on: the nouns after it, up to a preposition, as words or mentions.

        A task is measured only where a number says by how much; else it is what the result is for.
        """
        position = start
        while position < end:
            rest = self.text[position:end]
            skipped = re.match(r"\s*", rest)
            position += skipped.end() if skipped else 0
            while matched := _INTENSITY.match(self.text[position:end]):
                position += matched.end()
            known = next((m for m in self.mentions if m.start == position), None)
            measure = _MEASURE_OF.match(self.text, position)
            stop = _STOP.search(self.text, known.end if known else measure.end() if measure else position, end)
            stretch_end = known.end if known else (stop.start() if stop else end)
            words = self.text[position:stretch_end].strip()
            if not words or not re.search(r"[A-Za-z]{3}", words) or self._in_quantity(position, position + 1):
                return
            if known is None or known.type is EntityType.METRIC:
                yield known or words
            elif counted:
                yield words
            more = _LIST.match(self.text, stretch_end, end)
            if more is None or _CUE.match(self.text, more.end()):
                return
            position = more.end()

    def _named_before(self, quantity: Quantity) -> Slot | None:
        """The measure of a later item of a list, as in "cuts latency by 40% and memory use by 35%"."""
        floor = max((q.end for q in self.quantities if q.end <= quantity.start), default=self.start)
        by = re.match(r"by\s", self.text[quantity.start :])
        named = _ITEM_BY.search(self.text[floor : quantity.start + (by.end() if by else 0)])
        if named is None:
            return None
        at = floor + named.start(1)
        return (
            next((m for m in self.mentions if at <= m.start and m.end <= floor + named.end(1)), None)
            or named[1].strip()
        )

    def _nearest(self, quantity: Quantity, metrics: Sequence[Slot]) -> Slot | None:
        if not metrics:
            return None
        placed = [(m, m.start if isinstance(m, Mention) else self.text.find(m, self.start)) for m in metrics]
        right_after = [m for m, at in placed if 0 <= at - quantity.end <= 14]
        if right_after:
            return right_after[0]
        return min(placed, key=lambda item: abs(item[1] - quantity.start) + (25 if item[1] > quantity.start else 0))[0]

    # baseline, dataset, task, condition

    def _opening_baselines(self) -> list[Slot]:
        """What is compared with before the first cue, as in "Compared to BERT, ours ..."."""
        opening = _COMPARED_FIRST.match(self.text, self.start) or _COMPARED_FIRST.search(self.text, self.start)
        first = min((cue.start for cue in self._cues()), default=self.end)
        return self._phrases(opening.end(), _AND_ALONE) if opening and opening.start() < first else []

    def _baselines(self, stretch: _Stretch) -> list[Slot]:
        over = re.compile(r"[^.;]{0,60}?\bover\b").match(self.text, stretch.cue.end)
        if stretch.cue.kind == _COMPARE:
            superiority = self.text[stretch.cue.start : stretch.cue.end].lower() == "superiority of"
            return self._phrases(over.end() if superiority and over else stretch.cue.end)
        inside = [c for c in self.contrasts if stretch.cue.start <= c.start() < stretch.end]
        found = self._phrases(inside[0].end()) if inside else []
        if not found and re.match(
            r"state|SOTA", self.text[stretch.cue.end - 16 : stretch.cue.end].strip(), re.IGNORECASE
        ):
            return ["state-of-the-art"]
        said = re.search(r"state[- ]of[- ]the[- ]art|SOTA", self.text[stretch.cue.start : stretch.cue.end + 1])
        return found or (["state-of-the-art"] if said else [])

    def _phrases(self, position: int, joint: re.Pattern[str] | None = None) -> list[Slot]:
        """The things that are compared with, from here on: those listed by name, else the words as they stand."""
        found: list[Slot] = []
        while position < self.end:
            skipped = _SKIPPED.match(self.text, position)
            position = skipped.end() if skipped else position
            thing, position = self._thing(position)
            if thing is None:
                return found
            found.append(thing)
            examples = _EXAMPLES.match(self.text, position)
            if examples and (listed := list(self._listed(examples.end()))):
                return [*found[:-1], *listed]
            more = (joint or _AND_MORE).match(self.text, position)
            if more is None or not self._goes_on(more.end()):
                return found
            position = more.end()
        return found

    def _thing(self, position: int) -> tuple[Slot | None, int]:
        """The mention or the words that start here, and where they end."""
        stop = _STOP.search(self.text, position, self.end)
        until = stop.start() if stop else self.end
        mention = next((m for m in self.mentions if m.start == position), None)
        if mention and re.fullmatch(_HEAD_NOUN, self.text[mention.end : max(until, mention.end)]):
            return mention, max(until, mention.end)
        if _ADJECTIVE.fullmatch(self.text[position:until].strip()) and stop:  # "previous and concurrent methods"
            stop = _STOP.search(self.text, stop.end(), self.end)
            until = stop.start() if stop else self.end
        words = self.text[position:until].strip(" ,")
        if not words or len(words) > 80 or words.lower() in ("them", "it", "those", "that"):
            return None, until
        return words, until

    def _listed(self, position: int) -> Iterator[Mention]:
        """The mentions of a list that starts here."""
        for mention in self.mentions:
            if mention.start >= position:
                if not _BETWEEN_LISTED.fullmatch(self.text[position : mention.start]):
                    return
                yield mention
                position = mention.end

    def _goes_on(self, position: int) -> bool:
        """Whether a list goes on here with a mention or another name, rather than with another clause."""
        return any(0 <= m.start - position <= 4 for m in self.mentions)

    def _dataset(self, stretch: _Stretch, near: tuple[int, int]) -> Slot | None:
        data = [m for m in self.mentions if m.type is EntityType.DATASET]
        here = [m for m in data if near[0] <= m.start < near[1]]
        before = [m for m in data if m.start < stretch.cue.start]
        after = [m for m in data if stretch.cue.start <= m.start < stretch.end]
        if found := here or before or after:
            return found[0]
        said = _DATA_WORDS.search(self.text, self.start)
        return said[1] if said else None

    def _task(self, stretch: _Stretch, near: tuple[int, int]) -> Slot | None:
        tasks = [m for m in self.mentions if m.type is EntityType.TASK and m.start >= stretch.cue.start]
        here = [m for m in tasks if near[0] <= m.start < near[1]]
        led = [
            m for m in here if re.search(r"\b(?:in|for|on|across)\s(?:[\w-]+\s){0,3}$", self.text[self.start : m.start])
        ]
        return next(iter(led or here), None)

    def _condition(self, stretch: _Stretch) -> str | None:
        closing = _CLOSING.search(self.text, stretch.cue.end, stretch.end)
        if closing:
            return closing[1].strip()
        opening = self.opening[0] if self.opening else None
        return None if opening is None or opening.startswith(("By ", "For ", "On ", "Despite ")) else opening


def _completed(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """The quantities of a list, each with the unit and qualifier that only the first of them bears."""
    before: Quantity | None = None
    for quantity in quantities:
        if before is not None and re.fullmatch(
            r"[^.;:()]{0,70}(?:,|\band\b)[^.;:()]{0,25}", text[before.end : quantity.start]
        ):
            listed = re.search(r"\bby\b|\bwhile\b|ing\b", text[before.end : quantity.start]) is None
            if quantity.unit is None and (listed or quantity.direction is not None):
                quantity = replace(quantity, unit=before.unit)
            if quantity.qualifier is None and listed and quantity.unit == before.unit:
                quantity = replace(quantity, qualifier=before.qualifier)
        absolute = re.search(
            r"\babsolute (?:\w+ )?(?:of|by)?[^.;,]{0,30}$", text[max(0, quantity.start - 50) : quantity.start]
        )
        if quantity.unit == "%" and (
            absolute
            or (
                before
                and before.unit == "percentage points"
                and quantity.qualifier == before.qualifier
                and before.qualifier
            )
        ):
            quantity = replace(quantity, unit="percentage points")
        yield quantity
        before = quantity


_PREPOSED = (
    r"\b(?:on|of|in|for|with|using|by|to|across|over|than|from|via|through|like|as|against|between|under)"
    r"\s(?:[\w-]+\s){0,3}$"
)
_INTRANSITIVE = re.compile(r"\s+(?:\w+ly\s+)?(?:by|from|to|with)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"it|we|they", re.IGNORECASE)
_COMPARED_FIRST = re.compile(
    r"\b(?:Compared (?:to|with|against)|In comparison (?:to|with)|Relative to|In contrast to|Unlike)\s+", re.IGNORECASE
)
_SKIPPED = re.compile(
    r"\s*(?:(?:the|a|an|both|all|its|their|other|various|several|strong|relative to|over|of)\s+)*", re.IGNORECASE
)
_HEAD_NOUN = r"\s*(?:baselines?|methods?|models?|approaches|systems?|algorithms?|optimi[sz]ers?|counterparts?)?\s*"
_EXAMPLES = re.compile(
    r"(?:[^.,;]{0,40}?,)?\s*\(?(?:such as|including|like|e\.g\.,?|i\.e\.,?|namely|\()\s*", re.IGNORECASE
)
_BETWEEN_LISTED = re.compile(r"(?:[\s,/&]|\band\b|\bor\b|\([^()]*\))*(?:the\s)?")
_ADJECTIVE = re.compile(
    r"(?:previous|prior|existing|current|recent|earlier|other|traditional|classical)", re.IGNORECASE
)
_AND_ALONE = re.compile(r"\s*\band\b\s*", re.IGNORECASE)
_AND_MORE = re.compile(r"\s*(?:,\s*(?:and|or|as well as)?|\band\b|\bor\b|\bas well as\b)\s*", re.IGNORECASE)


def _noun_phrase_before(region: str) -> str | None:
    """The words that stand as subject: after the last comma or "that", without adverbs at the end."""
    tail = re.split(r",\s|\bthat\b\s|;\s|:\s", region)[-1].strip()
    tail = re.sub(
        r"(?:\s(?:\w+ly|can|also|further|not|does|do|is|are|has|have|thus|even|and|consistently))+$", "", tail
    )
    tail = _ARTICLE.sub("", tail)
    return tail if 2 < len(tail) < 70 and len(tail.split()) <= 9 else None


def _with_quantity(claim: Claim, quantity: Quantity | None, cue: _Cue) -> Claim:
    if quantity is None:
        return claim
    own = quantity.direction if cue.kind in (_REACH, _COMPARE) else None
    return replace(
        claim,
        value=quantity.value,
        unit=quantity.unit,
        qualifier=quantity.qualifier,
        direction=claim.direction or own,
    )
