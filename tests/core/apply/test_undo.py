from __future__ import annotations

import os
import sqlite3
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from core.apply.database.snapshot import live_messages
from core.apply.execute import execute
from core.apply.journal import Journal, journal_of
from core.apply.rehearse import rehearse, rehearse_repair
from core.apply.undo import recover, undo, undo_as_fork
from core.errors import DatabaseError, NotFoundError, UsageError
from core.model.accounting.amounts import Buckets
from core.model.compaction.apply import Applied, ApplyMode, EntryState
from core.model.compaction.preview import SummaryCall
from core.model.transcript.session import Kind
from core.store.store import Store
from core.support.own_files import journal_path, state_directory
from tests.core.apply.material import compress_here, conversation, dump, preview
from tests.core.store.database import LONG_SUMMARY, SUMMARY, SessionDatabase


def applied(path: Path, journal: Journal, mode: ApplyMode | None = None) -> Applied:
    with Store(path) as store:
        rehearsal = rehearse(store, "s", preview(store), mode)
    return execute(rehearsal, journal)


def run(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()


def test_an_applied_compaction_ends_the_alarm_of_a_failed_summary_until_it_is_undone(tmp_path: Path) -> None:
    path = conversation(tmp_path / "a.db", "0.19")
    until = "compression_failure_cooldown_until"
    run(path, f"UPDATE sessions SET {until} = 1700000000, compression_failure_error = 'overloaded'")
    journal = journal_of(path)
    written = applied(path, journal)
    with Store(path) as store:
        assert store.session("s").guards.failure_error is None
        assert store.session("other").guards.failure_error == "overloaded"
    undo(journal, written.undo_id)
    with Store(path) as store:
        assert store.session("s").guards.failure_error == "overloaded"


def test_the_journal_lists_what_was_done_newest_first(tmp_path: Path, journal: Journal) -> None:
    assert journal.entries() == ()
    first = applied(conversation(tmp_path / "a.db", "0.19"), journal)
    second = applied(conversation(tmp_path / "b.db", "0.13"), journal)
    newest, oldest = journal.entries()
    assert (newest.id, oldest.id) == (second.undo_id, first.undo_id)
    assert (oldest.state, oldest.mode, oldest.replaced, oldest.written) == (
        EntryState.APPLIED,
        ApplyMode.IN_PLACE,
        24,
        9,
    )
    assert newest.target_id == second.target_id
    assert oldest.size > 1000
    if os.name == "posix":
        assert journal.path.stat().st_mode & 0o777 == 0o600


def test_what_a_paid_call_used_is_kept_also_in_a_journal_made_before_that_was_noted(
    tmp_path: Path, journal: Journal
) -> None:
    first = applied(conversation(tmp_path / "a.db", "0.19"), journal)
    run(journal.path, "ALTER TABLE operations DROP COLUMN call")
    path = conversation(tmp_path / "b.db", "0.19")
    call = SummaryCall("served", Buckets(input=600, output=70), usd=Decimal("0.0042"))
    with Store(path) as store:
        paid = execute(rehearse(store, "s", replace(preview(store), call=call)), journal)
    found = {entry.id: entry.call for entry in journal.entries()}
    assert found == {first.undo_id: None, paid.undo_id: call}


@pytest.mark.parametrize("start", [b"damaged", b"SQLite format 3\0"])
def test_a_damaged_journal_says_what_becomes_of_it(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(start + b"\xff" * 8_000)
    with pytest.raises(DatabaseError) as raised:
        Journal(path).entries()
    assert "Move it away" in raised.value.remedy
    assert "state.db" not in raised.value.line


def test_an_entry_may_be_named_by_its_beginning(tmp_path: Path, journal: Journal) -> None:
    done = applied(conversation(tmp_path / "a.db", "0.19"), journal)
    assert journal.entry(done.undo_id[:-1]).summary.id == done.undo_id
    for name in ("", "nothing"):
        with pytest.raises(NotFoundError):
            journal.entry(name)


def test_a_pruned_entry_is_gone(tmp_path: Path, journal: Journal) -> None:
    done = applied(conversation(tmp_path / "a.db", "0.19"), journal)
    journal.prune([done.undo_id])
    assert journal.entries() == ()
    with pytest.raises(NotFoundError):
        undo(journal, done.undo_id)


def test_an_undo_that_was_killed_before_it_was_noted_is_noted_the_next_time(
    tmp_path: Path, journal: Journal
) -> None:
    path = conversation(tmp_path / "a.db", "0.22")
    before = dump(path)
    done = applied(path, journal)
    undo(journal, done.undo_id)
    journal.mark(done.undo_id, EntryState.APPLIED)
    assert undo(journal, done.undo_id).state is EntryState.UNDONE
    assert dump(path) == before


def test_nothing_is_undone_twice(tmp_path: Path, journal: Journal) -> None:
    done = applied(conversation(tmp_path / "a.db", "0.19"), journal)
    undo(journal, done.undo_id)
    with pytest.raises(UsageError, match="undone"):
        undo(journal, done.undo_id)


@pytest.mark.parametrize(
    ("change", "how"),
    [
        (
            "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('{0}', 'user', 'on', 1.0)",
            "1 new message",
        ),
        (
            "UPDATE messages SET content = 'edited' WHERE session_id = '{0}' AND content LIKE 'answer 5%'",
            "1 changed row|2 changed rows",
        ),
        ("UPDATE sessions SET api_call_count = 1 WHERE id = '{0}'", "1 changed row"),
        (
            "DELETE FROM messages WHERE id = (SELECT max(id) FROM messages WHERE session_id = '{0}')",
            "1 changed row",
        ),
    ],
)
@pytest.mark.parametrize("mode", [ApplyMode.IN_PLACE, ApplyMode.CONTINUATION, ApplyMode.FORK])
def test_what_hermes_has_continued_is_not_undone(
    tmp_path: Path, journal: Journal, mode: ApplyMode, change: str, how: str
) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    done = applied(path, journal, mode)
    run(path, change.format(done.target_id))
    before = dump(path)
    with pytest.raises(DatabaseError, match=rf"Hermes has continued since: ({how})\b"):
        undo(journal, done.undo_id)
    assert dump(path) == before


def test_a_child_of_the_new_session_keeps_it(tmp_path: Path, journal: Journal) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    done = applied(path, journal, ApplyMode.CONTINUATION)
    run(
        path,
        "INSERT INTO sessions (id, source, started_at, parent_session_id)"
        f" VALUES ('x', 'cli', 1, '{done.target_id}')",
    )
    with pytest.raises(DatabaseError, match="came from the new one"):
        undo(journal, done.undo_id)


def test_a_new_title_or_other_sessions_do_not_stand_in_the_way(tmp_path: Path, journal: Journal) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    done = applied(path, journal)
    run(path, "UPDATE sessions SET title = 'Renamed', archived = 1 WHERE id = 's'")
    run(
        path,
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('other', 'user', 'hi', 1.0)",
    )
    undo(journal, done.undo_id)
    with Store(path) as store:
        assert store.session("s").title == "Renamed"
        assert len(live_messages(store, "s")) == 24
        assert len(live_messages(store, "other")) == 5


@pytest.mark.parametrize("mode", [ApplyMode.IN_PLACE, ApplyMode.CONTINUATION])
def test_the_old_conversation_can_be_put_next_to_one_that_continued(
    tmp_path: Path, journal: Journal, mode: ApplyMode
) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    with Store(path) as store:
        original = [message.text for message in live_messages(store, "s")]
    done = applied(path, journal, mode)
    run(
        path,
        "INSERT INTO messages (session_id, role, content, timestamp)"
        f" VALUES ('{done.target_id}', 'user', 'on', 1.0)",
    )
    beside = execute(undo_as_fork(journal, done.undo_id), journal)
    with Store(path) as store:
        assert [message.text for message in live_messages(store, beside.target_id)] == original
        assert {node.session.id: node.kind for node in store.chain("s").nodes}[
            beside.target_id
        ] is Kind.BRANCH
        assert live_messages(store, done.target_id)[-1].text == "on"


def test_what_hermes_summarised_before_is_not_ours_in_a_conversation_restored_beside(tmp_path: Path) -> None:
    """Run with 0.14.0: a copy of a session that was a continuation begins with the summary Hermes wrote."""
    path = conversation(tmp_path / "state.db", "0.13")
    run(path, f"UPDATE messages SET role = 'user', content = '{LONG_SUMMARY} so far' WHERE id = 4")
    journal = journal_of(path)
    done = applied(path, journal)
    beside = execute(undo_as_fork(journal, done.undo_id), journal)
    with Store(path) as store:
        newest = [store.conversation(one).generations[-1] for one in (done.target_id, beside.target_id)]
    ours = [one.boundary.own.id if one.boundary and one.boundary.own else None for one in newest]
    assert ours == [done.undo_id, None]


def test_another_database_at_the_same_place_is_left_alone(tmp_path: Path, journal: Journal) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    done = applied(path, journal)
    kept = tmp_path / "kept.db"
    path.rename(kept)
    with pytest.raises(NotFoundError, match="gone"):
        undo(journal, done.undo_id)
    conversation(path, "0.19")
    with pytest.raises(DatabaseError, match="another database"):
        undo(journal, done.undo_id)


def test_a_pending_entry_is_decided_by_what_the_database_holds(tmp_path: Path, journal: Journal) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    done = applied(path, journal)
    journal.mark(done.undo_id, EntryState.PENDING)
    assert [entry.state for entry in recover(journal)] == [EntryState.APPLIED]
    undo(journal, done.undo_id)
    journal.mark(done.undo_id, EntryState.PENDING)
    assert [entry.state for entry in recover(journal)] == [EntryState.ABANDONED]
    assert recover(journal) == ()


@pytest.mark.parametrize("mode", [ApplyMode.IN_PLACE, ApplyMode.CONTINUATION])
def test_a_file_that_lost_its_count_of_ids_loses_no_message_to_an_undo(
    tmp_path: Path, journal: Journal, mode: ApplyMode
) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    run(path, "DELETE FROM sqlite_sequence")
    before = dump(path)["messages"]
    done = applied(path, journal, mode)
    assert len(done.inserted) == journal.entry(done.undo_id).summary.written == 9
    undo(journal, done.undo_id)
    assert dump(path)["messages"] == before


def test_a_pending_entry_of_a_damaged_database_keeps_no_other_from_being_undone(
    tmp_path: Path, journal: Journal
) -> None:
    done, pending = (applied(conversation(tmp_path / name, "0.13"), journal) for name in ("a.db", "b.db"))
    journal.mark(pending.undo_id, EntryState.PENDING)
    pending.database.write_bytes(b"no database" * 1000)
    assert undo(journal, done.undo_id).state is EntryState.UNDONE
    assert journal.entry(pending.undo_id).summary.state is EntryState.PENDING


def test_the_journal_lies_in_the_users_state_directory() -> None:
    assert journal_path() == state_directory({"XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]}) / "journal.db"
    assert state_directory({"HOME": "/h"}) == Path("/h/.local/state/hermes-inspector")


def compressed_here(path: Path, release: str = "0.19", since: int = 0) -> Path:
    """What `/compress here 2` leaves: the compressed part written back, the kept two turns archived."""
    with SessionDatabase(path, release) as database:
        compress_here(database)
        for number in range(since):
            database.turn("s", f"since {number}")
    return path


def asks(store: Store) -> list[str]:
    return [message.text for message in live_messages(store, "s") if message.role == "user"]


@pytest.mark.parametrize("since", [0, 2])
def test_lost_turns_come_back_where_they_belong(tmp_path: Path, journal: Journal, since: int) -> None:
    path = compressed_here(tmp_path / "state.db", since=since)
    before = dump(path)
    with Store(path) as store:
        lost, later = store.lost_tail("s")
        assert (len(lost), len(later)) == (8, 4 * since)
        rehearsal = rehearse_repair(store, "s")
    done = execute(rehearsal, journal)
    with Store(path) as store:
        spoken = [f"ask since {number}" for number in range(since)]
        assert asks(store) == ["ask 0", f"{SUMMARY} so far", "ask 3", "ask 4", "ask 5", *spoken]
        assert store.lost_tail("s") == ((), ())
        assert store.session("s").messages == len(live_messages(store, "s"))
    undo(journal, done.undo_id)
    assert dump(path) == before


def test_a_compaction_that_kept_its_tail_lost_nothing(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with SessionDatabase(path, "0.19") as database:
        database.session("s")
        for number in range(6):
            database.turn("s", str(number))
        database.compact("s", 3, 6, "so far")
        database.turn("s", "later")
    with Store(path) as store:
        assert store.lost_tail("s") == ((), ())
        with pytest.raises(UsageError, match="lost"):
            rehearse_repair(store, "s")


def test_a_conversation_says_what_it_lost(tmp_path: Path) -> None:
    with Store(compressed_here(tmp_path / "state.db")) as store:
        assert any("that it was to keep" in note for note in store.conversation("s").notes)
