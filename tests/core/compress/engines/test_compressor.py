"""The running engine: when it fires, what a failure leads to, what it remembers and forgets."""

from __future__ import annotations

from typing import Any

import pytest

from core.compress.engines.builtin import ContextCompressor
from core.compress.engines.contract import ContextEngine
from core.compress.requests.failure import consequence
from core.compress.summarise.base import (
    Cancelled,
    Endpoint,
    FailureKind,
    OnText,
    SummaryFailure,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
)
from core.hermes.policy.policy import load_policy, releases
from core.model.compaction.plan import Settings
from tests.core.compress.conversations import conversation, interrupted

ROWS = conversation(11)


class Scripted:
    """Answers with a summary, or fails the way it is told to."""

    name = "scripted"

    def __init__(self, *failures: FailureKind | None) -> None:
        self.failures = list(failures)
        self.requests: list[SummaryRequest] = []

    def describe(self) -> Endpoint | None:
        return None

    def summarise(
        self, request: SummaryRequest, *, on_text: OnText | None = None, cancelled: Cancelled | None = None
    ) -> SummaryResult:
        self.requests.append(request)
        kind = self.failures.pop(0) if self.failures else None
        if kind is not None:
            raise SummaryFailure(kind, f"it failed: {kind}")
        return SummaryResult("## Goal\nMade by the script.", SummaryStatus.MODEL)


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def engine(
    release: str, *failures: FailureKind | None, **more: Any
) -> tuple[ContextCompressor, Scripted, Clock]:
    scripted, clock = Scripted(*failures), Clock()
    made = ContextCompressor(load_policy(release), Settings(window=64000), scripted, clock=clock, **more)
    return made, scripted, clock


@pytest.mark.parametrize("release", releases())
def test_it_compacts_and_leaves_its_input_alone(release: str) -> None:
    made, scripted, _ = engine(release)
    after = made.compress(ROWS)
    assert conversation(11) == ROWS
    assert len(after) < len(ROWS)
    assert made.compression_count == len(scripted.requests) == 1
    assert any("Made by the script." in str(row["content"]) for row in after)


def test_it_is_an_engine_with_the_attributes_an_agent_reads() -> None:
    made, _, _ = engine("0.19")
    assert isinstance(made, ContextEngine)
    assert made.name == "compressor"
    assert (made.context_length, made.threshold_tokens, made.threshold_percent) == (64000, 54400, 0.75)
    made.last_prompt_tokens = -1
    assert made.get_status()["last_prompt_tokens"] == 0
    made.last_prompt_tokens = 128000
    assert made.get_status()["usage_percent"] == 100
    assert made.get_tool_schemas() == []
    assert "unknown tool" in made.handle_tool_call("grep", {})
    assert not made.should_compress_preflight([])


@pytest.mark.parametrize(
    ("release", "kind", "aborts"),
    [
        ("0.17", FailureKind.AUTH, False),
        ("0.18", FailureKind.AUTH, True),
        ("0.18", FailureKind.NETWORK, True),
        ("0.18", FailureKind.QUOTA, False),
        ("0.19", FailureKind.QUOTA, True),
        ("0.19", FailureKind.EMPTY, False),
        ("0.22", FailureKind.EMPTY, True),
        ("0.22", FailureKind.TRUNCATED, True),
        ("0.17", FailureKind.TIMEOUT, False),
        ("0.18", FailureKind.TIMEOUT, True),
        ("0.19", FailureKind.INVALID, False),
        ("0.22", FailureKind.TIMEOUT, True),
        ("0.22", FailureKind.INVALID, True),
        ("0.22", FailureKind.GATEWAY, False),
        ("0.17", FailureKind.FORBIDDEN, False),
        ("0.18", FailureKind.FORBIDDEN, True),
        ("0.19", FailureKind.FORBIDDEN, True),
        ("0.19", FailureKind.MESSAGELESS, False),
        ("0.22", FailureKind.MESSAGELESS, True),
    ],
)
def test_a_failure_aborts_or_falls_back(release: str, kind: FailureKind, aborts: bool) -> None:
    made, _, _ = engine(release, kind)
    after = made.compress(ROWS)
    assert made.last_aborted == aborts
    assert made.last_fallback != aborts
    assert (after == ROWS) == aborts
    assert made.last_error == f"it failed: {kind}"


