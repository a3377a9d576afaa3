"""Quantities as people write them: a number, its unit, how it is meant, and which way it goes.

>>> [str(q) for q in find_quantities("over 40% fewer steps, 2.5x faster, from 71.2 to 78.9 points")]
['over 40 % decrease', '2.5 × increase', '78.9 points increase from 71.2']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from kg.records import Direction

__all__ = ["Quantity", "find_quantities"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity in a text, from `start` to `end`; `origin` is where it rose or fell from, where that is said.

    `unit` is "%", "percentage points", "points", "×", a unit word as written, or None for a bare number.
    `qualifier` is over, under, up to, at least, at most, about, average or nearly, or None.
    """

    start: int
    end: int
    value: Decimal
    unit: str | None = None
    qualifier: str | None = None
    direction: Direction | None = None
    origin: Decimal | None = None

    def __str__(self) -> str:
        origin = None if self.origin is None else f"from {self.origin}"
        parts = (self.qualifier, self.value, self.unit, self.direction, origin)
        return " ".join(str(part) for part in parts if part is not None)


_WORDS = {
    name: Decimal(value)
    for value, name in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=1
    )
} | {"a": Decimal(1), "an": Decimal(1), "fifteen": Decimal(15), "twenty": Decimal(20), "hundred": Decimal(100)}
_SCALES = {
    "thousand": 3,
    "k": 3,
    "million": 6,
    "m": 6,
    "billion": 9,
    "b": 9,
    "trillion": 12,
    "t": 12,
}
_QUALIFIERS = {
    "over": r"over|more than|above|exceeding|greater than|higher than|upwards of|>",
    "under": r"under|less than|below|fewer than|lower than|<",
    "up to": r"up to|as much as|as many as|as high as|a maximum of|at best|maximum",
    "at least": r"at least|no less than|a minimum of|as low as|≥|>=|\\geq?",
    "at most": r"at most|no more than|within|≤|<=|\\leq?|not exceeding",
    "about": r"about|around|approximately|roughly|circa|some|~|≈|∼|approx\.?",
    "average": r"(?:by |of )?an average(?: [\w-]+){0,4} of|on average|average|averaging|mean|an average",
    "nearly": r"nearly|almost|close to",
}
_UNITS = {
    "percentage points": r"%\s?p(?:ts?|oints?)?\b|%-?points?\b|percentage[- ]points?|percent[- ]points?"
    r"|p\.?p\.?(?![\w.])|pts?\.? absolute|(?:absolute )?%\s?absolute(?: points?)?|absolute points?|points? absolute",
    "%": r"\\?%|percent\b|per cent\b",
    "points": r"points?\b|pts?\b\.?",
    "×": r"[x×✕X](?![\w-])|times\b(?! series| step| stamp)|-?fold\b(?! cross)|\\times\b|orders? of magnitude",
}
_UNIT_WORDS = (
    r"ms|milliseconds?|µs|microseconds?|seconds?|secs?|s(?=\b)|minutes?|mins?|hours?|hrs?|days?|weeks?|FPS|fps|Hz|kHz"
    r"|dB|GB|MB|KB|TB|GiB|MiB|G?FLOPs|TFLOPs|FLOPS|[GMT]?MACs|bits?|bpp|bps|nats?|tokens?/s|tok/s|tokens? per second"
    r"|frames? per second|mm|cm|km|m(?=\b)|degrees?|°|J|kWh|W|BLEU|ROUGE"
)
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_ONE_OF_WORDS = "|".join(sorted(_WORDS, key=len, reverse=True))


def _alternatives(table: dict[str, str], prefix: str) -> str:
    return "|".join(f"(?P<{prefix}{number}>{pattern})" for number, pattern in enumerate(table.values()))


