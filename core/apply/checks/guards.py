"""The checklist before a database is written to: who holds the session, what changed, what is unknown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from core.apply.checks import database as fitness
from core.apply.checks import in_use as occupied
from core.apply.checks.case import Case
from core.errors import DatabaseError
from core.model.compaction.apply import ApplyMode, GuardResult, GuardState, Rehearsal
from core.store.store import Store

INTEGRITY_SECONDS = 5.0

_CHECKS: dict[str, Callable[[Case], GuardResult]] = {
    "engine": fitness.engine,
    "lock": occupied.lock,
    "turn": occupied.turn,
    "writer": occupied.writer,
    "activity": occupied.activity,
    "unchanged": fitness.unchanged,
    "complete": fitness.complete,
    "schema": fitness.schema,
    "pause": fitness.pause,
    "writable": fitness.writable,
    "room": fitness.room,
    "integrity": fitness.integrity,
}
NAMES = tuple(_CHECKS)
"""Every guard, in the order they are asked."""

_REMEDIES = {
    "lock": "Wait until Hermes is done and try again",
    "turn": "Wait until Hermes is done and try again",
    "unchanged": "Preview it again",
    "writable": "Make it writable, or work on a copy",
    "room": "Make room on the disk and try again",
    "integrity": "Copy the file before anything else",
}
"""What helps against a guard that no force can pass."""


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


def _results(case: Case, force: frozenset[str]) -> Iterator[GuardResult]:
    for name, check in _CHECKS.items():
        case.progress(name)
        result = _for_mode(check(case), case)
        if result.state is GuardState.REFUSED and result.forceable and name in force:
            result = replace(result, state=GuardState.FORCED)
        yield result


def _for_mode(result: GuardResult, case: Case) -> GuardResult:
    """A fork leaves the session as it is, so nobody who uses it need be waited for."""
    harmless = case.rehearsal.mode is ApplyMode.FORK and result.name in ("lock", "turn", "writer", "activity")
    return (
        replace(result, state=GuardState.NOTED) if harmless and result.state is GuardState.REFUSED else result
    )
