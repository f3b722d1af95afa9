"""How a compaction is reported: its cause, its verdict, its numbers."""

from __future__ import annotations

import shutil
from datetime import timedelta

import pytest

from core.explain.diagnose.diagnose import diagnose
from core.live.status import status_of
from core.model.compaction.event import SummaryStatus, Trigger
from core.model.finding import Source, Verdict
from core.model.transcript.conversation import BoundaryMode
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, compacted, explained, only
from tests.core.store.database import END, LONG_SUMMARY, PRIOR, PRIOR_END


def test_a_check_before_a_call_is_proved_by_its_line(home: Home) -> None:
    home.call(6, 52_000)
    home.pre_api(54_828)
    home.started(54_828, 28)
    compacted(home)
    event = only(home)
    assert (event.trigger, event.verdict) == (Trigger.PRE_API, Verdict.PROVED)
    assert (event.tokens, event.threshold, event.window) == (54_828, 54_400, 64_000)
    assert (event.messages_before, event.messages_after, event.tokens_after) == (28, 8, 4_000)
    assert event.mode is BoundaryMode.IN_PLACE
    assert event.summary.status is SummaryStatus.MODEL
    assert "54,828 >= 54,400" in event.arithmetic
    assert next(e.where for e in event.evidence if e.source is Source.LOG).startswith("agent.log:")


def test_beside_an_estimate_stands_what_the_provider_counted_in_the_call_before(home: Home) -> None:
    home.call(6, 49_000)
    home.turn_ended()
    home.turn(history=28)
    home.preflight(54_828)
    home.started(54_828, 28)
    compacted(home)
    assert only(home).last_prompt == 49_000


def test_a_call_before_another_compaction_tells_nothing_of_the_size_of_the_next(home: Home) -> None:
    home.call(6, 49_000)
    home.preflight(54_828)
    home.started(54_828, 28)
    home.done(28, 8, 4_000)
    home.preflight(54_900)
    home.started(54_900, 8)
    compacted(home, before=8)
    assert [event.last_prompt for event in explained(home).events] == [49_000, None]


def test_an_answered_call_of_the_same_size_proves_the_check_behind_it(home: Home) -> None:
    home.call(6, 60_000)
    home.started(60_000, 28)
    compacted(home)
    event = only(home)
    assert (event.trigger, event.verdict, event.tokens) == (Trigger.POST_RESPONSE, Verdict.PROVED, 60_000)
    assert event.threshold == 54_400


def test_in_a_gateway_the_same_size_proves_nothing_unless_the_turn_continued(begun: MakeHome) -> None:
    """Between turns the gateway uses the same number, and the line that says so may be lost."""
    for follows, verdict in ((False, Verdict.SUSPECTED), (True, Verdict.PROVED)):
        home = begun(source="telegram")
        home.turn(history=24)
        home.talk(7)
        home.call(6, 60_000)
        home.started(60_000, 28)
        compacted(home)
        if follows:
            home.call(7, 9_000)
        assert only(home).verdict is verdict


def test_in_a_gateway_only_a_topic_proves_a_command(begun: MakeHome) -> None:
    for focus, verdict in ((None, Verdict.SUSPECTED), ("the parser", Verdict.PROVED)):
        home = begun(source="telegram")
        home.turn(history=24)
        home.talk(7)
        home.turn_ended()
        home.started(30_000, 28, focus=focus, tag=None)
        compacted(home)
        event = only(home)
        assert (event.trigger, event.verdict) == (Trigger.MANUAL, verdict)


def test_an_answered_call_of_another_size_proves_nothing(home: Home) -> None:
    home.call(6, 60_000)
    home.started(31_000, 28)
    compacted(home)
    assert only(home).verdict is Verdict.SUSPECTED


