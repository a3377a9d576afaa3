"""What every response says to browsers, and which names of this server a request may call it by."""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["POLICY", "Guard"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing but our own files runs, is shown or is asked for."""


class Guard:
    """Adds the headers that keep a page to itself, and refuses a Host that is not ours.

    The latter keeps a page elsewhere from reaching a server on loopback by a name that it points there. Where
    `hosts` is empty, any will do.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], shared: bool) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._shared = shared

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add(MutableHeaders(scope=message))
            await send(message)

        if self._hosts and _host(Headers(scope=scope)) not in self._hosts:
            refusal = PlainTextResponse("this server goes by another name\n", 421)
            await refusal(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)

    def _add(self, headers: MutableHeaders) -> None:
        headers.setdefault("Content-Security-Policy", POLICY)
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        if not self._shared:
            headers["Cross-Origin-Resource-Policy"] = "same-origin"


def _host(headers: Headers) -> str:
    """The name in the Host header, without its port."""
    host = headers.get("host", "").lower()
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
