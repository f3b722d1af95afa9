"""What the numbers of calls show: which lines one agent wrote, and which sizes it accepted."""

from __future__ import annotations

import os

import pytest

from core.model.compaction.event import CompressionEvent, Trigger
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import CONFIG, Home, compacted, explained, only

LARGE = CONFIG.replace("64000", "150000")


def fired_at(home: Home, tokens: int, number: int) -> CompressionEvent:
    home.call(number, tokens)
    home.started(tokens, before=28)
    compacted(home)
    return only(home)


def stated(home: Home, window: int, number: int) -> None:
    home.line(f"Preflight compression: ~90,000 tokens >= 75,000 threshold (model mock-model, ctx {window:,})")
    home.call(number, 70_000)
    home.turn(history=20)


def test_a_window_stated_turns_ago_holds_while_the_calls_are_numbered_on(home: Home) -> None:
    stated(home, 100_000, number=4)
    event = fired_at(home, 76_000, number=5)
    assert (event.window, event.threshold, event.disagreements) == (100_000, 75_000, ())


def test_a_new_count_of_calls_is_another_run(home: Home) -> None:
    stated(home, 100_000, number=4)
    assert fired_at(home, 76_000, number=1).window == 64_000


@pytest.mark.parametrize(("second", "known"), [(2, False), (4, True)], ids=["next call", "another run"])
def test_a_size_that_passed_denies_todays_threshold(home: Home, second: int, known: bool) -> None:
    home.call(1, 60_000)
    event = fired_at(home, 66_000, number=second)
    assert (event.trigger, event.tokens) == (Trigger.POST_RESPONSE, 66_000)
    assert (event.window, event.threshold) == ((64_000, 54_400) if known else (None, None))
    assert any("60,000 tokens passed" in words for words in event.disagreements) is not known


def test_a_refusal_lowers_the_window_for_its_run_only(begun: MakeHome) -> None:
    home = begun("0.19", config=LARGE)
    home.turn()
    home.talk(7)
    home.refused("HTTP 400: prompt is too long: 46954 tokens > 45000 maximum")
    home.started(45_509, before=28)
    home.done(28, 8, 18_000)
    for tokens in (39_000, 113_000):
        home.call(1, tokens)
        home.started(tokens, before=8)
        home.done(8, 7, 9_000)
        home.turn()
    assert [event.window for event in explained(home).events] == [45_000, 45_000, 150_000]


def test_a_model_of_its_own_does_not_get_the_window_config_names(begun: MakeHome) -> None:
    home = begun("0.19", config=CONFIG)
    home.turn()
    home.talk(7)
    home.call(1, 97_000)
    home.line("context compression started: session=S messages=28 tokens=~97,000 model=mock-b focus=None")
    compacted(home)
    event = only(home)
    assert (event.window, event.threshold) == (None, None)


@pytest.mark.parametrize("later", [True, False])
def test_a_config_changed_in_mid_conversation_says_nothing_of_the_time_before(
    home: Home, later: bool
) -> None:
    home.call(1, 66_000)
    home.started(66_000, before=28)
    compacted(home)
    edited = home.db.tick(5)
    os.utime(home.path / "config.yaml", (edited, edited))
    if later:
        home.turn()
    event = only(home)
    assert (event.window is None, event.threshold is None) == (later, later)
    assert any("config.yaml was changed later" in step for step in event.arithmetic) is later


def test_what_the_summary_model_lowers_in_the_attempt_itself_counts_from_the_next_one_on(home: Home) -> None:
    home.call(1, 66_000)
    home.lowered()
    home.started(66_000, before=28)
    home.done(28, 8, 4_000)
    home.call(2, 41_000)
    home.started(41_000, before=8)
    home.done(8, 6, 4_000)
    assert [event.threshold for event in explained(home).events] == [54_400, 40_000]


def test_a_line_tagged_with_this_session_that_names_another_is_not_its_own(home: Home) -> None:
    home.started(66_000, before=28, session="branch", tag="S")
    assert explained(home).events == ()


def test_a_stated_window_stands_where_only_the_threshold_is_denied(home: Home) -> None:
    home.line("Preflight compression: ~90,000 tokens >= 90,000 threshold (model mock-model, ctx 100,000)")
    home.call(1, 80_000)
    event = fired_at(home, 90_500, number=2)
    assert (event.window, event.threshold) == (100_000, None)


def test_sizes_that_passed_before_a_lowering_do_not_deny_the_lowered_threshold(home: Home) -> None:
    for number, tokens in enumerate((45_000, 50_000), 1):
        home.call(number, tokens)
    home.lowered()
    home.started(50_000, before=28)
    home.done(28, 8, 4_000)
    home.call(3, 41_000)
    home.started(41_000, before=8)
    home.done(8, 6, 4_000)
    assert explained(home).events[-1].threshold == 40_000


def test_sizes_that_passed_before_a_refusal_do_not_deny_the_threshold_it_left(home: Home) -> None:
    home.call(1, 44_000)
    home.call(2, 44_500)
    home.refused("HTTP 400: prompt is too long: 46954 tokens > 45000 maximum")
    home.started(45_509, before=28)
    compacted(home)
    event = only(home)
    assert (event.window, event.threshold) == (45_000, 38_250)


def test_sizes_that_passed_after_an_attempt_failed_deny_nothing(home: Home) -> None:
    home.call(1, 50_000)
    home.pre_api(55_000)
    home.started(55_000, before=28)
    for number, tokens in enumerate((56_000, 58_000), 2):
        home.call(number, tokens)
    home.turn_ended()
    home.started(60_000, before=32, tag=None)
    assert [event.threshold for event in explained(home).events] == [54_400, 54_400]


def test_a_summary_window_of_config_lowers_nothing_where_no_line_says_so(begun: MakeHome) -> None:
    config = CONFIG + "auxiliary:\n  compression:\n    context_length: 40000\n"
    home = begun("0.19", config=config)
    home.turn()
    home.talk(7)
    assert fired_at(home, 55_000, number=1).threshold == 54_400


@pytest.mark.parametrize(
    ("passed", "threshold", "window"),
    [(52_000, 54_400, 64_000), (30_000, None, None)],
    ids=["close below the threshold", "far below it"],
)
def test_an_edited_config_stands_where_the_sizes_at_the_time_support_it(
    home: Home, passed: int, threshold: int | None, window: int | None
) -> None:
    home.call(1, passed)
    fired_at(home, 55_000, number=2)
    edited = home.db.tick(5)
    os.utime(home.path / "config.yaml", (edited, edited))
    home.turn()
    event = only(home)
    assert (event.threshold, event.window) == (threshold, window)


def test_a_lowering_of_the_same_run_stands_whatever_config_says_since(home: Home) -> None:
    home.lowered(90_000)
    fired_at(home, 41_000, number=1)
    edited = home.db.tick(5)
    os.utime(home.path / "config.yaml", (edited, edited))
    home.turn()
    event = only(home)
    assert (event.threshold, event.window) == (40_000, None)
    assert "lowered to 40,000, which the summary model can read" in event.arithmetic


def test_a_stated_threshold_that_a_line_had_lowered_is_not_a_disagreement(home: Home) -> None:
    home.lowered()
    home.pre_api(41_000, threshold=40_000)
    home.started(41_000, before=28)
    compacted(home)
    event = only(home)
    assert (event.threshold, event.disagreements) == (40_000, ())
    assert "lowered to 40,000, which the summary model can read" in event.arithmetic
