"""Links to code and data: web addresses in text that says what they are for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kg.records import Link

__all__ = ["find_links"]

_ADDRESS = re.compile(
    r"(?:https?://|www\.|(?:github\.com|huggingface\.co|gitlab\.com|zenodo\.org|doi\.org)/)[^\s<>\"“”{}|\\^`]+",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?'’*_~"


def find_links(text: str) -> Iterator[Link]:
    """Every web address in `text`, with its scheme, and the slice that holds it as it is written.

    `text` is the original abstract: in LaTeX and Markdown the address stands where cleaning drops it.

    >>> [link.url for link in find_links(r"Code: \\href{https://github.com/a/b}{this repository}, github.com/c/d.")]
    ['https://github.com/a/b', 'https://github.com/c/d']
    """
    for match in _ADDRESS.finditer(text):
        if match.start() and (text[match.start() - 1].isalnum() or text[match.start() - 1] in "@/."):
            continue
        written = _trimmed(match[0])
        if "." in written:
            url = written if "://" in written else f"https://{written}"
            yield Link(url, match.start(), match.start() + len(written))


def _trimmed(address: str) -> str:
    while address:
        shorter = address.rstrip(_TRAILING)
        for opening, closing in ("()", "[]"):
            if shorter.endswith(closing) and shorter.count(closing) > shorter.count(opening):
                shorter = shorter[:-1]
        if shorter == address:
            return address
        address = shorter
    return address
