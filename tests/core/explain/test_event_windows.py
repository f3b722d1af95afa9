"""The window and the threshold shown for an event and for the current state."""

from __future__ import annotations

import os

import pytest

from core.explain.events import explain
from core.model.compaction.event import CompressionEvent, Trigger
from core.model.finding import Verdict
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import CONFIG, Home, compacted, explained, only


def test_where_it_stands_counts_down_to_the_threshold(home: Home) -> None:
    home.call(7, 50_000)
    now = explained(home).now
    assert (now.tokens, now.threshold, now.window, now.headroom) == (50_000, 54_400, 64_000, 4_400)
    assert now.blocked_by == ()


@pytest.mark.parametrize(
    ("size", "when"),
    [(16_000, "it will be compressed before the next model call"), (300, "after the next answer that calls")],
)
def test_a_count_past_the_limit_waits_for_an_answer_where_hermes_estimates_less(
    begun: MakeHome, size: int, when: str
) -> None:
    home = begun()
    home.turn()
    home.call(1, 3_000)
    home.talk(14, size=size)
    home.call(2, 60_000)
    now = explained(home).now
    assert now.headline.sentence.startswith(("Past the 54.4K limit", "The provider counts more than the 54"))
    assert when in now.headline.sentence


@pytest.mark.parametrize(("source", "limit"), [("telegram", 54_400), ("cli", None)])
def test_the_gateway_compares_its_own_limit_where_that_is_lower(
    begun: MakeHome, source: str, limit: int | None
) -> None:
    home = begun("0.17")
    home.db.connection.execute("UPDATE sessions SET source = ?", (source,))
    home.talk(2)
    home.call(1, 50_000)
    now = explained(home).now
    assert (now.threshold, now.gateway) == (64_000, limit)


def test_an_older_release_looks_at_few_messages_only_after_an_answer(begun: MakeHome) -> None:
    home = begun("0.17")
    home.turn()
    home.call(1, 3_000)
    home.talk(5, size=60_000)
    home.call(2, 70_000)
    assert "after the next answer that calls a tool" in explained(home).now.headline.sentence


@pytest.mark.parametrize(("cached", "told"), [(30_000, True), (29_952, False)])
def test_prompts_that_leave_out_what_came_from_the_cache_are_noted(
    home: Home, cached: int, told: bool
) -> None:
    for number in (1, 2):
        text = (
            f"API call #{number}: model=mock-model provider=custom in=30000 out=60 total=30060 latency=0.2s"
        )
        home.line(f"{text} cache={cached}/30000 (100%)")
    assert any("leaves it out of the prompt" in note for note in explained(home).notes) is told


def test_what_blocks_is_named(begun: MakeHome) -> None:
    home = begun(config=CONFIG + "compression:\n  enabled: false\n")
    home.talk(2)
    assert "compression.enabled is false" in explained(home).now.blocked_by


def test_a_foreign_engine_is_stated_not_to_obey_the_threshold(begun: MakeHome) -> None:
    home = begun(config=CONFIG + "context:\n  engine: lcm\n")
    home.talk(2)
    assert any("lcm" in note for note in explained(home).notes)


def test_a_threshold_of_an_older_config_is_reported_next_to_todays(home: Home) -> None:
    home.pre_api(40_000, threshold=32_000)
    home.started(40_000, 28)
    home.compact()
    home.done(28, 8, 4_000)
    event = only(home)
    assert event.threshold == 32_000
    assert any("32,000" in words and "54,400" in words for words in event.disagreements)
    assert not any(words in step for words in ("64,000 =", "tail:", "summary:") for step in event.arithmetic)
    assert any("54,400" in step and "not known" in step for step in event.arithmetic)


def test_a_refusal_that_names_a_limit_lowers_the_window_from_then_on(begun: MakeHome) -> None:
    home = begun("0.19", config="model:\n  default: mock-model\n  context_length: 200000\n")
    home.turn()
    home.talk(7)
    home.refused("HTTP 400: prompt is too long: 46954 tokens > 45000 maximum")
    home.started(45_509, before=28)
    home.compact()
    home.done(28, 8, 18_000)
    home.call(1, 39_000)
    home.started(39_000, before=8)
    home.done(8, 7, 9_000)
    with home.store() as store:
        first, second = explain(store, "S").events
    assert (first.trigger, first.window, first.threshold) == (Trigger.OVERFLOW, 45_000, 38_250)
    assert (second.trigger, second.window, second.threshold) == (Trigger.POST_RESPONSE, 45_000, 38_250)
    assert any("45,000" in evidence.text for evidence in second.evidence)


