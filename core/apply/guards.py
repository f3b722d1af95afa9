"""The checklist before a database is written to: who holds the session, what changed, what is unknown."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.apply import probe, writers
from core.apply.known_schema import unknown_parts
from core.apply.lock import left_behind
from core.apply.transcript import live_messages
from core.errors import DatabaseError
from core.model.apply import ApplyMode, GuardResult, GuardState, Rehearsal
from core.model.storage import Lease
from core.store.decode import Decoder
from core.store.store import Store

QUIET = timedelta(minutes=2)
"""A session written to more recently than this is taken to be in use."""
INTEGRITY_SECONDS = 5.0
_ROOM_FACTOR = 6
"""Bytes needed for each byte of new rows: the log, both full-text tables, and the journal."""
_ROOM_LEAST = 32 * 1024 * 1024

_REMEDIES = {
    "lock": "Wait until Hermes is done and try again",
    "turn": "Wait until Hermes is done and try again",
    "unchanged": "Preview it again",
    "writable": "Make it writable, or work on a copy",
    "room": "Make room on the disk and try again",
    "integrity": "Copy the file before anything else",
}
"""What helps against a guard that no force can pass."""


@dataclass(frozen=True, slots=True)
class _Case:
    store: Store
    rehearsal: Rehearsal
    thread: frozenset[str]
    now: datetime
    own_lock: str | None


def check_guards(
    store: Store,
    rehearsal: Rehearsal,
    *,
    force: Collection[str] = (),
    now: datetime | None = None,
    integrity_seconds: float = INTEGRITY_SECONDS,
    progress: Callable[[str], None] = lambda name: None,
    own_lock: str | None = None,
) -> tuple[GuardResult, ...]:
    """Check everything that may stand against writing; changes nothing.

    Args:
        store: The database, open for reading.
        rehearsal: What would be written.
        force: Names of guards the user wants to pass regardless, where they allow it.
        now: The moment to judge by.
        integrity_seconds: How long SQLite may look for damage.
        progress: Told the name of each guard as it begins.
        own_lock: The holder under which the caller has locked the session itself.
    """
    thread = frozenset(one.id for one in store.conversation(rehearsal.session_id).sessions)
    case = _Case(store, rehearsal, thread | {rehearsal.session_id}, now or datetime.now(UTC), own_lock)
    return tuple(_results(case, frozenset(force), integrity_seconds, progress))


def refused(results: Collection[GuardResult]) -> tuple[GuardResult, ...]:
    """The guards that stand in the way."""
    return tuple(one for one in results if one.state is GuardState.REFUSED)


def require(results: Collection[GuardResult]) -> None:
    """Go on only when no guard refuses.

    Raises:
        DatabaseError: One does; all of them are named.
    """
    against = refused(results)
    if against:
        forceable = [one.name for one in against if one.forceable]
        firm = [one.name for one in against if not one.forceable]
        remedy = _REMEDIES[firm[0]] if firm else f"Take the risk with --force {','.join(forceable)}"
        raise DatabaseError("; ".join(one.text for one in against), where="not written", remedy=remedy)


def _results(
    case: _Case, force: frozenset[str], integrity_seconds: float, progress: Callable[[str], None]
) -> Iterator[GuardResult]:
    checks: tuple[tuple[str, Callable[[_Case], GuardResult]], ...] = (
        ("lock", _lock),
        ("turn", _turn),
        ("writer", _writer),
        ("activity", _activity),
        ("unchanged", _unchanged),
        ("schema", _schema),
        ("writable", _writable),
        ("room", _room),
        ("integrity", lambda case: _integrity(case, integrity_seconds)),
    )
    for name, check in checks:
        progress(name)
        result = _for_mode(check(case), case)
        if result.state is GuardState.REFUSED and result.forceable and name in force:
            result = replace(result, state=GuardState.FORCED)
        yield result


def _for_mode(result: GuardResult, case: _Case) -> GuardResult:
    """A fork leaves the session as it is, so nobody who uses it need be waited for."""
    harmless = case.rehearsal.mode is ApplyMode.FORK and result.name in ("lock", "turn", "writer", "activity")
    return (
        replace(result, state=GuardState.NOTED) if harmless and result.state is GuardState.REFUSED else result
    )


def _passed(name: str, text: str) -> GuardResult:
    return GuardResult(name, GuardState.PASSED, text)


def _lock(case: _Case) -> GuardResult:
    held = _standing(case, case.store.locks())
    if held is None:
        return _passed("lock", "nobody is compressing this session")
    return GuardResult("lock", GuardState.REFUSED, f"a compression is running ({_who(held, case)})")


def _turn(case: _Case) -> GuardResult:
    held = _standing(case, case.store.leases())
    if held is None:
        return _passed("turn", "no turn of this session is running")
    return GuardResult("turn", GuardState.REFUSED, f"a turn is running ({_who(held, case)})")


def _standing(case: _Case, leases: Collection[Lease]) -> Lease | None:
    others = (one for one in leases if one.holder != case.own_lock and not left_behind(one.holder))
    live = (one for one in others if one.key in case.thread)
    return next((one for one in live if one.expires_at is None or one.expires_at > case.now), None)


def _who(lease: Lease, case: _Case) -> str:
    left = f", {round((lease.expires_at - case.now).total_seconds())} s left" if lease.expires_at else ""
    gone = lease.pid is not None and not writers.alive(lease.pid)
    return f"{lease.holder}{left}{'; no such process here' if gone else ''}"


def _writer(case: _Case) -> GuardResult:
    """A process that has the file open may hold this session in memory, and would not see the change."""
    pids = writers.having_open(case.rehearsal.database)
    if pids is None:
        return GuardResult("writer", GuardState.NOTED, "this system does not tell who has the database open")
    if not pids:
        return _passed("writer", "no other program has the database open for writing")
    who = ", ".join(f"pid {pid}" for pid in sorted(pids))
    session = case.store.session(case.rehearsal.session_id)
    if session.ended_at is not None:
        return GuardResult(
            "writer", GuardState.NOTED, f"{who} has the database open, but this session has ended"
        )
    return GuardResult(
        "writer",
        GuardState.REFUSED,
        f"{who} has the database open and may hold this session, which has not ended",
        forceable=True,
    )


def _activity(case: _Case) -> GuardResult:
    newest = _last_written(case)
    if newest is None or case.now - newest >= QUIET:
        return _passed("activity", "quiet for two minutes or more")
    ago = max(0, round((case.now - newest).total_seconds()))
    text = f"this session was written to {ago} s ago"
    return GuardResult("activity", GuardState.REFUSED, text, forceable=True)


def _last_written(case: _Case) -> datetime | None:
    session = case.store.session(case.rehearsal.session_id)
    # A time in the future says nothing about now; a value that is no number sorts above every number.
    query = "SELECT max(timestamp) FROM messages WHERE session_id = ? AND timestamp < ?"
    soon = (case.now + QUIET).timestamp()
    (newest,) = case.store.connection.execute(query, (session.id, soon)).fetchone()
    written = Decoder().time(newest, "timestamp")
    known = [one for one in (written, session.last_active) if one is not None]
    return max(known, default=None)


def _unchanged(case: _Case) -> GuardResult:
    wanted = tuple(one for one in case.rehearsal.before if one.row)
    if case.rehearsal.mode is ApplyMode.FORK:
        found = case.store.messages([one.row.id for one in wanted if one.row])
    else:
        found = live_messages(case.store, case.rehearsal.session_id)
    if [one.row and one.row.id for one in found] == [one.row and one.row.id for one in wanted] and all(
        left.wire == right.wire for left, right in zip(found, wanted, strict=True)
    ):
        return _passed("unchanged", "the conversation is as the preview saw it")
    text = f"the conversation changed since the preview ({len(wanted)} messages then, {len(found)} now)"
    return GuardResult("unchanged", GuardState.REFUSED, text)


def _schema(case: _Case) -> GuardResult:
    strange = unknown_parts(case.store.schema)
    if not strange:
        return _passed("schema", f"schema {case.store.schema.version} is known")
    text = f"this tool has not been tested with {', '.join(strange)}"
    return GuardResult("schema", GuardState.REFUSED, text, forceable=True)


def _writable(case: _Case) -> GuardResult:
    path = case.rehearsal.database
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return _passed("writable", "the database may be written")
    return GuardResult("writable", GuardState.REFUSED, "the database or its folder is read-only")


def _room(case: _Case) -> GuardResult:
    query = "SELECT total(length(CAST(content AS BLOB))) FROM messages WHERE session_id = ?"
    (size,) = case.store.connection.execute(query, (case.rehearsal.session_id,)).fetchone()
    needed = max(_ROOM_LEAST, int(size) * _ROOM_FACTOR)
    free = shutil.disk_usage(_folder(case.rehearsal.database)).free
    if free >= needed:
        return _passed("room", f"{free // 2**20:,} MB free, {needed // 2**20:,} MB wanted")
    text = f"the disk has {free // 2**20:,} MB free, and {needed // 2**20:,} MB may be needed"
    return GuardResult("room", GuardState.REFUSED, text)


def _folder(path: Path) -> Path:
    return path.absolute().parent


def _integrity(case: _Case, seconds: float) -> GuardResult:
    began = time.monotonic()
    found = probe.integrity(case.rehearsal.database, seconds)
    took = time.monotonic() - began
    if found is None:
        return GuardResult(
            "integrity", GuardState.NOTED, f"no damage found in {took:.0f} s; it was not all read"
        )
    if found == "ok":
        return _passed("integrity", "SQLite finds no damage")
    return GuardResult("integrity", GuardState.REFUSED, f"SQLite finds damage: {found}")
