"""What a failed call for a summary is put down to: by the one table of provider errors."""

from __future__ import annotations

import pytest

from core.explain.compactions.outcome import failure_of, words, words_of
from core.explain.diagnose.diagnose import diagnose
from core.explain.events import explain
from core.explain.headline.conversation import standing_failure
from core.model.finding import MAX_HEADLINE_CHARS, Severity
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, explained, only

CAUSES = {
    "Error code: 401 - {'error': {'message': 'Incorrect API key provided'}}": "auth",
    "HTTP 403: You don't have access to this organization": "permission",
    "HTTP 402: Insufficient credits": "billing",
    "HTTP 403: You've reached your usage limit for this billing cycle.": "billing",
    "HTTP 429: You exceeded your current quota. Please retry in 34.1s.": "rate_limit",
    "Error code: 529 - overloaded_error": "rate_limit",
    "Error code: 404 - {'error': {'message': 'The model `small` does not exist'}}": "model",
    "HTTP 400: This model's maximum context length is 8192 tokens, however you sent 9000 tokens": "context",
    "Request Entity Too Large": "context",
    "HTTP 400: max_tokens is too large: 9000. This model supports at most 4096 tokens": "output_cap",
    "HTTP 400: The prompt triggered the content management policy": "content",
    "HTTP 400: Unrecognized request argument supplied: top_k": "request",
    "Expecting value: line 1 column 1 (char 0)": "malformed",
    "No auxiliary LLM provider configured": "none",
    "LLM returned invalid response": "empty",
    "Request timed out.": "timeout",
    "exceeded the turn-hold budget (2.0s >= 2.0s) — abandoning inline wait": "held",
    "[Errno -2] Name or service not known": "network",
    "peer closed connection without sending complete message body": "broken",
    "Anthropic Messages stream ended before message_stop (possible upstream stream drop).": "broken",
    "Codex auxiliary Responses stream did not return a final response": "broken",
    "HTTP 502: Bad Gateway": "server",
    "CUDA out of memory. Tried to allocate 2.00 GiB": "server",
}


@pytest.mark.parametrize(("text", "cause"), CAUSES.items(), ids=CAUSES.values())
def test_a_failure_is_read_by_the_table_of_provider_errors(home: Home, text: str, cause: str) -> None:
    home.started(55_000, 28)
    home.line(f"Failed to generate context summary: {text}. Further summary attempts paused for 60 seconds.")
    home.line("context compression aborted", level="WARNING")
    failure = explained(home).events[0].summary.failure
    assert failure is not None
    assert failure.cause == cause
    says, helps = words(failure)
    assert len(says) + len(helps) < 2 * MAX_HEADLINE_CHARS


def causes(home: Home) -> list[str | None]:
    found = [event.summary.failure for event in explained(home).events]
    return [failure.cause if failure else None for failure in found]


def broken_off(home: Home) -> None:
    """An attempt whose process was killed, and the next process."""
    home.started(55_000, 28)
    home.line("Auxiliary compression: using auto (mock-model) at http://127.0.0.1:1/v1/")
    home.line("No .env file found. Using system environment variables.", tag=None)
    home.turn(history=28)


def standing(home: Home) -> str:
    """The sentence of the failure that no success has followed."""
    with home.store() as store:
        failure = standing_failure(explain(store, "S").events)
    assert failure is not None
    return failure.headline.sentence


def test_an_attempt_whose_process_ended_is_reported_so_and_so_is_the_lock_it_left(home: Home) -> None:
    broken_off(home)
    home.started(55_000, 28)
    home.line("compression skipped: another path is compressing session=S (holder=pid=7:tid=1)")
    assert causes(home) == ["ended", "left_lock"]
    assert "Hermes was stopped while it was compressing" in standing(home)


def test_leaving_hermes_while_it_compresses_is_not_a_summary_that_could_not_be_written(home: Home) -> None:
    """Run with 0.19.0: Ctrl-C during `/compress`."""
    home.started(45_497, 20, tag=None)
    home.line("CLI cleanup calling memory shutdown for session S with 9 message(s)", tag=None, logger="cli")
    home.line("Cached context length mock-model@http://127.0.0.1:1/v1 -> 64,000 tokens", tag=None)
    assert causes(home) == ["ended"]


def test_what_the_next_gateway_passes_over_says_nothing_of_the_attempt_that_was_killed(home: Home) -> None:
    """Run with 0.22.2: the gateway was killed while a model wrote, and the next one found the lock."""
    home.started(55_000, 28, tag=None)
    home.line("Auxiliary compression: using auto (mock-model) at http://127.0.0.1:1/v1/", tag=None)
    home.line("Plugin discovery complete: 55 found, 51 enabled", tag=None)
    passed = "Session hygiene: skipping compression for S; another compression is already in flight"
    home.line(passed, tag=None, logger="gateway.run")
    home.turn(history=28)
    assert causes(home) == ["ended"]


