"""The lines of a shard while they are compressed, the first ones still waiting, and their totals."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from typing import IO

from core.trajectory.input.cut import MAX_LINE, Shard, read_lines
from core.trajectory.input.sources import joined, replaced
from core.trajectory.shards.compressor import Compressor, Done, Draft
from core.trajectory.shards.job import Job, Problem, ShardResult
from core.trajectory.tokenizer import Deadline, open_tokenizer

Report = Callable[[int, int, int], None]
"""Called now and then with the entries, tokens and bytes of input done since the last call."""

NAMED = 200
"""How many problems of a shard are named; the others are only counted."""

_EVERY = 64
"""Lines between two reports."""

_MAX_WAITING = 20
"""Trajectories that may wait after a slow one, as a multiple of the concurrent requests."""

_HELD = 64 * 2**20
"""Bytes of lines that may wait to be written."""


class ShardWork:
    """The lines of a shard while they are compressed; see `compress_shard`."""

    def __init__(self, job: Job, shard: Shard, kept: Collection[int] | None, report: Report | None) -> None:
        self.job = job
        self.deadline = Deadline(job.timeout)
        self.compressor = Compressor(job.settings, open_tokenizer(job.tokenizer, self.deadline.check))
        self.found = ShardResult(shard.index)
        self._shard = shard
        self._kept = kept
        self._report = report
        self._told = (0, 0, 0)
        self._read = 0

    def result(self) -> ShardResult:
        """The result of the shard, once every line is done."""
        self._tell()
        return self.found

    def part(self) -> AbstractContextManager[IO[bytes]]:
        """The part file, which gets its name only once it is complete.

        It is not synced to disk: one cut short by a loss of power has another size than its manifest says.
        """
        return replaced(joined(self.job.parts, self._shard.name), sync=False)

    def begun(self) -> Iterator[tuple[int, Draft | Done]]:
        """The lines in order, with their numbers from 1, read and planned."""
        entries = 0
        endless = False
        for line in self._lines():
            if endless or (len(line) == MAX_LINE and not line.endswith(b"\n")):
                yield self.found.lines + 1, self._piece(line, first=not endless)
                endless = not line.endswith(b"\n")
                self.found.lines += not endless
                continue
            self.found.lines += 1
            blank = not line.strip()
            if self._kept is None or (not blank and entries in self._kept):
                self.deadline.begin()
                yield self.found.lines, self.compressor.begin(line)
            entries += not blank
        self.found.lines += endless

    def take(self, number: int, done: Done) -> None:
        """Count a finished line."""
        self.found.written += len(done.data)
        if done.problem:
            self.found.metrics.fail(done.calls, done.calls)
            if len(self.found.problems) < NAMED:
                self.found.problems.append(Problem(number, done.problem))
        elif done.metrics is not None:
            self.found.metrics.add(done.metrics)

    def _piece(self, line: bytes, *, first: bool) -> Done:
        """Pass on a piece of a line that is too long to read."""
        problem = f"longer than {MAX_LINE // 2**20} MiB" if first else ""
        return Done(line, problem=problem)

    def _lines(self) -> Iterator[bytes]:
        for count, line in enumerate(read_lines(self.job.sources[self._shard.source], self._shard)):
            self._read += len(line)
            if count % _EVERY == 0:
                self._tell()
            yield line

    def _tell(self) -> None:
        if self._report is None:
            return
        metrics = self.found.metrics
        now = (metrics.total_trajectories, metrics.total_tokens_before, self._read)
        self._report(*(new - old for new, old in zip(now, self._told, strict=True)))
        self._told = now


class Window:
    """Lines in order, the first of which still waits for its summary."""

    def __init__(self, work: ShardWork, stream: IO[bytes]) -> None:
        self._work = work
        self._stream = stream
        self._lines: deque[tuple[int, int, Done | asyncio.Task[Done]]] = deque()
        self._held = 0
        self._most = _MAX_WAITING * work.job.summary.concurrency

    def add(self, number: int, draft: Draft | Done, waiting: Done | asyncio.Task[Done]) -> None:
        """Add a line."""
        size = len(draft.line if isinstance(draft, Draft) else draft.data)
        self._lines.append((number, size, waiting))
        self._held += size

    async def write_ready(self) -> None:
        """Write finished lines; wait only if too much is held."""
        while self._lines and (self._first_is_ready() or self._is_full()):
            await self._write_first()

    async def write_all(self) -> None:
        """Wait for the remaining lines and write them."""
        while self._lines:
            await self._write_first()

    def cancel(self) -> None:
        """Cancel running requests."""
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
    """A limited number of places; whoever asks again has priority over those who have not asked yet.

    Otherwise it would run out of time, because a set has many entries for each place.
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
        """Pass the place to the next one waiting."""
        for waiting in (self._again, self._first):
            while waiting:
                turn = waiting.popleft()
                if not turn.done():
                    turn.set_result(None)
                    return
        self._free += 1
