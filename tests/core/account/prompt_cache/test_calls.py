"""The calls of a log are read once."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from core.account.prompt_cache.calls import read_calls
from core.hermes.log.record import Kind
from tests.core.account.prompt_cache.logs import line, log, utc

CALLS = [line(Kind.CALL, seconds, input=seconds + 1, cached=seconds) for seconds in (0, 10, 20, 30)]


def test_calls_that_were_read_are_not_made_again_for_one_that_is_new() -> None:
    before = read_calls(log(*CALLS[:3]), {"s"}, utc)
    found = read_calls(log(*CALLS), {"s"}, utc, before)
    assert found == read_calls(log(*CALLS), {"s"}, utc)
    assert all(known is one for known, one in zip(before, found, strict=False))


def test_a_line_that_came_late_or_another_clock_changes_the_calls_that_were_read() -> None:
    before = read_calls(log(*CALLS[:2], CALLS[3]), {"s"}, utc)
    assert read_calls(log(*CALLS), {"s"}, utc, before) == read_calls(log(*CALLS), {"s"}, utc)
    assert read_calls(log(*CALLS[:2]), {"s"}, utc, before) == read_calls(log(*CALLS[:2]), {"s"}, utc)
    later = partial(utc_later, hours=1)
    assert read_calls(log(*CALLS), {"s"}, later, before) == read_calls(log(*CALLS), {"s"}, later)


def utc_later(local: datetime, *, hours: int) -> datetime:
    """The times of a log in a zone west of Greenwich."""
    return utc(local) + timedelta(hours=hours)
