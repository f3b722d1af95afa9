"""Turns a preview, or turns a release lost, into exact rows, and tries them on a private copy."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from core.apply.checks.guards import check_guards, refused, require
from core.apply.database.connection import RawText, insert_image, opened, read_images, transaction
from core.apply.database.snapshot import live_messages
from core.apply.new_rows import call_count, loaded_alike, new_rows, new_session, session_changes, stored
from core.apply.write import stage_inserts, write
from core.errors import InspectorError, UsageError
from core.model.compaction.apply import ApplyMode, NewRow, Rehearsal
from core.model.compaction.preview import Preview
from core.model.transcript.message import Message
from core.store.database.connect import open_readonly, reading
from core.store.store import Store

_SHADOWS = ("data", "idx", "content", "docsize", "config")
_ROWS = (("sessions", "id"), ("messages", "session_id"))


def rehearse(store: Store, session_id: str, preview: Preview, mode: ApplyMode | None = None) -> Rehearsal:
    """Compute every row a preview of a session would write, and try the statements on a private copy.

    Without a mode it is written as the release does.

    Raises:
        UsageError: There is nothing to apply, or this database cannot be written in that mode.
        InspectorError: The private copy did not yield the messages of the preview.
    """
    if preview.feedback.noop or preview.feedback.aborted or preview.summary_index is None:
        raise UsageError("there is nothing to apply", where=session_id, remedy=preview.feedback.headline)
    made = rehearse_messages(store, session_id, preview.before, preview.after, preview.summary_index, mode)
    return replace(made, call=preview.call)


def rehearse_messages(
    store: Store,
    session_id: str,
    before: tuple[Message, ...],
    after: tuple[Message, ...],
    tail_from: int,
    mode: ApplyMode | None = None,
) -> Rehearsal:
    """Like `rehearse` for any new transcript; copies from `after[tail_from]` on count as carried forward."""
    mode = mode or (ApplyMode.IN_PLACE if store.schema.archives else ApplyMode.CONTINUATION)
    if mode is ApplyMode.IN_PLACE and not store.schema.archives:
        raise UsageError("this database is older than compaction in place", remedy="Use --mode continuation")
    schema, session, now = store.schema, store.session(session_id), time.time()
    # Up to 0.17 rows of a rotation get the time of writing, and 0.17 loads them by time.
    rows = new_rows(before, after, schema, restamped=not schema.archives)
    counts = (len(rows), call_count(rows, before))
    made = new_session(store.connection, session, mode, schema, counts, now)
    carried = _carried(rows, len(stored(after[:tail_from])), store) if mode is ApplyMode.IN_PLACE else ()
    retired = tuple(message.row.id for message in before if message.row) if mode is ApplyMode.IN_PLACE else ()
    rehearsal = Rehearsal(
        database=store.path,
        mode=mode,
        session_id=session_id,
        target_id=str(made.get("id", session_id)),
        archived=tuple(row for row in retired if row not in carried),
        superseded=carried,
        inserted=rows,
        changes=session_changes(session, mode, schema, counts, now),
        new_session=made,
        before=before,
        after=stored(after),
    )
    return verify(store, rehearsal)


def rehearse_repair(store: Store, session_id: str) -> Rehearsal:
    """Compute the rows that put a lost tail back in its place; pass the result to `execute`.

    The lost turns are copied after the compaction. What was said since must come after them, so it is copied
    again and its first rows are hidden, as Hermes hides rows that a newer one repeats.

    Raises:
        UsageError: This session has lost nothing.
    """
    lost, later = store.lost_tail(session_id)
    if not lost:
        raise UsageError("no partial compression lost anything here", where=session_id)
    before = live_messages(store, session_id)
    staying = tuple(message for message in before if message.row and message.row.id not in later)
    moved = tuple(message for message in before if message.row and message.row.id in later)
    returning = store.messages(lost) + moved
    after = staying + returning
    rows = new_rows(returning, returning, store.schema, restamped=False)
    calls = call_count(rows, returning) + sum(len(message.tool_calls) for message in staying)
    session, counts = store.session(session_id), (len(after), calls)
    changes = session_changes(session, ApplyMode.IN_PLACE, store.schema, counts, time.time())
    rehearsal = Rehearsal(
        database=store.path,
        mode=ApplyMode.IN_PLACE,
        session_id=session_id,
        target_id=session_id,
        archived=(),
        superseded=later,
        inserted=tuple(replace(row, position=row.position + len(staying)) for row in rows),
        changes=changes,
        new_session={},
        before=before,
        after=after,
    )
    return verify(store, rehearsal)


def verify(store: Store, rehearsal: Rehearsal) -> Rehearsal:
    """The rehearsal, once its statements have produced the right messages on a private copy.

    Raises:
        DatabaseError: The session changed since the preview; every guard that refuses is named.
        InspectorError: The messages are wrong although the session had not changed.
    """
    loaded, seconds = try_on_copy(store, rehearsal)
    if not same_transcript(loaded, rehearsal.after):
        with Store(rehearsal.database) as fresh:  # the other may be a copy from before the change
            results = check_guards(fresh, rehearsal, integrity_seconds=0)
        if any(one.name == "unchanged" for one in refused(results)):
            require(results)
        raise InspectorError("the rows would not load as the preview shows them; nothing was written")
    return replace(rehearsal, verified=True, seconds=seconds)


def same_transcript(loaded: tuple[Message, ...], expected: tuple[Message, ...]) -> bool:
    """Whether two lists of messages are the same to the model."""
    return len(loaded) == len(expected) and all(map(loaded_alike, loaded, expected))


def _carried(rows: tuple[NewRow, ...], tail_from: int, store: Store) -> tuple[int, ...]:
    """Originals of the new tail; empty for releases that do not know copies by identity."""
    if not store.schema.has_uids:
        return ()
    return tuple(row.source_row for row in rows if row.source_row is not None and row.position >= tail_from)


def try_on_copy(store: Store, rehearsal: Rehearsal) -> tuple[tuple[Message, ...], float]:
    """Execute a rehearsal on a private copy and load the result as Hermes would.

    Only the one session is copied, so the size of the database does not matter. Returns the messages, and the
    CPU seconds of the transaction, which do not depend on the machine's present load.
    """
    with tempfile.TemporaryDirectory(prefix="hermes-inspector-") as folder:
        path = Path(folder) / "rehearsal.db"
        _copy(store.path, path, rehearsal.session_id)
        # Parents and prompts of this session are not copied, so references may dangle here.
        with (
            opened(path, references=False) as connection,
            stage_inserts(connection, rehearsal, time.time()),
            transaction(connection),
        ):
            began = time.thread_time()
            write(connection, rehearsal)
        seconds = time.thread_time() - began
        with Store(path) as copy:
            return live_messages(copy, rehearsal.target_id), seconds


def _copy(source: Path, target: Path, session_id: str) -> None:
    with closing(open_readonly(source)) as reader, reading(source):
        made, triggers = _schema(reader)
        reader.text_factory = RawText
        tables = [(name, read_images(reader, name, column, [session_id])) for name, column in _ROWS]
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for statement in made:
            connection.execute(statement)
        for name, images in tables:
            for image in images:
                insert_image(connection, name, image)
        # After the rows, which already have what the triggers would fill in; nothing is searched here.
        for statement in triggers:
            connection.execute(statement)
        connection.execute("COMMIT")


def _schema(reader: sqlite3.Connection) -> tuple[list[str], list[str]]:
    """The statements that create tables, views and indexes, and those that create triggers.

    Shadow tables are left out: they are created with the full-text table that owns them.
    """
    rows = reader.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    virtual = {name for _, name, sql in rows if sql.upper().startswith("CREATE VIRTUAL")}
    own = [row for row in rows if not _shadows(row[1], virtual) and not row[1].startswith("sqlite_")]
    order = ("table", "view", "index")
    made = sorted(
        (row for row in own if row[0] in order), key=lambda row: (row[1] in virtual, order.index(row[0]))
    )
    return [sql for _, _, sql in made], [sql for kind, _, sql in own if kind == "trigger"]


def _shadows(name: str, virtual: set[str]) -> bool:
    return name not in virtual and any(name in {f"{owner}_{part}" for part in _SHADOWS} for owner in virtual)