_UNIT = rf"(?:\s?-?\s?(?:{_alternatives(_UNITS, 'u')})|\s?(?P<word>{_UNIT_WORDS})\b)"
_PLAIN = re.compile(
    rf"(?:(?:{_alternatives(_QUALIFIERS, 'q')})\s*(?:an? )?)?"
    rf"(?<![\w.,/^-])(?P<sign>[+\-−–±])?(?<!\d\s)\$?(?P<value>{_NUMBER})\$?"
    rf"(?:\s?(?P<scale>thousand|million|billion|trillion|[KMBTk](?![\w-]))\b)?"
    rf"(?:(?:\s?%)?\s?(?:[-–—~]|to)\s?(?P<value2>{_NUMBER})(?:(?=\s?\\?%|\s?[x×]|\s?\$?\\times)"
    rf"|(?=\s?-?(?:fold|points?|pp|percent|times)\b)|(?<=\.\d)|(?<=\.\d\d)))?"
    rf"(?:{_UNIT})?(?P<plus>\+)?",
)
_FROM_TO = re.compile(
    rf"\bfrom\s+(?:about |around |~)?(?P<first>{_NUMBER})(?:\s?\\?%|\s?[x×]|\s(?:{_UNIT_WORDS})\b|\s?points?)?"
    rf"(?:\s\([^)]*\))?\s+(?:up |down )?to\s+(?:(?:{_alternatives(_QUALIFIERS, 'q')})\s*)?"
    rf"(?P<value>{_NUMBER})(?![\w.]*\d)(?:{_UNIT})?",
)
_TIMES_FIRST = re.compile(
    rf"(?:(?:{_alternatives(_QUALIFIERS, 'q')})\s*)?(?<![\w.\])}}])\s?[×x]\s?(?P<value>{_NUMBER})(?![\w.]|\s?[x×])"
)
_IN_WORDS = re.compile(
    rf"(?:(?:{_alternatives(_QUALIFIERS, 'q')})\s+)?\b(?:"
    rf"(?P<magnitude>(?:{_ONE_OF_WORDS}|several|multiple|{_NUMBER})(?:\s?(?:to|-|–)\s?(?:{_ONE_OF_WORDS}|{_NUMBER}))?)"
    rf"(?:\s|-)orders?(?:\s|-)of(?:\s|-)magnitude"
    rf"|(?P<times>{_ONE_OF_WORDS})(?:\s|-)?(?P<fold>times|fold)\b"
    rf"|(?:a |by a |by )?factors?\s+of\s+(?:(?P<about>about|around|over|up to|nearly|at least|more than)\s)?"
    rf"(?P<factor>{_NUMBER}|{_ONE_OF_WORDS})(?:\s?[-–]\s?(?P<factor2>{_NUMBER}))?(?:\s?[x×])?"
    rf"|(?P<percentword>{_ONE_OF_WORDS})\s(?:percent|per cent)(?P<pp>age points?)?\b"
    rf"|(?P<pointword>{_ONE_OF_WORDS})\s(?P<absolute>percentage |absolute )?points?\b"
    rf"|(?P<half>(?:by|in) half|half (?:of )?(?:the|as)\b|(?:one|a) half)"
    rf"|(?P<quarter>by a quarter|a quarter of|one[- ]quarter)"
    rf"|(?P<third>by (?:a|one)[- ]third|(?:a|one)[- ]third)"
    rf"|(?P<twothirds>two[- ]thirds)|(?P<threequarters>three[- ]quarters)"
    rf"|(?P<twice>twice|doubl(?:es|ed|ing|e))|(?P<thrice>thrice|tripl(?:es|ed|ing|e))"
    rf"|(?P<fourfold>quadrupl(?:es|ed|ing|e))|(?P<halve>halv(?:es|ed|ing|e)))\b",
    re.IGNORECASE,
)
_AFTER = (
    (
        Direction.DECREASE,
        r"(?:\w+\s){0,2}?(?:reduction|decrease|drop|decline|degradation|savings?|fewer|less|lower|smaller|shorter|cheaper"
        r"|slower|slowdown|lighter|compression)\b",
    ),
    (
        Direction.INCREASE,
        r"(?:\w+\s){0,2}?(?:increase|rise|growth|speed-?ups?|acceleration|faster|higher|more|larger|greater|longer|bigger"
        r"|throughput gain)\b",
    ),
    (Direction.BETTER, r"(?:\w+\s){0,2}?(?:better|improvements?|gains?|boosts?|enhancement)\b"),
    (Direction.WORSE, r"(?:\w+\s){0,1}?worse\b"),
)
_BEFORE = (
    (Direction.DECREASE, r"(?:reduc|decreas|lower|cut|drop|declin|shrink|sav|compress|slow|halv)\w*"),
    (Direction.INCREASE, r"(?:increas|rais|accelerat|speed(?:s|ing|ed)?|speed-?up|grow|rose|ris)\w*"),
    (Direction.BETTER, r"(?:improv|outperform|surpass|exceed|enhanc|boost|gain|beat|better|advanc)\w*"),
    (Direction.WORSE, r"(?:underperform|degrad|worse)\w*"),
)
_SIGNS = {"+": Direction.INCREASE, "-": Direction.DECREASE, "−": Direction.DECREASE, "–": Direction.DECREASE}
_NOT_RESULT = re.compile(
    r"\s?(?:-(?:shot|way|bit|layer|step|dimensional|D\b|hop|class)|[A-Z]?\d|(?:CIs?|confidence)\b)", re.IGNORECASE
)
_CHANCE = re.compile(r"\bp(?:[ -]values?)?\s*$", re.IGNORECASE)  # of the null hypothesis: "p < 0.01"


def find_quantities(text: str) -> Iterator[Quantity]:
    """The quantities in a cleaned text, in order and without overlap.

    A bare number is one only where it has a decimal point, or is what something rose or fell to.
    """
    found: list[Quantity] = []
    for find in (_changes, _worded, _times_first, _plain):
        found += (q for q in find(text) if not any(q.start < o.end and o.start < q.end for o in found))
    yield from sorted(found, key=lambda quantity: quantity.start)


