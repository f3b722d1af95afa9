"""The cause of a compaction is no more certain than its log lines."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from core.explain.compactions.causes import Cause, cause_of
from core.hermes.log.record import Kind, LogRecord, Particulars
from core.model.compaction.event import Trigger
from core.model.finding import Verdict
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, compacted, explained, only

SESSION = "20260301_090000_aaaaaa"
BEGAN = datetime(2026, 3, 1, 9, 0)


@pytest.mark.parametrize(
    ("before", "told"),
    [
        (Verdict.PROVED, Verdict.DERIVED),
        (Verdict.DERIVED, Verdict.DERIVED),
        (Verdict.SUSPECTED, Verdict.SUSPECTED),
    ],
)
def test_another_pass_of_the_same_check_is_no_surer_than_the_first(before: Verdict, told: Verdict) -> None:
    size = Particulars(tokens=60_000)
    thread = [
        LogRecord(
            f"agent.log:{at}",
            SESSION,
            kind=kind,
            at=BEGAN + timedelta(seconds=at),
            logger="agent",
            tag=SESSION,
            quoted="",
            more=size,
        )
        for at, kind in enumerate((Kind.DONE, Kind.STARTED))
    ]
    cause = cause_of(thread, 1, Cause(Trigger.PREFLIGHT, before), turns_tagged=True)
    assert (cause.trigger, cause.verdict) == (Trigger.PREFLIGHT, told)


def test_after_a_command_that_opened_a_session_the_lines_of_the_next_ones_are_tagged(begun: MakeHome) -> None:
    """From 0.17 the tag names the new session at once, and stays behind the turns that follow."""
    home = begun("0.17")
    home.turn_ended()
    home.started(20_600, 20, tag=None)
    home.done(20, 19, 20_000)
    home.started(20_000, 19)
    home.done(19, 19, 20_000)
    home.turn(history=19)
    home.call(9, 19_000)
    home.turn_ended()
    home.started(20_100, 21)
    home.done(21, 21, 20_100)
    events = explained(home).events
    assert [event.trigger for event in events] == [Trigger.MANUAL] * 3
    assert [event.verdict for event in events] == [Verdict.PROVED, Verdict.DERIVED, Verdict.DERIVED]
    assert "another pass" not in str(events)


def test_a_review_that_ends_beside_the_turn_does_not_make_its_compaction_a_command(home: Home) -> None:
    """Until 0.19 a review in the background logs under the session's own tag."""
    home.call(5, 60_000)
    home.call(6, 20_000)
    home.turn_ended()
    home.started(60_000, 28)
    compacted(home)
    event = only(home)
    assert (event.trigger, event.verdict) == (Trigger.POST_RESPONSE, Verdict.PROVED)


def test_where_a_provider_reports_no_usage_the_check_after_an_answer_names_no_size(home: Home) -> None:
    """Until 0.19 that check passes on the last size counted, which is then 0; all others estimate."""
    home.turn(history=27)
    home.started(None, 28)
    compacted(home)
    event = only(home)
    assert (event.trigger, event.verdict, event.tokens) == (Trigger.POST_RESPONSE, Verdict.DERIVED, None)
    assert event.messages_before == 28