@pytest.mark.parametrize(
    ("error", "trigger"),
    [
        ("HTTP 400: This model's maximum context length is 30000 tokens.", Trigger.OVERFLOW),
        ("HTTP 413: Request Entity Too Large", Trigger.PAYLOAD_TOO_LARGE),
        ("HTTP 429: Extra usage is required for long context requests.", Trigger.LONG_CONTEXT_TIER),
        ("HTTP 400: error", Trigger.OVERFLOW),
        ("server disconnected without sending a response", Trigger.OVERFLOW),
    ],
)
def test_a_refused_call_is_the_cause(home: Home, error: str, trigger: Trigger) -> None:
    home.call(6, 29_000)
    home.refused(error)
    home.started(30_805, 28)
    compacted(home)
    event = only(home)
    assert (event.trigger, event.verdict) == (trigger, Verdict.PROVED)


def test_calls_missing_from_the_log_take_the_proof_away(home: Home) -> None:
    home.call(3, 29_000)
    home.refused("HTTP 413: Request Entity Too Large")
    home.started(30_805, 28)
    compacted(home)
    home.call(9, 20_000)
    assert only(home).verdict is Verdict.SUSPECTED


def test_a_topic_proves_a_command(home: Home) -> None:
    home.call(7, 30_000)
    home.turn_ended()
    home.started(28_511, 28, focus="auth module", tag=None)
    compacted(home)
    event = only(home)
    assert (event.trigger, event.verdict, event.focus) == (Trigger.MANUAL, Verdict.PROVED, "auth module")


def test_outside_a_turn_it_was_a_command(home: Home) -> None:
    home.call(7, 30_000)
    home.turn_ended()
    home.started(28_511, 28, tag=None)
    compacted(home)
    assert (only(home).trigger, only(home).verdict) == (Trigger.MANUAL, Verdict.PROVED)


def test_the_gateways_own_line_names_hygiene(home: Home) -> None:
    text = "Session hygiene: 28 messages, ~55,000 tokens (actual) — auto-compressing"
    home.turn_ended()
    home.line(f"{text} (threshold: 85% of 64,000 = 54,400 tokens)", tag=None, logger="gateway.run")
    home.started(55_000, 28, tag=None)
    compacted(home)
    event = only(home)
    assert (event.trigger, event.verdict, event.threshold) == (Trigger.HYGIENE, Verdict.PROVED, 54_400)


def test_an_attempt_without_a_commit_is_reported_as_aborted(home: Home) -> None:
    home.pre_api(54_828)
    home.started(54_828, 28)
    home.line("Summary generation failed with a network/connection error — aborting compression. 20 kept")
    event = only(home)
    assert (event.completed, event.summary.status, event.mode) == (False, SummaryStatus.ABORTED, None)
    assert (event.messages_before, event.messages_after, event.generation) == (28, None, None)


def test_a_fallback_is_known_by_its_own_words(home: Home) -> None:
    home.pre_api(54_828)
    home.started(54_828, 28)
    home.compact(summary="Summary generation was unavailable. 21 message(s) were removed")
    home.done(28, 8, 4_000)
    assert only(home).summary.status is SummaryStatus.FALLBACK


def test_the_command_that_a_headline_advises_names_the_database_as_the_user_did(home: Home) -> None:
    home.compact(summary="Summary generation was unavailable. 21 message(s) were removed")
    home.options = "--home /x"
    command = "hermes-inspector --home /x recall S WORDS"
    assert command in str(only(home).headline.remedy)
    with home.store() as store:
        status = status_of(store, "S")
        assert command in diagnose(store, "S").findings[0].remedy
    assert status.worst is not None
    assert command in status.worst.remedy


