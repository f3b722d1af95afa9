"""Checks whether a database may be written to as it is: what changed, what is unknown, what is damaged."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Event, Thread

from core.apply.database.snapshot import live_messages
from core.hermes.config.in_force import engine_of_home
from core.model.compaction.apply import ApplyMode, GuardResult, GuardState, Rehearsal
from core.store.database.connect import Interrupted, open_readonly, reading
from core.store.database.open_database import Schema
from core.store.generations.row_outline import read_outlines
from core.store.generations.segments import missing_rows
from core.store.store import Store
from core.support.formatting import plural
from core.support.program_files import shared_table

BLOCKING_SECONDS = 0.5
"""Longest integrity check if readers block writers, as in a database without a write-ahead log."""

_TICK_SECONDS = 0.25
_known = partial(shared_table, "core/apply/checks/known_schema.yaml")
_ROOM_FACTOR = 6
"""Free bytes needed per byte of new rows: for the log, both full-text tables, and the journal."""

_ROOM_LEAST = 32 * 1024 * 1024
PAUSE_SECONDS = 1.0
"""How long a connection of Hermes waits for a lock before it must try again."""

_NOTED_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Case:
    """A planned write.

    Attributes:
        thread: All session ids of the conversation.
        own_lock: The holder under which the caller itself has locked the session.
        integrity_seconds: Time limit of SQLite's integrity check.
    """

    store: Store
    rehearsal: Rehearsal
    thread: frozenset[str]
    now: datetime
    own_lock: str | None
    integrity_seconds: float
    progress: Callable[[str], None]


def passed(name: str, text: str) -> GuardResult:
    """A result without objections."""
    return GuardResult(name, GuardState.PASSED, text)


def noted(name: str, text: str) -> GuardResult:
    """A result that does not prevent the write, but that the user should know."""
    return GuardResult(name, GuardState.NOTED, text)


def against(name: str, text: str, *, forceable: bool = False) -> GuardResult:
    """A result that prevents the write; if forceable, the user may override it with `--force`."""
    return GuardResult(name, GuardState.REFUSED, text, forceable)


def damage_of(path: Path, seconds: float, progress: Callable[[float, float], None]) -> str | None:
    """Run SQLite's integrity check for some seconds at most: `ok`, a first problem, or None if unfinished."""
    with reading(path), closing(open_readonly(path)) as connection:
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        allowed = seconds if mode in ("wal", "memory") else min(seconds, BLOCKING_SECONDS)
        if allowed <= 0:
            return None
        try:
            with _stopped_after(connection, allowed, progress), reading(path):
                rows = connection.execute("PRAGMA quick_check(3)").fetchall()
        except Interrupted:
            return None
        return "; ".join(str(text) for (text,) in rows)


@contextmanager
def _stopped_after(
    connection: sqlite3.Connection, seconds: float, progress: Callable[[float, float], None]
) -> Iterator[None]:
    """Interrupt whatever runs inside once the time is up.

    A progress handler would not work: SQLite calls none while it walks a table, however long that takes.
    """
    done, began = Event(), time.monotonic()

    def watch() -> None:
        while (spent := time.monotonic() - began) < seconds:
            progress(spent, seconds)
            if done.wait(min(_TICK_SECONDS, seconds - spent)):
                return
        # Repeatedly: an interrupt that comes before the query begins is lost.
        while not done.wait(0.01):
            connection.interrupt()

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def unchanged(case: Case) -> GuardResult:
    """The same rows with the same contents as when the preview was made."""
    expected = tuple(one for one in case.rehearsal.before if one.row)
    if case.rehearsal.mode is ApplyMode.FORK:
        found = case.store.messages([one.row.id for one in expected if one.row])
    else:
        found = live_messages(case.store, case.rehearsal.session_id)
    if [one.row and one.row.id for one in found] == [one.row and one.row.id for one in expected] and all(
        left.wire == right.wire for left, right in zip(found, expected, strict=True)
    ):
        return passed("unchanged", "the conversation is as the preview saw it")
    then = plural(len(expected), "message")
    text = f"the conversation changed since the preview ({then} then, {len(found)} now)"
    return against("unchanged", text)


