"""Acronym definitions: a long form and the short form that stands for it, found by their letters.

The letters of the short form are aligned with the long form at the least cost: the start of a word or of a part of
one, a capital inside, a digit cost nothing; a letter inside a word and a word that is left out cost something
(after Schwartz and Hearst, PSB 2003, who take the first alignment that fits). The cheapest long form is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kg.wordlists import word_list

__all__ = ["Definition", "find_definitions", "likeliest_long_form", "long_form_at_end", "stands_for"]

_BRACKET = re.compile(r"\(([^()]{1,160})\)|\[([^\[\]]{1,160})\]")
_CITATION = re.compile(r"\s*\[[\d,;\s–-]+\]")
_SHORT = re.compile(r"[A-Za-z0-9α-ωΑ-Ω][\w+&³²*./^-]{0,14}")
_PART = re.compile(r"[^,;:]+")
_CLAUSE = re.compile(r"[.;:!?]\s|[()\[\]{}\"“”]|,\s")
_ATOM = re.compile(r"[^\W_]+|&|\+")
_AND = re.compile(r"\s*(?:,\s*and|,|and|&|/)\s+")
_ANNOUNCED = re.compile(r"\s*(?:(?:or|also|i\.e\.|aka|denoted|abbreviated|hereafter|as|by|the|short)\s+)*[\"'“]?")
_NAMED = re.compile(
    r"\b([A-Za-z0-9][\w+&./-]{1,14})(?:,| is| are)? (?:\(?short for|stands? for|denotes?|denoting|means"
    r"|an? (?:acronym|abbreviation) (?:of|for)|abbreviat(?:es|ing|ion (?:of|for))|standing for) "
)
_CALLED = re.compile(
    r"[,(]?\s*(?:\(?(?:or|also|hereafter|henceforth|abbreviated(?: (?:as|to|by))?|shortened to|known as|i\.e\.,?"
    r"|denoted(?: (?:as|by))?|termed|dubbed|called|named|referred to as|short)\s+)+[\"'“]?([A-Z][\w+&./-]{1,14})"
)
_APPOSED = re.compile(r"\b([A-Z][\w+&./-]{1,14})(?:,|:| is| –| —) (?:(?:an?|the|our|is|a new|a novel)\s+)?")
_PHRASE_END = re.compile(r"[,.;:!?()\[\]]|\s(?:that|which|where|who|to|by|is|are|was|can|and then)\s")

_FUNCTION_WORDS = word_list(
    "of and for the in with via on to from a an by at as or through under over without using into"
)
_GENERIC = word_list(
    """
    method methods approach approaches algorithm algorithms layer layers technique techniques dataset datasets
    benchmark module modules strategy strategies task tasks signals scheme paradigm measure
    """
)
"""Nouns that do not belong to a long form unless its acronym has a letter for them."""
_HEADS = word_list("neural network networks model models framework frameworks architecture")
"""Nouns that may end a long form without a letter in its acronym, as in "long short-term memory network (LSTM)"."""
_NO_SHORT_FORMS = word_list("II III IV VI VII VIII IX")

_SPOKEN = {"2": ("to", "two"), "3": ("three",), "4": ("for", "four")}
_COUNTS = {"2": 2, "²": 2, "3": 3, "³": 3}

_INSIDE, _LOWER_INSIDE, _RUN, _LOWER_RUN = 1.0, 0.45, 0.15, 0.05
"""The price of a letter inside a word, and of one that directly follows the letter before."""
_LEFT_OUT, _PART_LEFT_OUT, _GENERIC_LEFT_OUT = 0.9, 0.4, 0.15
"""The price of a word without a letter, of a part of a compound such as "-based" or a last noun such as "network", and
of a last noun such as "method"."""
_MIDDLE_OF_WORD = 0.6
"""The price of a long form that begins after a hyphen."""
_COST_PER_LETTER, _SURE_COST_PER_LETTER, _APPOSED_COST_PER_LETTER = 0.36, 0.5, 0.12
"""An alignment may cost so much for each letter of the short form; the most where a bracket follows it at once."""
_LIKELY_COST_PER_LETTER, _CLEARLY = 0.15, 0.25
"""Where no text defines the short form: how little the best long form must cost, and by how much less than others."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A long form and its short form, as slices of one text."""

    long: tuple[int, int]
    short: tuple[int, int]


