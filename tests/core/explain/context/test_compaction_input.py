"""What a past compaction was given: where the database cannot know, the list says so."""

from __future__ import annotations

from collections.abc import Callable

from core.explain.context.compaction_input import Closed
from core.explain.context.generation import generation_context
from tests.core.explain.home import Home

MakeHome = Callable[..., Home]


def closed(home: Home, generation: int) -> Closed:
    with home.store() as store:
        return generation_context(store, "S", generation=generation).closed


def test_a_list_the_log_counts_alike_needs_no_word(make_home: MakeHome) -> None:
    home = make_home()
    home.db.session("S")
    home.talk(7)
    home.started(54_828, 28)
    home.compact()
    home.done(28, 8, 4_000)
    assert (closed(home, 1).incomplete, closed(home, 1).notes) == (False, ())
    assert len(closed(home, 1).messages) == 28


def test_messages_only_the_log_counts_make_the_list_a_part_of_it(make_home: MakeHome) -> None:
    home = make_home()
    home.db.session("S")
    home.talk(7)
    home.started(54_828, 40)
    home.compact()
    found = closed(home, 1)
    assert found.incomplete
    assert found.notes == ("the database kept only 28 of the messages it was given: the log counts 40",)


def test_what_a_session_never_written_to_was_given_is_not_known(make_home: MakeHome) -> None:
    home = make_home("0.13")
    home.db.session("S", api_call_count=6)
    home.talk(3)
    home.db.rotate("S", "S2", 3, 0, "## Goal\nship")
    home.db.connection.execute("DELETE FROM messages WHERE session_id = 'S2'")
    home.db.rotate("S2", "S3", 0, 0, "## Goal\nship")
    assert not closed(home, 1).incomplete
    found = closed(home, 2)
    assert (found.incomplete, found.messages) == (True, ())
    assert "kept only 0" in found.notes[0]


def test_the_newest_a_partial_compression_kept_are_named(make_home: MakeHome) -> None:
    home = make_home("0.16")
    home.db.session("S", api_call_count=10)
    home.talk(5)
    home.started(42_131, 12)
    home.db.rotate("S", "S2", 3, 8, "## Goal\nship")
    home.done(12, 4, 4_000, "S2")
    found = closed(home, 1)
    assert (len(found.messages), found.incomplete) == (20, False)
    assert "the first 12 of these 20" in found.notes[0]
    assert "kept the other 8" in found.notes[0]


def test_a_result_that_only_the_next_session_holds_may_be_shortened(make_home: MakeHome) -> None:
    home = make_home("0.13")
    home.db.session("S", api_call_count=6 + 1)
    home.talk(3)
    home.db.rotate("S", "S2", 3, 0, "## Goal\nship")
    home.db.message("S2", "user", "go on")
    home.db.message("S2", "assistant", "", calls=[("n", "terminal", "{}")])
    stub = home.db.message("S2", "tool", "whole", tool_call_id="n", tool_name="terminal")
    assert closed(home, 1).notes == ()
    home.db.mark([stub], content="[terminal] ran `ls` -> exit 0, 87 lines output")
    assert "already shortened" in closed(home, 1).notes[0]
