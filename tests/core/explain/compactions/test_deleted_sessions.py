"""A compaction that went on in a session which was deleted since did not fail."""

from __future__ import annotations

import pytest

from core.explain.events import explain
from core.model.compaction.event import SummaryStatus, Trigger
from core.model.transcript.conversation import BoundaryMode
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, explained, only
from tests.core.store.database import END, LONG_SUMMARY, PRIOR, PRIOR_END


def _rotated(make_home: MakeHome, release: str, tag: str | None, done: str) -> Home:
    """A session that was compacted into S2, as the log tells it under these tags."""
    home = make_home(release)
    home.db.session("S", end_reason="compression")
    home.turn(history=24)
    home.talk(7)
    home.call(1, 60_000)
    home.started(60_000, 28, tag=tag)
    home.line("Auxiliary compression: using auto (mock-model) at http://127.0.0.1:1/v1/", tag=tag)
    home.done(28, 8, 4_000, session="S2", tag=done)
    return home


@pytest.mark.parametrize(
    ("release", "tag", "done"), [("0.16", "S", "S"), ("0.19", "S", "S2"), ("0.22", None, "S2")]
)
def test_it_is_told_as_completed(make_home: MakeHome, release: str, tag: str | None, done: str) -> None:
    event = only(_rotated(make_home, release, tag, done))
    assert (event.trigger, event.completed, event.mode) == (
        Trigger.POST_RESPONSE,
        True,
        BoundaryMode.ROTATION,
    )
    assert (event.messages_before, event.messages_after) == (28, 8)
    assert event.summary.status is SummaryStatus.MODEL
    assert "S2" in event.disagreements[0]


def test_what_a_deleted_session_did_later_is_not_taken_for_a_failure(make_home: MakeHome) -> None:
    home = _rotated(make_home, "0.19", "S", "S2")
    text = "Pre-API compression: ~58,000 request tokens >= 54,400 threshold (context=64,000, attempt=1/3)"
    home.line(text, tag="S2", logger="agent.conversation_loop")
    home.started(58_000, 26, session="S2", tag="S2")
    home.done(26, 9, 4_000, session="S3", tag="S3")
    assert only(home).completed


def test_what_a_deleted_session_was_compacted_into_is_one_compaction(make_home: MakeHome) -> None:
    """The summary of 0.22 shares a row with a message, and keeps the time of that one."""
    home = make_home("0.22")
    home.db.session("S2")
    home.db.message("S2", "user", "ask")
    merged = f"{PRIOR}\nlook\n\n{PRIOR_END}\n{LONG_SUMMARY} so far\nthings\n\n{END}"
    home.db.message("S2", "assistant", merged, _compressed_summary=1)
    home.db.tick(60)
    home.started(60_000, 28, session="S", tag=None)
    home.done(28, 8, 4_000, session="S2", tag="S2")
    home.talk(1, session="S2")
    (event,) = explained(home, "S2").events
    assert (event.completed, event.messages_before, event.messages_after) == (True, 28, 8)
    assert not event.disagreements


def test_of_a_turn_compacted_twice_the_rows_do_not_tell_what_each_left(make_home: MakeHome) -> None:
    """Run with 0.16.0: the turn is stored in the last of its sessions only, with both summaries."""
    home = make_home("0.16")
    home.db.session("S", end_reason="compression", ended_at=home.db.tick(0))
    home.turn()
    home.started(66_000, 20)
    home.done(20, 11, 40_000, session="S2")
    ends = {"end_reason": "compression", "ended_at": home.db.tick(0)}
    home.db.session("S2", parent_session_id="S", **ends)
    home.started(66_000, 20, session="S2")
    home.done(20, 20, 66_000, session="S3")
    home.db.session("S3", parent_session_id="S2")
    home.db.message("S3", "user", "ask")
    home.db.message("S3", "assistant", f"{LONG_SUMMARY} so far\nthings")
    home.db.message("S3", "user", f"{LONG_SUMMARY} by now\nmore things")
    home.talk(2, session="S3")
    assert [event.disagreements for event in explained(home, "S3").events if event.messages_after == 20] == [
        ()
    ]


def test_an_end_that_names_another_conversation_is_not_taken_for_it(make_home: MakeHome) -> None:
    home = _rotated(make_home, "0.19", "S", "S2")
    home.db.session("S2")
    home.talk(1, session="S2")
    assert not only(home).completed


@pytest.mark.parametrize(("release", "done"), [("0.16", "S"), ("0.19", "S2")])
def test_why_a_session_deleted_since_was_compacted_is_still_in_the_log(
    make_home: MakeHome, release: str, done: str
) -> None:
    home = make_home(release)
    home.call(1, 70_000)
    home.started(70_000, 30)
    home.done(30, 9, 4_000, session="S")
    home.turn(history=24)
    home.call(1, 66_000)
    home.started(66_000, 28)
    home.line("Auxiliary compression: using auto (mock-model) at http://127.0.0.1:1/v1/")
    home.done(28, 8, 4_000, session="S2", tag=done)
    home.db.session("S2")
    home.db.message("S2", "user", "ask")
    home.db.message("S2", "user", f"{LONG_SUMMARY} so far\nthings\n\n{END}")
    home.talk(2, session="S2")
    (event,) = explained(home, "S2").events
    assert (event.trigger, event.tokens) == (Trigger.POST_RESPONSE, 66_000)
    assert (event.messages_before, event.messages_after) == (28, 8)
    assert not event.disagreements


def test_where_nothing_before_a_rotation_was_stored_its_line_alone_tells_the_counts(begun: MakeHome) -> None:
    """Run with 0.13.0: a delegate writes its rows into the session that it ends in, where no tail shows."""
    home = begun("0.13")
    home.turn()
    home.talk(7)
    for before, after in (("S", "T"), ("T", "U")):
        home.started(65_000, before=28, session=before)
        home.db.rotate(before, after, 3, 6, "one")
        home.done(28, 22, 20_000, session=after)
        home.db.connection.execute("DELETE FROM messages WHERE session_id = ?", (before,))
    home.db.turn("U", "later")
    with home.store() as store:
        first, second = explain(store, "U").events
    for event in (first, second):
        assert (event.mode, event.messages_after, event.disagreements) == (BoundaryMode.ROTATION, 22, ())
