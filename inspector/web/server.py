"""The web server of textual-serve, behind a guard; it has none of its own."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Sequence

from aiohttp import web
from textual_serve.server import Server

from inspector.web.guard import Guard, Handler

_FONT = re.compile(r'<link[^>]*href="https://fonts\.googleapis\.com[^>]*>')
"""Of another machine, which no browser may ask here."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class GuardedServer(Server):
    """Serves the app to whoever brings the token.

    Args:
        words: The command line of the app, without the program.
        host: The address to listen on.
        port: Likewise.
        ready: Told the URL once the server listens.
    """

    def __init__(self, words: Sequence[str], host: str, port: int, ready: Callable[[str], None]) -> None:
        command = shlex.join([sys.executable, "-m", "inspector", *words])
        named = f"[{host}]" if ":" in host else host
        super().__init__(
            command, host=host, port=port, title="Hermes Inspector", public_url=f"http://{named}:{port}"
        )
        self.guard = Guard(_hosts(named, port))
        self._ready = ready

    def serve(self, debug: bool = False) -> None:
        """Serve until stopped; no request is logged, for the first one holds the token.

        Args:
            debug: As of textual-serve; not used.
        """
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
                response.text = _FONT.sub("", response.text or "")
            return response

        app.middlewares.append(guarded)
        app.on_response_prepare.append(self.guard.sign)
        return app

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing yet: it does not listen before this is done."""


def _hosts(host: str, port: int) -> frozenset[str]:
    """What a browser may call the server."""
    names = {host, "127.0.0.1", "localhost"} if host in LOOPBACK else {host}
    return frozenset({f"{name}:{port}" for name in names} | (names if port == 80 else set()))
