"""Requests to the servers of others: few and slow enough, bounded, tried again where that may help.

Whatever goes wrong below, in urllib, http.client, ssl or a socket, comes out as a :class:`WebError`.
"""

from __future__ import annotations

import html
import http.client
import json
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import IO, NamedTuple, TypeVar
from urllib.parse import urlsplit

from kg._version import __version__
from kg.errors import PassingError, WebError

__all__ = ["ANSWER_LIMIT", "TRIES", "Ask", "Clock", "Web", "checked_address", "is_markup", "of_page"]

T = TypeVar("T")

ANSWER_LIMIT = 64 * 2**20
"""Longest answer in bytes, unpacked."""

TRIES = 6
"""How often a request is made before its failure is final: after 1, 2, 4, 8 and 16 seconds anew."""

LONGEST_WAIT = 600.0
"""Seconds; a server that asks for more is left alone, and the user is told when to come back."""

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP statuses that may pass."""


class Clock(NamedTuple):
    """The time in seconds since some moment, and a way to wait; tests give another."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class Ask:
    """A request. `secret` headers are sent to the server that is asked and to none that it redirects to."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    secret: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = None


class Web:
    """A client that leaves `pause` seconds between its requests; `notice` is told when it waits, and why."""

    def __init__(
        self,
        *,
        pause: float = 0.0,
        email: str | None = None,
        timeout: float = 60.0,
        clock: Clock = Clock(),  # noqa: B008  (frozen)
        notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._pause = pause
        self._timeout = timeout
        self._clock = clock
        self._notice = notice
        self._next = clock.now()
        self._agent = f"paperkg/{__version__}" + (f" (mailto:{email})" if email else "")
        self._opener = _opener()

    def ask(self, ask: Ask, read: Callable[[bytes], T]) -> T:
        """What `read` makes of the answer. A failure that may pass, be it raised by `read`, is tried again."""
        for tried in range(1, TRIES):
            try:
                return read(self._answer(ask))
            except PassingError as error:
                wait = max(error.wait or 0.0, 2.0 ** (tried - 1))
                if wait > LONGEST_WAIT:
                    fault = f"{error.fault}, and asks to wait {wait:,.0f} seconds"
                    raise WebError(fault, where=error.where, hint="come back then") from error
                self._notice(f"{error}; trying again in {wait:.0f} s")
                self._clock.sleep(wait)
        return read(self._answer(ask))

    def _answer(self, ask: Ask) -> bytes:
        """The body of the answer, unpacked."""
        where = _shown(ask.url)
        self._wait_for_turn()
        try:
            with self._opener.open(self._request(ask), timeout=self._timeout) as answer:
                return _unpacked(_body(answer, where), answer.headers, where)
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error, where) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _translated(error, where) from error

    def _wait_for_turn(self) -> None:
        if (wait := self._next - self._clock.now()) > 0:
            self._clock.sleep(wait)
        self._next = self._clock.now() + self._pause

    def _request(self, ask: Ask) -> urllib.request.Request:
        headers = {"User-Agent": self._agent, "Accept-Encoding": "gzip", **ask.headers}
        request = urllib.request.Request(checked_address(ask.url), ask.body, headers, method=ask.method)  # noqa: S310
        for name, value in ask.secret.items():
            request.add_unredirected_header(name, value)
        return request


def checked_address(url: str) -> str:
    """The address, if it is one of http or https with a host. Raises WebError for any other."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"[\x00-\x20\x7f]", url):
        raise WebError("this is no address of a server", where=_shown(url), hint="expected http://... or https://...")
    return url


def _shown(url: str) -> str:
    """An address without its query and password, for messages: keys and user names are no part of them."""
    return re.sub(r"//[^/@]*@", "//", url.partition("?")[0])[:200]


# Redirection


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirection to the same host or one of the same organisation, and never from https to http."""

    max_redirections = 5

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        """The request to make instead. Raises WebError for one that must not be made."""
        if req.get_method() not in ("GET", "HEAD"):
            raise WebError(f"it redirects to {_shown(newurl)}", where=_shown(req.full_url), hint=USE_IT)
        old, new = urlsplit(req.full_url), urlsplit(checked_address(newurl))
        if not _are_kin(old.hostname or "", new.hostname or "") or (old.scheme, new.scheme) == ("https", "http"):
            fault = f"it redirects to {_shown(newurl)}, which is not followed"
            raise WebError(fault, where=_shown(req.full_url), hint=USE_IT)
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


USE_IT = "if that is right, give that address as --endpoint"


def _are_kin(one: str, other: str) -> bool:
    """Whether two hosts are one, or of one organisation by the last two labels of their names.

    >>> _are_kin("arxiv.org", "export.arxiv.org"), _are_kin("arxiv.org", "arxiv.com"), _are_kin("10.0.0.1", "8.0.0.1")
    (True, False, False)
    """
    ends = [host.lower().rsplit(".", 2)[-2:] for host in (one, other)]
    return one.lower() == other.lower() or (ends[0] == ends[1] and len(ends[0]) == 2 and not ends[0][1].isdigit())


def _opener() -> urllib.request.OpenerDirector:
    """An opener for http and https alone: none for files, FTP or data, which a server might name."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        _Redirects(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