def test_telemetry_names_cause_and_numbers(begun: MakeHome) -> None:
    home = begun("0.22")
    home.turn(history=24)
    home.talk(7)
    home.call(6, 53_838)
    home.started(56_288, 28, tag=None)
    home.compact()
    home.done(28, 8, 16_836, tag=None)
    home.telemetry(
        trigger_source="post_tool",
        current_estimated_tokens=56_288,
        effective_threshold=54_400,
        main_context_limit=64_000,
        messages_before=28,
        messages_after=8,
        commit_status="committed",
        method="llm_summary",
        aux_model="small",
        total_duration_ms=412,
    )
    event = only(home)
    assert (event.trigger, event.verdict, event.tokens) == (Trigger.POST_RESPONSE, Verdict.PROVED, 56_288)
    assert (event.threshold, event.duration, event.summary.model) == (54_400, 0.412, "small")


def test_a_refused_output_and_too_few_messages_are_reported_as_such_next_to_telemetry(
    begun: MakeHome,
) -> None:
    home = begun("0.22")
    home.turn(history=0)
    home.db.turn("S", "0")
    text = "HTTP 400: max_tokens is too large: 40000. This model supports at most 4096 completion tokens"
    home.line(f"API call failed (attempt 1/3) error_type=BadRequestError summary={text}", level="WARNING")
    home.started(2_468, 1, tag=None)
    home.line("Compression made no progress (session=S) — skipping boundary rewrite.", tag=None)
    home.telemetry(
        trigger_source="overflow",
        overflow_reason="context_overflow",
        current_estimated_tokens=2_468,
        commit_status="aborted",
        failure_class="insufficient_messages",
    )
    event = only(home)
    assert (event.trigger, event.refused) == (Trigger.OVERFLOW, "output_cap")
    assert event.summary.failure is not None
    assert event.summary.failure.cause == "too_few"


def test_rotation_is_followed_into_the_new_session(begun: MakeHome) -> None:
    home = begun("0.17")
    home.turn(history=24)
    home.talk(7)
    home.call(6, 65_000)
    home.started(65_000, 28)
    home.stamp(home.db.rotate("S", "S2", 3, 4, "## Goal\nship"))
    home.done(28, 8, 4_000, session="S2")
    event = only(home)
    assert (event.mode, event.session, event.to_session) == (BoundaryMode.ROTATION, "S", "S2")
    assert (event.trigger, event.threshold) == (Trigger.POST_RESPONSE, 64_000)


def test_a_task_list_saved_long_after_a_rotation_belongs_to_what_it_left(begun: MakeHome) -> None:
    home = begun("0.17")
    home.turn(history=24)
    home.talk(7)
    home.call(6, 65_000)
    home.started(65_000, 28)
    rows = home.db.rotate("S", "S2", 3, 4, "## Goal\nship")
    home.done(28, 9, 4_000, session="S2")
    home.db.tick(5)
    tasks = "[Your active task list was preserved across context compression]\n- [>] 1. ship (in_progress)"
    for row in (*rows[3:], home.db.message("S2", "user", tasks)):
        home.db.mark([row], timestamp=home.db.tick(0.004))
    home.db.message("S2", "assistant", "Done.")
    event = only(home)
    assert "9 messages after" in [evidence.text for evidence in event.evidence]


@pytest.mark.parametrize("hours", [-8, 5.5, 9])
def test_a_log_from_another_time_zone_is_set_right(make_home: MakeHome, hours: float) -> None:
    home = make_home()
    home.shift = timedelta(hours=hours)
    home.db.session("S")
    home.turn()
    home.talk(7)
    home.pre_api(54_828)
    home.started(54_828, 28)
    compacted(home)
    explanation = explained(home)
    assert len(explanation.events) == 1
    event = explanation.events[0]
    assert event.at is not None
    assert abs(event.at.timestamp() - home.db.tick(0)) < 5
    assert event.verdict is Verdict.PROVED


def test_without_a_log_counts_stay_and_nothing_is_proved(home: Home) -> None:
    home.call(6, 60_000)
    home.started(60_000, 28)
    compacted(home)
    shutil.rmtree(home.path / "logs")
    explanation = explained(home)
    (event,) = explanation.events
    assert (event.messages_before, event.messages_after, event.mode) == (28, 8, BoundaryMode.IN_PLACE)
    assert event.verdict is not Verdict.PROVED
    assert any("no log line" in note for note in explanation.notes)