def test_until_017_an_empty_answer_is_inserted_as_it_is() -> None:
    for release, accepted in (("0.17", True), ("0.18", False)):
        made, _, _ = engine(release, FailureKind.EMPTY)
        made.compress(ROWS)
        assert (made.last_error is None) == accepted
        assert made.last_fallback != accepted


def test_abort_on_failure_can_be_configured_from_015_on() -> None:
    for release, aborts in (("0.14", False), ("0.15", True)):
        made, _, _ = engine(release, FailureKind.OTHER, abort_configured=True)
        made.compress(ROWS)
        assert made.last_aborted == aborts


def test_an_overloaded_server_is_excused_twice() -> None:
    rules = load_policy("0.22").failure
    found = [consequence(FailureKind.OVERLOADED, rules, in_a_row=n).aborts for n in (1, 2, 3)]
    assert found == [True, True, False]


@pytest.mark.parametrize(
    ("release", "kind", "pauses"),
    [
        ("0.13", FailureKind.NO_PROVIDER, (600, 600, 600)),
        ("0.13", FailureKind.TIMEOUT, (30, 30, 30)),
        ("0.13", FailureKind.INVALID, (600, 600, 600)),
        ("0.18", FailureKind.TIMEOUT, (30, 30, 30)),
        ("0.18", FailureKind.INVALID, (60, 60, 60)),
        ("0.19", FailureKind.GATEWAY, (60, 300, 900)),
        ("0.13", FailureKind.MALFORMED, (30, 30, 30)),
        ("0.19", FailureKind.TIMEOUT, (60, 300, 900)),
        ("0.19", FailureKind.OTHER, (60, 60, 60)),
        ("0.19", FailureKind.MESSAGELESS, (60, 60, 60)),
        ("0.22", FailureKind.EMPTY, (30, 30, 30)),
        ("0.22", FailureKind.MESSAGELESS, (30, 30, 30)),
        ("0.22", FailureKind.TRUNCATED, (60, 300, 900)),
    ],
)
def test_pauses(release: str, kind: FailureKind, pauses: tuple[int, ...]) -> None:
    rules = load_policy(release).failure
    assert tuple(consequence(kind, rules, in_a_row=n).cooldown for n in (1, 2, 3)) == pauses


def test_while_paused_no_summary_is_asked_for_until_the_user_insists() -> None:
    made, scripted, clock = engine("0.19", FailureKind.OTHER)
    made.compress(ROWS)
    made.compress(ROWS)
    assert len(scripted.requests) == 1
    assert not made.should_compress(60000)
    made.compress(ROWS, force=True)
    assert len(scripted.requests) == 2
    assert made.should_compress(60000)
    clock.now += 1
    assert not made.last_fallback


def test_a_pause_does_not_stop_017_from_firing() -> None:
    made, _, _ = engine("0.17", FailureKind.OTHER)
    made.compress(ROWS)
    assert made.should_compress(64000)


def test_019_stops_after_two_fallbacks_in_a_row_and_022_continues_without_the_model() -> None:
    made, _, clock = engine("0.19", FailureKind.OTHER, FailureKind.OTHER)
    for _ in range(2):
        made.compress(ROWS)
        clock.now += 1000
    assert not made.should_compress(60000)
    made, scripted, clock = engine("0.22", FailureKind.OTHER, FailureKind.OTHER)
    for _ in range(3):
        made.compress(ROWS)
        clock.now += 100
    assert len(scripted.requests) == 2
    assert made.should_compress(60000)
    clock.now += 300
    made.compress(ROWS)
    assert len(scripted.requests) == 3


def test_savings_below_a_tenth_are_a_strike_until_018() -> None:
    made, _, _ = engine("0.16")
    for _ in range(2):
        made.compress(ROWS, current_tokens=10)
    assert not made.should_compress(10**6)
    made.compress(ROWS, current_tokens=10**6)
    assert made.should_compress(10**6)


def test_from_019_on_the_next_real_count_is_the_judge() -> None:
    made, _, _ = engine("0.19")
    for _ in range(2):
        made.compress(ROWS, current_tokens=10)
        made.update_from_response({"prompt_tokens": 60000, "completion_tokens": 5})
    assert made.last_total_tokens == 60005
    assert not made.should_compress()
    made.update_from_response({"prompt_tokens": 100})
    assert made.should_compress(60000)