def _changes(text: str) -> Iterator[Quantity]:
    for match in _FROM_TO.finditer(text):
        origin, value = _number(match["first"]), _number(match["value"])
        direction = Direction.INCREASE if value > origin else Direction.DECREASE if value < origin else Direction.EQUAL
        yield Quantity(*match.span(), value, _unit(match), _qualifier(match), direction, origin)


_EXACT = {
    "half": ("50", "%"),
    "quarter": ("25", "%"),
    "third": ("33.3", "%"),
    "twothirds": ("66.7", "%"),
    "threequarters": ("75", "%"),
    "twice": ("2", "×"),
    "thrice": ("3", "×"),
    "fourfold": ("4", "×"),
    "halve": ("50", "%"),
}


def _worded(text: str) -> Iterator[Quantity]:
    for match in _IN_WORDS.finditer(text):
        kind = next(
            name
            for name in (*_EXACT, "magnitude", "times", "factor", "percentword", "pointword")
            if match[name] is not None
        )
        value, unit = _worded_value(match, kind)
        if value is not None:
            direction = Direction.DECREASE if kind == "halve" else _direction(text, match)
            yield Quantity(*match.span(), value, unit, _qualifier(match) or _about(match), direction)


def _worded_value(match: re.Match[str], kind: str) -> tuple[Decimal | None, str]:
    if kind in _EXACT:
        value, unit = _EXACT[kind]
        return Decimal(value), unit
    if kind == "magnitude":
        last = re.split(r"\s?(?:to|-|–)\s?", match[kind])[-1].strip().lower()
        return (None if last in ("several", "multiple") else Decimal(10) ** int(_number(last))), "×"
    if kind == "factor":
        return _number(match["factor2"] or match[kind]), "×"
    unit = {"times": "×", "percentword": "percentage points" if match["pp"] else "%"}.get(
        kind, "percentage points" if match["absolute"] else "points"
    )
    return _number(match[kind]), unit


def _about(match: re.Match[str]) -> str | None:
    said = match["about"]
    return said and next(name for name, pattern in _QUALIFIERS.items() if re.fullmatch(pattern, said, re.IGNORECASE))


def _plain(text: str) -> Iterator[Quantity]:
    for match in _PLAIN.finditer(text):
        unit = _unit(match)
        if _NOT_RESULT.match(text, match.end()) or (unit is None and "." not in match["value"]):
            continue
        if unit == "×" and "magnitude" in match[0]:
            continue
        if _CHANCE.search(text, max(0, match.start() - 10), match.start()):
            continue
        value, origin = _scaled(match), None
        if match["value2"]:
            value, origin = _number(match["value2"]), value
        qualifier = _qualifier(match) or ("over" if match["plus"] else None) or _trailing_average(text, match.end())
        direction = _SIGNS.get(match["sign"] or "") or _direction(text, match)
        yield Quantity(*match.span(), value, unit, qualifier, direction, origin)


def _times_first(text: str) -> Iterator[Quantity]:
    """Multiples with the sign before the number, as in "up to × 6 faster"."""
    for match in _TIMES_FIRST.finditer(text):
        yield Quantity(*match.span(), _number(match["value"]), "×", _qualifier(match), _direction(text, match))


def _trailing_average(text: str, end: int) -> str | None:
    said = re.match(r"\s?\)?,?\s?(?:on average|in average|average\b)", text[end : end + 14])
    return "average" if said else None


def _scaled(match: re.Match[str]) -> Decimal:
    value = _number(match["value"])
    return value * 10 ** _SCALES[match["scale"].lower()] if match["scale"] else value


def _number(text: str) -> Decimal:
    word = text.strip().lower()
    return _WORDS[word] if word in _WORDS else Decimal(word.replace(",", ""))


def _unit(match: re.Match[str]) -> str | None:
    named = (name for number, name in enumerate(_UNITS) if match[f"u{number}"])
    return next(named, None) or match["word"]


def _qualifier(match: re.Match[str]) -> str | None:
    return next((name for number, name in enumerate(_QUALIFIERS) if match[f"q{number}"]), None)


def _direction(text: str, match: re.Match[str]) -> Direction | None:
    """The direction that the words right after the quantity give, else those that lead to it."""
    after = text[match.end() : match.end() + 60].lstrip(" )")
    for direction, cue in _AFTER:
        if re.match(cue, after, re.IGNORECASE):
            return direction
    before = text[max(0, match.start() - 80) : match.start()]
    nearest = [
        (found.end(), direction)
        for direction, cue in _BEFORE
        for found in re.finditer(rf"\b{cue}", before, re.IGNORECASE)
        if not re.search(r"[.;]", before[found.end() :])
    ]
    return max(nearest)[1] if nearest else None