def test_without_a_log_size_and_last_message_say_the_trigger(begun: MakeHome) -> None:
    home = begun()
    home.talk(6, size=40_000)
    home.db.message("S", "user", "and now?")
    home.compact(tail=5)
    event = only(home)
    assert (event.trigger, event.verdict) == (Trigger.PREFLIGHT, Verdict.DERIVED)
    assert event.tokens is not None
    assert event.tokens > 54_400


def test_without_a_log_a_small_transcript_inside_a_turn_was_refused(begun: MakeHome) -> None:
    home = begun()
    home.talk(6)
    home.db.message("S", "user", "go on")
    home.db.message("S", "assistant", "", calls=[("c", "terminal", "{}")])
    home.db.message("S", "tool", "out", tool_call_id="c", tool_name="terminal")
    home.compact(tail=5)
    assert (only(home).trigger, only(home).verdict) == (Trigger.OVERFLOW, Verdict.SUSPECTED)


def test_another_release_can_be_asked_for(home: Home) -> None:
    assert explained(home, release="0.13").now.threshold == 64_000


def test_a_conversation_without_messages_has_no_events(begun: MakeHome) -> None:
    home = begun()
    explanation = explained(home)
    assert explanation.events == ()
    assert explanation.now.tokens is None


def test_a_compaction_that_left_no_rows_is_stated_to_have_left_none(home: Home) -> None:
    home.turn_ended()
    home.started(28_511, 28, tag=None)
    home.done(28, 8, 4_000, tag=None)
    event = only(home)
    assert (event.completed, event.mode) == (True, None)
    assert any("no row shows" in words for words in event.disagreements)


def test_two_counts_that_differ_are_both_shown(home: Home) -> None:
    home.pre_api(54_828)
    home.started(54_828, 26)
    home.compact()
    home.done(26, 8, 4_000)
    event = only(home)
    assert event.messages_before == 26
    assert any("26 messages before" in words and "28" in words for words in event.disagreements)


def test_a_call_for_a_summary_that_did_not_fail_wrote_it(home: Home) -> None:
    """Without the rows, the lines still say who wrote the summary."""
    home.started(30_000, 28, focus="the parser")
    home.line("Auxiliary compression: using auto (mini) at http://h/v1/")
    home.done(28, 8, 4_000)
    event = only(home)
    assert (event.summary.status, event.summary.model) == (SummaryStatus.MODEL, "mini")


def test_a_request_that_waits_is_not_missed_where_the_summary_has_the_time_of_a_message(home: Home) -> None:
    """Run with 0.19.0: what a resumed session copies keeps its time, also where the summary joins it."""
    old = home.db.live("S")
    home.preflight(60_000)
    home.started(60_000, 29)
    home.db.mark(old, active=0, compacted=1)
    for row in (*old[:3], *old[-4:]):
        joined = f"{PRIOR}\nlook\n\n{PRIOR_END}\n{LONG_SUMMARY} so far\nthings\n\n{END}"
        home.db.copy(row, **({"content": joined} if row == old[-3] else {}))
    home.db.message("S", "user", "Go on.")
    home.done(29, 8, 4_000)
    event = only(home)
    assert (event.messages_before, event.messages_after, event.disagreements) == (29, 8, ())


def test_rows_that_another_session_wrote_in_between_are_not_counted_in(begun: MakeHome) -> None:
    home = begun()
    home.turn()
    home.talk(4)
    home.db.session("T")
    home.db.turn("T", "elsewhere")
    home.talk(4)
    home.started(54_828, 32)
    home.compact()
    home.done(32, 8, 4_000)
    places = [one.where for one in only(home).evidence if one.text == "32 messages before"]
    assert places == ["messages 1-16, 21-36"]
