"""From bytes to text: the encodings that people have, as lines or as pieces of any length."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import re
from collections.abc import Iterator
from typing import BinaryIO

__all__ = ["HEAD_BYTES", "Source", "open_source"]

HEAD_BYTES = 65_536
"""How much of a file is looked at to tell its encoding and format."""

PIECE = 65_536
"""Characters in a piece of text."""


class Source:
    """A stream of bytes that has been looked at: `head` are its first bytes, `sample` their text.

    It is read once, by one of :meth:`lines`, :meth:`pieces` and :meth:`binary`.
    """

    def __init__(self, stream: BinaryIO, head: bytes) -> None:
        self._stream = stream
        self._encoding = _encoding(head)
        self.head = head
        self.sample = "".join(_lines(io.BytesIO(head), self._encoding))

    def lines(self) -> Iterator[str]:
        """The lines of the text, each with a line feed for whatever ended it, but for the last."""
        return _lines(self._stream, self._encoding)

    def pieces(self) -> Iterator[str]:
        """The text in pieces of bounded length, for formats in which a line may be as long as the file."""
        return _pieces(self._stream, self._encoding)

    def binary(self) -> BinaryIO:
        """The bytes."""
        return self._stream


def open_source(stream: BinaryIO) -> Source:
    """The source in a stream, unpacked if it is compressed by gzip."""
    head, whole = _head(stream)
    if head.startswith(b"\x1f\x8b"):
        head, whole = _head(gzip.GzipFile(fileobj=whole))
    return Source(whole, head)


class _Replayed(io.RawIOBase):
    """A stream whose first bytes have been read already, from its start again."""

    def __init__(self, head: bytes, rest: BinaryIO | gzip.GzipFile) -> None:
        self._head = io.BytesIO(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        data = self._head.read(len(view)) or self._rest.read(len(view))
        view[: len(data)] = data
        return len(data)


def _head(stream: BinaryIO | gzip.GzipFile) -> tuple[bytes, BinaryIO]:
    """The first bytes of a stream, and a stream that still begins with them."""
    head = b""
    while len(head) < HEAD_BYTES and (data := stream.read(HEAD_BYTES - len(head))):
        head += data
    return head, io.BufferedReader(_Replayed(head, stream))


def _encoding(head: bytes) -> str:
    """The encoding of a text by its first bytes; "utf-8" may hold stray bytes of Windows-1252 or Latin-1."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if len(head) > 3 and max(even, odd) > 0.4 * len(head) / 2 and min(even, odd) < 0.1 * len(head) / 2:
        return "utf-16-le" if odd > even else "utf-16-be"
    high = sum(byte > 127 for byte in head)
    stray = len(STRAY.findall(head.decode("utf-8", "surrogateescape")))
    if stray > 0.1 * high and high > 0.2 * len(head):
        return _guessed_encoding(head)
    return "utf-8"


BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
STRAY = re.compile(r"[\udc80-\udcff]")
"""What Python makes of a byte that is no UTF-8, under the error handler "surrogateescape"."""


def _guessed_encoding(head: bytes) -> str:
    """The likeliest encoding of a text that is mostly not ASCII, such as Big5, GB 18030 or KOI8-R."""
    import charset_normalizer

    whole_lines = head[: head.rfind(b"\n") + 1] or head
    best = charset_normalizer.from_bytes(whole_lines).best()
    return best.encoding if best is not None else "utf-8"


def _lines(stream: BinaryIO, encoding: str) -> Iterator[str]:
    decoded = _utf8_lines(stream) if encoding == "utf-8" else _decoded_lines(stream, encoding)
    first = True
    for line in decoded:
        text = line.removeprefix("\ufeff") if first else line
        first = False
        yield from io.StringIO(text.replace("\r\n", "\n").replace("\r", "\n")) if "\r" in text else (text,)


def _utf8_lines(stream: BinaryIO) -> Iterator[str]:
    for line in stream:
        yield STRAY.sub(_western, line.decode("utf-8", "surrogateescape"))


def _western(stray: re.Match[str]) -> str:
    return bytes([ord(stray[0]) - 0xDC00]).decode("cp1252", "replace")


def _decoded_lines(stream: BinaryIO, encoding: str) -> Iterator[str]:
    text = io.TextIOWrapper(stream, encoding=encoding, errors="replace", newline=None)
    try:
        yield from text
    finally:
        _let_go(text)


def _let_go(text: io.TextIOWrapper) -> None:
    """Leaves the stream below open, which belongs to another, and may have been closed by it."""
    with contextlib.suppress(ValueError):
        text.detach()


def _pieces(stream: BinaryIO, encoding: str) -> Iterator[str]:
    errors = "surrogateescape" if encoding == "utf-8" else "replace"
    text = io.TextIOWrapper(stream, encoding=encoding, errors=errors, newline=None)
    try:
        piece = text.read(PIECE).removeprefix("\ufeff")
        while piece:
            yield STRAY.sub(_western, piece)
            piece = text.read(PIECE)
    finally:
        _let_go(text)
