"""`/compress here` compresses a part of the conversation, and its lines count only that part."""

from __future__ import annotations

from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, only


def test_before_the_compaction_what_it_kept_is_counted_as_behind_it(home: Home) -> None:
    """Run with 0.21.5: its lines count the compressed part before, and everything after."""
    home.turn_ended()
    home.started(32_000, 12, tag=None)
    home.compact(3, 16)
    home.done(12, 20, 9_000, tag=None)
    event = only(home)
    assert (event.messages_before, event.messages_after) == (28, 20)
    assert event.disagreements == ()


def test_what_no_line_counts_is_added_before_and_behind(begun: MakeHome) -> None:
    """Run with 0.16.0 and 0.17.0: both lines count the compressed part."""
    home = begun("0.17", api_call_count=14)
    home.talk(7, size=4_000)
    home.turn_ended()
    home.started(32_000, 20, tag=None)
    home.stamp(home.db.rotate("S", "S2", 3, 16, "## Goal\nship"))
    home.done(20, 12, 9_000, session="S2", tag="S2")
    home.db.message("S2", "user", "And now?")
    event = only(home)
    assert (event.messages_before, event.messages_after) == (28, 20)
    assert event.disagreements == ()
    assert event.tokens_after is not None
    assert 11_000 < event.tokens_after < 12_000
