"""Who may talk to the server: whoever brought the token once, from a page of the server itself."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, Collection
from urllib.parse import urlsplit

from aiohttp import web

COOKIE = "hermes-inspector"
VISITORS = 4
"""Browsers at a time; each is a process of its own."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'unsafe-inline'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self' {sockets}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""What a page of ours may load and who may hold it: nothing from elsewhere, nobody."""


class Guard:
    """Answers 403 to everybody else.

    Args:
        hosts: What the Host header may say, with the port.

    Attributes:
        token: Opens one browser, once.
    """

    def __init__(self, hosts: Collection[str]) -> None:
        self.token = secrets.token_urlsafe(32)
        self._hosts = frozenset(hosts)
        self._cookie = secrets.token_urlsafe(32)
        self._used = False
        self._visitors = 0

    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Let a request through, or refuse it."""
        if request.headers.get("Host", "") not in self._hosts:
            raise web.HTTPForbidden(text="This host is not served here.")
        if not self._origin_fits(request):
            raise web.HTTPForbidden(text="This page may not ask here.")
        if "token" in request.query:
            return self._first(request)
        if not _same(request.cookies.get(COOKIE, ""), self._cookie):
            raise web.HTTPForbidden(text="Open the URL that `hermes-inspector serve` printed.")
        return await self._visit(request, handler)

    def _origin_fits(self, request: web.Request) -> bool:
        """A browser names the page that asks; a socket must name one, and it must be ours."""
        origin = request.headers.get("Origin")
        if origin is None:
            return request.path != "/ws"
        return urlsplit(origin).scheme == "http" and urlsplit(origin).netloc in self._hosts

    def _first(self, request: web.Request) -> web.StreamResponse:
        if self._used or not _same(request.query["token"], self.token):
            raise web.HTTPForbidden(
                text="The token is wrong, or was used: start `hermes-inspector serve` again."
            )
        self._used = True
        answer = web.Response(status=303, headers={"Location": "/", "Referrer-Policy": "no-referrer"})
        answer.set_cookie(COOKIE, self._cookie, httponly=True, samesite="Strict", path="/")
        return answer

    async def _visit(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path != "/ws":
            return await handler(request)
        if self._visitors >= VISITORS:
            raise web.HTTPServiceUnavailable(text="As many as may look do so already.")
        self._visitors += 1
        try:
            return await handler(request)
        finally:
            self._visitors -= 1

    async def sign(self, request: web.Request, response: web.StreamResponse) -> None:
        """Say on every answer what the page may load."""
        sockets = " ".join(f"ws://{host}" for host in sorted(self._hosts))
        for name, value in _HEADERS.items():
            response.headers[name] = value.replace("{sockets}", sockets)


def _same(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), known.encode())
