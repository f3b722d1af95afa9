"""How far a run is: one line drawn again on a terminal, plain lines now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Self

from core.trajectory.run import Listener
from core.trajectory.shards.job import Job, ShardResult
from inspector.cli import output

_REDRAWN, _PRINTED = 0.2, 10.0
"""Seconds between two lines, on a terminal and elsewhere."""

_TOLD = 0.01
"""Share of the input from which on it is said how long the rest takes."""

NAMED = 20
"""Problems named one by one; --json and --metrics hold more."""


class Progress:
    """Told how a run goes; use as a context manager.

    Args:
        job: The run.
    """

    def __init__(self, job: Job) -> None:
        self._bytes = sum(source.size for source in job.sources) or 1
        self._shards = len(job.shards)
        self._asks = job.summary.asks
        self._entries = self._tokens = self._read = self._calls = self._done = self._problems = 0
        self._taken_up = 0
        self._began = time.monotonic()
        self._shown = self._began
        self._drawn = sys.stderr is not None and sys.stderr.isatty()
        self.listener = Listener(self._report, self._problem, self._result)

    def __enter__(self) -> Self:
        """The clock runs."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Leaves no half line on a terminal, and counts what was not named."""
        self._clear()
        if self._problems > NAMED:
            output.write_note(f"{self._problems - NAMED:,} more entries stayed as they were")

    def _report(self, entries: int, tokens: int, read: int) -> None:
        self._entries += entries
        self._tokens += tokens
        self._read += read
        self._show()

    def _result(self, result: ShardResult, earlier: bool) -> None:
        self._done += 1
        self._taken_up += earlier
        self._calls += result.metrics.total_summarization_calls
        self._show()

    def _problem(self, file: str, line: int, what: str) -> None:
        self._problems += 1
        if self._problems <= NAMED:
            self._clear()
            output.write_note(f"{file}:{line}: kept as it was: {what}")

    def _show(self) -> None:
        now = time.monotonic()
        if now - self._shown < (_REDRAWN if self._drawn else _PRINTED):
            return
        self._shown = now
        line = self._line(now - self._began)
        if self._drawn:
            sys.stderr.write(f"\r{line}\x1b[K")
            sys.stderr.flush()
        else:
            output.write_note(line)

    def _line(self, seconds: float) -> str:
        share = self._read / self._bytes
        left = seconds * (1 - share) / share if _TOLD < share < 1 else 0.0
        parts = [
            f"{self._entries:,} entries",
            f"{self._tokens:,} tokens",
            f"{self._tokens / max(seconds, 0.001):,.0f} tokens/s",
            f"shard {self._done:,} of {self._shards:,}",
        ]
        parts += [f"{self._calls:,} requests"] if self._asks else []
        parts += [f"{left:,.0f} s left"] if left else []
        return ", ".join(parts)

    def _clear(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
