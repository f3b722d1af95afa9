"""One log whose processes ran in different zones."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.model.compaction.event import Trigger
from core.model.finding import Verdict
from tests.core.explain.home import Home, compacted, explained, only


def _until(home: Home) -> None:
    """A first process, at home in UTC: some turns, one compaction."""
    home.call(1, 60_000)
    home.started(60_000, before=28)
    compacted(home)
    home.turn_ended()


@pytest.mark.parametrize("hours", [-11, -3.25, 9, 13.5])
def test_a_process_in_another_zone_is_reported_in_the_order_it_happened(home: Home, hours: float) -> None:
    _until(home)
    home.shift = timedelta(hours=hours)
    home.db.tick(30)
    home.turn(history=8)
    rows = home.talk(5)
    home.call(1, 61_000)
    home.started(61_000, before=len(rows) + 8)
    home.compact()
    home.done(len(rows) + 8, 8, 4_000)
    events = explained(home).events
    assert [(event.tokens, event.verdict) for event in events] == [
        (60_000, Verdict.PROVED),
        (61_000, Verdict.PROVED),
    ]
    times = [event.at for event in events if event.at is not None]
    assert timedelta() < times[1] - times[0] < timedelta(minutes=1)


def test_lines_long_after_the_last_row_stay_where_they_were_written(home: Home) -> None:
    _until(home)
    home.shift = timedelta(hours=2)
    home.turn(history=8)
    home.started(61_000, before=28, tag=None)
    first, second = explained(home).events
    assert first.at is not None
    assert second.at is not None
    assert (second.trigger, second.at - first.at > timedelta(hours=1)) == (Trigger.MANUAL, True)


def test_one_zone_other_than_this_machines_moves_no_line(home: Home) -> None:
    home.shift = timedelta(hours=5.75)
    home.turn(history=24)
    _until(home)
    assert only(home).tokens == 60_000
