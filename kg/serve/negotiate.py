"""Which of the forms that we have a client wants most (RFC 9110, section 12.5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = ["choose", "prefers"]


@dataclass(frozen=True, slots=True)
class _Range:
    """A range of media types from an Accept header; the more specific of two that match counts."""

    kind: str
    quality: float

    def fits(self, media_type: str) -> bool:
        return self.kind in ("*/*", media_type) or self.kind == f"{media_type.partition('/')[0]}/*"

    @property
    def specific(self) -> int:
        return 2 - self.kind.count("*")


def choose(accept: str, offers: Iterable[str]) -> str | None:
    """The offered media type that the Accept header likes best, the first of equals; None when it takes none.

    >>> choose("text/csv;q=0.5, application/*;q=0.8, */*;q=0.1", ["text/csv", "application/json", "text/plain"])
    'application/json'
    """
    ranges = list(_ranges(accept)) or [_Range("*/*", 1.0)]
    best, most = None, 0.0
    for offer in offers:
        fitting = [known for known in ranges if known.fits(offer)]
        quality = max(fitting, key=lambda known: known.specific).quality if fitting else 0.0
        if quality > most:
            best, most = offer, quality
    return best


def prefers(accept: str, kind: str, over: str) -> bool:
    """Whether the header likes one media type strictly more than the other.

    >>> prefers("application/json", "application/json", over="text/html"), prefers("*/*", "text/csv", over="text/html")
    (True, False)
    """
    return choose(accept, [over, kind]) == kind


def _ranges(accept: str) -> Iterator[_Range]:
    for item in accept.lower().split(","):
        kind, *parameters = (part.strip() for part in item.split(";"))
        if "/" in kind:
            yield _Range(kind, _quality(parameters))


def _quality(parameters: Iterable[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return min(1.0, max(0.0, float(value)))
            except ValueError:
                return 0.0
    return 1.0
