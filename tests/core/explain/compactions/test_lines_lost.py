"""A log or a database that lost lines or rows tells as much of each compaction as it still holds."""

from __future__ import annotations

from core.model.compaction.event import Trigger
from core.model.finding import Verdict
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, explained, only


def test_where_the_log_begins_within_a_rotation_its_end_and_telemetry_are_one_attempt(
    begun: MakeHome,
) -> None:
    home = begun("0.22")
    home.talk(7)
    home.stamp(home.db.rotate("S", "S2", 3, 4, "## Goal\nship"))
    home.done(28, 8, 16_836, session="S2", tag="S2")
    home.telemetry(
        "S2",
        trigger_source="post_tool",
        current_estimated_tokens=56_288,
        commit_status="committed",
    )
    event = only(home)
    assert (event.trigger, event.verdict, event.tokens) == (Trigger.POST_RESPONSE, Verdict.PROVED, 56_288)


def test_a_compaction_whose_end_is_lost_does_not_take_the_lines_of_the_next_one(home: Home) -> None:
    home.started(60_000, 28)
    home.compact()
    home.db.tick(10)
    home.talk(5)
    home.started(58_000, 28)
    home.compact()
    home.done(28, 8, 4_000)
    first, second = explained(home).events
    assert (first.tokens, first.completed) == (60_000, True)
    assert (second.tokens, second.disagreements) == (58_000, ())


def test_a_request_whose_turn_was_never_written_is_no_disagreement(begun: MakeHome) -> None:
    """Run with 0.15.2: the provider refused the turn's only call, and nothing of the turn was stored."""
    home = begun("0.16", api_call_count=14)
    home.talk(7)
    home.turn(history=28)
    home.refused("HTTP 400: This model's maximum context length is 30000 tokens.")
    home.started(32_000, 29)
    home.db.connection.execute(
        "UPDATE sessions SET ended_at = ?, end_reason = 'compression'", (home.db.tick(),)
    )
    home.db.session("S2", parent_session_id="S")
    home.done(29, 12, 30_000, session="S2")
    event = only(home)
    assert (event.trigger, event.messages_before, event.disagreements) == (Trigger.OVERFLOW, 29, ())


def test_a_size_recomputed_without_the_tools_says_so(begun: MakeHome) -> None:
    home = begun()
    home.talk(6, size=40_000)
    live = home.db.live("S")
    home.db.mark(live[-1:], role="tool", content="r" * 40_000, tool_calls=None)
    home.compact()
    home.turn(history=9)
    home.call(1, 30_000)
    steps = [step for step in only(home).arithmetic if "comes to about" in step]
    assert steps
    assert all("without its tools" in step for step in steps)