def test_a_limit_above_the_window_steps_it_down_for_the_event_as_for_its_turn(begun: MakeHome) -> None:
    home = begun("0.13", config=CONFIG)
    home.turn()
    home.talk(7)
    home.refused("HTTP 400: This model's maximum context length is 128000 tokens.")
    home.started(45_509, before=28)
    home.done(28, 8, 4_000)
    event = only(home)
    assert event.attempt is not None
    assert event.window == event.attempt.window_after == 32_000


def test_a_size_below_the_threshold_of_today_claims_no_threshold(begun: MakeHome) -> None:
    home = begun("0.19", config="model:\n  default: mock-model\n  context_length: 200000\n")
    home.turn()
    home.talk(7)
    home.call(1, 60_000)
    home.started(60_000, before=28)
    home.compact()
    home.done(28, 8, 18_000)
    with home.store() as store:
        (event,) = explain(store, "S").events
    assert (event.trigger, event.tokens) == (Trigger.POST_RESPONSE, 60_000)
    assert (event.window, event.threshold) == (None, None)
    assert any("another window or threshold" in words for words in event.disagreements)


@pytest.mark.parametrize(("passed", "known"), [(1, True), (2, False)])
def test_the_call_after_the_one_refusal_of_a_small_summary_model_denies_no_threshold(
    begun: MakeHome, passed: int, known: bool
) -> None:
    """Run with 0.15.2: the first attempt of a process ends with an error, the next compresses."""
    small = "compression:\n  threshold: 0.8\nauxiliary:\n  compression:\n    context_length: 40000\n"
    home = begun("0.15", config=CONFIG.replace("64000", "100000") + small)
    home.turn()
    home.talk(7)
    for number in range(1, passed + 1):
        home.call(number, 82_000 + number)
    home.call(passed + 1, 90_000)
    home.started(90_000, before=28)
    home.done(28, 8, 4_000)
    event = only(home)
    assert (event.threshold == 80_000) is known
    assert explained(home).now.blocked_by == ()


def test_calls_after_a_failed_attempt_deny_no_threshold(begun: MakeHome) -> None:
    """Run with 0.19.0: the pause after the failure let larger requests pass in the next run too."""
    home = begun("0.19")
    home.turn()
    home.talk(7)
    home.call(7, 53_000)
    home.pre_api(60_000)
    home.started(60_000, before=24)
    failed = (
        "Failed to generate context summary: Error code: 500. Further summary attempts paused for 60 seconds."
    )
    home.line(failed, level="WARNING")
    for number in (1, 2, 3):
        home.turn()
        home.call(number, 60_000 + number)
    home.turn_ended()
    home.started(62_000, before=28, tag=None)
    home.line(failed, tag=None, level="WARNING")
    assert not any(
        "another window or threshold" in w for e in explained(home).events for w in e.disagreements
    )


def test_a_model_that_took_over_brings_its_own_window(begun: MakeHome) -> None:
    home = begun("0.19", config="model:\n  default: mock-model\n  context_length: 64000\n", model="mock-b")
    home.turn()
    home.talk(7)
    home.line("Cached context length mock-b@http://h/v1/ -> 128,000 tokens", tag=None)
    home.line("Fallback activated: mock-model → mock-b (custom)", tag=None)
    home.call(1, 97_000)
    home.line("context compression started: session=S messages=28 tokens=~97,000 model=mock-b focus=None")
    home.compact()
    home.done(28, 8, 18_000)
    with home.store() as store:
        (event,) = explain(store, "S").events
    assert (event.window, event.threshold) == (128_000, 96_000)


def test_a_second_refusal_with_the_same_limit_lowers_the_window_as_the_first_did(begun: MakeHome) -> None:
    home = begun("0.19", config="model:\n  default: mock-model\n  context_length: 200000\n")
    for before in (28, 8):
        home.turn()
        home.refused("HTTP 400: prompt is too long: 46954 tokens > 45000 maximum")
        home.started(45_509, before=before)
        home.done(before, 7, 18_000)
    with home.store() as store:
        assert [event.window for event in explain(store, "S").events] == [45_000, 45_000]


def test_a_threshold_lowered_for_the_summary_model_is_the_one_shown(begun: MakeHome) -> None:
    """The line names both; the configuration alone would give 150,000."""
    home = begun(config=CONFIG.replace("64000", "200000"))
    home.turn()
    home.talk(7)
    home.lowered(150_000, 70_000, tag=None)
    home.call(6, 71_000)
    home.started(71_000, 28)
    compacted(home)
    found = explained(home)
    (event,) = found.events
    assert (event.threshold, event.window, found.now.threshold) == (70_000, 200_000, 70_000)
    assert "71,000 >= 70,000" in event.arithmetic
    assert any("auto-lowered" in one.text for one in event.evidence)


