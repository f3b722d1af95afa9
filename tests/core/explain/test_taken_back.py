"""What the user took back after a compaction (/undo, /retry) is still what that compaction had written."""

from __future__ import annotations

import pytest

from core.model.compaction.event import Trigger
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, explained


def _asked_for(make_home: MakeHome, release: str) -> tuple[Home, list[int]]:
    """A session compacted from outside a turn, and the rows that wrote."""
    home = make_home(release)
    home.db.session("S")
    home.talk(7)
    home.turn_ended()
    home.started(40_000, 28)
    rows = home.db.compact("S", 3, 8, "## Goal\nship")
    home.stamp(rows)
    home.done(28, 12, 4_000)
    return home, rows


@pytest.mark.parametrize("release", ["0.18", "0.19", "0.22"])
def test_a_turn_taken_back_out_of_the_tail_is_no_other_compaction(make_home: MakeHome, release: str) -> None:
    home, rows = _asked_for(make_home, release)
    home.db.mark(rows[-4:], active=0, compacted=0)
    home.talk(1)
    (event,) = explained(home).events
    assert (event.trigger, event.messages_after, event.disagreements) == (Trigger.MANUAL, 12, ())


def test_a_later_turn_taken_back_was_not_written_by_it(make_home: MakeHome) -> None:
    home, _ = _asked_for(make_home, "0.22")
    home.db.mark(home.talk(1), active=0, compacted=0)
    (event,) = explained(home).events
    assert (event.messages_after, event.disagreements) == (12, ())