def left_running(home: Home) -> None:
    """A gateway stops waiting for a compression, which goes on behind the turn."""
    home.started(55_000, 28, tag=None)
    text = "exceeded the turn-hold budget (2.0s >= 2.0s) — abandoning inline wait"
    home.line(f"Session hygiene compression for session S {text}", tag=None)
    home.turn(history=28)


def test_a_lock_that_another_process_holds_is_not_a_lock_left_behind(home: Home) -> None:
    home.started(55_000, 28)
    home.line("compression skipped: another path is compressing session=S (holder=pid=7:tid=1)")
    assert causes(home) == ["skipped"]


def test_a_lock_of_what_a_gateway_no_longer_waits_for_is_that_of_no_other_process(home: Home) -> None:
    """Run with 0.22.2: the gateway continued after two seconds; the summary was written after the turn."""
    left_running(home)
    home.started(56_000, 30)
    home.line("compression skipped: another path is compressing session=S (holder=pid=7:tid=1)")
    assert causes(home) == ["held", "behind"]
    assert "longer than the gateway holds a message back" in standing(home)


def test_what_continues_behind_the_turn_keeps_the_end_it_comes_to(home: Home) -> None:
    """Run with 0.22.2: eight attempts met the lock before the summary was there."""
    home.turn(history=24)
    home.talk(7)
    left_running(home)
    home.started(56_000, 30)
    home.line("compression skipped: another path is compressing session=S (holder=pid=7:tid=1)")
    home.compact()
    home.done(28, 8, 9_000, tag=None)
    assert [event.completed for event in explained(home).events] == [True, False]
    assert "failed" not in explained(home).headline.sentence


def test_what_a_turn_wrote_while_it_was_compressed_behind_it_is_not_a_disagreement(home: Home) -> None:
    """As 0.22.2 leaves it: the rows of the turn come after the old list and the new one."""
    left_running(home)
    home.talk(1)
    home.compact(tail=8)
    home.done(28, 8, 9_000, tag=None)
    (event,) = explained(home).events
    assert (event.messages_before, event.messages_after) == (28, 8)
    assert event.disagreements == ()


def test_a_placeholder_put_in_during_a_pause_names_the_failure_before_the_pause(home: Home) -> None:
    """Run with 0.18.2: the gateway's agent asks no model, and its rows may be gone."""
    home.turn(history=24)
    home.talk(7)
    home.started(55_000, 28)
    failed = "Failed to generate context summary: Error code: 401 - bad key."
    home.line(f"{failed} Further summary attempts paused for 60 seconds.", level="WARNING")
    home.started(56_000, 28, tag=None)
    home.done(28, 27, 9_000, tag=None)
    assert causes(home) == ["auth", "auth"]
    told = explained(home).headline.sentence
    assert told.startswith("No model wrote a summary at ")
    assert ": the summary model's API key was refused (401)" in told
    assert told.endswith("1 message was replaced by a placeholder.")


def test_an_attempt_in_the_pause_after_a_failure_asks_no_model_and_says_why(home: Home) -> None:
    home.started(55_000, 28)
    home.line("Failed to generate context summary: HTTP 502. Further summary attempts paused for 60 seconds.")
    home.call(2, 56_000)
    home.started(56_000, 30)
    home.call(3, 57_000)
    assert causes(home) == ["server", "paused"]


def test_an_attempt_of_a_short_conversation_had_nothing_to_do(home: Home) -> None:
    """Run with 0.19.0: `/compress auth` on six messages."""
    home.started(2_900, 6, focus="auth", tag=None)
    home.line("Compression made no progress (session=S) — skipping boundary rewrite.", tag=None)
    assert causes(home) == ["short"]
    assert explained(home).headline.severity is not Severity.CRITICAL
    with home.store() as store:
        assert "B5" not in {finding.rule for finding in diagnose(store, "S").findings}


def test_an_attempt_that_found_only_earlier_summaries_is_no_fault(make_home: MakeHome) -> None:
    """Run with 0.22.2: a fourth `/compress` after a few short turns."""
    home = make_home("0.22")
    home.db.session("S")
    home.turn()
    home.talk(6)
    home.started(25_700, 24, tag=None, focus="quoted")
    home.line("Compression made no progress (session=S) — skipping boundary rewrite.", tag=None)
    home.telemetry(
        commit_status="aborted", failure_class="empty_post_handoff_window", trigger_source="manual"
    )
    assert causes(home) == ["only_summaries"]
    assert "an earlier summary" in explained(home).events[0].headline.sentence
    with home.store() as store:
        assert "B5" not in {finding.rule for finding in diagnose(store, "S").findings}


