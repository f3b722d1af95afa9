"""What the user took back after a compaction (/undo, /retry) is still what that compaction had written."""

from __future__ import annotations

import pytest

from core.explain.context.generation import generation_context
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


@pytest.mark.parametrize("head", [0, 3])
def test_a_summary_that_retry_stored_again_stands_for_what_the_compaction_wrote(
    make_home: MakeHome, head: int
) -> None:
    """Run with 0.22: where a summary holds the request, `/retry` takes back its row and what follows."""
    home = make_home("0.22")
    home.db.session("S")
    home.talk(7)
    home.turn_ended()
    home.started(40_000, 28)
    rows = home.db.compact("S", head, 8, "## Goal\nship")
    home.stamp(rows)
    home.done(28, head + 9, 4_000)
    home.db.mark(rows[head:], active=0, compacted=0)
    home.db.copy(rows[head], message_uid=None)
    home.talk(1)
    (event,) = explained(home).events
    assert (event.messages_after, event.disagreements) == (head + 9, ())


@pytest.mark.parametrize("release", ["0.18", "0.19"])
def test_a_turn_retried_in_memory_only_was_not_given_to_the_compaction(
    make_home: MakeHome, release: str
) -> None:
    """Until 0.19 `/retry` on the command line leaves the rows of the turn it takes back."""
    home = make_home(release)
    home.db.session("S")
    home.talk(6)
    for _ in range(2):
        home.db.message("S", "user", "once more, please")
        home.db.message("S", "assistant", "done")
    home.turn_ended()
    home.started(40_000, 26)
    home.compact()
    home.done(26, 8, 4_000)
    (event,) = explained(home).events
    assert (event.messages_before, event.disagreements) == (26, ())
    with home.store() as store:
        assert len(generation_context(store, "S", generation=1).messages) == 26
