"""A session as it was before a write, and what the write changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.apply.database.connection import (
    EXPECTED,
    SEEN,
    Cell,
    Image,
    columns_of,
    differing,
    read_images,
    same,
    stage,
)
from core.errors import NotFoundError
from core.model.transcript.message import Message
from core.store.database.open_database import TEXTS as STORED_TEXTS
from core.store.rows.message_decoding import NOTE_ROLE
from core.store.store import Store

TEXTS = frozenset(STORED_TEXTS)
"""Columns that may be long. No statement of ours and no trigger changes them in an old row."""
_SEEN_TEXTS = "seen_texts"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A session and all its messages: the live ones whole, the others without their texts.

    It is kept in Python and also staged in temporary tables, to compare thousands of rows in one statement.
    """

    session_id: str
    session: dict[str, Cell]
    messages: dict[int, dict[str, Cell]]
    columns: tuple[str, ...]
    texts: tuple[str, ...]


def take(connection: sqlite3.Connection, session_id: str, live: Sequence[int]) -> Snapshot:
    """Read a session, and stage the rows.

    Raises:
        NotFoundError: It was deleted.
    """
    found = read_images(connection, "sessions", "id", [session_id])
    if not found:
        raise NotFoundError(f"session {session_id!r} is no longer there", where="not written")
    every = read_images(connection, "messages", "session_id", [session_id], without=TEXTS)
    images = read_images(connection, "messages", "id", live)
    names = columns_of(connection, "messages")
    columns = tuple(name for name in names if name not in TEXTS)
    texts = tuple(name for name in names if name in TEXTS)
    stage(connection, SEEN, columns, every)
    stage(connection, _SEEN_TEXTS, ("id", *texts), images)
    messages = {image["id"]: image for image in every} | {image["id"]: image for image in images}
    return Snapshot(session_id, found[0], messages, columns, texts)


def changed(connection: sqlite3.Connection, seen: Snapshot) -> bool:
    """Whether anything in the session differs from the snapshot."""
    query = "SELECT count(*) FROM messages WHERE session_id = ?"
    (count,) = connection.execute(query, (seen.session_id,)).fetchone()
    now = read_images(connection, "sessions", "id", [seen.session_id])
    return (
        count != len(seen.messages)
        or len(now) != 1
        or not same(now[0], seen.session)
        or bool(differing(connection, SEEN, seen.columns))
        or bool(differing(connection, _SEEN_TEXTS, seen.texts))
    )


def expect(connection: sqlite3.Connection, settings: Mapping[int, Image], seen: Snapshot) -> None:
    """Stage the old rows as they will be once some columns are set."""
    images = ({**image, **settings.get(key, {})} for key, image in seen.messages.items())
    stage(connection, EXPECTED, seen.columns, images)


def surprises(connection: sqlite3.Connection, seen: Snapshot) -> dict[int, dict[str, Cell]]:
    """Old rows that triggers changed unexpectedly: the changed columns by row id."""
    ids = differing(connection, EXPECTED, seen.columns)
    now = read_images(connection, "messages", "id", ids, without=TEXTS)
    return {image["id"]: changes(seen.messages[image["id"]], image, seen.columns) for image in now}


def changes(old: Image, new: Image, names: Collection[str]) -> dict[str, Cell]:
    """The columns in which two versions of a row differ, with the new values."""
    return {name: new[name] for name in names if not same({name: old[name]}, {name: new[name]})}


def live_rows(store: Store, session_id: str) -> tuple[int, ...]:
    """Ids of a session's live rows, in load order."""
    schema = store.schema
    live = "AND active = 1" if schema.keeps_rows else ""
    query = (
        f"SELECT id FROM messages WHERE session_id = ? AND role <> ? {live} "  # noqa: S608 - own terms
        f"ORDER BY {schema.message_order}"
    )
    return tuple(row_id for (row_id,) in store.query(query, (session_id, NOTE_ROLE)))


def live_messages(store: Store, session_id: str) -> tuple[Message, ...]:
    """The live messages of a session."""
    return store.messages(live_rows(store, session_id))