def find_definitions(text: str) -> Iterator[Definition]:
    """The definitions in `text`, ordered by their short forms; each place of a short form has at most one.

    Found are "long form (SF)", "SF (long form)", "(long form) SF", "A and B (SF1 and SF2)", "SF, short for long
    form", "long form, abbreviated SF" and, where every word has its letter, "SF, a long form".

    >>> text = "We study graph neural networks (GNNs) and LoRA, short for low-rank adaptation."
    >>> [(text[slice(*d.short)], text[slice(*d.long)]) for d in find_definitions(text)]
    [('GNNs', 'graph neural networks'), ('LoRA', 'low-rank adaptation')]
    """
    found: dict[tuple[int, int], Definition] = {}
    for definition in (*_in_brackets(text), *_by_words(text), *_in_apposition(text)):
        found.setdefault(definition.short, definition)
    yield from sorted(found.values(), key=lambda each: each.short)


def stands_for(short: str, long: str) -> bool:
    """Whether `short` can be an acronym of `long`, by its letters.

    >>> stands_for("GNNs", "graph neural networks"), stands_for("CNN", "three stabilizers")
    (True, False)
    """
    letters = _letters(short)
    if not letters or len(long) <= len(short):
        return False
    return _alignment_cost(letters, long) <= _allowance(letters)


def long_form_at_end(short: str, text: str) -> str | None:
    """What `short` stands for of a text that ends with its long form, or None; of a part, two words at least.

    >>> long_form_at_end("GNNs", "message-passing based graph neural networks")
    'graph neural networks'
    """
    if stands_for(short, text):
        return text
    found = _long_form_between(text, 0, len(text), short) if _is_short_form(short) else None
    long = text[slice(*found)] if found else ""
    return long if len(_ATOM.findall(long)) > 1 else None  # "visual fidelity (FID)" defines nothing


def likeliest_long_form(short: str, longs: Iterable[str]) -> str | None:
    """The one of `longs` that `short` stands for by its letters, if one fits clearly better than all others.

    >>> likeliest_long_form("CRF", ["CRF-RNN", "conditional random field", "channel reduction factor network"])
    'conditional random field'
    """
    letters = _letters(short)
    if not letters:
        return None
    costs = sorted({(_alignment_cost(letters, long), long) for long in longs if len(long) > len(short)})
    fits = bool(costs) and costs[0][0] <= _LIKELY_COST_PER_LETTER * len(letters)
    if not fits or (len(costs) > 1 and costs[1][0] - costs[0][0] < _CLEARLY):
        return None
    return costs[0][1]


def _in_brackets(text: str) -> Iterator[Definition]:
    for bracket in _BRACKET.finditer(text):
        group = 1 if bracket[1] is not None else 2
        inside, start = bracket[group], bracket.start(group)
        end = len(text[: bracket.start()].rstrip(" '’\"”"))
        while citation := _last_citation(text, end):
            end = citation
        yield from _short_inside(text, end, inside, start)
        if definition := _long_inside(text, end, bracket, inside, start):
            yield definition


def _last_citation(text: str, end: int) -> int | None:
    for citation in _CITATION.finditer(text, max(0, end - 30), end):
        if citation.end() == end and citation.start() > 0:
            return citation.start()
    return None


