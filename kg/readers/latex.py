r"""Plain text out of the LaTeX of titles and names: accents, letters, dashes, braces; math stays as it is."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["plain_latex"]


def plain_latex(text: str) -> str:
    r"""The text with its accents and special letters as Unicode, and without braces.

    >>> plain_latex(r'G{\"o}del, Paul Erd{\H o}s and {\O}ystein \v{S}{\'\i}p: {LLM}s at $O(n^{2})$ -- \emph{fast}')
    'Gödel, Paul Erdős and Øystein Šíp: LLMs at $O(n^{2})$ – fast'
    """
    if PLAIN.search(text) is None:
        return text
    return "".join(part if part.startswith("$") else _words(part) for part in MATH.split(text) if part)


PLAIN = re.compile(r"[\\{}~]|--|``|''")
MATH = re.compile(r"(?<!\\)(\$(?:[^$\\]|\\.){1,500}\$)")


def _words(text: str) -> str:
    accented = ACCENT.sub(_accented, text)
    symbols = SYMBOL.sub(lambda match: SYMBOLS.get(match[1], match[0]), accented)
    unwrapped = BRACE.sub("", ESCAPED.sub(_kept, COMMAND.sub("", symbols)))
    return unwrapped.translate(KEPT_BACK).replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")


def _accented(match: re.Match[str]) -> str:
    letter = match["letter"].lstrip("\\").strip()
    return unicodedata.normalize("NFC", letter + COMBINING[match["symbol"] or match["name"]])


def _kept(match: re.Match[str]) -> str:
    return KEPT.get(match[1], match[1])


COMBINING = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
}
ACCENT = re.compile(
    r"""\\(?:(?P<symbol>[`'^~=."])\s{0,3}|(?P<name>[uvHcdbkr])(?=[\s{\\])\s{0,3})\{?\s{0,3}(?P<letter>\\[ij](?![a-zA-Z])|[^\W\d_])\s{0,1}(?:(?<=\s)(?=\})|(?<!\s))\}?"""
)
SYMBOLS = {
    "ss": "ß",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "i": "ı",
    "j": "ȷ",
    "dh": "ð",
    "DH": "Ð",
    "th": "þ",
    "TH": "Þ",
    "dj": "đ",
    "DJ": "Đ",
    "textendash": "–",
    "textemdash": "—",
    "textquoteright": "’",
    "textquoteleft": "‘",
    "textquotedblleft": "“",
    "textquotedblright": "”",
    "textregistered": "®",
    "texttrademark": "™",
    "textbackslash": "\ue000",
    "ldots": "…",
    "dots": "…",
}
SYMBOL = re.compile(r"\\(" + "|".join(sorted(SYMBOLS, key=len, reverse=True)) + r")(?![a-zA-Z])(?:\s{1,3}(?=\S)|\{\})?")
COMMAND = re.compile(
    r"\\(?:text(?:subscript|superscript|it|bf|sc|tt|sf|rm|up|md|sl|normal)|emph|mbox|mathrm|url|uppercase"
    r"|it|bf|sc|em|tt|rm)(?![a-zA-Z])\s{0,3}"
)
ESCAPED = re.compile(r"\\([&%$#_{}\-/ ])")
KEPT = {"{": "\ue001", "}": "\ue002", "-": "", "/": ""}
KEPT_BACK = {0xE000: "\\", 0xE001: "{", 0xE002: "}", ord("~"): " "}
BRACE = re.compile(r"[{}]")
