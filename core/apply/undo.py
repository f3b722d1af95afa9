"""Taking back what an apply wrote, exactly, as long as nobody has gone on from it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from core.apply.cells import Image, dump, load, same
from core.apply.database import (
    delete_rows,
    identity_of,
    opened,
    read_images,
    sequence_of,
    transaction,
    update_rows,
)
from core.apply.journal import Entry, Journal, Record
from core.apply.lock import compression_lock, refresh
from core.apply.rehearse import rehearse_messages
from core.apply.transcript import live_rows
from core.errors import DatabaseError, NotFoundError, UsageError
from core.model.apply import ApplyMode, EntryState, JournalEntry, Rehearsal
from core.store.store import Store

_DERIVED = frozenset(("display_identity", "display_order"))
"""Columns of a message that Hermes fills in again by itself."""
_COUNTERS = ("message_count", "api_call_count", "input_tokens", "output_tokens")
"""Columns of a session that move when a conversation goes on; a title or a flag may change meanwhile."""


def undo(journal: Journal, entry_id: str) -> JournalEntry:
    """Put back every row an operation replaced and take away every row it wrote.

    Raises:
        NotFoundError: No such entry, or its database is gone.
        UsageError: It was undone before, or never reached the database.
        DatabaseError: Hermes has continued since; nothing was changed.
    """
    recover(journal)
    entry = journal.entry(entry_id)
    summary = entry.summary
    if summary.state is not EntryState.APPLIED:
        raise UsageError(f"{summary.id} cannot be undone: it is {summary.state.value}")
    if not summary.database.exists():
        raise NotFoundError("the database is gone", where=str(summary.database))
    with opened(summary.database) as connection, compression_lock(connection, summary.session_id) as holder:
        if identity_of(connection, summary.database) != entry.identity:
            raise DatabaseError("another database lies there now", where=str(summary.database))
        with transaction(connection):
            refresh(connection, summary.session_id, holder)
            _require_untouched(connection, entry)
            _restore(connection, entry)
            _require_restored(connection, entry)
    journal.mark(summary.id, EntryState.UNDONE)
    return journal.entry(summary.id).summary


def undo_as_fork(journal: Journal, entry_id: str) -> Rehearsal:
    """The conversation as it was before an operation, to be written beside it as a new session.

    For when Hermes has continued, so that the operation itself can no longer be taken back. No row it
    replaced is ever deleted, so they need only be copied. Pass the result to `execute`.

    Raises:
        NotFoundError: No such entry, or its database is gone.
    """
    entry = journal.entry(entry_id)
    with Store(entry.summary.database) as store:
        replaced = [int(record.key) for record in _messages(entry) if _was_live(record)]
        rows = tuple(sorted(replaced)) or live_rows(store, entry.summary.session_id)
        messages = store.messages(rows)
        return rehearse_messages(
            store, entry.summary.session_id, messages, messages, len(messages), ApplyMode.FORK
        )


def _was_live(record: Record) -> bool:
    return record.before is not None and bool(record.before.get("active"))


def recover(journal: Journal) -> tuple[JournalEntry, ...]:
    """Find out what became of operations a crash left pending; returns the ones decided.

    The journal is written before a transaction commits, so an entry is either wholly in the database or not
    in it at all, and its new rows tell which.
    """
    decided = []
    for summary in journal.entries():
        if summary.state is EntryState.PENDING and summary.database.exists():
            entry = journal.entry(summary.id)
            state = EntryState.APPLIED if _reached(entry) else EntryState.ABANDONED
            journal.mark(summary.id, state)
            decided.append(journal.entry(summary.id).summary)
    return tuple(decided)


def _reached(entry: Entry) -> bool:
    written = [record for record in _messages(entry) if record.before is None]
    if not written:
        return False
    with opened(entry.summary.database) as connection:
        return not any(_differs(connection, record) for record in written)


def _messages(entry: Entry) -> Iterator[Record]:
    yield from (record for record in entry.records if record.table == "messages")


def _require_untouched(connection: sqlite3.Connection, entry: Entry) -> None:
    reason = _continued(connection, entry)
    if reason:
        raise DatabaseError(
            f"Hermes has continued since: {reason}",
            where=entry.summary.target_id,
            remedy="`undo --fork` puts the old conversation beside it as a new session",
        )


def _continued(connection: sqlite3.Connection, entry: Entry) -> str:
    known = {record.key for record in _messages(entry) if record.before is None}
    query = "SELECT id FROM messages WHERE session_id = ? AND id > ?"
    target = entry.summary.target_id
    later = [row for (row,) in connection.execute(query, (target, entry.sequence[0])) if row not in known]
    if later:
        return f"{len(later)} messages were added"
    if entry.summary.target_id != entry.summary.session_id:
        query = "SELECT count(*) FROM sessions WHERE parent_session_id = ?"
        (children,) = connection.execute(query, (target,)).fetchone()
        if children:
            return "other sessions came from the new one"
    changed = [record for record in entry.records if _differs(connection, record)]
    return f"{len(changed)} rows were changed" if changed else ""


def _differs(connection: sqlite3.Connection, record: Record) -> bool:
    """Whether a row is no longer as the operation left it."""
    found = read_images(connection, record.table, "id", [record.key])
    if not found or record.after is None:
        return True
    expected = {**(record.before or {}), **record.after}
    watched = _watched(record, expected) & found[0].keys()
    return not same({name: found[0][name] for name in watched}, {name: expected[name] for name in watched})


def _watched(record: Record, expected: Image) -> set[str]:
    if record.table == "messages":
        return expected.keys() - _DERIVED
    changed = record.after or {} if record.before is not None else {}
    return {*changed, *_COUNTERS} & expected.keys()


def _restore(connection: sqlite3.Connection, entry: Entry) -> None:
    written = [record.key for record in _messages(entry) if record.before is None]
    delete_rows(connection, "messages", written)
    made = [record.key for record in entry.records if record.table == "sessions" and record.before is None]
    delete_rows(connection, "sessions", made)
    # Twice: triggers that follow the first round renumber rows which the second sets right.
    for _ in range(2):
        for table, changes, keys in _alike(entry):
            update_rows(connection, table, keys, changes)
    if sequence_of(connection) == entry.sequence[1]:
        connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages'", (entry.sequence[0],))


def _alike(entry: Entry) -> Iterator[tuple[str, Image, list[str | int]]]:
    """Changed rows, those to be set to the same values together."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in entry.records:
        if record.before is not None and record.after:
            old = dump({name: record.before[name] for name in record.after})
            groups.setdefault((record.table, old), []).append(record)
    for (table, old), records in groups.items():
        yield table, load(old), [record.key for record in records]


def _require_restored(connection: sqlite3.Connection, entry: Entry) -> None:
    for record in entry.records:
        found = read_images(connection, record.table, "id", [record.key])
        if record.before is None:
            exact = not found
        else:
            # Of a session only what the operation changed is put back; the rest may have moved on.
            names = record.before.keys() if record.table == "messages" else (record.after or {}).keys()
            old = {name: record.before[name] for name in names}
            exact = bool(found) and same({name: found[0][name] for name in names}, old)
        if not exact:
            raise DatabaseError(
                f"row {record.key} of {record.table} could not be put back; nothing was changed"
            )
