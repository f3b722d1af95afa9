"""Who else is at work on the session that is to be written to."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from core.apply.checks.case import Case, against, noted, passed
from core.apply.database import open_files as writers
from core.apply.database.lock import left_behind
from core.model.compaction.apply import ApplyMode, GuardResult
from core.model.transcript.storage import Lease
from core.store.rows.decode import moment

QUIET = timedelta(minutes=2)
"""A session written to more recently than this is taken to be in use."""


def lock(case: Case) -> GuardResult:
    """A compression of this conversation that has not let go."""
    return _held(case, "lock", "compression", case.store.locks(), "nobody is compressing this session")


def turn(case: Case) -> GuardResult:
    """A turn of this conversation that has not ended."""
    return _held(case, "turn", "turn", case.store.leases(), "no turn of this session is running")


def _held(case: Case, name: str, what: str, leases: Collection[Lease], free: str) -> GuardResult:
    """Refuse while a lease runs, and while the process that let one run out is still there."""
    others = [one for one in leases if one.key in case.thread and one.holder != case.own_lock]
    standing = [one for one in others if not left_behind(one.holder)]
    for lease in standing:
        if lease.expires_at is None or lease.expires_at > case.now:
            return against(name, f"a {what} is running ({_who(lease, case)})")
    for lease in standing:
        if lease.pid is not None and writers.alive(lease.pid):
            # Up to 0.17 nothing renews a lease, however long the work takes.
            text = f"a {what} ran out of its time, and its process is still there ({lease.holder})"
            return against(name, text, forceable=True)
    return passed(name, free)


def _who(lease: Lease, case: Case) -> str:
    left = f", {round((lease.expires_at - case.now).total_seconds())} s left" if lease.expires_at else ""
    gone = lease.pid is not None and not writers.alive(lease.pid)
    return f"{lease.holder}{left}{'; no such process here' if gone else ''}"


def writer(case: Case) -> GuardResult:
    """A process that has the file open may hold this session in memory, and would not see the change."""
    pids = writers.having_open(case.rehearsal.database)
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
    """Up to 0.17 a gateway keeps in a file which session a chat speaks to, and follows no new one."""
    rehearsal = case.rehearsal
    if rehearsal.mode is not ApplyMode.CONTINUATION or case.store.schema.archives:
        return ""
    home = case.store.location.home or rehearsal.database.absolute().parent
    file = home / "sessions" / "sessions.json"
    if not file.is_file() or f'"{rehearsal.session_id}"' not in file.read_text(errors="replace"):
        return ""
    new = rehearsal.new_session.get("title") or rehearsal.target_id
    return f"its gateway goes on with the old session until /resume {new} is sent in the chat"


def activity(case: Case) -> GuardResult:
    """A session written to just now: by a turn that took no lease, or a release that has none."""
    newest = _last_written(case)
    if newest is None or case.now - newest >= QUIET:
        return passed("activity", "quiet for two minutes or more")
    ago = max(0, round((case.now - newest).total_seconds()))
    text = f"this session was written to {ago} s ago"
    return against("activity", text, forceable=True)


def _last_written(case: Case) -> datetime | None:
    session = case.store.session(case.rehearsal.session_id)
    # A time in the future says nothing about now; a value that is no number sorts above every number.
    query = "SELECT max(timestamp) FROM messages WHERE session_id = ? AND timestamp < ?"
    soon = (case.now + QUIET).timestamp()
    (newest,) = case.store.connection.execute(query, (session.id, soon)).fetchone()
    written = moment(newest)
    known = [one for one in (written, session.last_active) if one is not None]
    return max(known, default=None)