# Answers


def _body(answer: http.client.HTTPResponse, where: str) -> bytes:
    pieces, size = [], 0
    while piece := answer.read(2**16):
        pieces.append(piece)
        size += len(piece)
        if size > ANSWER_LIMIT:
            raise _too_long(where)
    if answer.length:  # `read` with a size keeps quiet about what it promised
        raise PassingError(f"the answer breaks off, {answer.length:,} bytes before its end", where=where)
    return b"".join(pieces)


def _unpacked(body: bytes, headers: Message, where: str) -> bytes:
    if headers.get("Content-Encoding", "").lower() != "gzip":
        return body
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        unpacked = unpacking.decompress(body, ANSWER_LIMIT + 1)
    except zlib.error as error:
        raise PassingError("the compressed answer is damaged", where=where) from error
    if len(unpacked) > ANSWER_LIMIT:
        raise _too_long(where)
    if not unpacking.eof:
        raise PassingError("the compressed answer breaks off", where=where)
    return unpacked


def _too_long(where: str) -> WebError:
    return WebError(f"the answer is longer than {ANSWER_LIMIT // 2**20} MiB", where=where, hint="is the address right?")


def _translated(error: Exception, where: str) -> WebError:
    """What failed below, as an error of ours."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, ssl.SSLCertVerificationError):
        return WebError(
            f"its certificate is not trusted: {cause.verify_message}", where=where, hint="is a proxy between?"
        )
    if isinstance(cause, socket.gaierror):
        return WebError("this server is not found", where=where, hint="is there a network, and is the name right?")
    if isinstance(cause, TimeoutError):
        return PassingError("it does not answer in time", where=where)
    if isinstance(cause, http.client.IncompleteRead):
        return PassingError("the answer breaks off", where=where)
    if isinstance(cause, OSError | http.client.HTTPException):
        said = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        return PassingError(f"the connection failed: {said}", where=where)
    return WebError(f"it cannot be asked: {cause}", where=where)


def _refusal(error: urllib.error.HTTPError, where: str) -> WebError:
    try:
        said = of_page(_unpacked(error.read(2**16), error.headers, where))
    except (OSError, http.client.HTTPException, WebError):
        said = ""
    fault = f"it answers {error.code} {error.reason}".rstrip() + (f": {said}" if said else "")
    if error.code in PASSING:
        passing = PassingError(fault, where=where, hint="try again later")
        passing.status, passing.wait = error.code, _retry_after(error.headers)
        return passing
    refusal = WebError(fault, where=where, hint=HINTS.get(error.code, "is the request right?"))
    refusal.status = error.code
    return refusal


HINTS = {
    401: "it wants a key or a password",
    403: "it refuses; was it asked too often, or does it want a key?",
    404: "is the address right?",
    405: "is the address right?",
    413: "send less at once",
}
"""What to do about a status."""


def _retry_after(headers: Message) -> float | None:
    """Seconds of a Retry-After header, RFC 9110 section 10.2.3: a number, or a date against the server's own."""
    value = str(headers.get("Retry-After", "")).strip()
    if value.isdecimal():
        return float(value[:9])
    try:
        until, now = parsedate_to_datetime(value), parsedate_to_datetime(str(headers.get("Date", "")))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None


def is_markup(body: bytes) -> bool:
    """Whether an answer is a page or other markup, and so neither JSON nor text."""
    return body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def of_page(body: bytes) -> str:
    """What an answer that nobody asked for says, in a line: a page's title, the message in JSON, or its first words."""
    text = body[: 2**16].decode("utf-8", "replace")
    if title := re.search(r"<title[^>]{0,200}>([^<]{1,500})", text, re.IGNORECASE):
        said = html.unescape(title[1])
    elif is_markup(body):
        said = html.unescape(re.sub(r"<[^>]{0,1000}>", " ", text))
    else:
        said = _message(text) or text
    words = " ".join(said.split())
    return words if len(words) <= 200 else f"{words[:199]}…"


def _message(text: str) -> str | None:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, dict):
        return None
    return next((value for key in ("message", "error") if isinstance(value := answer.get(key), str)), None)
