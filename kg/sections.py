"""The sections of a structured abstract: "BACKGROUND: ... METHODS: ...", as journals and PubMed label them.

A label stands at the start of the text, of a line or of a sentence, and says of what role the sentences after it are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kg.records import Role

__all__ = ["LABEL_MARKS", "Section", "find_sections", "opening_label", "role_of"]


class Section(NamedTuple):
    """A labelled part of a text; the label is at `label`, its text from `start` to `end`.

    `role` is None under a label that names several, such as "Background and aims".
    """

    label: int
    start: int
    end: int
    role: Role | None


_NAMES: Mapping[Role | None, str] = {
    Role.BACKGROUND: "background|context|introduction|motivation|importance|rationale|what is (?:already )?known",
    Role.OBJECTIVE: (
        "(?:(?:study|primary|research|main) )?(?:objectives?|aims?|purposes?|goals?|hypothes[ie]s|questions?)"
        "|aims? of (?:the |this )?study|problem"
    ),
    Role.METHOD: (
        "methods?|methodology|(?:materials?|patients?|subjects|participants|data) and methods?"
        "|methods? and (?:materials?|analysis|design)"
        "|(?:study |research |experimental |trial )?design|(?:research )?design and methods?"
        "|design, setting,? and participants|design/methodology/approach|approach|procedures?|settings?|participants"
        "|subjects|patients|interventions?|exposures?|(?:main )?outcomes?(?: and)? measures?"
        "|main outcomes and measures|measurements?|data (?:sources?|collection|extraction)|study selection"
        "|statistical analysis"
    ),
    Role.RESULT: (
        "(?:(?:main|key) )?(?:results?|findings?|outcomes?)|results? and (?:discussions?|conclusions?)"
        "|conclusions?|concluding remarks|discussions?|(?:discussion|summary) and conclusions?|interpretation"
        "|conclusions? and (?:relevance|significance|implications)|data synthesis|(?:practical )?implications"
    ),
    Role.OTHER: (
        "availability(?: and (?:implementation|requirements))?|supplementary (?:information|data|materials?)|contact"
        "|(?:(?:clinical )?trial |study )?registration(?: number)?|funding|keywords?|levels? of evidence"
    ),
    None: "(?:strengths and )?limitations?|originality/value|originality|value|significance|relevance|scope|evaluation",
}
"""By role, the labels that journals use; conclusions count as results, and some labels tell no role."""

LABEL_MARKS = " \t\n:：.*_#"
"""What may stand around a label that is a line of its own."""

_ROLES = {role: re.compile(names, re.IGNORECASE) for role, names in _NAMES.items() if role is not None}
_ONE = "|".join(_NAMES.values())
_OPEN = r"\*\*|__|#{1,4}\s|<(?:b|i|strong|h\d)>|\\textbf\{"
_CLOSE = r"\*\*|__|</(?:b|i|strong|h\d)>|\}"
_LABEL = re.compile(
    r"(?:\A|(?P<line>\n)|(?<=[.!?…)\]\"”*>])(?=\s))\s{0,20}+"
    rf"(?P<whole>(?P<open>{_OPEN})?"
    rf"(?P<name>(?:{_ONE})(?:\s?(?:/|&|,|\band\b)\s?(?:{_ONE}))?)"
    r"(?:\s\([^()\n]{1,80}\))?"
    rf"(?P<end>\s?[:：.](?:{_CLOSE})?|(?:{_CLOSE})\s?[:：.—–-]?|\s?[—–]|[ \t]*(?=\n)|(?=\s)))"
    r"(?:(?=\s)|(?<=[—–:：])(?=\w))",
    re.IGNORECASE,
)


def role_of(label: str) -> Role | None:
    """The role that a label names alone.

    >>> role_of("Patients and methods"), role_of("CONCLUSIONS"), role_of("Background and aims"), role_of("Limitations")
    (<Role.METHOD: 'method'>, <Role.RESULT: 'result'>, None, None)
    """
    name = " ".join(label.split()).rstrip(":")
    return next((role for role, names in _ROLES.items() if names.fullmatch(name)), None)


def find_sections(text: str) -> tuple[Section, ...]:
    """The labelled sections of a text, in order; none for a text without labels.

    >>> [(s.role, text[s.start : s.end]) for text in ["AIM: We ask. RESULTS: A wins."] for s in find_sections(text)]
    [(<Role.OBJECTIVE: 'objective'>, 'We ask. '), (<Role.RESULT: 'result'>, 'A wins.')]
    """
    found = [match for match in _LABEL.finditer(text) if _is_label(match, text)]
    if len(found) < 2 and not any(_is_sure(match) for match in found):
        return ()
    ends = [*(match.start("whole") for match in found[1:]), len(text)]
    return tuple(_sections(found, ends, text))


def opening_label(text: str) -> str | None:
    """The label of a text that is but one section, or the label alone of one; None for any other text.

    >>> opening_label("Methods"), opening_label("METHODS: We try."), opening_label("AIM: We ask. RESULTS: A wins.")
    ('methods', 'methods', None)
    """
    alone = text.strip(LABEL_MARKS)
    if re.fullmatch(_ONE, alone, re.IGNORECASE):
        return alone.lower()
    match = _LABEL.match(text)
    if match is None or not _is_label(match, text) or len(find_sections(text)) > 1:
        return None
    return match["name"].lower()


def _sections(found: list[re.Match[str]], ends: list[int], text: str) -> Iterator[Section]:
    for match, end in zip(found, ends, strict=True):
        start = match.end() + len(text[match.end() : end]) - len(text[match.end() : end].lstrip())
        if start < end:
            yield Section(match.start("whole"), start, end, role_of(match["name"]))


def _is_label(match: re.Match[str], text: str) -> bool:
    """Whether words that may be a label are one: by what follows them, and by their letters."""
    alone = match["line"] is not None or match.start() == 0
    name, end = match["name"], match["end"].strip()
    following = text[match.end() : match.end() + 50].lstrip()[:2]
    if not name[0].isupper() or not following:
        return False
    if end:
        return end[0] in ":：.—–" or following[0].isupper()
    if name.isupper():
        return following[0].isupper() and not following[1:].isupper()
    return alone and text.startswith("\n", match.end())


def _is_sure(match: re.Match[str]) -> bool:
    return match["name"].isupper() and ":" in match["end"]
