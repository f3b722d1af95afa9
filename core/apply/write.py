"""Writes a rehearsed compaction within a transaction that the caller holds."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from core.apply.database.connection import (
    Cell,
    Image,
    RawText,
    bind,
    columns_of,
    insert_image,
    insert_messages,
    read_images,
    stage,
    update_rows,
)
from core.apply.journal_rows import ROUTES, Record
from core.model.compaction.apply import ApplyMode, Rehearsal
from core.model.transcript.message import json_object

_HEAD = re.compile(r"\bUPDATE\b(?:\s+OF\b[^;]*?)?\s+ON\s+\"?messages\"?(?:\s|$)", re.IGNORECASE)
_FTS_STEP = re.compile(r"\s*(?:DELETE\s+FROM|INSERT\s+INTO)\s+messages_fts\w*\b", re.IGNORECASE)
_MARKS = re.compile(r"\b(?:active|compacted)\b", re.IGNORECASE)
_NEW = "new_rows"
_STEP = 1e-6
"""Seconds between the rows of a compaction, to keep their order if it depends on times."""
_DEFAULTS = {"observed": 0, "_compressed_summary": 0}
_LIVE = {"active": 1, "compacted": 0, "display_order": None}
"""Values of a live row; the database's own triggers set its display order."""


@contextmanager
def texts_untouched(connection: sqlite3.Connection) -> Iterator[None]:
    """Within this context, setting `active` and `compacted` of messages does not index their texts again.

    A trigger of this connection fires before the database's own and ends the triggers of the row. It is used
    only if all of those merely index texts; if SQLite fired it after them, the rows would be indexed again,
    which is slow but not wrong.
    """
    if not _only_index(connection):
        yield
        return
    connection.execute(
        "CREATE TEMP TRIGGER texts_untouched AFTER UPDATE OF active, compacted ON main.messages "
        "BEGIN SELECT RAISE(IGNORE); END"
    )
    try:
        yield
    finally:
        connection.execute("DROP TRIGGER temp.texts_untouched")


def _only_index(connection: sqlite3.Connection) -> bool:
    """Whether a message has triggers on update, and all of them only index its text."""
    query = (
        "SELECT CAST(sql AS BLOB) FROM main.sqlite_master WHERE type = 'trigger' AND tbl_name = 'messages'"
    )
    found = (sql.decode(errors="replace") for (sql,) in connection.execute(query).fetchall())
    parts = [re.split(r"\bBEGIN\b", sql, maxsplit=1, flags=re.IGNORECASE) for sql in found]
    following = [(head, body) for head, body in parts if _HEAD.search(head)]
    return bool(following) and all(_indexes(head, body) for head, body in following)


def _indexes(head: str, body: str) -> bool:
    steps = re.sub(r"\bEND\s*;?\s*$", "", body, flags=re.IGNORECASE).split(";")
    asks = _MARKS.search(head + body)
    return asks is None and all(_FTS_STEP.match(step) for step in steps if step.strip())


@contextmanager
def stage_inserts(connection: sqlite3.Connection, rehearsal: Rehearsal, now: float) -> Iterator[None]:
    """Stage what `write` inserts, before the database is locked."""
    known = [name for name in columns_of(connection, "messages") if name != "id"]
    stage(connection, _NEW, known, _images(connection, rehearsal, known, now))
    with texts_untouched(connection):
        yield


def write(connection: sqlite3.Connection, rehearsal: Rehearsal) -> tuple[int, ...]:
    """Write the rows of a prepared rehearsal; the database's own triggers update the full-text tables.

    Returns the ids of the rows inserted, in order.
    """
    if rehearsal.new_session:
        (source,) = read_images(connection, "sessions", "id", [rehearsal.session_id])
        insert_image(connection, "sessions", source | rehearsal.new_session)
    for keys, marks in rows_to_retire(rehearsal):
        update_rows(connection, "messages", keys, marks)
    inserted = insert_messages(connection, _NEW)
    changes = {change.column: change.new for change in rehearsal.changes}
    update_rows(connection, "sessions", [rehearsal.session_id], changes)
    return inserted


def follow(connection: sqlite3.Connection, rehearsal: Rehearsal) -> Iterator[Record]:
    """Let a gateway's chat continue with the new session, and reset the size of its last prompt.

    The gateway's own compaction does so too: with the old size it would compress the new transcript at once.
    """
    if rehearsal.mode is ApplyMode.FORK or not columns_of(connection, ROUTES):
        return
    query = "SELECT rowid, entry_json FROM gateway_routing WHERE instr(entry_json, ?)"
    for key, old in connection.execute(query, (rehearsal.session_id,)).fetchall():
        entry = json_object(old) or {}
        if entry.get("session_id") == rehearsal.session_id:
            entry |= {"session_id": rehearsal.target_id, "last_prompt_tokens": 0}
            new = RawText(json.dumps(entry).encode())
            set_route(connection, key, old, new)
            yield Record(ROUTES, key, {"entry_json": old}, {"entry_json": new})


def set_route(connection: sqlite3.Connection, key: str | int, old: Cell, new: Cell) -> None:
    """Change a chat's route in the gateway's table, unless the gateway has changed it itself."""
    (was, before), (mark, value) = bind(old), bind(new)
    query = f"UPDATE gateway_routing SET entry_json = {mark} WHERE rowid = ? AND entry_json = {was}"  # noqa: S608
    connection.execute(query, (value, key, before))


def rows_to_retire(rehearsal: Rehearsal) -> tuple[tuple[tuple[int, ...], Image], ...]:
    """Rows that leave the transcript, and the columns set in them."""
    return (
        (rehearsal.superseded, {"active": 0, "compacted": 0}),
        (rehearsal.archived, {"active": 0, "compacted": 1}),
    )


def _images(
    connection: sqlite3.Connection, rehearsal: Rehearsal, known: list[str], now: float
) -> Iterator[Image]:
    """The rows to insert, complete and all with the same columns."""
    source_rows = [row.source_row for row in rehearsal.inserted if row.source_row is not None]
    sources = {image["id"]: image for image in read_images(connection, "messages", "id", source_rows)}
    for position, row in enumerate(rehearsal.inserted):
        origin = {**_DEFAULTS} if row.source_row is None else sources[row.source_row]
        image = {name: origin.get(name) for name in known} | _LIVE | row.values
        image |= {"session_id": rehearsal.target_id}
        if image.get("timestamp") is None:
            image["timestamp"] = now + position * _STEP
        yield {name: image[name] for name in known}