def test_after_a_while_022_allows_one_attempt_in_spite_of_strikes() -> None:
    made, _, clock = engine("0.22")
    made.backoff.strikes = 2
    assert not made.should_compress(60000)
    clock.now += 299
    assert not made.should_compress(60000)
    clock.now += 2
    assert made.should_compress(60000)
    assert made.backoff.strikes == 1


def test_finding_nothing_to_do_is_a_strike_where_a_release_says_so() -> None:
    few = conversation(11)[:3]
    for release, strikes in (("0.13", 0), ("0.17", 0), ("0.19", 1), ("0.22", 0)):
        made, _, _ = engine(release)
        assert made.compress(few) == few
        assert made.backoff.strikes == strikes


def test_a_rough_estimate_waits_for_a_real_count_from_016_on() -> None:
    for release, waits in (("0.15", False), ("0.16", False), ("0.18", True), ("0.22", True)):
        made, _, _ = engine(release)
        made.compress(ROWS)
        assert made.should_defer_preflight_to_real_usage(70000) == waits


def test_016_waits_while_little_came_since_a_prompt_that_fitted() -> None:
    made, _, _ = engine("0.16")
    made.backoff.last_real, made.backoff.fitted = 20000, 62000
    assert made.should_defer_preflight_to_real_usage(66096)
    assert made.backoff.fitted == 66096
    assert not made.should_defer_preflight_to_real_usage(66096 + 4097)
    made.backoff.last_real = 64000
    assert not made.should_defer_preflight_to_real_usage(66096)


def test_another_model_brings_its_own_window_and_voids_what_was_learned() -> None:
    made, _, _ = engine("0.19")
    made.backoff.strikes, made.backoff.cooldown_until, made.last_prompt_tokens = 2, 9e9, 50000
    made.update_model("m", 200000, base_url="https://api.example.com/v1", provider="custom")
    assert (made.threshold_tokens, made.last_prompt_tokens) == (150000, 0)
    assert made.should_compress(150000)
    old, _, _ = engine("0.17")
    old.backoff.strikes = 2
    old.update_model("m", 200000)
    assert not old.should_compress(150000)


@pytest.mark.parametrize(
    ("base_url", "host"), [("http://[bad", ""), ("api.example.com/v1", "api.example.com")]
)
def test_a_moved_engine_reads_its_host_as_the_settings_do(base_url: str, host: str) -> None:
    made, _, _ = engine("0.22")
    made.update_model("m", 200000, base_url=base_url, provider="custom")
    assert made._settings.host == host


def test_the_second_summary_continues_the_first() -> None:
    made, scripted, _ = engine("0.19")
    first = made.compress(ROWS)
    made.compress([*first, *conversation(12)], focus_topic="lanterns")
    second = scripted.requests[1]
    assert second.previous_summary is not None
    assert "Made by the script." in second.previous_summary
    assert second.focus == "lanterns"
    assert second.auto_focus is None


def test_a_summary_of_another_session_is_forgotten_from_017_on() -> None:
    for release, kept in (("0.16", True), ("0.17", False)):
        made, scripted, _ = engine(release)
        made.previous_summary = "from elsewhere"
        made.compress(ROWS)
        assert (scripted.requests[0].previous_summary == "from elsewhere") == kept


def test_a_reset_forgets_everything() -> None:
    made, _, _ = engine("0.19", FailureKind.OTHER)
    made.on_session_start("s1")
    made.compress(ROWS)
    made.on_session_reset()
    assert (made.compression_count, made.previous_summary, made.last_error) == (0, None, None)
    assert made.should_compress(60000)


def test_whether_there_is_anything_to_compact_can_be_asked_first() -> None:
    made, _, _ = engine("0.19")
    assert made.has_content_to_compress(ROWS)
    assert not made.has_content_to_compress(ROWS[:3])


def test_a_user_who_gives_up_is_not_a_failure() -> None:
    made, _, _ = engine("0.19", FailureKind.CANCELLED)
    with pytest.raises(SummaryFailure):
        made.compress(ROWS)
    assert made.should_compress(60000)


def test_notes_in_the_list_point_to_the_session() -> None:
    made, _, _ = engine("0.22")
    made.on_session_start("20261121_120000_abcdef")
    rows = interrupted(10)
    assert made.has_content_to_compress(rows)
    after = made.compress(rows)
    assert any("20261121_120000_abcdef" in str(row["content"]) for row in after)
