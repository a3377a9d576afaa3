"""Cleaning: plain words out of LaTeX, Markdown, HTML and debris of PDF, with the way back to the original.

A pass looks at a text and yields edits, `(start, end, replacement)`; `_edited` carries them out and keeps,
for every character, the slice of the original that it stands for. Cleaning is the passes of `PASSES` in
order. No pass recurses and every repetition of a pattern is bounded or stops at its own first character, so
the time is linear in the text, also for hostile ones.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from kg.records import CleanText

__all__ = ["clean"]

Edit = tuple[int, int, str]
"""Replace the characters from `start` to `end` by a text; each of its characters stands for all of them."""

Offsets = list[tuple[int, int]]


def clean(text: str) -> CleanText:
    r"""The plain text of an abstract, and where each of its characters comes from.

    >>> cleaned = clean(r"Rodimus$+$ is \textbf{90\%} **faster** at $O(T)$ &amp; com- plex")
    >>> cleaned.text
    'Rodimus+ is 90% faster at O(T) & complex'
    >>> start, end = cleaned.to_source(12, 15)
    >>> cleaned.source[start:end]
    '90\\%'
    """
    cleaned, offsets = text, list(zip(range(len(text)), range(1, len(text) + 1), strict=True))
    for edits in PASSES:
        cleaned, offsets = _edited(cleaned, offsets, edits(cleaned))
    return CleanText(text, cleaned, tuple(_disjoint(offsets)))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _edited(text: str, offsets: Offsets, edits: Iterable[Edit]) -> tuple[str, Offsets]:
    """The text and offsets after the edits; of two that overlap, the one that starts first counts."""
    parts: list[str] = []
    slices: Offsets = []
    done = 0
    for start, end, replacement in sorted(edits, key=lambda edit: edit[0]):
        if start < done or start == end:
            continue
        parts += text[done:start], replacement
        slices += offsets[done:start]
        slices += [(offsets[start][0], offsets[end - 1][1])] * len(replacement)
        done = end
    return "".join([*parts, text[done:]]), slices + offsets[done:]


def _disjoint(offsets: Offsets) -> Offsets:
    """The slices, each run of overlapping ones made one, as where the first half of a ligature took an accent."""
    slices: Offsets = []
    first = 0
    for index, (start, end) in enumerate(offsets):
        if slices and start < slices[-1][1] and (start, end) != slices[-1]:
            slices[first:] = [(slices[first][0], end)] * (index + 1 - first)
        else:
            first = first if slices and (start, end) == slices[-1] else index
            slices.append((start, end))
    return slices


# Addresses and math: what other passes leave alone.

URL = r"""
    (?: (?:https?|ftp)://
      | \bwww\.
      | (?<![\w.@-])(?:[A-Za-z0-9-]{1,40}\.){1,4}(?:ai|com|dev|edu|io|net|org)/ )
    (?: [^\s<>{}\\"$*`\[\]^|] | \\[%_\#&~] )++
"""
MATH = r"""
      \$\$ (?P<display>[^$]{1,2000}) \$\$
    | (?<!\\)\$ (?P<inline>(?!\s|\d[^$\\]{0,30}\$\d) (?:[^$\\]|\\[^$]|\\\$(?=[^$\s])){1,1000}? (?<!\s)) (?<!\\)\$
    | (?<!\\)\$ (?P<spaced>\s (?=[^$]{0,300}[\\^_=]) [^$]{1,300} \s) \$
    | \\\( (?P<round>(?:[^\\]|\\[^()]){1,1000}) \\\)
    | \\\[ (?P<square>(?:[^\\]|\\[^\[\]]){1,2000}) \\\]
"""
MATH_SPAN = re.compile(MATH, re.VERBOSE)


# HTML

TAG = re.compile(
    r"<!--.{0,1000}?-->|<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9:]{0,20})(?:\s[^<>]{0,300})?/?>", re.DOTALL
)
TAGS = _words(
    """
    a abbr b big blockquote br center cite code dd del div dl dt em font h1 h2 h3 h4 h5 h6 hr i img
    ins italic kbd li mark ol p pre q s sc small span strike strong sub sup table tbody td th title
    tr tt u ul var wbr
    """
)
BREAKS = _words(
    """
    blockquote br dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre table td th title tr ul
    """
)
VOID = _words(
    """
    br hr img li p wbr
    """
)
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def _html_tags(text: str) -> Iterator[Edit]:
    tags = list(TAG.finditer(text))
    closed = {tag["name"].lower() for tag in tags if tag["close"]}
    for tag in tags:
        if tag["name"] is None:
            yield *tag.span(), ""
            continue
        name = tag["name"].lower()
        bare = name.rpartition(":")[2]
        if ":" in name or (bare in TAGS and (name in closed or bare in VOID)):
            yield *tag.span(), _tag_text(bare, text, tag)


def _tag_text(name: str, text: str, tag: re.Match[str]) -> str:
    if name == "sup" and not tag["close"]:
        power = re.compile(r"[+-−]?\d").match(text, tag.end())
        return "^" if power and text[tag.start() - 1 : tag.start()].isalnum() else ""
    return "\n" if name in BREAKS else ""


def _html_entities(text: str) -> Iterator[Edit]:
    for entity in ENTITY.finditer(text):
        character = html.unescape(entity[0])
        if character != entity[0]:
            yield *entity.span(), character


# Characters

ODD = re.compile(
    r"""
      (?P<drop> [\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]
              | [\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffd]
              | \u00ad\n? )
    | (?P<lost> \t(?=ext[a-z][a-z]\{|imes\b|heta\b|au\b) )
    | (?P<space> [\t\x0b\x0c\x1c-\x1f\x85\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000] )
    | (?P<line> \r\n? | \u2028 | \u2029 )
    | (?P<hyphen> [\u2010\u2011] )
    | (?P<ligature> [\ufb00-\ufb06] )
    | (?P<accented> [^\W\d_][\u0300-\u036f]{1,4} )
    """,
    re.VERBOSE,
)
PLAIN = {"drop": "", "space": " ", "line": "\n", "hyphen": "-"}


def _odd_characters(text: str) -> Iterator[Edit]:
    for odd in ODD.finditer(text):
        kind = odd.lastgroup or ""
        if kind == "lost":
            yield *odd.span(), "\\t"
        elif kind in PLAIN:
            yield *odd.span(), PLAIN[kind]
        else:
            plain = unicodedata.normalize("NFKC" if kind == "ligature" else "NFC", odd[0])
            if plain != odd[0]:
                yield *odd.span(), plain


# Markdown (CommonMark 0.31, section 6.2 for what opens and closes emphasis)

MARKDOWN = re.compile(
    rf"""
      (?P<heading> ^[ ]{{0,3}}\#{{1,6}}[ \t]+ )
    | (?P<fence> ^[ ]{{0,3}}```[ ]?\w{{0,20}}$ )
    | (?P<link> !?\[(?P<label>[^\[\]\n]{{1,500}})
        (?P<target>\]\( (?=https?:|www\.|mailto:|[./\#]|[\w-]{{1,60}}\.\w)
        (?:[^()\s]|\([^()\s]{{0,200}}\)){{1,500}} (?:\s"[^"\n]{{0,200}}")? \)) )
    | <(?P<autolink>{URL})>
    | (?P<url> {URL} )
    | (?P<math> {MATH} )
    | (?P<escape> \\. )
    | (?P<quoted> ``(?!`)(?=\S)[^`]{{1,1000}}?'' | `(?=\w)[^`'\n]{{1,200}}'(?!\w) )
    | (?P<code> (?P<ticks>`{{1,2}})(?![`\s])[^`\n]{{1,1000}}(?<!\s)(?P=ticks)(?!`) )
    | (?P<paragraph> \n[ ]?\n )
    | (?P<emphasis> (?<!\^)\*++ | (?<!_)_{{1,3}}(?!_) )
    """,
    re.VERBOSE | re.MULTILINE,
)


def _markdown(text: str) -> Iterator[Edit]:
    open_runs: dict[str, list[tuple[int, int]]] = {"*": [], "_": []}
    position = 0
    while found := MARKDOWN.search(text, position):
        position = found.end()
        start, end = found.span()
        if found["heading"] or found["fence"]:
            yield start, end, ""
        elif found["link"]:
            yield start, found.start("label"), ""
            yield *found.span("target"), ""
            position = found.start("label")
        elif found["autolink"]:
            yield start, start + 1, ""
            yield end - 1, end, ""
        elif found["code"]:
            yield start, found.end("ticks"), ""
            yield end - len(found["ticks"]), end, ""
        elif found["paragraph"]:
            open_runs = {"*": [], "_": []}
        elif found["emphasis"] and end - start <= 3:
            yield from _emphasis(text, start, end, open_runs[text[start]])


def _emphasis(text: str, start: int, end: int, open_runs: list[tuple[int, int]]) -> Iterator[Edit]:
    """Drop what this run of asterisks or underscores closes; what is left of it may open."""
    before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
    inside_word = before.isalnum() and after.isalnum()
    opens = not after.isspace() and (after.isalnum() or not before.isalnum())
    closes = not before.isspace() and (before.isalnum() or not after.isalnum())
    if inside_word and before.isdigit() and after.isdigit():
        return
    if text[start] == "_":
        opens, closes = opens and before in BEFORE_UNDERSCORE, closes and after in AFTER_UNDERSCORE
    while closes and open_runs and start < end:
        first, last = open_runs.pop()
        width = min(last - first, end - start, 2)
        if width == 1 and _is_product(text, last, start):
            continue
        yield last - width, last, ""
        yield start, start + width, ""
        start += width
        if last - width > first:
            open_runs.append((first, last - width))
    if opens and start < end:
        open_runs.append((start, end))


BEFORE_UNDERSCORE = " \n([{\"'“‘*-–—/,.:;>"
AFTER_UNDERSCORE = " \n)]}\"'”’*-–—/,.:;!?<"


def _is_product(text: str, start: int, end: int) -> bool:
    """Whether two asterisks multiply, as in "a*b and c*d": they touch words, with spaces between them."""
    touching = text[start - 2 : start - 1].isalnum() if start > 1 else False
    return touching and re.compile(r"\s").search(text, start, end) is not None


# LaTeX

TOKEN = re.compile(
    rf"""
      (?P<url> {URL} )
    | (?P<quotes> (?<!\w)\\"(?=[^"\\]{{2,200}}\\"(?!\w)) | (?<=[^\s\\])\\"(?![\w{{]) )
    | (?P<accent> \\(?P<mark>['"`^~=.])
        (?: \{{\s?(?P<braced>\\?[A-Za-z])\s?\}} | (?P<bare>\\[ij](?![a-z])|[A-Za-z]) ) )
    | (?P<cedilla> \\(?P<letter>[cvuHkrbd])
        (?: [ ]?\{{(?P<held>\\?[A-Za-z])\}} | [ ](?P<next>[A-Za-z])(?=[a-z]) ) )
    | (?P<newline> \\n(?=[A-Z][a-z]|[^A-Za-z]) )
    | (?P<command> \\{{1,2}}(?P<name>[A-Za-z]+)\*? )
    | (?P<stripped> (?<![\\\w])(?:emph|textbf|textit|textsc|texttt)(?=\{{) | (?<=\{{)(?:em|bf|it|tt)[ ] )
    | (?P<linebreak> \\\\ )
    | (?P<escaped> \\(?P<symbol>.) )
    | (?P<circle> \^\{{?\\circ(?![a-z])\}}? )
    | (?P<power> \^ )
    | (?P<index> _ )
    | (?P<brace> [{{}}] )
    | (?P<dashes> -{{2,}} )
    | (?P<tie> (?<=[\w.,:;)\]}}])~(?=[\w\\$(\[])(?!\\cite|(?<=\d~)\d) | (?<=[A-Za-z}}])~(?=\s) )
    | (?P<opening> (?<![`\w])(?: ``(?!`) | `(?=\w[^`'\n]{{0,200}}'(?!\w)) ) )
    """,
    re.VERBOSE | re.DOTALL,
)
ACCENTS = {
    "'": "\u0301", '"': "\u0308", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "r": "\u030a", "b": "\u0331",
    "d": "\u0323",
}  # fmt: skip
UNSEEN = _words(
    """
    bar bf bfseries Big big Bigg bigg Bigl bigl Bigr bigr bm boldsymbol centering check ddot
    displaystyle dot em emph ensuremath hat hbox it item itshape Large large left limits mathbb
    mathbf mathbin mathcal mathfrak mathit mathop mathrel mathring mathrm mathscr mathsf mathtt mbox
    middle mkern noindent nolimits nonumber normalsize operatorname overline path protect right rm
    sc scriptsize scshape sf small text textbf textit textnormal textrm textsc textsf textstyle
    texttt textup tilde tt ttfamily underline url vec widehat widetilde xspace
    """
)
HIDDEN = _words(
    "Cref autoref begin color cref end eqref label ref "
    "bibliography href hspace includegraphics input nocite textcolor vspace"
)
PLAINER = {
    "ast": "*", "colon": ":", "gt": ">", "lt": "<", "mid": "|", "par": " ", "prime": "'", "quad": " ",
    "qquad": " ", "newline": " ", "sim": "~", "textasciitilde": "~", "to": "→", "vert": "|", "lbrace": "{",
    "rbrace": "}",
}  # fmt: skip
SEVERAL_TERMS = re.compile(r"[^{}]{0,200}\w\s?[-+/*\s]\s?[\w\\]|\\frac")
DOUBLE_CLOSE = re.compile(r"[^`\"]{1,1000}?(?P<mark>''|\")")
SINGLE_CLOSE = re.compile(r"[^`'\n]{1,200}(?P<mark>')")
NO_POWER = re.compile(r"\{?(?:\\[a-z]{2,10}\s?\{)?(?:(?:th|st|nd|rd)\b|\\pm)")
WORD_GROUP = re.compile(r"\{(?:\s?\\[A-Za-z'\"`^~=.]|(?:em|bf|it|tt)\s|[^{}\\,;:|]{1,200}\}|,\}|\{)")
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
HIDDEN_LIMIT = 1000
"""Longest argument that is hidden, in characters: a brace that was never meant must not swallow the text."""


@dataclass(frozen=True, slots=True)
class Tex:
    """A text with what LaTeX says of its positions: where each brace closes, and which spans are math."""

    text: str
    partners: dict[int, int]
    math: list[tuple[int, int]]

    def in_math(self, position: int) -> bool:
        """Whether a position lies between the delimiters of a formula."""
        place = bisect_right(self.math, (position, len(self.text)))
        return place > 0 and position < self.math[place - 1][1]

    def before(self, position: int) -> str:
        """The character before a position; a space at the very start."""
        return self.text[position - 1] if position else " "

    def base(self, position: int) -> str:
        """The character that a superscript or subscript at a position belongs to."""
        return self.text[max(0, position - 4) : position].rstrip("${} ")[-1:]

    def after(self, position: int) -> str:
        """The character at a position; a space at the very end."""
        return self.text[position : position + 1] or " "


def _latex(text: str) -> Iterator[Edit]:
    formulas = [(found.span(), found.span(found.lastgroup or 0)) for found in MATH_SPAN.finditer(text)]
    for (outer_start, outer_end), (start, end) in formulas:
        yield outer_start, start, ""
        yield end, outer_end, ""
    tex = Tex(text, _brace_partners(text), [inner for _, inner in formulas])
    for token in TOKEN.finditer(text):
        kind = next(kind for kind in KINDS if token[kind] is not None)
        if kind in SIMPLE:
            yield *token.span(), SIMPLE[kind]
        else:
            yield from READERS[kind](tex, token)


def _brace_partners(text: str) -> dict[int, int]:
    """Where the brace that opens at a position closes."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for brace in re.finditer(r"\\.|[{}]", text, re.DOTALL):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            partners[opened.pop()] = brace.start()
    return partners


def _read_address(tex: Tex, token: re.Match[str]) -> Iterator[Edit]:
    for escape in re.compile(r"\\").finditer(tex.text, *token.span()):
        yield *escape.span(), ""


def _read_accent(tex: Tex, token: re.Match[str]) -> Iterator[Edit]:
    mark = token["mark"] or token["letter"]
    letter = next(held for held in (token["braced"], token["bare"], token["held"], token["next"]) if held)
    letter = letter.lstrip("\\")
    accented = unicodedata.normalize("NFC", letter + ACCENTS[mark])
    possessive = token["bare"] == "s" and mark == "'" and not tex.after(token.end()).isalnum()
    escaped_quote = token["bare"] and mark in "'\"" and (len(accented) > 1 or possessive)
    yield *token.span(), mark + letter if escaped_quote else accented


def _read_command(tex: Tex, token: re.Match[str]) -> Iterator[Edit]:
    name, (start, end) = token["name"], token.span()
    if name in HIDDEN or name.startswith("cite"):
        yield from _hide(tex, token)
    elif name in ("frac", "tfrac", "dfrac", "nicefrac"):
        yield from _fraction(tex, token)
    elif name in ("footnote", "thanks"):
        yield start, end, " "
        yield from _bracket(tex, end)
    elif name == "sqrt":
        yield start, end, "√"
        yield from _group(tex, end)
    elif name in UNSEEN:
        yield start, end + (tex.after(end) == " " and end < len(tex.text)), ""
        yield from _group(tex, end, dropped=True)
    elif (symbol := _symbols().get(name)) is not None:
        word_after_word = symbol.isascii() and symbol.isalpha() and tex.in_math(start) and tex.before(start).isalnum()
        yield start, end, f" {symbol}" if word_after_word else symbol
        yield from _group(tex, end, dropped=True)
    elif end in tex.partners:
        empty = tex.partners[end] == end + 1
        yield start, start + 1 if empty else end, ""
        yield from _group(tex, end, dropped=True)
    elif token[0].startswith("\\\\") and not tex.in_math(start):
        yield start, token.start("name"), " "
    else:
        yield start, token.start("name"), " " if tex.in_math(start) and tex.before(start).isalnum() else ""


def _hide(tex: Tex, token: re.Match[str]) -> Iterator[Edit]:
    """Drop a command with its first argument, and the space before it where it is a reference."""
    start, end = token.span()
    option = re.compile(r"(?:\s?\[[^\[\]]{0,200}\]){0,2}").match(tex.text, end)
    end = option.end() if option else end
    close = tex.partners.get(end)
    if close is not None and close - end <= HIDDEN_LIMIT:
        end = close + 1
    if token["name"].startswith("cite") and start and tex.before(start) in " ~":
        start -= 1
    yield start, end, ""
    yield from _group(tex, end, dropped=True)


def _fraction(tex: Tex, token: re.Match[str]) -> Iterator[Edit]:
    start, end = token.span()
    middle = tex.partners.get(end)
    last = tex.partners.get(middle + 1) if middle is not None else None
    short = re.compile(r"\s?(\w)(\w)").match(tex.text, end)
    if middle is not None and last is not None:
        yield start, end, ""
        yield from _group(tex, end)
        yield from _group(tex, middle + 1, before="/")
    elif short:
        yield start, short.end(), f"{short[1]}/{short[2]}"
    else:
        yield start, end, ""


def _group(tex: Tex, start: int, *, before: str = "", dropped: bool = False) -> Iterator[Edit]:
    """The braces of an argument that opens at `start`: gone, or round where several terms depend on them."""
    close = tex.partners.get(start)
    if close is None:
        return
    if not dropped and SEVERAL_TERMS.match(tex.text, start + 1, close):
        yield start, start + 1, before + "("
        yield close, close + 1, ")"
    else:
        yield start, start + 1, before
        yield close, close + 1, ""


def _bracket(tex: Tex, start: int) -> Iterator[Edit]:
    close = tex.partners.get(start)
    if close is not None:
        yield start, start + 1, "("
        yield close, close + 1, ")"


def _read_stripped(tex: Tex, token: re.Match[str]) -> Iterator[Edit]:
    """A command that has lost its backslash on the way."""
    yield *token.span(), ""
    yield from _group(tex, token.end(), dropped=True)


def _read_escaped(tex: Tex, token: re.Match[str]) -> Iterator[Edit]:
    symbol, (start, end) = token["symbol"], token.span()
    if symbol in ",;: \n":
        joined = tex.in_math(start) or (tex.before(start).isdigit() and tex.after(end).isdigit())
        yield start, end, "" if joined else " "
    else:
        yield start, end, "" if symbol in "-/@!" else symbol


def _read_power(tex: Tex, token: re.Match[str]) -> Iterator[Edit]:
    """`^` as it can be said in plain text: M², 10^5, 19th, x^(n+1)."""
    start, end = token.span()
    if not tex.in_math(start) and tex.after(end) != "{":
        return
    base = tex.base(start)
    digit = re.compile(r"(\d)(?![\d.])|\{\s?(\d)\s?\}").match(tex.text, end)
    if digit and (base.isalpha() or base in ")]"):
        yield start, digit.end(), SUPERSCRIPTS[int(digit[1] or digit[2])]
    elif base.isdigit() and NO_POWER.match(tex.text, end):
        yield start, end, ""
    else:
        yield from _group(tex, end)


def _read_index(tex: Tex, token: re.Match[str]) -> Iterator[Edit]:
    """`_` stays before words, as in N_avg, and goes before numbers, as in F1."""
    start, end = token.span()
    if tex.in_math(start) or tex.after(end) == "{":
        if tex.base(start).isalnum() and re.compile(r"\{?\s?\d").match(tex.text, end):
            yield start, end, ""
        yield from _group(tex, end, dropped=True)


def _read_brace(tex: Tex, token: re.Match[str]) -> Iterator[Edit]:
    """A bare brace: gone in math and around a word or a declaration, as in {BERT} and {\\bf x}; else text."""
    start = token.start()
    if tex.in_math(start):
        yield start, start + 1, ""
    elif token[0] == "{" and WORD_GROUP.match(tex.text, start):
        yield from _group(tex, start, dropped=True)


def _read_dashes(tex: Tex, token: re.Match[str]) -> Iterator[Edit]:
    start, end = token.span()
    option = tex.before(start) == " " and tex.after(end).isalpha() and end - start == 2
    if end - start <= 3 and not option:
        yield start, end, "–" if end - start == 2 else "—"


def _read_opening(tex: Tex, token: re.Match[str]) -> Iterator[Edit]:
    double = token[0] == "``"
    yield *token.span(), "“" if double else "‘"
    if close := (DOUBLE_CLOSE if double else SINGLE_CLOSE).match(tex.text, token.end()):
        yield *close.span("mark"), "”" if double else "’"


@cache
def _symbols() -> dict[str, str]:
    """What stands for a symbol command: pylatexenc's table, and plainer signs where plain text has them."""
    from pylatexenc.latex2text import get_default_latex_context_db

    specs = get_default_latex_context_db().iter_macro_specs()
    table = {spec.macroname: spec.simplify_repl for spec in specs if isinstance(spec.simplify_repl, str)}
    return {name: text for name, text in table.items() if "%" not in text} | PLAINER


SIMPLE = {"quotes": '"', "newline": "\n", "linebreak": " ", "circle": "°", "tie": " "}
READERS: dict[str, Callable[[Tex, re.Match[str]], Iterator[Edit]]] = {
    "url": _read_address,
    "accent": _read_accent,
    "cedilla": _read_accent,
    "command": _read_command,
    "stripped": _read_stripped,
    "escaped": _read_escaped,
    "power": _read_power,
    "index": _read_index,
    "brace": _read_brace,
    "dashes": _read_dashes,
    "opening": _read_opening,
}
KINDS = (*SIMPLE, *READERS)


# Words broken at a line's end

BREAK = re.compile(rf"(?P<url>{URL})|(?<=\w)-\s+(?=\w)", re.VERBOSE)
WORD = re.compile(r"[^\W_]++(?:-[^\W_]++)*+(?!-)")
SUSPENDS = _words(
    """
    a also an and are as at but by can for from has have if in is it its not of on or our over
    rather than that the then these this those through to und under versus via vs was we were when
    where which while with without
    """
)
"""Words before which a hyphen at a word's end is meant: "pre- and post-training"."""
PREFIXES = _words(
    """
    auto coarse cross data deep dual few fine full fully graph half hard high human image inter
    intra large least less long low many meta mid model more most multi near non off one open over
    post pre quasi real self semi short single small soft state sub super task text three time top
    two ultra under user weakly well zero
    """
)
SUFFIXES = _words(
    """
    aware based dependent dimensional driven efficient end engineered following free grained guided
    independent invariant label level like making matter off order oriented out quality ranging
    related scale shot source specific supervised time trained training tuned tuning up view wise
    world
    """
)
"""First and second parts that keep their hyphen where neither form occurs elsewhere in the text."""


def _broken_words(text: str) -> Iterator[Edit]:
    words: frozenset[str] | None = None
    for found in BREAK.finditer(text):
        if found["url"]:
            continue
        words = words if words is not None else frozenset(WORD.findall(text.lower()))
        left = re.split(r"[^\w-]", text[max(0, found.start() - 40) : found.start()])[-1]
        right = re.split(r"\W", text[found.end() : found.end() + 40], maxsplit=1)[0]
        inside = "-" in left and text.startswith("-", found.end() + len(right))
        if inside or right.lower() not in SUSPENDS:
            yield *found.span(), "-" if _keeps_hyphen(left, right, words) else ""


def _keeps_hyphen(left: str, right: str, words: frozenset[str]) -> bool:
    """Whether two parts are a compound, by what else the text writes, else by the look of the first part."""
    first, second = left.lower(), right.lower()
    if first + second in words:
        return False
    if f"{first}-{second}" in words or "-" in left:
        return True
    if first in PREFIXES or second in SUFFIXES or (first in words and first not in SUSPENDS):
        return True
    return len(left) == 1 or not right.islower() or not left[1:].islower()


# Spaces

GAP = re.compile(r"^\s+|\s+\Z|\s\s+|[^\S ]")


def _spaces(text: str) -> Iterator[Edit]:
    for gap in GAP.finditer(text):
        edge = gap.start() == 0 or gap.end() == len(text)
        yield *gap.span(), "" if edge else " "


PASSES = (_html_tags, _html_entities, _odd_characters, _markdown, _latex, _broken_words, _spaces)
