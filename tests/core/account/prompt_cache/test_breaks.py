"""A call that misses the cache is found, and its cause is distinguished from the others."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.account.prompt_cache.breaks import MIN_CACHED_TOKENS, BreakContext, find_breaks, identity_changed
from core.hermes.log.record import Kind, LogRecord
from core.model.accounting.ledger import PriceRow, Rates
from core.model.accounting.prompt_cache import CacheBreak, CacheCall
from tests.core.account.prompt_cache.logs import START, call, line, log, utc

WARM = [call(0, 10_000, 0), call(10, 12_000, 9_900), call(20, 14_000, 11_900), call(30, 16_000, 13_900)]
OPUS = PriceRow("anthropic", "opus", Rates(*map(Decimal, ("5", "25", "0.5", "6.25", "10"))), "test")
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def started(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def causes(*more: CacheCall, **context: object) -> list[str]:
    return [one.cause for one in breaks(*more, **context)]  # type: ignore[arg-type]


def breaks(
    *more: CacheCall, lines: tuple[LogRecord, ...] = (), starts: tuple[datetime, ...] = (), **context: object
) -> tuple[CacheBreak, ...]:
    told = replace(log(*lines), starts=starts)
    surroundings = BreakContext(told, frozenset({"s", "t"}), to_utc=utc, **context)  # type: ignore[arg-type]
    return find_breaks((*WARM, *more), surroundings, lambda _: None)


def test_a_conversation_that_keeps_hitting_has_no_break() -> None:
    assert causes(call(40, 18_000, 15_900)) == []


def test_an_unexplained_miss_is_unknown_and_counts_what_was_lost() -> None:
    (found,) = breaks(call(40, 18_000, 0))
    assert (found.cause, found.call, found.tokens_lost) == ("unknown", 4, 15_900)
    assert "0 of 18,000 prompt tokens" in found.evidence[0].text


def test_a_conversation_that_is_compressed_before_nearly_every_call_breaks_each_time() -> None:
    places = range(5)
    misses = [call(40 + 10 * place, 18_000 + place, 1_100) for place in places]
    lines = tuple(line(Kind.DONE, 35 + 10 * place) for place in places)
    assert causes(*misses, lines=lines) == ["compaction"] * len(misses)


@pytest.mark.parametrize(
    ("cause", "miss", "lines", "context"),
    [
        ("compaction", call(40, 6_000, 500), (line(Kind.DONE, 35),), {}),
        ("unknown", call(40, 18_000, 500), (line(Kind.STARTED, 33), line(Kind.NO_PROGRESS, 35)), {}),
        ("compaction", call(40, 18_000, 500), (line(Kind.STARTED, 33),), {}),
        ("model_changed", call(40, 18_000, 0, model="sonnet"), (), {}),
        (
            "messages_rewritten",
            call(40, 15_000, 500),
            (line(Kind.TURN, 1, before=20), line(Kind.TURN, 35, before=8)),
            {},
        ),
        ("messages_rewritten", call(40, 15_000, 500), (line(Kind.MICRO, 35, None),), {}),
        ("system_prompt_changed", call(40, 18_000, 100), (line(Kind.PROMPT_REBUILT, 35),), {}),
        ("ttl_expired", call(30 + 301, 18_000, 0), (), {}),
        ("tools_changed", call(40, 18_000, 0, session="t"), (), {"tools": {"s": "aaaa", "t": "bbbb"}}),
        ("resume", call(40, 16_100, 2_000, number=1), (), {"starts": (started(33),)}),
        ("tools_changed", call(40, 19_000, 100, number=1), (), {"starts": (started(33),)}),
        ("tools_changed", call(40, 14_500, 0, number=1), (), {"starts": (started(33),)}),
        ("unknown", call(30 + 301, 18_000, 0), (), {"ttl": "1h"}),
        ("unknown", call(40, 18_000, 100, number=3), (), {"starts": (started(33),)}),
    ],
)
def test_each_cause_is_reported(
    cause: str, miss: CacheCall, lines: tuple[LogRecord, ...], context: dict[str, object]
) -> None:
    assert causes(miss, lines=lines, **context) == [cause]


def test_a_compaction_explains_away_everything_else() -> None:
    miss = call(1000, 6_000, 0, model="sonnet", number=1)
    lines = (line(Kind.DONE, 900), line(Kind.PROMPT_REBUILT, 950))
    assert causes(miss, lines=lines, starts=(started(990),)) == ["compaction"]


def test_an_agent_set_up_again_while_the_program_runs_has_another_system_prompt() -> None:
    miss = call(40, 16_100, 2_000, number=1)
    assert causes(miss, remembers=True) == ["system_prompt_changed"]
    assert causes(miss, starts=(started(33),), remembers=True) == ["resume"]


@pytest.mark.parametrize(
    ("changed", "cause"), [(31, "system_prompt_changed"), (29, "resume"), (41, "resume")]
)
def test_another_identity_since_the_call_before_changed_the_system_prompt(changed: int, cause: str) -> None:
    miss = call(40, 16_100, 0, number=1)
    assert causes(miss, starts=(started(33),), identity=started(changed)) == [cause]


def test_a_prompt_that_grew_by_what_the_user_said_holds_the_same_tools() -> None:
    miss = call(40, 19_000, 0, number=1)
    asked = {START + timedelta(seconds=30): 2_900}
    found = breaks(miss, starts=(started(33),), asked=lambda since, until: asked[since])
    assert [one.cause for one in found] == ["resume"]


def test_tools_that_changed_leave_nothing_of_the_messages_in_the_cache() -> None:
    long = call(35, 30_000, 15_900)
    assert causes(long, call(40, 45_000, 10_000, number=1), starts=(started(37),)) == ["resume"]
    (found,) = breaks(call(40, 25_000, 900, number=1), starts=(started(33),))
    assert found.cause == "tools_changed"
    assert "8,950 tokens more than before" in found.evidence[-1].text


def test_a_result_that_had_become_a_file_and_is_sent_whole_again_is_no_other_set_of_tools() -> None:
    """Run with 0.22.2: what a turn's budget replaces is stored whole, and read whole by the next process."""
    miss, moved = call(40, 25_000, 900, number=1), line(Kind.RESULT_MOVED, 12, text="c1", number=40_000)
    (found,) = breaks(miss, lines=(moved,), starts=(started(33),))
    assert found.cause == "resume"
    assert found.evidence[-1].where == moved.where
    for few in (line(Kind.RESULT_MOVED, 12, text="c1", number=4_000), line(Kind.DONE, 15)):
        assert causes(miss, lines=(moved, few) if few.number is None else (few,), starts=(started(33),)) == [
            "tools_changed"
        ]


