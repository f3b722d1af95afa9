"""Attempts that Hermes announced and never began are reported as failures, with their cause."""

from __future__ import annotations

from core.model.compaction.event import CompressionEvent, Trigger
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import CONFIG, Home, explained

OWN = CONFIG + "auxiliary:\n  compression:\n    model: small\n"


def causes(home: Home) -> list[tuple[Trigger, str]]:
    def cause(event: CompressionEvent) -> str:
        return event.summary.failure.cause if event.summary.failure else ""

    return [(event.trigger, cause(event)) for event in explained(home).events]


def test_a_turn_that_ends_at_the_check_names_the_summary_model(begun: MakeHome) -> None:
    """Run with 0.19.0: a summary model that reads too little ended the turn without a line."""
    home = begun(config=OWN)
    home.turn(history=20)
    home.talk(7)
    home.pre_api(55_000)
    assert causes(home) == [(Trigger.PRE_API, "stopped")]
    headline = explained(home).headline
    assert "window of the summary model is too small" in headline.sentence
    assert "64,000" in (headline.remedy or "")


def test_an_attempt_without_any_telemetry_names_the_summary_model(begun: MakeHome) -> None:
    """Run with 0.22.2: the check of the summary model raised within the attempt."""
    home = begun("0.22", config=OWN)
    home.turn(history=20)
    home.talk(7)
    home.call(1, 55_000)
    home.started(55_000, 28, tag=None)
    home.line("Outer loop error in API call #1", level="ERROR")
    assert causes(home) == [(Trigger.POST_RESPONSE, "stopped")]


def test_a_check_the_next_call_followed_is_not_an_attempt(begun: MakeHome) -> None:
    home = begun(config=OWN)
    home.turn(history=20)
    home.pre_api(55_000)
    home.call(2, 55_000)
    assert causes(home) == []


def _announced(home: Home, rows: int, tokens: int) -> None:
    text = f"Session hygiene: {rows} messages, ~{tokens:,} tokens (actual) — auto-compressing"
    home.line(f"{text} (threshold: 85% of 64,000 = 54,400 tokens)", tag=None, logger="gateway.run")


def _kept(home: Home, session: str, rows: int, tokens: int) -> None:
    text = f"Gateway hygiene compression for session {session} did not rotate or compact in place"
    home.line(text, tag=None, logger="gateway.run", level="WARNING")
    size = f"{rows} → {rows} msgs, ~{tokens:,} → ~{tokens:,} tokens"
    home.line(f"Session hygiene: compressed {size}", tag=None, logger="gateway.run")


def test_what_a_gateway_announces_in_a_pause_waits_and_two_chats_keep_their_lines(begun: MakeHome) -> None:
    """Run with 0.19.0: the summary model's pause forbids what the gateway announces before every message."""
    home = begun(source="telegram")
    home.turn(history=24)
    home.talk(7)
    home.pre_api(55_000)
    home.started(55_000, 28)
    failed = "Failed to generate context summary: Error code: 401 - bad key."
    home.line(f"{failed} Further summary attempts paused for 60 seconds.", level="WARNING")
    _announced(home, 31, 60_342)
    _announced(home, 80, 99_000)
    _kept(home, "T", 80, 99_000)
    _kept(home, "S", 31, 60_342)
    assert causes(home) == [(Trigger.PRE_API, "auth"), (Trigger.HYGIENE, "paused")]
    first, second = explained(home).events
    assert second.tokens == 60_342
    assert not {line.where for line in first.evidence} & {line.where for line in second.evidence}
    assert "API key was refused (401)" in explained(home).headline.sentence