def _short_inside(text: str, end: int, inside: str, start: int) -> Iterator[Definition]:
    """The long forms that end at `end` and the short forms in the bracket's text, which begins at `start`."""
    parts = [(m.start() + start, m[0]) for m in _PART.finditer(_CITATION.sub(lambda c: " " * len(c[0]), inside))]
    if not parts:
        return
    place, words = parts[0]
    several = [(place + m.start(), m[0]) for m in re.finditer(r"\S+", words) if m[0] not in ("and", "&", "or")]
    if "and" in words.split() and 2 <= len(several) <= 3:
        yield from _paired(text, end, several)
        return
    for place, part in parts[:2]:
        first, short = _trimmed(place, part)
        if _is_short_form(short) and (long := _long_form_before(text, end, short)):
            yield Definition(long, (first, first + len(short)))
            return


def _trimmed(place: int, part: str) -> tuple[int, str]:
    """A short form without the words that announce it and the space around, and where it begins."""
    announced = _ANNOUNCED.match(part)
    skipped = announced.end() if announced else 0
    return place + skipped, part[skipped:].strip(" \t\n\"'”.")


def _paired(text: str, end: int, shorts: Sequence[tuple[int, str]]) -> Iterator[Definition]:
    """ "A and B (SF1 and SF2)": from the last to the first, each long form ends where the next begins."""
    for place, short in reversed(shorts):
        if not _is_short_form(short) or not (long := _long_form_before(text, end, short)):
            return
        yield Definition(long, (place, place + len(short)))
        joint = re.search(_AND.pattern + r"$", text[: long[0]])
        if joint is None:
            return
        end = joint.start()


def _long_inside(text: str, end: int, bracket: re.Match[str], inside: str, start: int) -> Definition | None:
    """ "SF (long form)" or "(long form) SF"."""
    part = _PART.match(inside)
    if part is None or not re.search(r"[\s-]", part[0].strip()):
        return None
    long = part[0].strip()
    first = start + part[0].index(long)
    before = re.search(r"[\w+&./-]+$", text[max(0, end - 40) : end])
    after = re.match(r"\s+([\w+&./-]+)", text[bracket.end() :])
    places = []
    if before:
        place = end - len(before[0])
        places += [(place, before[0]), (place, before[0].split("-")[0])]
    if after and (not before or not _is_short_form(before[0])):
        places.append((bracket.end() + after.start(1), after[1].rstrip(".")))
    for place, short in places:
        letters = _letters(short)
        if not _is_short_form(short) or len(long) <= len(short):
            continue
        if _alignment_cost(letters, long) <= _SURE_COST_PER_LETTER * len(letters):
            stripped = _without_generic(long, letters)
            return Definition((first, first + len(stripped)), (place, place + len(short)))
    return None


def _by_words(text: str) -> Iterator[Definition]:
    """Definitions that the text announces: "SF, short for long form", "long form, abbreviated SF"."""
    for match in _NAMED.finditer(text):
        if long := _long_form_after(text, match.end(), match[1], _COST_PER_LETTER):
            yield Definition(long, match.span(1))
    for match in _CALLED.finditer(text):
        short = match[1].rstrip(".")
        if _is_short_form(short) and (long := _long_form_before(text, match.start(), short)):
            yield Definition(long, (match.start(1), match.start(1) + len(short)))


def _in_apposition(text: str) -> Iterator[Definition]:
    """ "SF, a long form that ...", only where nearly every letter begins a word and every word has its letter."""
    for match in _APPOSED.finditer(text):
        capitals = sum(c.isupper() for c in match[1])
        if capitals >= 3 and (long := _long_form_after(text, match.end(), match[1], _APPOSED_COST_PER_LETTER)):
            yield Definition(long, match.span(1))