def test_a_log_that_ends_within_an_attempt_tells_of_a_stop(home: Home) -> None:
    """Run with 0.22.2: a sub-agent compressed when the main process ended."""
    home.started(58_830, 25, tag=None)
    home.line("Auxiliary compression: using auto (mock-model) at http://127.0.0.1:1/v1/", tag=None)
    assert causes(home) == ["ended"]


def test_a_gateway_that_was_held_back_by_a_pause_says_so(home: Home) -> None:
    """Run with 0.18.2: it compresses again at each message, and each time the size is still the same."""
    home.started(55_000, 28)
    home.line("Failed to generate context summary: HTTP 500. Further summary attempts paused for 60 seconds.")
    home.call(2, 56_000)
    home.line(
        "Session hygiene: 31 messages, ~56,000 tokens (actual) — auto-compressing "
        "(threshold: 85% of 64,000 = 54,400 tokens)",
        tag=None,
    )
    home.started(56_000, 30, tag=None)
    home.line(
        "Gateway hygiene compression for session S did not rotate or compact in place (no session_db on the "
        "hygiene agent) — preserving the original transcript instead of overwriting it with the summary.",
        tag=None,
    )
    home.line("Session hygiene: compressed 31 → 31 msgs, ~56,000 → ~56,000 tokens", tag=None)
    home.line("Session hygiene: still ~56,000 tokens after compression", tag=None, level="WARNING")
    home.turn(history=30)
    assert causes(home) == ["server", "paused"]


def test_what_a_gateway_removed_although_no_summary_was_written_is_told(begun: MakeHome) -> None:
    """Run with 0.17.0 and abort_on_summary_failure: results of tools are dropped, and stay dropped."""
    home = begun("0.17")
    home.talk(7)
    home.line(
        "Session hygiene: 31 messages, ~78,827 tokens (actual) — auto-compressing "
        "(threshold: 85% of 64,000 = 54,400 tokens)",
        tag=None,
    )
    home.started(78_827, 18)
    home.line("Failed to generate context summary: HTTP 500. Further summary attempts paused for 60 seconds.")
    home.line("Session hygiene: compressed 31 → 18 msgs, ~78,827 → ~314 tokens", tag=None)
    home.turn(history=18)
    event = only(home)
    assert (event.completed, event.messages_before, event.messages_after) == (False, 31, 18)
    assert "The gateway removed 13 messages all the same" in event.headline.sentence


@pytest.mark.parametrize(
    ("failure", "cause"), [("feasibility_skip", "not_asked"), ("summary_model_benched", "benched")]
)
def test_a_placeholder_for_which_no_model_was_asked_says_why(
    make_home: MakeHome, failure: str, cause: str
) -> None:
    """Run with 0.22.2: a summary that was too long, and the next compaction of the same turn."""
    home = make_home("0.22")
    home.db.session("S")
    home.turn()
    home.talk(6)
    home.started(65_800, 15, tag=None)
    home.done(15, 11, 17_500, tag=None)
    home.telemetry(
        commit_status="committed",
        failure_class=failure,
        method="deterministic_fallback",
        trigger_source="post_tool",
    )
    assert causes(home) == [cause]


def test_an_attempt_that_was_interrupted_says_so(home: Home) -> None:
    """Run with 0.22.2: Ctrl-C while the summary was written."""
    home.started(55_000, 28, tag=None)
    home.telemetry(commit_status="aborted", failure_class="explicit_interrupt", trigger_source="post_tool")
    assert causes(home) == ["interrupted"]


def test_nothing_on_record_is_not_guessed() -> None:
    assert failure_of(None, None, None).cause == "unknown"


def test_a_summary_model_that_reads_too_little_is_named_for_the_whole_turn(home: Home) -> None:
    small = (
        "Auxiliary compression model mock-mini has a context window of 16,000 tokens, "
        "which is below the minimum 64,000 required by Hermes Agent."
    )
    home.call(6, 60_000)
    home.started(60_000, 28)
    home.line(f"Error during API call #6: {small}", level="ERROR")
    home.pre_api(60_100)
    home.started(60_100, 28)
    events = explained(home).events
    assert [event.summary.failure and event.summary.failure.cause for event in events] == ["small_model"] * 2
    assert "window of the summary model is below the minimum of Hermes" in explained(home).headline.sentence


def test_a_checkpoint_nobody_can_save_is_not_a_failure_of_the_summary_model() -> None:
    says, helps = words_of("exception:CompressionCheckpointUnavailable")
    assert "checkpoint" in says
    assert "auxiliary.compression" not in helps
