"""Plain text out of the HTML and JATS that some sources put into titles and abstracts."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from kg.readers.fields import labelled

__all__ = ["plain"]


def plain(text: str) -> str:
    r"""The text without its tags; paragraphs on lines of their own, a section's title as the label before it.

    >>> plain("<jats:sec><jats:title>Methods</jats:title><jats:p>We ran H<jats:sub>2</jats:sub>O &amp; x < y.</jats:p>")
    'Methods: We ran H2O & x < y.'
    >>> plain("We propose\nA, if x < y.")
    'We propose\nA, if x < y.'
    >>> plain("<p>We take x <y or z> w.</p>")
    'We take x <y or z> w.'
    """
    if TAG.search(text) is None:
        return text
    parser = _Paragraphs()
    parser.feed(NO_TAG.sub("&lt;", text))
    parser.close()
    return parser.text()


NAME = (
    r"(?:(?:jats|mml|m|xref|ns\d):[a-z][\w-]{0,40}|p|br|i|b|u|em|strong|sub|sup|su[bp]script|italic|bold|small|sc|tt|code|span"
    r"|div|a|ul|ol|li|h[1-6]|title|sec|section|abstract|list|list-item|math|m[a-z]{1,12}|inline-formula|tex-math"
    r"|alternatives|font|center|blockquote|dl|dt|dd|img|hr|table|tr|td|th|tbody|thead|xref|ext-link|scp)"
)
TAG = re.compile(
    rf"</?{NAME}(?:\s[^<>]{{0,1000}})?/?>|<!--|&(?:#\w{{1,8}}|[a-zA-Z]\w{{1,20}});",
    re.IGNORECASE,
)
NO_TAG = re.compile(rf"<(?!/?{NAME}(?:\s[^<>]{{0,1000}})?/?>|!--)", re.IGNORECASE)
"""A "<" that begins no tag of HTML, JATS or MathML."""
LABELS = frozenset({"title", "h1", "h2", "h3", "h4", "h5", "h6"})
BLOCKS = frozenset({"p", "sec", "section", "div", "list", "list-item", "li", "ul", "ol", "br", "break", "abstract"})
FORMULA = "inline-formula"


class _Paragraphs(HTMLParser):
    """Collects the paragraphs of a fragment, each with the title that stood before it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[tuple[str | None, str]] = []
        self._label: str | None = None
        self._pieces: list[str] = []
        self._math = 0
        self._tex = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        local = tag.rpartition(":")[2]
        if local in BLOCKS or local in LABELS:
            self._end_paragraph()
        elif local == "math":
            self._math += 1
        elif local == "tex-math":
            self._tex = True
        elif local in ("alternatives", FORMULA):
            self._tex = False

    def handle_endtag(self, tag: str) -> None:
        local = tag.rpartition(":")[2]
        if local in LABELS:
            self._label = "".join(self._pieces).strip() or None
            self._pieces = []
        elif local in BLOCKS:
            self._end_paragraph()
        elif local == "math":
            self._math = max(0, self._math - 1)

    def handle_data(self, data: str) -> None:
        if not (self._math and self._tex):  # MathML that repeats the TeX before it
            self._pieces.append(data)

    def text(self) -> str:
        """What has been collected."""
        self._end_paragraph()
        return labelled(self._parts)

    def _end_paragraph(self) -> None:
        text = " ".join("".join(self._pieces).split())
        if text:
            self._parts.append((self._label, text))
            self._label = None
        self._pieces = []