def test_a_gateway_reads_its_messages_again_for_every_agent() -> None:
    for read in (0, 2_000):
        assert causes(call(40, 18_000, read, number=1)) == ["resume"]


def test_fewer_messages_after_a_compaction_are_no_rewriting() -> None:
    lines = (line(Kind.TURN, 1, before=200), line(Kind.DONE, 15), line(Kind.TURN, 35, before=8))
    assert causes(call(40, 18_000, 0), lines=lines) == ["unknown"]


def test_lines_of_other_sessions_explain_nothing() -> None:
    assert causes(call(40, 18_000, 0), lines=(line(Kind.DONE, 35, "somebody-else"),)) == ["unknown"]


def test_a_model_that_never_hits_has_nothing_to_break() -> None:
    cold = tuple(call(n * 10, 10_000 + n, 0) for n in range(6))
    assert find_breaks(cold, BreakContext(log(), frozenset({"s"})), lambda _: None) == ()


def test_calls_without_usage_are_passed_over() -> None:
    assert causes(call(40, None, None), call(50, 18_000, 15_900)) == []


def test_a_break_costs_the_difference_between_writing_and_reading() -> None:
    calls = (*WARM, call(40, 18_000, 0))
    context = BreakContext(log(), frozenset({"s"}))
    (found,) = find_breaks(calls, context, lambda _: OPUS)
    assert found.usd == Decimal("15900") * (Decimal("6.25") - Decimal("0.5")) / 1_000_000
    (hourly,) = find_breaks(calls, context, lambda _: OPUS, one_hour=True)
    assert hourly.usd == Decimal("15900") * (Decimal("10") - Decimal("0.5")) / 1_000_000
    assert find_breaks(calls, context, lambda _: None)[0].usd is None


@given(st.lists(st.tuples(st.integers(0, 50_000), st.floats(0, 1)), max_size=12))
def test_a_break_never_loses_more_than_was_there(shape: list[tuple[int, float]]) -> None:
    calls = tuple(call(n * 10, prompt, int(prompt * share)) for n, (prompt, share) in enumerate(shape))
    for one in find_breaks(calls, BreakContext(log(), frozenset({"s"})), lambda _: None):
        before, at = calls[one.call - 1], calls[one.call]
        assert MIN_CACHED_TOKENS <= one.tokens_lost <= min(before.prompt or 0, at.prompt or 0)


def test_an_identity_is_another_once_the_stored_prompt_no_longer_holds_it(tmp_path: Path) -> None:
    assert identity_changed(tmp_path, "You are Hermes.") is None
    soul = tmp_path / "SOUL.md"
    soul.write_text("You are Athena.\n")
    os.utime(soul, (NOON.timestamp(), NOON.timestamp()))
    assert identity_changed(tmp_path, "You are Hermes.\n\nRules") == NOON
    assert identity_changed(tmp_path, "You are Athena.\n\nRules") is None
    assert identity_changed(tmp_path, None) is identity_changed(None, "You are Hermes.") is None


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "SOUL.md")
    assert identity_changed(tmp_path, "a prompt") is None
