"""The lines of one shard while they are compressed, and their totals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from typing import IO

from core.trajectory.input.cut import Shard
from core.trajectory.input.files import joined, replaced
from core.trajectory.input.lines import LONGEST, read_lines
from core.trajectory.shards.compressor import Compressor, Done, Draft
from core.trajectory.shards.job import Job, Problem, ShardResult
from core.trajectory.tokenizer import Deadline, open_tokenizer

Report = Callable[[int, int, int], None]
"""Called now and then with the entries, tokens and bytes of input done since the last call."""

NAMED = 200
"""Problems of a shard that are named; the others are counted."""

_EVERY = 64
"""Lines between two reports."""


class ShardWork:
    """The lines of one shard while they are compressed.

    Args:
        job: The run.
        shard: The piece.
        kept: As for `compress_shard`.
        report: As for `compress_shard`.
    """

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
        """The part file, which takes its name only when it is whole.

        It is not waited for: one that a loss of power cuts short has another size than its manifest says.
        """
        return replaced(joined(self.job.parts, self._shard.name), sync=False)

    def begun(self) -> Iterator[tuple[int, Draft | Done]]:
        """The lines in order, with their numbers from 1, read and planned."""
        entries = 0
        endless = False
        for line in self._lines():
            if endless or (len(line) == LONGEST and not line.endswith(b"\n")):
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
        """Count a line that is done."""
        self.found.written += len(done.data)
        if done.problem:
            self.found.metrics.fail(done.calls, done.calls)
            if len(self.found.problems) < NAMED:
                self.found.problems.append(Problem(number, done.problem))
        elif done.metrics is not None:
            self.found.metrics.add(done.metrics)

    def _piece(self, line: bytes, *, first: bool) -> Done:
        """Pass on a piece of a line that is too long to be read."""
        problem = f"longer than {LONGEST // 2**20} MiB" if first else ""
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
