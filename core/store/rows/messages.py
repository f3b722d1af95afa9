"""Reads messages by row id: whole, as one line or as stored; and the prompt and tools sent with them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from core.hermes.markers.markers import find_summary
from core.model.transcript.message import Message, json_object, stored_image
from core.model.transcript.session import Session
from core.store.database.connect import chunks, rows_in
from core.store.database.open_database import TEXTS, OpenDatabase, Schema
from core.store.rows.decode import JSON_PREFIX, Cells, call_names, shown_start, start_of_content
from core.store.rows.message_decoding import (
    MESSAGE_COLUMNS,
    message_from_row,
    repeat_columns,
    repeated_by,
    row_state,
)

if TYPE_CHECKING:
    from core.model.transcript.storage import RowPreview, ToolPin

_PREVIEW_COLUMNS = (
    "id",
    "session_id",
    "role",
    "timestamp",
    "tool_name",
    "active",
    "compacted",
    "message_uid",
    "_compressed_summary",
)
_TRACES = ("id", "session_id", "role", "timestamp", "active", "compacted", "message_uid")
_CALLS_SHOWN = 4096
_MAX_ID = 2**63 - 1
_BATCH = 500
"""How many rows of texts are held at a time."""


def read_messages(
    connection: sqlite3.Connection,
    schema: Schema,
    row_ids: Sequence[int],
    rewound: Collection[int] | None = None,
) -> tuple[Message, ...]:
    """The messages of these rows, in the order given; unknown ids are left out.

    If `rewound`, those taken back, is not known, every row has to be checked.
    """
    columns = schema.select("messages", MESSAGE_COLUMNS)
    copied: Collection[int] = ()
    if rewound is not None:
        copied = {*row_ids} - {*rewound}
    elif schema.marks_summaries:
        copied = hidden_copies(connection, schema, _rows(connection, _traces(schema), row_ids).values())
    found: dict[int, Message] = {}
    for chunk in chunks(row_ids):  # raw rows of one chunk at a time, as they are as large as the messages
        for one, row in _rows(connection, columns, chunk).items():
            found[one] = message_from_row(row, schema, row_state(row, one in copied))
    return tuple(found[one] for one in row_ids if one in found)


def read_previews(
    connection: sqlite3.Connection, schema: Schema, row_ids: Sequence[int], chars: int
) -> tuple[RowPreview, ...]:
    """One line for each of these rows, in the order given; never reads a whole body. 0 chars: no text."""
    columns = schema.select("messages", _PREVIEW_COLUMNS)
    calls = "tool_calls" if schema.has("messages", "tool_calls") else "NULL"
    columns += (
        f", {start_of_content(chars)} AS start"
        f", coalesce(length(CAST(content AS BLOB)), 0) + coalesce(length(CAST({calls} AS BLOB)), 0) AS size"
        f", substr({calls}, 1, {_CALLS_SHOWN}) AS tool_calls"
    )
    rows = _rows(connection, columns, row_ids)
    copied = hidden_copies(connection, schema, rows.values())
    return tuple(_preview(rows[one], one in copied, chars) for one in row_ids if one in rows)


def _rows(connection: sqlite3.Connection, columns: str, row_ids: Sequence[int]) -> dict[int, sqlite3.Row]:
    query = f"SELECT {columns} FROM messages WHERE"  # noqa: S608 - names from the schema
    return {row["id"]: row for row in rows_in(connection, query, "id", row_ids)}


def hidden_copies(
    connection: sqlite3.Connection, schema: Schema, rows: Iterable[sqlite3.Row]
) -> Collection[int]:
    """Ids of hidden rows that a newer row of the same session repeats."""
    marked = [row["id"] for row in rows if row["active"] == 0 and not row["compacted"]]
    if not marked or not schema.marks_summaries:
        return ()
    traces = _traces(schema)
    traced = _rows(connection, traces, marked).values()
    hidden = [(row, known_by) for row in traced if (known_by := repeated_by(row, schema)) is not None]
    last: dict[Hashable, int] = {}
    for session in {row["session_id"] for row, _ in hidden}:
        query = f"SELECT {traces} FROM messages WHERE session_id = ? ORDER BY id"  # noqa: S608 - schema names
        rows_of_session = connection.execute(query, (session,))
        last.update(((session, repeated_by(row, schema)), row["id"]) for row in rows_of_session)
    return {row["id"] for row, known_by in hidden if last[row["session_id"], known_by] > row["id"]}


def _traces(schema: Schema) -> str:
    return schema.select("messages", {*_TRACES, *repeat_columns(schema)})


def _preview(row: sqlite3.Row, copied: bool, chars: int) -> RowPreview:
    from core.model.transcript.storage import RowPreview

    cells = Cells(row)
    start: bytes = row["start"] or b""
    text = start.decode(errors="ignore")
    encoded = text.startswith(JSON_PREFIX)
    names = call_names(cells.text("tool_calls") or "")
    tool = cells.text("tool_name") or next(iter(names), None)
    return RowPreview(
        id=row["id"],
        session_id=str(row["session_id"]),
        role=cells.text("role") or "?",
        text=shown_start(start, chars) if chars else "",
        size=row["size"],
        state=row_state(row, copied),
        timestamp=cells.time("timestamp"),
        tool_name=tool,
        calls=len(names),
        is_summary=bool(row["_compressed_summary"]) or find_summary(text) is not None,
        images=encoded and stored_image(text),
        damage=tuple(cells.damage),
    )


def newest_row(connection: sqlite3.Connection, upto: int = _MAX_ID) -> int:
    """The greatest row id up to a limit; 0 without rows.

    Ids that are not whole numbers, as in a hand-made table, are ignored.
    """
    (newest,) = connection.execute("SELECT max(id) FROM messages WHERE id <= ?", (upto,)).fetchone()
    if not isinstance(newest, int | None):
        numbers = "SELECT max(id) FROM messages WHERE typeof(id) = 'integer' AND id <= ?"
        (newest,) = connection.execute(numbers, (upto,)).fetchone()
    return newest or 0


def next_row(connection: sqlite3.Connection, after: int) -> int | None:
    """The row id that follows another; None after the last."""
    numbers = "SELECT min(id) FROM messages WHERE id > ? AND typeof(id) = 'integer'"
    (found,) = connection.execute(numbers, (after,)).fetchone()
    return None if found is None else int(found)


def rows_after(connection: sqlite3.Connection, row: int, limit: int) -> list[int]:
    """The next messages of the session a message is in."""
    query = (
        "SELECT id FROM messages WHERE session_id = (SELECT session_id FROM messages WHERE id = ?1) "
        "AND id > ?1 ORDER BY id LIMIT ?2"
    )
    return [one for (one,) in connection.execute(query, (row, limit)) if isinstance(one, int)]


def read_system_prompt(connection: sqlite3.Connection, schema: Schema, session: Session) -> str | None:
    """The system prompt of a session, from the shared table (0.22) or its own row."""
    shared = _shared_text(connection, schema, session.system_prompt_hash)
    if shared is not None or not schema.has("sessions", "system_prompt"):
        return shared
    row = connection.execute("SELECT system_prompt FROM sessions WHERE id = ?", (session.id,)).fetchone()
    return Cells(row).text("system_prompt") if row else None


def read_tools(connection: sqlite3.Connection, schema: Schema, session: Session) -> ToolPin | None:
    """The tool schemas a session last sent (0.22); None where they are not stored or cannot be read."""
    pin = json_object(_shared_text(connection, schema, session.tools_hash))
    if pin is None:
        return None
    from core.model.transcript.storage import ToolPin

    tools = pin.get("tools")
    version = pin.get("version")
    return ToolPin(
        version=None if version is None else str(version),
        tools=tuple(tools) if isinstance(tools, list) else (),
    )


def _shared_text(connection: sqlite3.Connection, schema: Schema, key: str | None) -> str | None:
    if key is None or not schema.has("system_prompts", "hash", "prompt"):
        return None
    row = connection.execute("SELECT prompt FROM system_prompts WHERE hash = ?", (key,)).fetchone()
    return Cells(row).text("prompt") if row else None


def read_texts(store: OpenDatabase, session: str) -> Iterator[list[tuple[int, bytes]]]:
    """Ids and texts of all rows of a session, whatever became of them, in batches."""
    query = (
        f"SELECT id, {raw_texts(store.schema)} FROM messages WHERE session_id = ? AND id > ? "  # noqa: S608 - own names
        f"ORDER BY id LIMIT {_BATCH}"
    )
    last = -1
    while True:
        rows = store.query(query, (session, last))
        if not rows:
            return
        yield [(row[0], joined_raw(row[1:])) for row in rows]
        last = rows[-1][0]


def raw_texts(schema: Schema) -> str:
    """The columns of texts as bytes: nothing is decoded needlessly, and no NUL ends a text."""
    has = schema.columns.get("messages", frozenset())
    return ", ".join(f"CAST({name} AS BLOB)" if name in has else "NULL" for name in TEXTS)


def joined_raw(texts: Iterable[bytes | None]) -> bytes:
    """The texts of one row, joined by newlines."""
    return b"\n".join(text for text in texts if text)
