"""Undoes an apply, or restores the old conversation as a new session."""

from __future__ import annotations

from core.apply.database.connection import opened, transaction
from core.apply.database.lock import compression_lock, refresh
from core.apply.database.snapshot import live_rows
from core.apply.journal import Journal
from core.apply.rehearse import rehearse_messages
from core.apply.restore import holds_rows, how_continued, is_back, put_back, stage_restoration
from core.apply.write import texts_untouched
from core.errors import DatabaseError, NotFoundError, UsageError
from core.model.compaction.apply import ApplyMode, EntryState, JournalEntry, Rehearsal
from core.store.database.own_changes import identity_of
from core.store.store import Store


def undo(journal: Journal, entry_id: str) -> JournalEntry:
    """Restore every row an operation replaced and delete every row it wrote.

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
            raise DatabaseError("another database is there now", where=str(summary.database))
        what = stage_restoration(connection, entry)
        with texts_untouched(connection), transaction(connection):
            refresh(connection, summary.session_id, holder)
            # A crash may have come between an undo and its record in the journal.
            if not is_back(connection, what):
                if reason := how_continued(connection, what):
                    raise DatabaseError(
                        f"Hermes has continued since: {reason}",
                        where=summary.target_id,
                        remedy="`undo --fork` restores the old conversation as a new session",
                    )
                put_back(connection, what)
    journal.mark(summary.id, EntryState.UNDONE)
    return journal.entry(summary.id).summary


def undo_as_fork(journal: Journal, entry_id: str) -> Rehearsal:
    """The conversation as it was before an operation, to be written as a new session.

    This is for a conversation that has continued, so that the operation itself can no longer be undone.
    Replaced rows are never deleted, so they only need to be copied. Pass the result to `execute`.

    Raises:
        NotFoundError: No such entry, or its database is gone.
    """
    entry = journal.entry(entry_id)
    with Store(entry.summary.database) as store:
        replaced = [
            int(record.key) for record in entry.messages if record.before and record.before.get("active")
        ]
        rows = tuple(sorted(replaced)) or live_rows(store, entry.summary.session_id)
        messages = store.messages(rows)
        return rehearse_messages(
            store, entry.summary.session_id, messages, messages, len(messages), ApplyMode.FORK
        )


def recover(journal: Journal) -> tuple[JournalEntry, ...]:
    """Determine the outcome of operations that a crash left pending; returns those decided.

    The journal is written before a transaction commits, so an entry is either wholly in the database or not
    at all, and its new rows show which. One whose database cannot be read now stays pending.
    """
    decided = []
    for summary in journal.entries():
        if summary.state is not EntryState.PENDING or not summary.database.exists():
            continue
        try:
            with opened(summary.database) as connection:
                reached = holds_rows(connection, journal.entry(summary.id))
        except DatabaseError:
            continue
        journal.mark(summary.id, EntryState.APPLIED if reached else EntryState.ABANDONED)
        decided.append(journal.entry(summary.id).summary)
    return tuple(decided)
