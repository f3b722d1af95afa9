"""A guard around textual-serve's web server, which has no access control of its own."""

from __future__ import annotations

import hmac
import re
import secrets
import shlex
import sys
from collections.abc import Awaitable, Callable, Collection, Sequence
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

COOKIE = "hermes-inspector"
VISITORS = 4
"""Browsers allowed at a time; each runs a process of its own."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'unsafe-inline'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self' {sockets}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""Security headers: a page loads nothing from other hosts, and no site may embed it."""
_FONT = re.compile(r'<link[^>]*href="https://fonts\.googleapis\.com[^>]*>')
"""The link to web fonts on another host, which the Content-Security-Policy would block."""
_BODY_END = "</body>"
_FOCUS = """<script>
const waiting = setInterval(() => {
  const keys = document.querySelector(".xterm-helper-textarea");
  if (keys && document.body.classList.contains("-first-byte")) { keys.focus(); clearInterval(waiting); }
}, 50);
</script>
"""
"""Gives the terminal the keys once it shows something; without it they do nothing before a click."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Guard:
    """Answers 403 to every request without the token or the cookie it earned, or to another of the hosts.

    Attributes:
        token: Lets in one browser, once.
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
        """Whether the Origin header names this server; a WebSocket request must have one."""
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
            raise web.HTTPServiceUnavailable(text="Too many browsers are connected already.")
        self._visitors += 1
        try:
            return await handler(request)
        finally:
            self._visitors -= 1

    async def sign(self, request: web.Request, response: web.StreamResponse) -> None:
        """Add the security headers to every response."""
        sockets = " ".join(f"ws://{host}" for host in sorted(self._hosts))
        for name, value in _HEADERS.items():
            response.headers[name] = value.replace("{sockets}", sockets)


def _same(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), known.encode())


class GuardedServer(Server):
    """Serves the app to a browser that has the token; `ready` is called with the URL once it listens."""

    def __init__(self, words: Sequence[str], host: str, port: int, ready: Callable[[str], None]) -> None:
        command = shlex.join([sys.executable, "-m", "inspector", *words])
        named = f"[{host}]" if ":" in host else host
        super().__init__(
            command, host=host, port=port, title="Hermes Inspector", public_url=f"http://{named}:{port}"
        )
        self.guard = Guard(_hosts(named, port))
        self._ready = ready

    def serve(self, debug: bool = False) -> None:
        """Serve until stopped. Requests are not logged, because the first one contains the token."""
        url = f"{self.public_url}/?token={self.guard.token}"
        web.run_app(
            self._make_app(),
            host=self.host,
            port=self.port,
            access_log=None,
            print=lambda *_: self._ready(url),
        )

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()

        @web.middleware
        async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
            response = await self.guard.check(request, handler)
            if isinstance(response, web.Response) and response.content_type == "text/html":
                page = _FONT.sub("", response.text or "")
                response.text = page.replace(_BODY_END, _FOCUS + _BODY_END)
            return response

        app.middlewares.append(guarded)
        app.on_response_prepare.append(self.guard.sign)
        return app

    async def on_startup(self, app: web.Application) -> None:
        """Suppress textual-serve's start message: at this point the server does not listen yet."""


def _hosts(host: str, port: int) -> frozenset[str]:
    """Host header values a browser may send."""
    names = {host, "127.0.0.1", "localhost"} if host in LOOPBACK else {host}
    return frozenset({f"{name}:{port}" for name in names} | (names if port == 80 else set()))