def engine(case: Case) -> GuardResult:
    """Whether another context engine is in charge, whose own store this change would not reach."""
    found = engine_of_home(case.store.location.home or case.rehearsal.database.absolute().parent)
    if found is None:
        return passed("engine", "Hermes' own compressor is in charge")
    text = f"{found.origin} puts the context engine {found.name!r} in charge: Hermes itself would not do this"
    return against("engine", text, forceable=True)


def complete(case: Case) -> GuardResult:
    """Unreadable messages would be missing from what is written, and so be permanently hidden."""
    session = case.store.session(case.rehearsal.session_id)
    outlines = read_outlines(case.store.connection, case.store.schema, session.id)
    missing = missing_rows(session, outlines)
    if missing is not None:
        return against("complete", missing, forceable=True)
    damaged = [one.row for one in case.rehearsal.before if one.row and one.row.damage]
    if damaged:
        which = f"message {damaged[0].id}: {damaged[0].damage[0]}"
        text = f"{plural(len(damaged), 'message')} could not be decoded as stored ({which})"
        return against("complete", text, forceable=True)
    return passed("complete", "every message could be read")


def schema(case: Case) -> GuardResult:
    """Columns, triggers and versions that this tool has not been tested with."""
    unknown = tuple(_unknown(case.store.schema))
    if not unknown:
        return passed("schema", f"schema {case.store.schema.version} is known")
    text = f"this tool has not been tested with {', '.join(unknown)}"
    return against("schema", text, forceable=True)


def pause(case: Case) -> GuardResult:
    """How long others could not write, measured on the private copy."""
    seconds = case.rehearsal.seconds
    if seconds is None:
        return noted("pause", "nobody knows how long others would have to wait")
    text = f"others would wait about {seconds * 1000:,.0f} ms before they can write"
    if seconds > PAUSE_SECONDS:
        return against("pause", f"{text}, longer than Hermes waits", forceable=True)
    return (noted if seconds > _NOTED_SECONDS else passed)("pause", text)


def writable(case: Case) -> GuardResult:
    """Whether the permissions of the file and its folder allow writing."""
    path = case.rehearsal.database
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return passed("writable", "the database may be written")
    return against("writable", "the database or its folder is read-only")


def room(case: Case) -> GuardResult:
    """Whether the disk has enough room for the write."""
    query = "SELECT total(length(CAST(content AS BLOB))) FROM messages WHERE session_id = ?"
    ((size,),) = case.store.query(query, (case.rehearsal.session_id,))
    needed = max(_ROOM_LEAST, int(size) * _ROOM_FACTOR)
    free = shutil.disk_usage(case.rehearsal.database.absolute().parent).free
    if free >= needed:
        return passed("room", f"{free // 2**20:,} MB free, {needed // 2**20:,} MB wanted")
    text = f"the disk has {free // 2**20:,} MB free, and {needed // 2**20:,} MB may be needed"
    return against("room", text)


def integrity(case: Case) -> GuardResult:
    """Damage, as far as the time limit allows to find it."""
    began = time.monotonic()
    found = damage_of(
        case.rehearsal.database,
        case.integrity_seconds,
        lambda spent, allowed: case.progress(f"integrity, {spent:.0f} of {allowed:.0f} s"),
    )
    seconds = time.monotonic() - began
    if found is None:
        return noted("integrity", f"no damage found in {seconds:.0f} s; it was not all read")
    if found == "ok":
        return passed("integrity", "SQLite finds no damage")
    return against("integrity", f"SQLite finds damage: {found}")


def _unknown(schema: Schema) -> Iterator[str]:
    known = _known()
    version = schema.version
    if version is None or not known["versions"]["from"] <= version <= known["versions"]["to"]:
        yield f"schema version {version}"
    for table in ("sessions", "messages"):
        for name in sorted(schema.columns[table] - set(known["columns"][table])):
            yield f"column {table}.{name}"
    for name in sorted(schema.triggers - set(known["triggers"])):
        yield f"trigger {name}"
