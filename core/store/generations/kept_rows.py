"""The rows of long sessions as they were read last: while none of them changed, the new ones alone are read.

Following a conversation of 12,000 rows, reading them all anew at each change took 60 ms of a core, now 15.
"""

from __future__ import annotations

import os
import sqlite3
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.model.transcript.message import RowState
from core.store.database.schema import Schema

_WORTH, _MOST = 500, 4
"""Rows of a session that is kept, and sessions kept."""

_States = Mapping[Any, tuple[int, float]]
"""For each mark in the column `active`, how many rows bear it, and the sum of their ids."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What was read of a session.

    Attributes:
        outlines: Of its rows; what they are made from imports this.
        last: The greatest id; None before anything was read.
        hidden: The uids of rows that are not live: a newer row with one of them tells what became of these.
    """

    outlines: Sequence[Any] = ()
    last: int | None = None
    states: _States = field(default_factory=dict)
    hidden: frozenset[str | None] = frozenset()


_kept: OrderedDict[Hashable, Kept] = OrderedDict()


def kept_rows(connection: sqlite3.Connection, schema: Schema, session_id: str) -> Kept:
    """What was kept of a session, if its rows are still there, marked as they were.

    Hermes never writes into a message once it is stored: it adds rows, marks them, deletes them.
    """
    kept = _kept.get(_place(connection, session_id))
    return kept if kept and _states(connection, schema, session_id, kept.last) == kept.states else Kept()


def keep_rows(
    connection: sqlite3.Connection,
    session_id: str,
    before: Kept,
    outlines: Sequence[Any],
    rows: Sequence[sqlite3.Row],
) -> None:
    """Keep what was read of a long session.

    Args:
        connection: To the database.
        session_id: Whose rows.
        before: What had been kept of it.
        outlines: All of its rows.
        rows: Those that were read now.
    """
    place = _place(connection, session_id)
    if place is None or len(outlines) < _WORTH or not all(isinstance(row["id"], int) for row in rows):
        return
    states = dict(before.states)
    for row in rows:
        count, ids = states.get(row["active"], (0, 0.0))
        states[row["active"]] = (count + 1, ids + row["id"])
    hidden = (one.uid for one in outlines if one.uid and one.state is not RowState.LIVE)
    _kept.pop(place, None)
    _kept[place] = Kept(outlines, outlines[-1].id, states, frozenset(hidden))
    while len(_kept) > _MOST:
        _kept.popitem(last=False)


def _place(connection: sqlite3.Connection, session_id: str) -> Hashable:
    """What tells a session from one of the same id in another file; None in a database without a file."""
    path = connection.execute("PRAGMA database_list").fetchone()[2]
    try:
        found = os.stat(path) if path else None
    except OSError:
        return None
    return found and (path, found.st_dev, found.st_ino, session_id)


def _states(connection: sqlite3.Connection, schema: Schema, session_id: str, upto: int | None) -> _States:
    active = "active" if schema.keeps_rows else "NULL"
    query = (
        f"SELECT {active}, count(*), total(id) FROM messages "  # noqa: S608 - own names
        "WHERE session_id = ? AND id <= ? GROUP BY 1"
    )
    return {mark: (count, ids) for mark, count, ids in connection.execute(query, (session_id, upto))}
