"""What the times of rows tell about a compaction whose log is gone."""

from __future__ import annotations

from core.model.event import Trigger
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, only


def _closed_between_turns(make_home: MakeHome) -> Home:
    home = make_home("0.16")
    home.db.session("S", api_call_count=14)
    home.talk(7, size=40_000)
    return home


def test_a_request_written_with_the_copies_was_part_of_the_transcript(make_home: MakeHome) -> None:
    home = _closed_between_turns(make_home)
    rows = home.db.rotate("S", "S2", 3, 4, "## Goal\nship")
    home.db.tick(20)
    written = [*rows, *home.db.turn("S2", "next")]
    for row in written:
        home.db.mark([row], timestamp=home.db.tick(0.01))
    event = only(home)
    assert (event.trigger, event.messages_before, event.messages_after) == (Trigger.PREFLIGHT, 29, 9)


def test_a_request_that_came_after_the_copies_was_not(make_home: MakeHome) -> None:
    home = _closed_between_turns(make_home)
    for row in home.db.rotate("S", "S2", 3, 4, "## Goal\nship"):
        home.db.mark([row], timestamp=home.db.tick(0.01))
    home.db.tick(20)
    home.db.turn("S2", "next")
    event = only(home)
    assert (event.trigger, event.messages_before, event.messages_after) == (Trigger.MANUAL, 28, 8)


def test_a_rewrite_left_the_rows_no_younger_than_its_summary(make_home: MakeHome) -> None:
    """The request that waited is stamped when it was sent, yet it came later."""
    home = make_home("0.19")
    home.db.session("S", source="telegram")
    first = home.db.turn("S", "kept")
    home.compact(head=1, tail=2)
    home.db.connection.execute("DELETE FROM messages WHERE active = 0")
    request, *answer = home.db.turn("S", "next")
    home.db.mark([request], timestamp=home.db.tick(0) - 60)
    event = only(home)
    assert (first[0], event.messages_before, event.messages_after) == (1, None, 4)
    assert len(answer) == 3
