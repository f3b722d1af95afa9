"""The lines of a shard in their order, the first of them still waiting for its summary."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import IO

from core.trajectory.shards.compressor import Done, Draft
from core.trajectory.shards.work import ShardWork

_AHEAD = 20
"""Trajectories that may wait behind a slow one, as a multiple of the requests under way at once."""
_HELD = 64 * 2**20
"""Bytes of lines that may wait to be written."""


class Window:
    """Lines in order, the first of them still waiting for its summary."""

    def __init__(self, work: ShardWork, stream: IO[bytes]) -> None:
        self._work = work
        self._stream = stream
        self._lines: deque[tuple[int, int, Done | asyncio.Task[Done]]] = deque()
        self._held = 0
        self._most = _AHEAD * work.job.summary.concurrency

    def add(self, number: int, begun: Draft | Done, waiting: Done | asyncio.Task[Done]) -> None:
        """One more line."""
        size = len(begun.line if isinstance(begun, Draft) else begun.data)
        self._lines.append((number, size, waiting))
        self._held += size

    async def write_ready(self) -> None:
        """Write what is done; wait only when too much is held."""
        while self._lines and (self._first_is_ready() or self._is_full()):
            await self._write_first()

    async def write_all(self) -> None:
        """Wait for the rest."""
        while self._lines:
            await self._write_first()

    def cancel(self) -> None:
        """Give up what is under way."""
        for _, _, waiting in self._lines:
            if isinstance(waiting, asyncio.Task):
                waiting.cancel()

    def _first_is_ready(self) -> bool:
        waiting = self._lines[0][2]
        return isinstance(waiting, Done) or waiting.done()

    def _is_full(self) -> bool:
        return len(self._lines) > self._most or self._held > _HELD

    async def _write_first(self) -> None:
        number, size, waiting = self._lines[0]
        done = waiting if isinstance(waiting, Done) else await waiting
        self._lines.popleft()
        self._held -= size
        self._work.take(number, done)
        self._stream.write(done.data)


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
