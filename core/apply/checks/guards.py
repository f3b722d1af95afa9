"""The guards checked before a write: who holds the session, what changed, what is unknown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from core.apply.checks import database as fitness
from core.apply.checks.database import Case, against, noted, passed
from core.apply.database.lock import alive, having_open, left_behind
from core.errors import DatabaseError
from core.model.compaction.apply import ApplyMode, GuardResult, GuardState, Rehearsal
from core.model.transcript.storage import Lease
from core.store.rows.decode import moment
from core.store.store import Store

QUIET = timedelta(minutes=2)
"""A session written to more recently than this counts as in use."""
INTEGRITY_SECONDS = 5.0
_REMEDIES = {
    "lock": "Wait until Hermes is done and try again",
    "turn": "Wait until Hermes is done and try again",
    "unchanged": "Preview it again",
    "writable": "Make it writable, or work on a copy",
    "room": "Make room on the disk and try again",
    "integrity": "Copy the file before anything else",
}
"""Remedies for guards that cannot be forced."""


def lock(case: Case) -> GuardResult:
    """A compression of this conversation that has not released its lock."""
    return _check_lease(case, "lock", "compression", case.store.locks(), "nobody is compressing this session")


def turn(case: Case) -> GuardResult:
    """A turn of this conversation that has not ended."""
    return _check_lease(case, "turn", "turn", case.store.leases(), "no turn of this session is running")


def _check_lease(case: Case, name: str, what: str, leases: Collection[Lease], free: str) -> GuardResult:
    """Refuse while a lease runs, or while the process of an expired lease still exists."""
    others = [one for one in leases if one.key in case.thread and one.holder != case.own_lock]
    standing = [one for one in others if not left_behind(one.holder)]
    for lease in standing:
        if lease.lasts(case.now):
            return against(name, f"a {what} is running ({_holder_words(lease, case)})")
    for lease in standing:
        if lease.pid is not None and alive(lease.pid):
            # Up to 0.17 a lease is never renewed, however long the work takes.
            text = f"a {what} ran out of its time, and its process is still there ({lease.holder})"
            return against(name, text, forceable=True)
    return passed(name, free)


def _holder_words(lease: Lease, case: Case) -> str:
    left = f", {round((lease.expires_at - case.now).total_seconds())} s left" if lease.expires_at else ""
    has_ended = lease.pid is not None and not alive(lease.pid)
    return f"{lease.holder}{left}{'; no such process here' if has_ended else ''}"


def writer(case: Case) -> GuardResult:
    """A process that has the file open may hold this session in memory and not see the change."""
    pids = having_open(case.rehearsal.database)
    if pids is None:
        return noted("writer", "this system does not tell who has the database open")
    if not pids:
        free = "no other program has the database open for writing"
        chat = _chat(case)
        return noted("writer", f"{free}; {chat}") if chat else passed("writer", free)
    who = ", ".join(f"pid {pid}" for pid in sorted(pids))
    session = case.store.session(case.rehearsal.session_id)
    if session.ended_at is not None:
        return noted("writer", f"{who} has the database open, but this session has ended")
    return against(
        "writer",
        f"{who} has the database open and may hold this session, which has not ended",
        forceable=True,
    )


def _chat(case: Case) -> str:
    """A note that a gateway up to 0.17 keeps a chat's session in a file and does not follow to a new one."""
    rehearsal = case.rehearsal
    if rehearsal.mode is not ApplyMode.CONTINUATION or case.store.schema.archives:
        return ""
    home = case.store.location.home or rehearsal.database.absolute().parent
    file = home / "sessions" / "sessions.json"
    if not file.is_file() or f'"{rehearsal.session_id}"' not in file.read_text(errors="replace"):
        return ""
    new = rehearsal.new_session.get("title") or rehearsal.target_id
    return f"its gateway continues the old session until /resume {new} is sent in the chat"


def activity(case: Case) -> GuardResult:
    """A session written to just now, by a turn without a lock or a release that has none."""
    newest = _last_written(case)
    if newest is None or case.now - newest >= QUIET:
        return passed("activity", "quiet for two minutes or more")
    ago = max(0, round((case.now - newest).total_seconds()))
    text = f"this session was written to {ago} s ago"
    return against("activity", text, forceable=True)


def _last_written(case: Case) -> datetime | None:
    session = case.store.session(case.rehearsal.session_id)
    # A time in the future says nothing about now; a value that is not a number sorts above every number.
    query = "SELECT max(timestamp) FROM messages WHERE session_id = ? AND timestamp < ?"
    quiet_until = (case.now + QUIET).timestamp()
    ((newest,),) = case.store.query(query, (session.id, quiet_until))
    written = moment(newest)
    known = [one for one in (written, session.last_active) if one is not None]
    return max(known, default=None)


_CHECKS: dict[str, Callable[[Case], GuardResult]] = {
    "engine": fitness.engine,
    "lock": lock,
    "turn": turn,
    "writer": writer,
    "activity": activity,
    "unchanged": fitness.unchanged,
    "complete": fitness.complete,
    "schema": fitness.schema,
    "pause": fitness.pause,
    "writable": fitness.writable,
    "room": fitness.room,
    "integrity": fitness.integrity,
}
_OF_USERS = ("lock", "turn", "writer", "activity")
NAMES = tuple(_CHECKS)
"""Every guard, in the order of checking."""


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
    """Check everything that may prevent the write; changes nothing.

    `force` names guards to override, if they allow it; `own_lock` is the holder under which the caller itself
    has locked the session. `progress` hears the name of each guard as its check begins.
    """
    thread = frozenset(session.id for session in store.conversation(rehearsal.session_id).sessions)
    case = Case(
        store=store,
        rehearsal=rehearsal,
        thread=thread | {rehearsal.session_id},
        now=now or datetime.now(UTC),
        own_lock=own_lock,
        integrity_seconds=integrity_seconds,
        progress=progress,
    )
    return tuple(_results(case, frozenset(force)))


def refused(results: Collection[GuardResult]) -> tuple[GuardResult, ...]:
    """The guards that refuse."""
    return tuple(result for result in results if result.state is GuardState.REFUSED)


def require(results: Collection[GuardResult]) -> None:
    """Raise if a guard refuses.

    Raises:
        DatabaseError: A guard refuses; the message names all that do.
    """
    standing = refused(results)
    if standing:
        forceable = [one.name for one in standing if one.forceable]
        firm = [one.name for one in standing if not one.forceable]
        remedy = _REMEDIES[firm[0]] if firm else f"Take the risk with --force {','.join(forceable)}"
        raise DatabaseError("; ".join(one.text for one in standing), where="not written", remedy=remedy)


def _results(case: Case, force: frozenset[str]) -> Iterator[GuardResult]:
    for name, check in _CHECKS.items():
        case.progress(name)
        result = check(case)
        # A fork leaves the session as it is, so its users need not be waited for.
        if case.rehearsal.mode is ApplyMode.FORK and name in _OF_USERS and result.state is GuardState.REFUSED:
            result = replace(result, state=GuardState.NOTED)
        if result.state is GuardState.REFUSED and result.forceable and name in force:
            result = replace(result, state=GuardState.FORCED)
        yield result
