"""A gateway tries before every message of every chat: each attempt keeps its rows, lines and cause."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.explain.events import explain
from core.explain.headline.conversation import event_headline
from core.model.compaction.event import SummaryStatus, Trigger
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, compacted, explained


def _chat(begun: MakeHome) -> Home:
    home = begun(source="telegram")
    home.turn(history=24)
    home.talk(7)
    return home


def _fires(home: Home, rows: int) -> None:
    text = f"Session hygiene: {rows} messages, ~112,000 tokens (actual) — auto-compressing"
    home.line(f"{text} (threshold: 85% of 128,000 = 108,800 tokens)", tag=None, logger="gateway.run")
    home.started(112_000, rows, tag=None)


def test_rows_belong_to_the_attempt_that_wrote_them_not_to_one_without_effect_before(
    begun: MakeHome,
) -> None:
    home = _chat(begun)
    for _ in range(2):
        _fires(home, 28)
        home.line("Compression made no progress (session=S) — skipping boundary rewrite.", tag=None)
    _fires(home, 28)
    compacted(home)
    events = explained(home).events
    assert [event.trigger for event in events] == [Trigger.HYGIENE] * 3
    statuses = [event.summary.status for event in events]
    assert statuses == [SummaryStatus.ABORTED, SummaryStatus.ABORTED, SummaryStatus.MODEL]
    assert [event.mode is None for event in events] == [True, True, False]


@pytest.mark.parametrize(("after", "agrees"), [(7, True), (6, False)])
def test_the_request_that_waits_while_a_gateway_compacts_is_no_disagreement(
    begun: MakeHome, after: int, agrees: bool
) -> None:
    """Run with 0.22.2: it is stored before the gateway looks, and copied with the tail."""
    home = _chat(begun)
    _fires(home, 27)
    home.compact()
    home.done(27, after, 4_000)
    (event,) = explained(home).events
    assert event.trigger is Trigger.HYGIENE
    assert (event.disagreements == ()) is agrees


def test_an_attempt_of_another_chat_that_came_to_nothing_takes_no_lines_of_the_next(
    begun: MakeHome,
) -> None:
    home = _chat(begun)
    other = "did not rotate or compact in place (no session_db on the hygiene agent)"
    home.started(112_000, 60, session="T", tag=None)
    home.line(f"Gateway hygiene compression for session T {other}", tag=None, level="WARNING")
    _fires(home, 28)
    failed = (
        "Failed to generate context summary: Error code: 401 - {'error': {'message': 'Incorrect API key'}}."
    )
    home.line(f"{failed} Further summary attempts paused for 60 seconds.", tag=None, level="WARNING")
    home.line(f"Gateway hygiene compression for session S {other}", tag=None, level="WARNING")
    (event,) = explained(home).events
    assert event.summary.failure is not None
    assert (event.summary.failure.cause, event.summary.failure.status) == ("auth", 401)


def test_rows_of_tools_that_a_gateway_until_0_17_leaves_out_count_as_gone(begun: MakeHome) -> None:
    """Run with 0.13.0: of 62 rows the 4 that were said stayed, without a summary."""
    home = _chat(begun)
    text = "Session hygiene: 62 messages, ~112,000 tokens (actual) — auto-compressing"
    home.line(f"{text} (threshold: 85% of 128,000 = 108,800 tokens)", tag=None, logger="gateway.run")
    home.started(112_000, 4, tag=None)
    home.line("context compression done: session=S messages=4->4 tokens=~4,757", tag=None)
    (event,) = explained(home, release="0.13").events
    assert (event.messages_before, event.messages_after) == (62, 4)


def test_an_attempt_that_asked_no_model_and_left_as_many_messages_says_so(begun: MakeHome) -> None:
    home = _chat(begun)
    _fires(home, 5)
    home.line("context compression done: session=S messages=5->5 tokens=~106,184", tag=None)
    (event,) = explained(home, release="0.13").events
    headline = event_headline(event)
    assert "No model was asked for a summary, and all 5" in headline.sentence
    assert headline.remedy is not None
    folded = event_headline(replace(event, tokens_after=20_000))  # by another engine, as run with 0.18.0
    assert folded.sentence.endswith("5 → 5 messages, 112K → 20.0K tokens.")
    assert folded.remedy is None


def _failed_under_the_tag_of_another(home: Home, *, meanwhile: bool = False) -> None:
    if meanwhile:
        home.started(90_000, 40, session="T", tag="T")
    home.line("Session hygiene: 28 messages, ~112,000 tokens (actual) — auto-compressing", tag=None)
    home.started(112_000, 28, tag="T")
    failed = "Error code: 404 - {'error': {'message': 'model does not exist'}}. Further"
    home.line(
        f"Failed to generate context summary: {failed} summary attempts paused for 60 seconds.",
        tag="T",
        level="WARNING",
    )
    values = {"event": "compression_attempt", "session_id": "S", "commit_status": "aborted"}
    telemetry = {**values, "trigger_source": "gateway_hygiene", "current_estimated_tokens": 112_000}
    home.line(f"context compression attempt telemetry: {json.dumps(telemetry)}", tag="T")


def test_a_reason_under_the_tag_of_another_chat_is_that_of_the_attempt_it_is_in(
    begun: MakeHome,
) -> None:
    """As 0.22.2 logged it: its threads keep the tag of the chat they served before."""
    home = begun("0.22", source="telegram")
    home.db.session("T", source="telegram")
    home.talk(7)
    _failed_under_the_tag_of_another(home)
    (event,) = explained(home).events
    assert event.summary.failure is not None
    assert (event.summary.failure.cause, event.summary.failure.status) == ("model", 404)
    assert explained(home, "T").events == ()


def test_it_is_nobodys_while_the_tagged_chat_compresses_too(begun: MakeHome) -> None:
    home = begun("0.22", source="telegram")
    home.talk(7)
    _failed_under_the_tag_of_another(home, meanwhile=True)
    (event,) = explained(home).events
    assert event.summary.failure is not None
    assert event.summary.failure.status is None


def test_rows_with_times_of_before_belong_to_the_attempt_that_ended_not_to_one_killed_before(
    begun: MakeHome,
) -> None:
    """Run with 0.21.5: a gateway was killed while it compressed, and the next one did it again."""
    home = _chat(begun)
    _fires(home, 28)
    home.line("Auxiliary compression: using auto (mock-model) at http://127.0.0.1:1/v1/", tag=None)
    written = home.db.tick(20) - 21
    home.line("Plugin discovery complete: 58 found, 53 enabled", tag=None)
    _fires(home, 28)
    home.compact()
    home.db.mark(home.db.live("S"), timestamp=written)
    home.done(28, 8, 4_000, tag=None)
    killed, done = explained(home).events
    assert (killed.completed, done.completed, done.mode is None) == (False, True, False)
    assert killed.summary.failure is not None
    assert killed.summary.failure.cause == "ended"


def _asked_in_a_chat(begun: MakeHome, focus: str | None = "the tests") -> Home:
    home = _chat(begun)
    home.call(1, 42_000)
    home.turn_ended()
    home.started(1_008, 14, focus=focus)
    home.line("Auxiliary compression: using auto (mock-model) at http://h/v1/")
    home.done(14, 9, 2_604)
    return home


def test_a_command_whose_result_the_gateway_does_not_store_has_failed(begun: MakeHome) -> None:
    """Run with 0.17.0: the next turn began with all messages."""
    home = _asked_in_a_chat(begun)
    kept = "(session_id unchanged) — preserving original transcript instead of overwriting it (#44794)."
    logger = "gateway.run"
    home.line(f"Manual /compress: session rotation did not occur {kept}", tag=None, logger=logger)
    home.turn(history=28)
    (event,) = explained(home, release="0.17").events
    assert not event.completed
    assert event.summary.failure is not None
    assert event.summary.failure.cause == "not_stored"
    assert "did not store" in event.headline.sentence
    assert event.disagreements == ()


def test_a_command_in_a_chat_until_0_17_counts_only_what_was_said_so_it_tells_no_tokens(
    begun: MakeHome,
) -> None:
    home = _asked_in_a_chat(begun)
    by_release = {one: explained(home, release=one).events[0] for one in ("0.16", "0.18")}
    assert [(one.tokens, one.tokens_after) for one in by_release.values()] == [(None, None), (1_008, 2_604)]
    assert "token" not in by_release["0.16"].headline.sentence


def test_an_attempt_that_takes_in_what_was_stored_meanwhile_is_one_attempt(begun: MakeHome) -> None:
    """Run with 0.22.2 and pictures: its last lines count one message more, and telemetry no tokens."""
    home = begun("0.22")
    home.turn()
    home.talk(7)
    home.call(2, 57_000)
    home.started(61_340, before=27, tag=None)
    home.line("compression: session=S grew before lease (27 → 28 msgs); adopting durable snapshot", tag="S")
    home.db.rotate("S", "T", 3, 6, "one")
    home.done(28, 10, 12_220, session="T", tag="T")
    home.telemetry(
        tag="T", commit_status="committed", current_estimated_tokens=0, trigger_source="post_response"
    )
    with home.store() as store:
        (event,) = explain(store, "T").events
    assert (event.tokens, event.messages_before, event.messages_after) == (61_340, 28, 10)
