"""A compaction that is still running is not a failed one."""

from __future__ import annotations

import pytest

from core.model.finding import Severity
from tests.core.explain.home import Home, explained

DAY = 86_400 * 365 * 50


def _begun(home: Home, *, held_for: float) -> None:
    """A compaction begins, and its lock is held until some seconds after its beginning."""
    home.pre_api(54_828)
    home.started(54_828, 28)
    at = home.db.tick(0)
    home.db.connection.execute(
        "INSERT INTO compression_locks (session_id, holder, acquired_at, expires_at) VALUES (?, ?, ?, ?)",
        ("S", "pid=7:tid=1:nonce=a", at, at + held_for),
    )


def test_while_its_lock_is_held_nothing_is_reported_as_failed(home: Home) -> None:
    _begun(home, held_for=DAY)
    told = explained(home)
    assert (told.events, told.now.blocked_by) == (
        (),
        ("a process holds the compression lock of this session (pid=7)",),
    )


@pytest.mark.parametrize("held_for", [-1.0, 0.0])
def test_once_the_lock_has_run_out_it_failed(home: Home, held_for: float) -> None:
    _begun(home, held_for=held_for)
    (event,) = explained(home).events
    assert not event.completed


def test_past_the_threshold_what_helps_is_to_wait(home: Home) -> None:
    home.talk(60, size=4_000)
    _begun(home, held_for=DAY)
    headline = explained(home).headline
    assert "holds the compression lock" in headline.sentence
    assert (headline.remedy or "").startswith("Wait")
    assert headline.severity is Severity.INFO
