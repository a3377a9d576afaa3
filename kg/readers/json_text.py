"""JSON, read value by value: an array, or the list that an object holds, is never in memory as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["VALUE_LIMIT", "JsonText"]

VALUE_LIMIT = 64 * 2**20
"""Longest single value in characters; above it, a quotation mark or brace was left open."""

EDGE = 16
"""An error so near to the end of the text at hand may be of a value that goes on in the next piece."""


class JsonText:
    """A JSON text of which the consumed part is forgotten; `line` is the number of the line it stands at."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self._text = ""
        self._position = 0
        self._decode = json.JSONDecoder(strict=False).raw_decode
        self.line = 1

    def peek(self) -> str:
        """The next character that is no space, or "" at the end."""
        while True:
            if found := NO_SPACE.search(self._text, self._position):
                self._move(found.start())
                return found[0]
            self._move(len(self._text))
            if not self._more():
                return ""

    def take(self, character: str) -> bool:
        """Whether the next character is this one, which is then consumed."""
        taken = self.peek() == character
        if taken:
            self._move(self._position + 1)
        return taken

    def value(self) -> Any:
        """The next value. Raises ValueError or RecursionError, and stays before it, if it cannot be read."""
        self.peek()
        while True:
            try:
                value, end = self._decode(self._text, self._position)
            except json.JSONDecodeError as error:
                unfinished = error.pos > len(self._text) - EDGE or error.msg.startswith("Unterminated string")
                if unfinished and self._more():
                    continue
                raise
            if end < len(self._text) or not self._more():
                self._move(end)
                return value

    def skip(self) -> bool:
        """Whether the value at hand, however wrong inside, has an end at which reading can go on; it is consumed."""
        depth = 0
        passed = 0
        while True:
            for token in TOKEN.finditer(self._text, self._position + passed):
                if token[0].startswith('"') and token["close"] is None:
                    break
                passed = token.end() - self._position
                depth += (token[0] in ("{", "[")) - (token[0] in ("}", "]"))
                if depth <= 0 and token[0] in ("}", "]"):
                    self._move(token.end())
                    return True
            if not self._more():
                self._move(len(self._text))
                return False

    def line_at(self, position: int) -> int:
        """The number of the line of a position in the text at hand, as an error names it."""
        return self.line + self._text.count("\n", self._position, position)

    def _move(self, position: int) -> None:
        self.line += self._text.count("\n", self._position, position)
        self._position = position

    def _more(self) -> bool:
        """Whether there was more text: as much again as is at hand, so that reading stays linear."""
        start = self._text.rfind("\n", 0, self._position) + 1  # columns count from the beginning of the line
        start = start if self._position - start < EDGE * 64 else self._position
        kept = self._text[start:]
        if len(kept) > VALUE_LIMIT:
            return False
        pieces = []
        wanted = max(len(kept), 1)
        while wanted > 0 and (piece := next(self._pieces, None)) is not None:
            pieces.append(piece)
            wanted -= len(piece)
        if not pieces:
            return False
        self._position -= start
        self._text = "".join([kept, *pieces])
        return True


NO_SPACE = re.compile(r"\S")
TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?P<close>")?|[\[\]{}]', re.DOTALL)
"""A brace, or a text; one without its closing quotation mark goes on in the next piece."""
