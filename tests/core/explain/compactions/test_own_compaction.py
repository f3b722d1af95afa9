"""A compaction by this program is recognised by its journal, with the command that undoes it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.apply.execute import execute
from core.apply.journal import journal_of
from core.apply.rehearse import rehearse
from core.apply.undo import undo
from core.explain.events import explain
from core.model.compaction.apply import Applied, ApplyMode
from core.model.compaction.event import CompressionEvent, SummaryStatus, Trigger
from core.model.compaction.preview import SummaryCall
from core.model.finding import Source, Verdict
from core.store.store import Store
from tests.core.apply.material import conversation, preview
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import explained

WAYS = [
    ("0.16", ApplyMode.CONTINUATION),
    ("0.18", ApplyMode.IN_PLACE),
    ("0.22", ApplyMode.IN_PLACE),
    ("0.22", ApplyMode.CONTINUATION),
]


def applied(path: Path, mode: ApplyMode | None = None, call: SummaryCall | None = None) -> Applied:
    with Store(path) as store:
        ready = rehearse(store, "s", preview(store, head=4, tail=4), mode)
    return execute(replace(ready, call=call), journal_of(path))


def events(path: Path) -> tuple[CompressionEvent, ...]:
    with Store(path) as store:
        return explain(store, "s").events


@pytest.mark.parametrize(("release", "mode"), WAYS)
def test_what_we_wrote_is_proved_by_our_journal(tmp_path: Path, release: str, mode: ApplyMode) -> None:
    path = conversation(tmp_path / "state.db", release)
    done = applied(path, mode)
    (event,) = events(path)
    assert (event.trigger, event.verdict) == (Trigger.INSPECTOR, Verdict.PROVED)
    assert event.at is not None
    assert datetime.now(UTC) - event.at < timedelta(minutes=5)  # not when the rows it kept were written
    assert event.undo == f"hermes-inspector undo {done.undo_id}"
    assert event.headline.sentence.startswith("Hermes Inspector compressed it on 20")
    assert event.headline.remedy == f"{event.undo} takes it back."
    assert event.headline.severity is None
    assert event.summary.status is SummaryStatus.INSPECTOR
    assert [one.where for one in event.evidence if one.source is Source.JOURNAL] == [
        f"journal {done.undo_id}"
    ]


def test_a_model_we_paid_is_named(tmp_path: Path) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    applied(path, call=SummaryCall("gpt-5.2-mini", None))
    (event,) = events(path)
    assert (event.summary.status, event.summary.model) == (SummaryStatus.MODEL, "gpt-5.2-mini")


def test_one_taken_back_is_not_a_compaction_any_more(tmp_path: Path) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    done = applied(path)
    undo(journal_of(path), done.undo_id)
    assert events(path) == ()


def test_the_same_rows_elsewhere_are_not_recognised_by_our_journal(tmp_path: Path) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    applied(path)
    (tmp_path / "copy").mkdir()
    copy = Path(shutil.copy(path, tmp_path / "copy" / "state.db"))
    (event,) = events(copy)
    assert (event.trigger, event.undo) == (Trigger.MANUAL, None)
    assert event.verdict is Verdict.SUSPECTED


def test_a_journal_that_cannot_be_read_takes_no_answer_down(tmp_path: Path) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    applied(path)
    journal_of(path).path.write_bytes(b"no database" * 100)
    assert [event.trigger for event in events(path)] == [Trigger.MANUAL]


def test_a_failure_of_hermes_before_what_we_wrote_does_not_affect_it_and_is_no_longer_shown(
    begun: MakeHome,
) -> None:
    """Run with 0.22.2: a failed attempt was taken for the beginning of what we wrote later."""
    home = begun("0.22")
    home.turn(history=24)
    home.talk(7)
    home.started(55_000, 28, tag=None)
    home.telemetry(commit_status="aborted", failure_class="summary_auth_failure", trigger_source="pre_api")
    home.db.connection.commit()
    with home.store() as store:
        ready = rehearse(store, "S", preview(store, "S", head=4, tail=4), None)
    execute(ready, journal_of(home.path / "state.db"))
    told = explained(home)
    assert [event.trigger for event in told.events] == [Trigger.PRE_API, Trigger.INSPECTOR]
    assert told.headline.sentence.startswith("Hermes Inspector compressed it")
