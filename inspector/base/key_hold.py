"""Holds keys typed while something opens, then hands them on in order, one at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable

from textual.app import App
from textual.events import Key
from textual.message import Message
from textual.message_pump import MessagePump
from textual.timer import Timer

MAX_WAIT, CHECK_EVERY = 30.0, 0.5
"""Seconds: how long to wait at most for something to open, and how often to check that the widget a key
went to still exists.
"""
GIVES_UP = "escape"


class KeyPassed(Message):
    """Follows a key through the same widgets; once it reaches the app, the key has been handled.

    Attributes:
        again: Send a second one the same way: a key may post a message whose handler opens something,
            and only a second one arrives after that.
    """

    def __init__(self, *, again: bool) -> None:
        super().__init__()
        self.again = again


class KeyHold:
    """Hands keys on one by one: each waits for the one before it, and all wait between `hold` and `release`.

    `send` hands one on as if it had just been typed.
    """

    def __init__(self, app: App[None], send: Callable[[Key], Awaitable[None]]) -> None:
        self._app = app
        self._send = send
        self._held: deque[Key] = deque()
        self._opening = 0
        self._under_way = 0
        self._target: MessagePump | None = None
        self._patience: Timer | None = None

    def hold(self, longest: float = MAX_WAIT) -> None:
        """Hold keys back for something that is opening, for at most `longest` seconds."""
        self._opening += 1
        self._wait(round(longest / CHECK_EVERY))

    def release(self) -> None:
        """Hand the held keys to what has opened."""
        self._stop_waiting()
        if self._opening:
            self._opening = 0
            self._app.call_later(self._next)

    def _wait(self, times: int) -> None:
        """Wait in short steps: a timer, even a stopped one, keeps alive what was active at its start."""
        self._stop_waiting()
        go_on = (lambda: self._wait(times - 1)) if times > 0 else self.release
        self._patience = self._app.set_timer(CHECK_EVERY, go_on)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.stop()
            self._patience = None

    async def take(self, key: Key) -> None:
        """Queue a key and hand it on in its turn; escape goes through at once and drops the keys waiting."""
        if key.key == GIVES_UP:
            self._held.clear()
            self._opening = self._under_way = 0
            self._stop_waiting()
        self._held.append(key)
        await self._next()

    async def passed(self, what: KeyPassed) -> None:
        """Handle a `KeyPassed` that reached the app: the key is done, or a second one must follow it."""
        target = self._target
        if what.again and target is not None and target.is_running:
            target.post_message(KeyPassed(again=False))
        else:
            await self._done()

    async def _done(self) -> None:
        self._under_way = 0
        await self._next()

    async def _next(self) -> None:
        if self._opening or self._under_way or not self._held or not self._app.screen_stack:
            return
        key = self._held.popleft()
        self._under_way = id(key)
        target = self._target = self._app.focused or self._app.screen
        await self._send(key)
        target.post_message(KeyPassed(again=True))
        self._look_again(id(key), target, round(MAX_WAIT / CHECK_EVERY))

    def _look_again(self, key: int, target: MessagePump, times: int) -> None:
        self._app.set_timer(CHECK_EVERY, lambda: self._free(key, target, times - 1))

    async def _free(self, key: int, target: MessagePump, times: int) -> None:
        """Go on if the widget that got the key is gone, its `KeyPassed` with it; wait if it is busy."""
        if self._under_way != key:
            return
        if target.is_running and times > 0:
            self._look_again(key, target, times)
        else:
            await self._done()
