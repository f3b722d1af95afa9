"""Codex compacts its own threads; only the log of Hermes mentions it."""

from __future__ import annotations

import pytest

from core.explain.events import explain
from core.explain.explanation import Explanation
from core.model.compaction.event import SummaryStatus, Trigger
from core.model.finding import Verdict
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home


@pytest.fixture
def home(begun: MakeHome) -> Home:
    home = begun()
    home.turn()
    home.talk(3)
    return home


def observed(home: Home, turn: int, *, force: bool = False) -> None:
    text = f"codex app-server compaction observed: session=S thread=thr-1 turn=turn-{turn} force={force}"
    home.line(text, logger="agent.codex_runtime")


def started(home: Home, tokens: str = "43,210") -> None:
    home.line(f"codex app-server compaction started: session=S messages=15 tokens=~{tokens}", tag=None)


def done(home: Home, turn: int) -> None:
    home.line(f"codex app-server compaction done: session=S thread=thr-1 turn=turn-{turn}", tag=None)


def told(home: Home) -> Explanation:
    with home.store() as store:
        return explain(store, "S")


def test_a_compaction_codex_ran_by_itself_is_an_event_without_counts(home: Home) -> None:
    observed(home, 3)
    found = told(home)
    (event,) = found.events
    assert (event.trigger, event.verdict, event.completed) == (Trigger.NATIVE, Verdict.PROVED, True)
    assert (event.messages_before, event.messages_after, event.tokens, event.threshold) == (None,) * 4
    assert (event.mode, event.summary.status) == (None, SummaryStatus.UNKNOWN)
    assert event.disagreements == ()
    assert any("Codex keeps its own thread" in note for note in found.notes)


def test_one_that_hermes_asked_for_is_reported_twice_and_counted_once(home: Home) -> None:
    started(home)
    observed(home, 8, force=True)
    done(home, 8)
    (event,) = told(home).events
    assert (event.messages_before, event.tokens, event.completed) == (15, 43_210, True)


@pytest.mark.parametrize("tokens", ["43,210", "unknown"])
def test_one_that_never_ended_failed(home: Home, tokens: str) -> None:
    started(home, tokens)
    home.turn()
    (event,) = told(home).events
    assert (event.completed, event.summary.status) == (False, SummaryStatus.ABORTED)


def test_two_in_a_row_are_two(home: Home) -> None:
    observed(home, 3)
    observed(home, 6)
    assert len(told(home).events) == 2


def test_one_that_was_skipped_is_none(home: Home) -> None:
    text = "codex app-server compaction skipped: mode=native force=false (session=S messages=15 tokens=~9)"
    home.line(text)
    assert told(home).events == ()


def test_rows_of_hermes_own_are_not_taken_for_the_providers(home: Home) -> None:
    home.talk(4)
    home.line("codex app-server compaction started: session=S messages=28 tokens=~9,000", tag=None)
    home.compact()
    by_hermes, native = sorted(told(home).events, key=lambda event: event.trigger is Trigger.NATIVE)
    assert (by_hermes.trigger is Trigger.NATIVE, native.trigger) == (False, Trigger.NATIVE)
    assert by_hermes.generation == 1
