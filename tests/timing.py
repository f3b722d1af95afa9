"""Processor time of a piece of work: how busy the machine is with other things must not fail a test."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(work: Callable[[], object], *, tries: int = 3) -> float:
    """The least processor time of some tries."""
    return min(_once(work) for _ in range(tries))


def assert_linear(work: Callable[[str], object], unit: str) -> None:
    """Fails when a text four times as long takes much more than four times the processor time."""
    short, long = (unit * (size // len(unit)) for size in (40_000, 160_000))
    assert seconds(lambda: work(long)) < 12 * max(seconds(lambda: work(short), tries=2), 0.01)


def _once(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
