"""How many requests are under way at once, and who is next."""

from __future__ import annotations

import asyncio
from collections import deque


class Gate:
    """A bounded number of places; who asks again goes before those who have not asked yet.

    Behind them all it would run out of its time: a set holds many entries for each place.

    Args:
        places: How many there are.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._again: deque[asyncio.Future[None]] = deque()
        self._first: deque[asyncio.Future[None]] = deque()

    async def enter(self, *, again: bool = False) -> None:
        """Wait for a place and take it."""
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        (self._again if again else self._first).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.leave()  # it was given away in the same moment
            raise

    def leave(self) -> None:
        """Give a place to the next who waits."""
        for waiting in (self._again, self._first):
            while waiting:
                turn = waiting.popleft()
                if not turn.done():
                    turn.set_result(None)
                    return
        self._free += 1
