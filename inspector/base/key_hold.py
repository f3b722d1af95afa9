"""Keys typed while something opens wait for it, then follow in order and at a typist's pace."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable

from textual.app import App
from textual.events import Key
from textual.message import Message
from textual.message_pump import MessagePump
from textual.timer import Timer

LONGEST, STUCK = 30.0, 0.5
"""Seconds: after the first nothing that opens is waited for any more; each time the second have passed it is
looked whether what a key went to is still there to handle it.
"""
GIVES_UP = "escape"


class KeyPassed(Message):
    """Follows a key up the same widgets: when it reaches the app, what the key did is done.

    Attributes:
        again: To be sent the same way once more: a key may post a message, whose handler opens
            something, and only a second one comes behind that.
    """

    def __init__(self, *, again: bool) -> None:
        super().__init__()
        self.again = again


class KeyHold:
    """Hands keys on one by one, none before the one ahead is done, and none between `hold` and `release`.

    Args:
        app: Whose keys they are.
        send: Hands one on as if it had been typed now.
    """

    def __init__(self, app: App[None], send: Callable[[Key], Awaitable[None]]) -> None:
        self._app = app
        self._send = send
        self._held: deque[Key] = deque()
        self._opening = 0
        self._under_way = 0
        self._target: MessagePump | None = None
        self._patience: Timer | None = None

    def hold(self, longest: float = LONGEST) -> None:
        """Something is opening that the next keys are for; so many seconds at most."""
        self._opening += 1
        self._wait(round(longest / STUCK))

    def release(self) -> None:
        """It is there: the keys that waited go to it."""
        self._stop_waiting()
        if self._opening:
            self._opening = 0
            self._app.call_later(self._next)

    def _wait(self, times: int) -> None:
        """In short steps: a timer holds what was in front when it began to its end, stopped or not."""
        self._stop_waiting()
        go_on = (lambda: self._wait(times - 1)) if times > 0 else self.release
        self._patience = self._app.set_timer(STUCK, go_on)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.stop()
            self._patience = None

    async def take(self, key: Key) -> None:
        """Hand a key on when it is its turn; escape goes through at once and takes those waiting with it."""
        if key.key == GIVES_UP:
            self._held.clear()
            self._opening = self._under_way = 0
            self._stop_waiting()
        self._held.append(key)
        await self._next()

    async def passed(self, what: KeyPassed) -> None:
        """What followed a key has come back: the key under way is done, or is asked after once more."""
        target = self._target
        if what.again and target is not None and target.is_running:
            target.post_message(KeyPassed(again=False))
        else:
            await self._done()

    async def _done(self) -> None:
        self._under_way = 0
        await self._next()

    async def _next(self) -> None:
        if self._opening or self._under_way or not self._held:
            return
        key = self._held.popleft()
        self._under_way = id(key)
        target = self._target = self._app.focused or self._app.screen
        await self._send(key)
        target.post_message(KeyPassed(again=True))
        self._look_again(id(key), target, round(LONGEST / STUCK))

    def _look_again(self, key: int, target: MessagePump, times: int) -> None:
        self._app.set_timer(STUCK, lambda: self._free(key, target, times - 1))

    async def _free(self, key: int, target: MessagePump, times: int) -> None:
        """The widget it went to may be gone, and with it what follows; a busy one is waited for."""
        if self._under_way != key:
            return
        if target.is_running and times > 0:
            self._look_again(key, target, times)
        else:
            await self._done()
