"""Which of its turn's attempts a compaction was, by the log."""

from __future__ import annotations

from core.explain.events import explain
from core.explain.turns.replay import replay_turns
from core.model.compaction.event import TurnAttempt
from core.model.finding import Severity
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, compacted, explained

LIMIT = "HTTP 400: This model's maximum context length is 30000 tokens. Your messages resulted in {} tokens."
ROOM = "max_tokens: 32000 > context_window: 64000 - input_tokens: 61000 = available_tokens: 3000"
STUCK = "Context length exceeded: 31,900 tokens. Cannot compress further."


def attempts(home: Home) -> list[TurnAttempt | None]:
    return [event.attempt for event in explained(home).events]


def refused_and_compacted(home: Home) -> None:
    home.refused(LIMIT.format(32_000))
    home.started(31_000, 28)
    compacted(home)


def test_the_first_refusal_lowers_the_window_and_a_fitting_call_keeps_it(make_home: MakeHome) -> None:
    home = make_home("0.16")
    home.db.session("S")
    home.turn(history=24)
    home.talk(7)
    home.call(1, 29_000)
    home.refused(LIMIT.format(32_000))
    home.started(31_000, 28)
    home.done(28, 8, 4_000)
    home.call(2, 18_000)
    assert attempts(home) == [TurnAttempt(1, 3, 64_000, 30_000, stored=True, end="fits")]


def test_a_release_that_forgets_at_a_compaction_what_it_read_keeps_no_limit(home: Home) -> None:
    home.call(1, 29_000)
    refused_and_compacted(home)
    home.call(2, 18_000)
    assert attempts(home) == [TurnAttempt(1, 3, 64_000, 30_000, stored=False, end="fits")]


def test_another_process_begins_with_the_configured_window_again(home: Home) -> None:
    home.call(1, 29_000)
    refused_and_compacted(home)
    home.call(2, 18_000)
    home.turn_ended()
    home.turn()
    home.talk(5)
    home.call(1, 29_000)
    refused_and_compacted(home)
    home.call(2, 18_000)
    assert [(one.window_before, one.window_after) for one in attempts(home) if one] == [(64_000, 30_000)] * 2


def test_a_process_whose_only_call_was_refused_begins_so_as_well(home: Home) -> None:
    home.call(1, 29_000)
    refused_and_compacted(home)
    home.call(2, 18_000)
    home.turn_ended()
    home.line("No .env file found. Using system environment variables.", tag=None)
    home.turn()
    home.talk(5)
    refused_and_compacted(home)
    assert [(one.window_before, one.window_after) for one in attempts(home) if one] == [(64_000, 30_000)] * 2


def test_a_turn_that_could_not_be_made_smaller_was_given_up(home: Home) -> None:
    home.call(1, 29_000)
    refused_and_compacted(home)
    home.line(STUCK, level="ERROR")
    event = explained(home).events[0]
    assert event.attempt is not None
    assert event.attempt.end == "stuck"
    assert event.headline.severity is Severity.CRITICAL
    assert "given up" in event.headline.sentence
    assert "attempt 1 of at most 3 in a turn" in event.arithmetic


def test_the_attempts_of_a_turn_are_shared_and_a_new_turn_has_new_ones(home: Home) -> None:
    home.call(1, 29_000)
    refused_and_compacted(home)
    home.call(2, 18_000)
    home.talk(5)
    refused_and_compacted(home)
    home.turn_ended()
    home.turn()
    home.talk(5)
    home.call(1, 20_000)
    refused_and_compacted(home)
    assert [attempt.number for attempt in attempts(home) if attempt is not None] == [1, 2, 1]


def test_a_turn_says_how_many_attempts_it_took(home: Home) -> None:
    home.call(1, 29_000)
    refused_and_compacted(home)
    home.call(2, 18_000)
    with home.store() as store:
        found = explain(store, "S")
        turns = replay_turns(found.context, found.events)
    assert [attempt.number for turn in turns for attempt in turn.attempts] == [1]


def test_a_refused_output_takes_an_attempt_and_leaves_the_window(home: Home) -> None:
    home.call(1, 29_000)
    home.refused(
        "HTTP 400: max_tokens: 32000 > context_window: 64000 - input_tokens: 61000 = available_tokens: 3000"
    )
    refused_and_compacted(home)
    (found,) = attempts(home)
    assert found is not None
    assert (found.number, found.window_before) == (2, 64_000)


def test_a_window_that_steps_down_without_a_lower_limit_is_that_of_the_compaction(
    make_home: MakeHome,
) -> None:
    home = make_home("0.13")
    home.db.session("S")
    home.turn(history=24)
    home.talk(7)
    home.call(1, 29_000)
    for _ in range(2):
        home.refused(LIMIT.format(32_000))
        home.started(31_000, 28)
        home.done(28, 27, 30_000)
    events = explained(home).events
    assert [(event.window, event.attempt and event.attempt.window_after) for event in events] == [
        (30_000, 30_000),
        (16_000, 16_000),
    ]


def test_an_event_says_the_window_of_its_attempt_where_no_call_was_answered(begun: MakeHome) -> None:
    """A process that only ever met refusals is known by nothing but its turn."""
    home = begun("0.13")
    home.talk(7)
    home.turn(history=28)
    for _ in range(3):
        home.refused("HTTP 400: prompt is too long: 31000 tokens > 30000 maximum")
        home.started(31_000, 29)
        home.done(29, 29, 30_900)
    found = explained(home).events
    assert [event.window for event in found] == [
        event.attempt.window_after for event in found if event.attempt is not None
    ]
    assert [event.window for event in found] == [30_000, 16_000, 8_000]


def test_the_window_before_a_refusal_is_the_one_a_record_of_the_agent_states(begun: MakeHome) -> None:
    home = begun("0.22")
    home.talk(7)
    home.turn(history=28)
    home.call(1, 29_000)
    home.telemetry(tag="S", trigger_source="post_tool", commit_status="aborted", main_context_limit=100_000)
    refused_and_compacted(home)
    (found,) = [event for event in explained(home).events if event.attempt is not None]
    assert found.attempt is not None
    assert (found.attempt.window_before, found.window) == (100_000, 30_000)


def test_a_window_of_the_gateways_own_check_is_not_that_of_the_agent(begun: MakeHome) -> None:
    home = begun("0.22")
    home.talk(7)
    home.turn(history=28)
    home.call(1, 29_000)
    refused_and_compacted(home)
    home.call(2, 18_000)
    home.telemetry(tag="S", trigger_source="gateway_hygiene", main_context_limit=99_000)
    home.call(3, 29_000)
    home.talk(5)
    home.started(29_000, 28)
    compacted(home)
    assert [event.window for event in explained(home).events][-1] == 30_000
