"""Compares the rows of a journal entry with the database, and puts them back."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.apply.database.connection import (
    EXPECTED,
    SEEN,
    Cell,
    Image,
    columns_of,
    delete_rows,
    differing,
    dump,
    load,
    read_images,
    same,
    sequence_of,
    stage,
    update_rows,
)
from core.apply.database.snapshot import TEXTS
from core.apply.journal_rows import ROUTES, Entry, Record
from core.apply.write import set_route
from core.errors import DatabaseError
from core.support.formatting import plural

_DERIVED = frozenset(("display_identity", "display_order"))
"""Columns of a message that Hermes fills in again by itself."""
_COUNTERS = ("message_count", "api_call_count", "input_tokens", "output_tokens")
"""Columns of a session that change when a conversation continues; titles and flags may change anyway."""
_EXPECTED_TEXTS = "expected_texts"


@dataclass(frozen=True, slots=True)
class Restoration:
    """A journal entry whose rows are staged in temporary tables.

    Attributes:
        left: Columns of messages that must be as the operation left them.
        texts: The same for long columns.
        old: Columns of messages to be put back.
        written: Ids of the messages that the operation wrote.
    """

    entry: Entry
    left: tuple[str, ...]
    texts: tuple[str, ...]
    old: tuple[str, ...]
    written: tuple[Cell, ...]
    sessions: tuple[Record, ...]


def stage_restoration(connection: sqlite3.Connection, entry: Entry) -> Restoration:
    """Stage what must be found and what is put back, before the database is locked."""
    records = entry.messages
    left = [{**(record.before or {}), **(record.after or {})} for record in records]
    known = columns_of(connection, "messages")
    light = _common(left, known, without=TEXTS | _DERIVED)
    complete = [image for image in left if image.keys() >= TEXTS & set(known)]
    texts = _common(complete, known, without=set(known) - TEXTS)
    was = [record.before for record in records if record.before is not None]
    old = _common(was, known, without=TEXTS)
    stage(connection, EXPECTED, light, left)
    stage(connection, _EXPECTED_TEXTS, ("id", *texts), complete)
    stage(connection, SEEN, old or ("id",), was)
    return Restoration(
        entry,
        light,
        texts,
        old,
        tuple(record.key for record in records if record.before is None),
        tuple(record for record in entry.records if record.table == "sessions"),
    )


def _common(images: Sequence[Image], known: Collection[str], without: Collection[str]) -> tuple[str, ...]:
    """Columns that all these rows have and that the table still has."""
    return tuple(name for name in known if name not in without and all(name in image for image in images))


def holds_rows(connection: sqlite3.Connection, entry: Entry) -> bool:
    """Whether the database contains the rows that an operation wrote."""
    records = tuple(one for one in entry.messages if one.before is None)
    if not records:
        return False
    what = stage_restoration(connection, Entry(entry.summary, entry.identity, entry.sequence, records))
    return not _has_moved(connection, what)


def how_continued(connection: sqlite3.Connection, what: Restoration) -> str:
    """How the conversation continued after the operation; "" if it did not."""
    target, source = what.entry.summary.target_id, what.entry.summary.session_id
    query = "SELECT id FROM messages WHERE session_id = ? AND id > ?"
    found = connection.execute(query, (target, what.entry.sequence[0])).fetchall()
    later = {row_id for (row_id,) in found} - set(what.written)
    if later:
        return plural(len(later), "new message")
    if target != source:
        query = "SELECT count(*) FROM sessions WHERE parent_session_id = ?"
        (children,) = connection.execute(query, (target,)).fetchone()
        if children:
            return "other sessions came from the new one"
    moved = len(_has_moved(connection, what))
    moved += sum(_session_moved(connection, record) for record in what.sessions)
    return plural(moved, "changed row") if moved else ""


def _has_moved(connection: sqlite3.Connection, what: Restoration) -> set[Cell]:
    light = differing(connection, EXPECTED, what.left)
    return {*light, *differing(connection, _EXPECTED_TEXTS, what.texts)}


def _session_moved(connection: sqlite3.Connection, record: Record) -> bool:
    left = {**(record.before or {}), **(record.after or {})}
    changed = record.after or {} if record.before is not None else {}
    return not _holds(connection, record.key, left, {*changed, *_COUNTERS})


def _holds(connection: sqlite3.Connection, key: Cell, image: Image, names: Collection[str]) -> bool:
    """Whether a session equals the image in those of these columns that both have."""
    found = read_images(connection, "sessions", "id", [key])
    if not found:
        return False
    known = set(names) & image.keys() & found[0].keys()
    return same({name: found[0][name] for name in known}, {name: image[name] for name in known})


def put_back(connection: sqlite3.Connection, what: Restoration) -> None:
    """Within a transaction, delete the rows that were written and restore the others.

    Raises:
        DatabaseError: A row differs from its old state afterwards.
    """
    delete_rows(connection, "messages", what.written)
    made = [record.key for record in what.sessions if record.before is None]
    delete_rows(connection, "sessions", made)
    # Up to two rounds: triggers after the first one renumber rows, which the second one corrects.
    for _ in range(2):
        for table, changes, keys in _alike(one for one in what.entry.records if one.table != ROUTES):
            update_rows(connection, table, keys, changes)
        if is_back(connection, what):
            break
    else:
        raise DatabaseError("some rows could not be put back; nothing was changed")
    for one in what.entry.records:
        if one.table == ROUTES and one.before and one.after:
            set_route(connection, one.key, one.after["entry_json"], one.before["entry_json"])
    before, after = what.entry.sequence
    if sequence_of(connection) == after:
        connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages'", (before,))


def is_back(connection: sqlite3.Connection, what: Restoration) -> bool:
    """Whether every row is as it was before the operation."""
    if read_images(connection, "messages", "id", what.written, without=TEXTS):
        return False
    return not differing(connection, SEEN, what.old) and all(
        _session_is_back(connection, record) for record in what.sessions
    )


def _session_is_back(connection: sqlite3.Connection, record: Record) -> bool:
    if record.before is None:
        return not read_images(connection, "sessions", "id", [record.key])
    # Only what the operation changed is restored; the rest may have changed since.
    return _holds(connection, record.key, record.before, record.after or {})


def _alike(records: Iterable[Record]) -> Iterator[tuple[str, Image, list[str | int]]]:
    """Changed rows, grouped by the values they are to be set to."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record.before is not None and record.after:
            old = dump({name: record.before[name] for name in record.after})
            groups.setdefault((record.table, old), []).append(record)
    for (table, old), found in groups.items():
        yield table, load(old), [record.key for record in found]
