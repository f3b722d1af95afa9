"""The headline of a compaction, and what helps if it failed."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.explain.headline.conversation import compaction_to_open, event_headline, standing_failure
from core.model.compaction.event import (
    CompressionEvent,
    Failure,
    SummaryOutcome,
    SummaryStatus,
    Trigger,
    TurnAttempt,
)
from core.model.finding import MAX_HEADLINE_CHARS, Severity, Verdict
from core.support.formatting import clock
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, compacted, explained, only

AUTH = (
    "Failed to generate context summary: Error code: 401 - invalid x-api-key. "
    "Further summary attempts paused for 60 seconds."
)


def event(trigger: Trigger = Trigger.PREFLIGHT, **fields: object) -> CompressionEvent:
    known = CompressionEvent(
        session="S",
        to_session="S",
        mode=None,
        at=None,
        generation=1,
        trigger=trigger,
        verdict=Verdict.PROVED,
        tokens=153_263,
        threshold=150_000,
        window=200_000,
        messages_before=206,
        messages_after=52,
        tokens_after=41_052,
        focus=None,
        summary=SummaryOutcome(SummaryStatus.MODEL),
    )
    return replace(known, **fields)  # type: ignore[arg-type]


def test_the_day_this_program_compressed_is_that_of_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = datetime(2026, 11, 12, 23, 30, tzinfo=UTC)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert "on 2026-11-13" in event_headline(event(Trigger.INSPECTOR, at=evening)).sentence
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_check_that_fired_is_reported_with_the_request_and_the_limit() -> None:
    told = event_headline(event())
    assert told.sentence == (
        "Compressed before your message: the request (~153K) had passed the 150K limit (0.75 of 200K). "
        "206 → 52 messages, 153K → 41.1K tokens."
    )
    assert told.remedy is None
    assert told.severity is None


def test_a_size_counted_below_the_limit_is_not_said_to_have_passed_it() -> None:
    near = event(Trigger.POST_RESPONSE, tokens=148_000, verdict=Verdict.SUSPECTED)
    assert event_headline(near).sentence.startswith(
        "Likely: compressed after an answer: its request (~148K) must have passed the 150K limit"
    )


def test_a_command_is_reported_with_its_topic() -> None:
    assert event_headline(event(Trigger.MANUAL, focus="token comparison")).sentence.startswith(
        "You ran /compress token comparison."
    )


def test_of_several_compactions_each_headline_names_its_own(begun: MakeHome) -> None:
    home = begun()
    home.talk(7)
    compacted(home)
    (alone,) = explained(home).events
    assert alone.at is not None
    assert clock(alone.at, seconds=False) not in alone.headline.sentence
    home.db.tick(600)
    home.talk(7)
    home.compact()
    events = explained(home).events
    assert len(events) == 2
    for event in events:
        assert event.at is not None
        assert f"at {clock(event.at, seconds=False)} " in event.headline.sentence


@pytest.mark.parametrize("trigger", [one for one in Trigger if one is not Trigger.INSPECTOR])
def test_every_kind_of_compaction_names_when_it_was_and_a_topic_stays_beside_its_command(
    trigger: Trigger,
) -> None:
    told = event_headline(event(trigger, apart="on 11-21 at 20:22", focus="auth")).sentence
    assert "on 11-21 at 20:22" in told.replace("On ", "on ", 1)
    assert told.startswith("On 11-21 at 20:22 you ran /compress auth. ") == (trigger is Trigger.MANUAL)


@pytest.mark.parametrize("refused", ["memory_ceiling", "image_too_large", "rate_limit"])
def test_no_headline_is_cut_for_the_time_it_names(refused: str) -> None:
    many = event(Trigger.OVERFLOW, refused=refused, apart="on 2026-11-21 at 20:22:14", messages_before=1_206)
    told = event_headline(many).sentence
    assert told.endswith("153K → 41.1K tokens.")
    assert len(told) <= MAX_HEADLINE_CHARS


def test_a_failure_among_several_attempts_names_when_it_was() -> None:
    failed = event(completed=False, apart="at 14:19", summary=SummaryOutcome(SummaryStatus.ABORTED))
    fallback = event(apart="at 14:19", summary=SummaryOutcome(SummaryStatus.FALLBACK))
    assert event_headline(failed).sentence.startswith("Compression failed at 14:19: ")
    assert event_headline(fallback).sentence.startswith("No model wrote a summary at 14:19: ")
    mistaken = event(Trigger.OVERFLOW, refused="rate_limit", apart="at 14:19")
    assert event_headline(mistaken).sentence.startswith("Compressed at 14:19 although")


def test_a_long_topic_is_cut_where_one_sees_it() -> None:
    told = event_headline(event(Trigger.MANUAL, focus="the tests of the module " * 5)).sentence
    assert told.startswith("You ran /compress the tests of the module the tests of the module the tests o…. ")


def test_one_that_freed_nothing_says_what_helps() -> None:
    told = event_headline(event(tokens=25_400, tokens_after=25_500))
    assert told.remedy is not None
    assert "leave nothing to free" in told.remedy


def test_one_whose_summary_is_empty_says_so() -> None:
    """Run with 0.16.0 and 0.17.0, of a summary model whose content filter answered."""
    told = event_headline(event(summary=SummaryOutcome(SummaryStatus.MODEL, tokens=0)))
    assert told.sentence.endswith("The summary is empty.")
    assert told.remedy is not None
    assert "auxiliary.compression.model" in told.remedy
    written = event_headline(event(summary=SummaryOutcome(SummaryStatus.MODEL, tokens=40)))
    assert written.remedy is None


def test_one_whose_summary_ran_away_blames_the_summary_model() -> None:
    """Run with 0.19.0: a summary of 42,553 tokens, 3,200 of them asked for."""
    summary = SummaryOutcome(SummaryStatus.MODEL, tokens=42_553)
    told = event_headline(event(tokens=59_942, tokens_after=72_049, summary=summary))
    assert told.remedy is not None
    assert "auxiliary.compression.model: the summary alone is 59% of" in told.remedy


def test_a_summary_that_leaves_little_to_free_is_blamed_before_the_conversation_grows() -> None:
    """Run with 0.19.0: summaries of 40,029 tokens, 63,875 before and 63,844 after."""
    summary = SummaryOutcome(SummaryStatus.MODEL, tokens=40_029)
    told = event_headline(event(tokens=63_875, tokens_after=63_844, summary=summary))
    assert "the summary alone is 63% of" in (told.remedy or "")
    freed = event_headline(event(tokens=99_000, tokens_after=63_844, summary=summary))
    assert freed.remedy is None


def test_a_window_smaller_than_hermes_expects_brings_the_refusal_again() -> None:
    small = event(Trigger.OVERFLOW, tokens=30_600, window=30_000)
    told = event_headline(small, expected=64_000, served=30_000)
    assert told.remedy is not None
    assert told.remedy.startswith("The provider takes at most 30K tokens, ")
    assert "needs a window of at least 64K" in told.remedy  # nor can model.context_length say so
    served = event_headline(event(Trigger.OVERFLOW, window=200_000), expected=200_000, served=100_000)
    assert "or correct model.context_length" in (served.remedy or "")
    assert told.severity is Severity.WARNING


def test_a_refusal_without_a_number_far_below_the_limit_shows_a_smaller_window() -> None:
    """Run with 0.22.2: llama.cpp with a context of 40,000, for which Hermes expected 200,000."""
    refused = event(Trigger.OVERFLOW, tokens=44_787, threshold=150_000, window=200_000, tokens_after=14_356)
    told = event_headline(refused, expected=200_000)
    assert told.remedy is not None
    assert told.remedy.startswith("The provider refused about 44.8K tokens, ")
    assert "at least 64K" in told.remedy
    larger = event_headline(replace(refused, tokens=90_000), expected=200_000)
    assert "set model.context_length" in (larger.remedy or "")
    assert event_headline(replace(refused, tokens=155_000), expected=200_000).remedy is None
    lowered = event_headline(replace(refused, tokens=70_257, threshold=64_000), expected=200_000)
    assert "set model.context_length" in (lowered.remedy or "")  # the summary model lowered the limit


def test_a_window_that_hermes_tries_after_a_refusal_without_a_number_is_no_limit_of_the_provider() -> None:
    """Run with 0.14.0, which goes on with 64,000 of 128,000 tokens whatever the provider takes."""
    stepped = event_headline(event(Trigger.OVERFLOW, tokens=26_756, window=64_000), expected=128_000)
    assert stepped.remedy is not None
    assert stepped.remedy.startswith("Hermes went on with a window of 64K instead of 128K: ")
    assert "provider takes at most" not in stepped.remedy


def test_a_refusal_in_the_window_hermes_expects_asks_for_nothing() -> None:
    assert event_headline(event(Trigger.OVERFLOW, window=128_000), expected=128_000).remedy is None
    limited = event(Trigger.OVERFLOW, refused="rate_limit", window=30_000)
    assert event_headline(limited, expected=64_000).remedy is None


@given(
    trigger=st.sampled_from(Trigger),
    tokens=st.none() | st.integers(0, 10**9),
    threshold=st.none() | st.integers(1, 10**9),
    window=st.none() | st.integers(1, 10**9),
    before=st.none() | st.integers(0, 10**6),
    after=st.none() | st.integers(0, 10**6),
    focus=st.none() | st.text(max_size=300),
    status=st.sampled_from(SummaryStatus),
    completed=st.booleans(),
)
def test_every_attempt_has_one_sentence_that_fits(
    trigger: Trigger,
    tokens: int | None,
    threshold: int | None,
    window: int | None,
    before: int | None,
    after: int | None,
    focus: str | None,
    status: SummaryStatus,
    completed: bool,
) -> None:
    one = event(
        trigger,
        tokens=tokens,
        threshold=threshold,
        window=window,
        messages_before=before,
        messages_after=after,
        focus=focus,
        summary=SummaryOutcome(status),
        completed=completed,
    )
    told = event_headline(one)
    assert 0 < len(told.sentence) <= MAX_HEADLINE_CHARS
    assert "None" not in told.sentence.replace(focus or "\0", "")
    assert (told.remedy is not None) >= one.failed


def test_a_refused_key_is_named_with_its_status_and_the_variable_that_holds_it(home: Home) -> None:
    home.pre_api(54_828)
    home.started(54_828, 28)
    home.line("Auxiliary compression: using anthropic (claude-opus-4-5) at https://api.anthropic.com/")
    home.line(AUTH, level="WARNING")
    home.line("Summary generation failed — aborting compression", level="WARNING")
    told = only(home).headline
    assert told.sentence == (
        "Compression failed: the summary model's API key was refused (401). Nothing was removed."
    )
    assert told.remedy is not None
    assert "ANTHROPIC_API_KEY" in told.remedy
    assert told.severity is Severity.CRITICAL


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("Error code: 402 - insufficient credits", "billing"),
        ("Error code: 429 - {'error': {'message': 'Rate limit reached'}}", "rate_limit"),
        ("Error code: 404 - {'error': 'model not found'}", "model"),
        ("Error code: 400 - maximum context length is 32768 tokens", "context"),
        ("Error code: 403 - {'message': 'forbidden'}", "permission"),
        ("Request timed out after 120 seconds", "timeout"),
        ("Connection error", "network"),
        ("Error code: 500 - {'error': {'message': 'summary backend down'}}", "server"),
        ("something nobody foresaw", "unknown"),
    ],
)
def test_the_cause_of_a_failure_is_distinguished(home: Home, said: str, cause: str) -> None:
    home.started(54_828, 28)
    text = f"Failed to generate context summary: {said}. Further summary attempts paused for 60 seconds."
    home.line(text, level="WARNING")
    home.line("Summary generation failed — aborting compression", level="WARNING")
    failure = only(home).summary.failure
    assert failure is not None
    assert failure.cause == cause
    assert failure.text == said


def test_a_failure_stands_until_an_attempt_succeeds(begun: MakeHome) -> None:
    home = begun()
    home.turn(history=24)
    home.talk(7)
    home.started(54_828, 28)
    home.line(AUTH, level="WARNING")
    home.line("Summary generation failed — aborting compression", level="WARNING")
    assert explained(home).headline.sentence.startswith("Compression failed")
    home.turn(history=28)
    home.pre_api(54_900)
    home.started(54_900, 28)
    compacted(home)
    assert re.match(r"Compressed at [\d:]+ before a model call", explained(home).headline.sentence)


@pytest.mark.parametrize("cause", ["unknown", "ended", "paused"])
def test_a_cause_that_is_reported_speaks_before_a_later_failure_without_one(cause: str) -> None:
    """Run with 0.22.2: a summary model that reads too little is named once, and then Hermes only stops."""

    def failed(why: str) -> CompressionEvent:
        made = event(completed=False, summary=SummaryOutcome(SummaryStatus.ABORTED, failure=Failure(why, "")))
        return replace(made, headline=event_headline(made))

    told, untold = failed("small_model"), failed(cause)
    assert standing_failure([told, untold]) is told
    assert standing_failure([untold]) is untold
    assert standing_failure([told, event(), untold]) is untold


@pytest.mark.parametrize(("trigger", "stands"), [(Trigger.MANUAL, False), (Trigger.PREFLIGHT, True)])
def test_a_compress_that_found_nothing_to_do_is_no_failure(trigger: Trigger, stands: bool) -> None:
    """Hermes says `No changes from compression`; on its own it stays past the limit."""
    nothing = SummaryOutcome(SummaryStatus.ABORTED, failure=Failure("only_summaries", ""))
    made = event(trigger, completed=False, summary=nothing)
    made = replace(made, headline=event_headline(made))
    assert (standing_failure([event(), made]) is made) == stands
    assert ("which changed nothing: only an earlier summary" in made.headline.sentence) != stands


def test_a_provider_that_compacts_its_own_thread_mends_no_failure() -> None:
    failed = event(completed=False, summary=SummaryOutcome(SummaryStatus.ABORTED))
    failed = replace(failed, headline=event_headline(failed))
    assert standing_failure([failed, event(Trigger.NATIVE)]) is failed
    assert standing_failure([failed, event()]) is None


def test_a_failure_that_a_compaction_by_hand_ended_is_not_the_one_to_open() -> None:
    failed, ours = event(summary=SummaryOutcome(SummaryStatus.FALLBACK)), event(Trigger.INSPECTOR)
    assert compaction_to_open([failed, ours]) is ours
    assert compaction_to_open([event(), failed, ours]) is not failed


@pytest.mark.parametrize(
    ("cause", "severity"),
    [("too_few", "warning"), ("skipped", "warning"), ("no_progress", "warning"), ("auth", "critical")],
)
def test_an_attempt_with_nothing_to_do_is_no_more_than_a_warning(cause: str, severity: str) -> None:
    summary = SummaryOutcome(SummaryStatus.ABORTED, failure=Failure(cause, ""))
    assert event_headline(event(completed=False, summary=summary)).severity == Severity(severity)


def test_a_fallback_that_left_more_messages_than_there_were_names_no_number() -> None:
    told = event_headline(event(summary=SummaryOutcome(SummaryStatus.FALLBACK), messages_after=208))
    assert "The messages between" in told.sentence


def test_a_fallback_says_the_number_that_it_names_itself_and_what_finds_them() -> None:
    told = event_headline(event(summary=SummaryOutcome(SummaryStatus.FALLBACK, replaced=155)))
    assert "155 messages" in told.sentence
    assert "hermes-inspector recall S WORDS finds it" in str(told.remedy)
    assert told.severity is Severity.CRITICAL  # as the finding about it


def test_after_a_refused_output_the_output_is_to_be_lowered(home: Home) -> None:
    """Run with 0.13.0: three attempts, and not one of them about the length."""
    home.call(1, 33_800)
    home.refused(
        "HTTP 400: This model's maximum context length is 100000 tokens. However, you requested 100202 "
        "tokens (40202 in the messages, 60000 in the completion). Please reduce the length."
    )
    home.started(38_600, 28)
    compacted(home)
    told = only(home).headline
    assert told.sentence.startswith("Compressed although only the requested output was too long")
    assert str(told.remedy).startswith("Lower the output asked for to at most 59798")


def test_a_turn_given_up_over_another_refusal_is_not_told_to_shorten_the_conversation() -> None:
    attempt = TurnAttempt(2, 3, 64_000, end="stuck")
    told = event_headline(event(Trigger.OVERFLOW, refused="bad_request", attempt=attempt))
    assert "mistook another kind of refusal" in told.sentence
    assert "what the provider refused" in (told.remedy or "")
    assert len(told.sentence) < MAX_HEADLINE_CHARS


def test_what_a_provider_compacted_in_its_own_thread_says_nothing_of_our_messages() -> None:
    assert "206" not in event_headline(event(Trigger.NATIVE)).sentence


def test_no_failure_is_made_of_nothing() -> None:
    told = event_headline(
        event(completed=False, summary=SummaryOutcome(SummaryStatus.ABORTED, failure=Failure("unknown", "")))
    )
    assert told.sentence == "Compression failed: the summary could not be written. Nothing was removed."
