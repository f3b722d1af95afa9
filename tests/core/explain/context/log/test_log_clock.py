"""The time zone of a log, found by the times in the database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from core.explain.context.log.log_clock import align
from core.hermes.log.record import Kind, LogRecord

BEGAN = datetime(2026, 11, 21, 13, 0, tzinfo=UTC)


def _busy(minutes: int, step: int = 1) -> list[datetime]:
    return [BEGAN + timedelta(minutes=minute) for minute in range(0, minutes, step)]


def _lines(moments: list[datetime], offset: timedelta) -> list[LogRecord]:
    return [_line((moment + offset).replace(tzinfo=None)) for moment in moments]


def _line(at: datetime) -> LogRecord:
    return LogRecord(kind=Kind.CALL, where="agent.log:1", at=at, logger="", tag="s1", session="s1", quoted="")


def _local(moments: list[datetime]) -> list[LogRecord]:
    return [_line(moment.astimezone().replace(tzinfo=None)) for moment in moments]


def test_a_log_of_this_machine_keeps_its_zone_in_a_busy_session() -> None:
    rows = _busy(60)
    # The log goes on for a while after the last row, so a shifted one explains a few lines more.
    lines = _local([*rows, *(BEGAN - timedelta(minutes=minute) for minute in range(3, 15))])
    assert align(lines, {"s1": rows}).offset is None


def test_a_busy_session_of_which_few_moments_are_known_is_not_shifted_along_itself() -> None:
    rows = [BEGAN + timedelta(minutes=minute) for minute in (0, 25, 38)]
    # Most lines were written around minute 10: a quarter of an hour later, all of them lie beside a moment.
    lines = [BEGAN + timedelta(minutes=minute) for minute in (1, 25, 38)]
    lines += [BEGAN + timedelta(minutes=8, seconds=15 * place) for place in range(16)]
    assert align(_local(lines), {"s1": rows}).offset is None


@pytest.mark.parametrize("hours", [-8, 5.75, 9])
def test_a_log_of_another_zone_is_recognised(hours: float) -> None:
    offset = timedelta(hours=hours)
    clock = align(_lines(_busy(60, step=7), offset), {"s1": _busy(60, step=7)})
    here = BEGAN.astimezone().utcoffset()
    if here != offset:
        assert clock.offset == offset
    assert clock.utc((BEGAN + offset).replace(tzinfo=None)) == BEGAN


def test_without_anything_to_compare_the_zone_is_this_machines() -> None:
    assert align(_local(_busy(5)), {}).offset is None
    assert align([], {"s1": _busy(5)}).offset is None
