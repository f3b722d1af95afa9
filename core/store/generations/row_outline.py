"""The outlines of a session's messages, which tell generations apart without the message bodies."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import Any

from core.hermes.markers.markers import PREFILTERS, SummaryMatch, find_summary
from core.model.transcript.message import Message, RowState
from core.store.database.connect import BoundedConnection
from core.store.database.open_database import Schema
from core.store.rows.decode import HOLDS_SUMMARY, Cells, is_plain, loaded_text
from core.store.rows.message_decoding import call_ids, repeat_columns, repeated_by, row_state

_STRIPPED_IMAGES = ("[screenshot]", "[Attached image — stripped after compression]")
_COLUMNS = ("id", "role", "active", "compacted", "timestamp", "message_uid", "_compressed_summary")
_MIN_CACHED_ROWS, _MAX_CACHED = 500, 4
"""Sessions with at least this many rows are cached, and this many sessions."""


@dataclass(slots=True)
class RowOutline:
    """One row without its body.

    Attributes:
        uid: A number for its `message_uid`, a third the size of the text; None without one.
        key: What a copy of this message shares with it; None until needed. Negative if it stands for ids of
            calls in addition to texts, which may recur.
        summary: The summary in it, if there is one.
    """

    id: int
    role: str
    state: RowState
    timestamp: float | None
    uid: int | None
    key: int | None = None
    summary: SummaryMatch | None = None
    flagged: bool = False

    @property
    def identity(self) -> int | None:
        """What identifies the message: its `message_uid`, else its key."""
        return self.uid or self.key


def read_outlines(connection: sqlite3.Connection, schema: Schema, session_id: str) -> list[RowOutline]:
    """Every row of a session by id, with its summaries found."""
    known = _cached(connection, schema, session_id)
    rows = _rows(connection, schema, session_id, known.last)
    if known.hidden and any(_number(repeated_by(row, schema)) in known.hidden for row in rows):
        known, rows = CachedOutlines(), _rows(connection, schema, session_id, None)
    last = {repeated_by(row, schema): row["id"] for row in rows}
    outlines = [*known.outlines, *(_outline(row, _is_repeated(row, schema, last)) for row in rows)]
    _remember(connection, schema, session_id, known, outlines, rows)
    return outlines


def _rows(
    connection: sqlite3.Connection, schema: Schema, session_id: str, after: int | None
) -> list[sqlite3.Row]:
    newer = "" if after is None else f"AND id > {after} "
    query = (
        f"SELECT {schema.select('messages', {*_COLUMNS, *repeat_columns(schema)})}, "  # noqa: S608 - names from the schema
        f"CASE WHEN role IN ('user', 'assistant') AND ({HOLDS_SUMMARY}) THEN content END AS candidate "
        f"FROM messages WHERE session_id = ? {newer}ORDER BY id"
    )
    return connection.execute(query, (*PREFILTERS, session_id)).fetchall()


def add_keys(
    connection: sqlite3.Connection, schema: Schema, session_id: str, outlines: list[RowOutline]
) -> None:
    """Give every outline the key that its copies share; reads each body once and keeps none."""
    missing = [outline for outline in outlines if outline.key is None]
    first = next((outline.id for outline in missing if isinstance(outline.id, int)), 0)
    columns = schema.select("messages", ("id", "role", "tool_call_id", "tool_calls"))
    # A result is identified by its call; its text, often the longest of all, need not be read.
    named = "role = 'tool' AND tool_call_id <> ''" if schema.has("messages", "tool_call_id") else "0"
    query = (
        f"SELECT {columns}, CASE WHEN {named} THEN NULL ELSE content END AS content "  # noqa: S608 - schema names
        "FROM messages WHERE session_id = ? AND id >= ?"
    )
    rows = connection.execute(query, (session_id, first)) if missing else ()
    keys = {row["id"]: _parts(row) for row in rows}
    for outline in missing:
        role, calls, text = keys.get(outline.id, ("gone", outline.id, None))
        if outline.summary and outline.summary.merged:
            # A row that holds both a summary and a message of the tail is compared by that message.
            text = text_key(outline.summary.before or outline.summary.after)
        key = _number((role, calls, text))
        outline.key = -key if calls else key


def text_key(text: str) -> Hashable:
    """The key of plain text: trimmed as Hermes loads it, without placeholders for pictures."""
    text = loaded_text(text)
    if any(mark in text for mark in _STRIPPED_IMAGES):
        lines = [line for line in text.split("\n") if line.strip() not in _STRIPPED_IMAGES]
        text = "\n".join(lines).strip()
    return hash(text)


def _is_repeated(row: sqlite3.Row, schema: Schema, last: Mapping[Hashable, int]) -> bool:
    """Whether a newer row repeats it."""
    known_by = repeated_by(row, schema)
    return known_by is not None and last[known_by] > row["id"]


def _outline(row: sqlite3.Row, copied_later: bool) -> RowOutline:
    uid = row["message_uid"] or None
    timestamp = row["timestamp"]
    return RowOutline(
        id=row["id"],
        role=intern(str(row["role"])),
        state=row_state(row, copied_later),
        timestamp=float(timestamp) if isinstance(timestamp, int | float) else None,
        uid=None if uid is None else _number(uid),
        summary=find_summary(_readable(row, "candidate")) if row["candidate"] is not None else None,
        flagged=bool(row["_compressed_summary"]),
    )


def _number(known_by: Hashable) -> int:
    """A 60-bit hash: a Python integer of 64 bits takes half as much memory again."""
    return hash(known_by) & ((1 << 60) - 1)


def _readable(row: sqlite3.Row, column: str) -> str:
    content = row[column]
    return str(content) if is_plain(content) else Message({"content": Cells(row).content(column)}).text


def _parts(row: sqlite3.Row) -> tuple[str, Hashable, Hashable]:
    """Role, ids of calls, and text, by which copies of a message are recognised."""
    role = str(row["role"])
    if role == "tool" and row["tool_call_id"]:
        # The result's text does not count, as a copy is often shortened.
        return role, str(row["tool_call_id"]), None
    return role, tuple(call_ids(row["tool_calls"])), text_key(_readable(row, "content"))


def by_uid(outlines: Sequence[RowOutline]) -> bool:
    """Whether every row has a uid, so that nothing need be compared by content."""
    return bool(outlines) and all(outline.uid for outline in outlines)


_States = Mapping[Any, tuple[int, float]]
"""For each value of the column `active`, how many rows have it, and the sum of their ids."""


@dataclass(frozen=True, slots=True)
class CachedOutlines:
    """What was read of a long session: while none of its rows changes, only new ones are read.

    Following a conversation of 12,000 rows, reading all of them at each change took 60 ms; this takes 15 ms.

    Attributes:
        outlines: The outlines of its rows.
        last: The greatest id; None before anything was read.
        hidden: What newer copies of rows that are not live share with them (`repeated_by`), as numbers: a
            newer row with one of them changes what these are.
    """

    outlines: Sequence[RowOutline] = ()
    last: int | None = None
    states: _States = field(default_factory=dict)
    hidden: frozenset[int] = frozenset()


_cache: OrderedDict[Hashable, CachedOutlines] = OrderedDict()


def _cached(connection: sqlite3.Connection, schema: Schema, session_id: str) -> CachedOutlines:
    """What is cached of a session, if its rows are still there and marked as before.

    Hermes never changes a stored message: it adds, marks and deletes rows.
    """
    found = _cache.get(_place(connection, session_id))
    if found is None or _states(connection, schema, session_id, found.last) != found.states:
        return CachedOutlines()
    return found


def _remember(
    connection: sqlite3.Connection,
    schema: Schema,
    session_id: str,
    before: CachedOutlines,
    outlines: Sequence[RowOutline],
    rows: Sequence[sqlite3.Row],
) -> None:
    """Cache what was read of a long session."""
    place = _place(connection, session_id)
    if (
        place is None
        or len(outlines) < _MIN_CACHED_ROWS
        or not all(isinstance(row["id"], int) for row in rows)
    ):
        return
    states = dict(before.states)
    for row in rows:
        count, ids = states.get(row["active"], (0, 0.0))
        states[row["active"]] = (count + 1, ids + row["id"])
    added = zip(rows, outlines[len(before.outlines) :], strict=True)
    not_live = (repeated_by(row, schema) for row, outline in added if outline.state is not RowState.LIVE)
    hidden = before.hidden.union(_number(known_by) for known_by in not_live if known_by is not None)
    _cache.pop(place, None)
    _cache[place] = CachedOutlines(outlines, outlines[-1].id, states, hidden)
    while len(_cache) > _MAX_CACHED:
        _cache.popitem(last=False)


def _place(connection: sqlite3.Connection, session_id: str) -> Hashable:
    """Identifies a session, also among files with equal ids; None in a database without a file."""
    file = connection.file if isinstance(connection, BoundedConnection) else None
    return file and (file, session_id)


def _states(connection: sqlite3.Connection, schema: Schema, session_id: str, upto: int | None) -> _States:
    active = "active" if schema.keeps_rows else "NULL"
    query = (
        f"SELECT {active}, count(*), total(id) FROM messages "  # noqa: S608 - own names
        "WHERE session_id = ? AND id <= ? GROUP BY 1"
    )
    return {mark: (count, ids) for mark, count, ids in connection.execute(query, (session_id, upto))}
