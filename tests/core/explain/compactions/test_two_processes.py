"""Attempts of two processes that work on the same session."""

from __future__ import annotations

import pytest

from core.model.compaction.event import Trigger
from core.model.finding import Verdict
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, explained


@pytest.fixture
def home(make_home: MakeHome) -> Home:
    home = make_home("0.19")
    home.db.session("S")
    return home


def test_the_one_of_two_processes_that_compresses_is_not_told_as_failed(home: Home) -> None:
    """Run with 0.19.0, in two terminals: the second finds the lock of the first, time after time."""
    home.turn(history=24)
    home.talk(7)
    home.pre_api(55_001)
    home.started(55_001, 28)
    held = "compression skipped: another path is compressing session=S (holder=pid=7:tid=1)"
    for tokens, messages in ((55_002, 28), (55_900, 30), (55_002, 28)):
        home.started(tokens, messages)
        home.line(held, level="WARNING")
    home.compact()
    home.done(28, 8, 9_000)
    events = explained(home).events
    assert [event.completed for event in events] == [True, False, False, False]
    assert (events[0].trigger, events[0].tokens, events[0].verdict) == (
        Trigger.PRE_API,
        55_001,
        Verdict.PROVED,
    )
    assert "failed" not in explained(home).headline.sentence


def test_of_two_processes_without_a_lock_each_tells_its_own_compaction(make_home: MakeHome) -> None:
    """Run with 0.14.0: each continues the session in one of its own."""
    home = make_home("0.13")
    home.db.session("S")
    home.turn()
    home.talk(7)
    home.started(65_001, 28)
    home.started(65_002, 28)
    home.done(28, 8, 9_000, session="C")
    home.done(28, 8, 9_000, session="D")
    home.db.rotate("S", "C", 3, 4, "## Goal\nship")
    home.db.session("D", parent_session_id="S")
    home.db.message("D", "user", "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns.\n## Goal\nship")
    for session in ("C", "D"):
        assert [event.completed for event in explained(home, session).events] == [True], session
