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
    """
    if TAG.search(text) is None:
        return text
    parser = _Paragraphs()
    parser.feed(text)
    parser.close()
    return parser.text()


TAG = re.compile(r"</?[a-zA-Z][\w:-]{0,40}(?:\s[^<>]{0,1000})?/?>|&(?:#\w{1,8}|[a-zA-Z]\w{1,20});")
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