def _once_stated(home: Home, window: int, *, later: bool) -> CompressionEvent:
    home.line(f"Preflight compression: ~90,000 tokens >= 75,000 threshold (model mock-model, ctx {window:,})")
    if later:
        home.call(1, 70_000)
        home.turn(history=20)
    home.call(1, 76_000)
    home.started(76_000, before=28)
    compacted(home)
    return only(home)


def test_a_window_stated_in_the_same_turn_was_in_force(home: Home) -> None:
    event = _once_stated(home, 100_000, later=False)
    assert (event.window, event.threshold, event.disagreements) == (100_000, 75_000, ())


def test_a_window_stated_in_an_earlier_turn_is_reported_next_to_todays(home: Home) -> None:
    event = _once_stated(home, 100_000, later=True)
    assert event.window == 64_000
    assert any("100,000 in other turns" in words for words in event.disagreements)


def test_a_window_stated_in_another_session_proves_nothing_here(begun: MakeHome) -> None:
    home = begun(config="model:\n  default: mock-model\n", model="mock-model")
    home.db.session("T", model="mock-model")
    home.talk(2)
    line = "Preflight compression: ~90,000 tokens >= 75,000 threshold (model mock-model, ctx 100,000)"
    home.line(line, tag="T")
    window = explained(home).context.window
    assert (window.tokens, window.source, window.verdict) == (100_000, "log", Verdict.DERIVED)
    home.line(line)
    assert explained(home).context.window.verdict is Verdict.PROVED


def edited(home: Home, seconds: float) -> None:
    """config.yaml was last changed so long after what has been written so far."""
    moment = home.db.tick(0) + seconds
    os.utime(home.path / "config.yaml", (moment, moment))


def test_a_window_that_only_config_of_today_gives_says_so(home: Home) -> None:
    home.call(6, 60_000)
    home.started(60_000, 28)
    compacted(home)
    edited(home, 90_000)
    event = only(home)
    assert (event.window, event.window_verdict) == (64_000, Verdict.SUSPECTED)
    assert "the window of 64,000 is from today's config.yaml; no line of then states it" in event.arithmetic


def test_a_config_that_is_older_than_the_compaction_gives_its_window(home: Home) -> None:
    edited(home, -90_000)
    home.call(6, 60_000)
    home.started(60_000, 28)
    compacted(home)
    event = only(home)
    assert (event.window, event.window_verdict) == (64_000, Verdict.DERIVED)
    assert not any("today's" in line for line in event.arithmetic)


def test_a_line_that_states_the_window_proves_it_whatever_config_says_today(home: Home) -> None:
    home.call(6, 52_000)
    home.pre_api(54_828)
    home.started(54_828, 28)
    compacted(home)
    edited(home, 90_000)
    assert only(home).window_verdict is Verdict.PROVED


@pytest.mark.parametrize(("model", "told"), [("mock-big", True), ("vendor/mock-model", False)])
def test_a_model_that_answered_last_but_is_not_the_sessions_is_reported(
    begun: MakeHome, model: str, told: bool
) -> None:
    home = begun(model=model)
    home.talk(2)
    home.call(1, 9_000)
    notes = [note for note in explained(home).notes if "mock-model answered last" in note]
    assert bool(notes) is told


@pytest.mark.parametrize(("default", "window"), [("mock-model", 200_000), ("mock-third", 64_000)])
def test_a_new_process_begins_with_the_model_of_the_configuration(
    begun: MakeHome, default: str, window: int
) -> None:
    """Run with 0.14.0 and 0.15.2: a rotation books the session on the model of then; a resume does not."""
    config = CONFIG.replace("  context_length: 64000\n", "").replace("mock-model", default)
    home = begun("0.15", config=config, model="mock-tiny")
    for model, size in (("mock-tiny", 64_000), ("mock-model", 200_000)):
        begins = f"Context compressor initialized: model={model} context_length={size} threshold={size // 2}"
        home.line(f"{begins} (50%) target_ratio=20% tail_budget={size // 10}")
    home.talk(2)
    home.call(1, 9_000)
    assert explained(home).now.window == window


def test_a_window_that_hermes_assumed_is_the_one_in_force(begun: MakeHome) -> None:
    """As 0.16.0 and 0.22.2 log it: the provider names no length, and the model is in no table."""
    home = begun("0.18", config=CONFIG.replace("  context_length: 64000\n", ""))
    assumed = "Could not detect context length for model 'mock-model' at http://127.0.0.1:1/v1"
    home.line(f"{assumed} — defaulting to 256,000 tokens (probe-down). Set model.context_length", tag=None)
    home.turn()
    home.talk(7)
    home.call(3, 128_287)
    home.started(128_287, 28)
    compacted(home)
    event, now = only(home), explained(home).now
    assert (event.window, now.window) == (256_000, 256_000)
    assert (event.threshold, now.threshold) == (128_000, 128_000)
