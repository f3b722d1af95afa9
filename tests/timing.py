"""Processor time of a piece of work: how busy the machine is with other things must not fail a test."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial


def seconds(work: Callable[[], object], *, tries: int = 3) -> float:
    """The least processor time of some tries."""
    return min(_once(work) for _ in range(tries))


def assert_linear(work: Callable[[str], object], unit: str) -> None:
    """Fails when a text four times as long takes much more than four times the processor time."""
    assert_grows_linearly(lambda size: partial(work, unit * (size // len(unit))), 40_000)


def assert_grows_linearly(made: Callable[[int], Callable[[], object]], size: int) -> None:
    """Fails when work made for a size takes much more than four times as long for four times the size."""
    small, large = made(size), made(4 * size)
    assert seconds(large) < 12 * max(seconds(small, tries=2), 0.01)


def _once(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