def _long_form_after(text: str, start: int, short: str, per_letter: float) -> tuple[int, int] | None:
    """The cheapest long form in the phrase that begins at `start`."""
    if not _is_short_form(short):
        return None
    stop = _PHRASE_END.search(text, start)
    end = min(stop.start() if stop else len(text), start + 120)
    atoms = list(_ATOM.finditer(text, start, end))[: 2 * len(short) + 4]
    letters = _letters(short)
    best: tuple[float, int, int, int] | None = None
    for number, atom in enumerate(atoms):
        if not _can_begin(letters[0], atom[0]) or _inside_word(text, atom.start()):
            continue
        for last in atoms[number : number + 2 * len(letters) + 2]:
            if last is not atoms[-1] and not _at_word_end(text, last.end()):
                continue
            cost = _alignment_cost(letters, text[atom.start() : last.end()])
            if cost <= per_letter * len(letters) and last.end() - atom.start() > len(short):
                best = min(best or (9.9, 0, 0, 0), (cost, atom.start() - last.end(), atom.start(), last.end()))
    return best[2:] if best else None


def _long_form_before(text: str, end: int, short: str) -> tuple[int, int] | None:
    """The cheapest long form of `short` that ends at `end`, within the clause or else within the sentence."""
    window = text[max(0, end - 160) : end]
    clauses = list(_CLAUSE.finditer(window))
    firm = [match.end() for match in clauses if match[0] != ", "]
    floors = {max((match.end() for match in clauses), default=0), max(firm, default=0)}
    for floor in sorted(floors, reverse=True):
        if long := _long_form_between(text, end - len(window) + floor, end, short):
            return long
    return None


def _long_form_between(text: str, floor: int, end: int, short: str) -> tuple[int, int] | None:
    letters = _letters(short)
    atoms = list(_ATOM.finditer(text, floor, end))[-(2 * len(letters) + 4) :]
    best: tuple[float, int, int] | None = None
    for atom in reversed(atoms):
        if not _can_begin(letters[0], atom[0]) or end - atom.start() <= len(short):
            continue
        cost = _alignment_cost(letters, text[atom.start() : end])
        cost += _MIDDLE_OF_WORD * _inside_word(text, atom.start())
        if cost <= _allowance(letters):
            best = min(best or (9.9, 0, 0), (cost, -atom.start(), atom.start()))
    if best is None:
        return None
    start = _start_of_title(text, floor, best[2], letters[0])
    stripped = _without_generic(text[start:end].rstrip(" ,'’\"”"), letters)
    return start, start + len(stripped)


def _start_of_title(text: str, floor: int, start: int, letter: str) -> int:
    """Where the run of capitalised words that `start` stands in begins, if it begins with the acronym's letter."""
    first = start
    if not text[start].isupper() and text[start:].split()[0].lower() not in _FUNCTION_WORDS:
        return start
    for word in reversed(list(re.finditer(r"\S+", text[floor:start]))):
        if word[0][0].isupper():
            first = floor + word.start()
        elif word[0].lower() not in _FUNCTION_WORDS:
            break
    sentence_start = first == 0 or text[:first].rstrip().endswith((".", "!", "?"))
    return first if not sentence_start and text[first].lower() == letter.lower() else start


def _inside_word(text: str, place: int) -> bool:
    return place > 0 and text[place - 1] in "-/–_"


def _at_word_end(text: str, place: int) -> bool:
    return place >= len(text) or text[place] not in "-/–_'’"


def _can_begin(letter: str, atom: str) -> bool:
    if letter.lower() == "x" and atom.lower().startswith("ex"):
        return True
    return atom[0].lower() == letter.lower() or atom.lower() in _SPOKEN.get(letter, ())


def _without_generic(long: str, letters: str) -> str:
    """`long` without a last noun such as "method" that costs the alignment something and that it can do without."""
    head, space, last = long.rpartition(" ")
    if space and last.lower() in _GENERIC and _alignment_cost(letters, head) < _alignment_cost(letters, long):
        return head
    return long


def _is_short_form(word: str) -> bool:
    letters = [c for c in word if c.isalpha()]
    capitals = sum(c.isupper() for c in letters)
    if _SHORT.fullmatch(word) is None or not letters or word in _NO_SHORT_FORMS or not _letters(word):
        return False
    if capitals >= 2:
        return capitals * 3 >= len(letters)
    return len(word) >= 2 and len(letters) <= 5 and capitals == 1 and any(c.isdigit() for c in word)


