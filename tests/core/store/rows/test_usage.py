"""A cost that lacks a summary nobody booked is a lower bound, in lists, chains and ledgers alike."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.account.spending.ledger import collect
from core.apply.execute import execute
from core.apply.journal import journal_of
from core.apply.rehearse import rehearse
from core.hermes.markers.markers import DESCRIBED, UNBOOKED, markers
from core.store.store import Store
from tests.core.apply.material import conversation, preview
from tests.core.store.database import SUMMARY, SessionDatabase

FALLBACK = "Summary generation was unavailable. 12 messages were removed to free context space"


def spent(database: SessionDatabase, session: str, **usage: int) -> None:
    counts = "input_tokens = 900, output_tokens = 90, message_count = 8"
    database.connection.execute(f"UPDATE sessions SET {counts} WHERE id = ?", (session,))
    for task, calls in usage.items():
        database.connection.execute(
            "INSERT INTO session_model_usage (session_id, model, task, api_call_count) VALUES (?, 'm', ?, ?)",
            (session, task, calls),
        )


def marked(path: Path) -> set[str]:
    """The sessions whose figures are a lower bound, which every view must agree on."""
    with Store(path) as store:
        listed = {one.session.id for one in store.sessions().rows if one.lower_bound}
        threads = {one.id for row in store.conversations().rows if row.lower_bound for one in row.sessions}
        chains = {
            node.session.id
            for one in store.sessions().rows
            for node in store.chain(one.session.id).nodes
            if node.lower_bound
        }
        books = collect([store]).ledger()
    assert listed == chains == {row.key for row in books.rows if row.lower_bound}
    assert listed <= threads
    assert books.lower_bound == books.totals.lower_bound == bool(listed)
    assert any("did not record" in note for note in books.notes) == bool(listed)
    return listed


@pytest.mark.parametrize(("booked", "short"), [(0, True), (1, True), (2, False), (3, False)])
def test_two_summaries_need_two_calls_on_record(tmp_path: Path, booked: int, short: bool) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.22") as database:
        database.session("s")
        for round_ in range(2):
            for number in range(4):
                database.turn("s", f"{round_}{number}")
            database.compact("s", 2, 2, f"round {round_}")
        spent(database, "s", compression=booked)
    assert marked(database.path) == ({"s"} if short else set())


def test_a_summary_by_rotation_lies_in_the_continuation_and_is_owed_by_the_session_before(
    tmp_path: Path,
) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.19") as database:
        database.session("one")
        for number in range(4):
            database.turn("one", str(number))
        database.rotate("one", "two", 2, 2, "the same words")
        database.turn("two", "more")
        database.rotate("two", "three", 2, 2, "the same words")
        spent(database, "one", compression=1)
        spent(database, "two")
        spent(database, "three")
    assert marked(database.path) == {"two"}


def test_a_summary_for_which_a_gateway_deleted_what_was_said_is_owed(tmp_path: Path) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.16") as database:
        for name in ("rewritten", "plain"):
            database.session(name, source="telegram")
            for number in range(4):
                database.turn(name, f"{name}{number}")
            counts = "input_tokens = 900, output_tokens = 90, message_count = 8"
            database.connection.execute(f"UPDATE sessions SET {counts}")
        rows = database.live("rewritten")
        database.mark(rows[:1], content=f"{SUMMARY} so far")
    assert marked(database.path) == {"rewritten"}


def test_what_no_model_wrote_or_nobody_compacted_is_not_a_lower_bound(tmp_path: Path) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.22") as database:
        for name in ("fallback", "plain"):
            database.session(name)
            for number in range(4):
                database.turn(name, f"{name}{number}")
            spent(database, name)
        database.compact("fallback", 2, 2, FALLBACK)
    assert marked(database.path) == set()


@pytest.mark.parametrize(
    ("reason", "short"),
    [
        ("Request timed out.", True),
        ("peer closed connection without sending complete message body (incomplete chunked read)", True),
        ("Anthropic Messages stream ended before message_stop (possible upstream stream drop).", True),
        ("Error code: 401 - {'error': {'message': 'invalid api key'}}", False),
    ],
)
def test_a_summary_call_that_broke_off_may_have_been_billed(tmp_path: Path, reason: str, short: bool) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.22") as database:
        for name in ("fallback", "failed"):
            database.session(name)
            for number in range(4):
                database.turn(name, f"{name}{number}")
            spent(database, name)
        database.compact("fallback", 2, 2, f"{FALLBACK}. Summary failure reason: {reason}.")
        query = "UPDATE sessions SET compression_failure_error = ? WHERE id = 'failed'"
        database.connection.execute(query, (reason,))
    assert marked(database.path) == ({"fallback", "failed"} if short else set())


STOPPED = """\
2026-11-28 00:51:28,100 INFO [s] agent.conversation_compression: context compression started: session=s \
messages=23 tokens=~59,940 model=m focus=None
2026-11-28 00:51:28,300 INFO [s] agent.auxiliary_client: Auxiliary compression: using auto (m) at http://x/v1/
2026-11-28 00:51:33,000 INFO hermes_cli.plugins: Plugin discovery complete: 3 found, 3 enabled
"""
ENDS = {
    "by_a_new_turn": (
        "2026-11-28 00:51:35,000 INFO [s] agent.turn_context: conversation turn: session=s model=m "
        "provider=custom platform=cli history=24 msg='go on'",
        True,
    ),
    "by_an_error": (
        "2026-11-28 00:51:34,000 WARNING [s] agent.context_compressor: Failed to generate context summary: "
        "Error code: 500. Further summary attempts paused for 60 seconds.",
        False,
    ),
    "by_its_end": (
        "2026-11-28 00:51:34,000 INFO [s] agent.conversation_compression: context compression done: "
        "session=s messages=23->14 rough_tokens=~16,000 awaiting_real_usage=true",
        False,
    ),
    "by_an_interruption": (
        "2026-11-28 00:51:31,000 INFO agent.conversation_compression: context compression attempt telemetry: "
        '{"commit_status":"aborted","failure_class":"explicit_interrupt","session_id":"s"}',
        True,
    ),
    "by_leaving_hermes": (
        "2026-11-28 00:51:31,000 INFO cli: CLI cleanup calling memory shutdown for session s "
        "with 3 message(s)",
        True,
    ),
    "by_nothing": ("", False),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_summary_over_which_hermes_was_stopped_may_have_been_billed(tmp_path: Path, end: str) -> None:
    last, short = ENDS[end]
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "agent.log").write_text(STOPPED + last + "\n")
    with SessionDatabase(tmp_path / "state.db", "0.22") as database:
        for name in ("s", "other"):
            database.session(name)
            database.turn(name, name)
            spent(database, name)
    assert marked(database.path) == ({"s"} if short else set())


def test_a_lock_that_is_left_tells_of_a_summary_over_which_hermes_was_stopped(tmp_path: Path) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.19") as database:
        for name in ("s", "other"):
            database.session(name)
            database.turn(name, name)
            spent(database, name)
        lock = ("s", "pid=1", 1.0, 301.0)
        database.connection.execute("INSERT INTO compression_locks VALUES (?, ?, ?, ?)", lock)
    assert marked(database.path) == {"s"}


def test_a_session_without_any_usage_is_short_for_that_reason_alone(tmp_path: Path) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.22") as database:
        database.session("s", message_count=9)
        for number in range(4):
            database.turn("s", str(number))
        database.compact("s", 2, 2, "so far")
    with Store(database.path) as store:
        books = collect([store]).ledger()
    assert books.lower_bound
    assert [note for note in books.notes if "no recorded usage" in note] == list(books.notes)


def test_a_summary_of_our_own_that_asked_no_model_is_not_a_lower_bound(tmp_path: Path) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    with Store(path) as store:
        ready = rehearse(store, "s", preview(store, head=4, tail=4))
    execute(ready, journal_of(path))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE sessions SET input_tokens = 900, output_tokens = 90")
    assert marked(path) == set()
    journal_of(path).path.unlink()
    assert marked(path) == {"s"}


def test_the_signs_of_unbooked_calls_begin_what_the_markers_tell() -> None:
    told = [one["text"] for one in markers()["scaffolding"] if one["text"].startswith(UNBOOKED)]
    assert len(told) == len(UNBOOKED)
    assert all(len({len(sign) for sign in signs}) == 1 for signs in (UNBOOKED, DESCRIBED))


@pytest.mark.parametrize("release", ["0.13", "0.16", "0.19", "0.22"])
@pytest.mark.parametrize("text", UNBOOKED + DESCRIBED)
def test_a_call_that_was_cut_off_ended_a_turn_or_described_a_picture_is_booked_nowhere(
    tmp_path: Path, release: str, text: str
) -> None:
    with SessionDatabase(tmp_path / "state.db", release) as database:
        for session in ("s", "whole"):
            database.session(session)
            database.turn(session, "one")
            spent(database, session)
        database.message("s", "user", f"{text} and so on")
        database.message("s", "assistant", "go on")
    assert marked(database.path) == {"s"}


def test_an_answer_that_reached_its_length_is_booked_nowhere(tmp_path: Path) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.22") as database:
        for session, reason in (("s", "length"), ("whole", "stop")):
            database.session(session)
            database.message(session, "user", "tell me all")
            database.message(session, "assistant", "It all began", finish_reason=reason)
            spent(database, session)
    assert marked(database.path) == {"s"}


@pytest.mark.parametrize("release", ["0.18", "0.19", "0.22"])
def test_an_answer_nobody_waited_for_is_booked_nowhere(tmp_path: Path, release: str) -> None:
    with SessionDatabase(tmp_path / "state.db", release) as database:
        for session, after in (("s", ": waiting for model response (0.6s elapsed)."), ("whole", ".")):
            database.session(session)
            database.turn(session, "one")
            database.message(session, "user", "go on")
            database.message(session, "assistant", f"Operation interrupted{after}")
            spent(database, session)
    assert marked(database.path) == {"s"}


def test_of_a_day_only_its_own_sessions_count(tmp_path: Path) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.22") as database:
        database.session("old")
        spent(database, "old")
        database.message("old", "assistant", "It all began", finish_reason="length")
        database.session("new")
        spent(database, "new")
        times = dict(database.connection.execute("SELECT id, started_at FROM sessions"))
    with Store(database.path) as store:
        assert collect([store]).ledger().lower_bound
        since = datetime.fromtimestamp(times["new"], UTC)
        assert not collect([store], since=since).ledger().lower_bound