def _letters(short: str) -> str:
    """What must be found in the long form; the plural's s and a last plus are not."""
    return "".join(c for c in re.sub(r"((?<=[A-Z0-9])['’]?s|\+*)$", "", short) if c.isalnum() or c in "&+")


def _allowance(letters: str) -> float:
    return _COST_PER_LETTER * len(letters)


@lru_cache(maxsize=4096)
def _alignment_cost(letters: str, long: str) -> float:
    """The least cost of finding `letters` in order in `long`, the first one at its start; infinite if they are not.

    A number at the end of the short form may count its last letter, as in GM³; it is left out when it finds no match.
    """
    cost = _cheapest(letters, long)
    if cost == float("inf") and len(letters) > 2 and letters[-1] in _COUNTS:
        counted = letters[:-1] + letters[-2] * (_COUNTS[letters[-1]] - 1)
        return min(_cheapest(counted, long), _cheapest(letters[:-1], long)) + _RUN
    return cost


def _cheapest(letters: str, long: str) -> float:
    atoms = list(_ATOM.finditer(long))
    if not atoms:
        return float("inf")
    paid = [0.0]
    for atom in atoms:
        paid.append(paid[-1] + _price_left_out(long, atom))
    # the least cost so far for each place (character, atom) of the letter just found
    costs: dict[tuple[int, int], float] = {}
    for number, letter in enumerate(letters):
        new: dict[tuple[int, int], float] = {}
        for index, atom in enumerate(atoms):
            for place, price in _matches(letter, atom):
                if number == 0:
                    if index == 0 and place <= atom.start() + 1:
                        new[place, index] = price if place == atom.start() else 0.1
                    continue
                for (before, at), cost in costs.items():
                    if before >= place or at > index:
                        continue
                    step = _price(letter, price, follows=place == before + 1 and at == index)
                    total = cost + step + max(0.0, paid[index] - paid[at + 1])
                    if total < new.get((place, index), float("inf")):
                        new[place, index] = total
        costs = new
        if not costs:
            return float("inf")
    return min(cost + paid[len(atoms)] - paid[at + 1] for (_, at), cost in costs.items())


def _price(letter: str, price: float, *, follows: bool) -> float:
    """The price of a letter inside a word, less where it follows the one before or is small in the short form."""
    if letter.islower():
        return min(price, _LOWER_RUN if follows else _LOWER_INSIDE)
    return min(price, _RUN) if follows else price


def _matches(letter: str, atom: re.Match[str]) -> Iterator[tuple[int, float]]:
    """Where in `atom` the letter can be read, and at what price."""
    word = atom[0]
    if letter in "&+":
        if word.lower() in (("and", "&") if letter == "&" else ("plus", "+")):
            yield atom.start(), 0.0
        return
    if word.lower() in _SPOKEN.get(letter, ()):
        yield atom.start(), 0.0
    for offset, char in enumerate(word):
        if char.lower() == letter.lower():
            free = offset == 0 or char.isdigit() or char.isupper()
            x_of_ex = offset == 1 and letter in "Xx" and word[0] in "Ee"
            yield atom.start() + offset, 0.0 if free or x_of_ex else _INSIDE


def _price_left_out(long: str, atom: re.Match[str]) -> float:
    word = atom[0].lower()
    if word in _FUNCTION_WORDS or word in "&+" or (word == "s" and long[atom.start() - 1] in "'’"):
        return 0.0
    if word in _GENERIC and atom.end() == len(long):
        return _GENERIC_LEFT_OUT
    is_head = word in _HEADS and all(other.lower() in _HEADS for other in long[atom.end() :].split())
    return _PART_LEFT_OUT if is_head or _inside_word(long, atom.start()) else _LEFT_OUT
