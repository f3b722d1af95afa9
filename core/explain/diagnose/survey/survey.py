"""Every conversation of a database, examined in the time a user is willing to wait.

Most conversations were never compressed, and most rules have nothing to say about them. One pass over the
messages (`message_scan`) finds those that were, those whose rows are doubled or do not fit together, and
those with credentials; they are examined in full, as are those the log or a lock tells of. Of the others the
session row alone is looked at. The pass is made while other processes examine what is known to be worth it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from itertools import count
from typing import Any

from msgspec import convert

from core.errors import InspectorError
from core.explain.diagnose.diagnose import examine
from core.explain.diagnose.message_scan import quick_check, quick_check_of
from core.explain.diagnose.rules.storage.structure import examine_row
from core.explain.diagnose.survey.memory import Memory
from core.explain.diagnose.survey.worker_pool import Examiners, SessionLogs, encoded
from core.hermes.config.config import HermesConfig, load_config
from core.model.finding import Finding
from core.model.transcript.pages import ConversationRow
from core.model.transcript.storage import Lease
from core.store.database.connect import Interrupted, reading
from core.store.rows.messages import newest_row, next_row
from core.store.store import Store
from core.support.file_cache import KeptAnswer

_SLICE = 50_000
_FIRST = 20
"""Sessions that are looked at before all conversations are listed."""

Report = Callable[[int, int], None]
Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Surveyed:
    """One conversation and what was found.

    Attributes:
        full: Every rule was applied; else only those about the session row.
        fresh: It was examined now, not remembered.
    """

    row: ConversationRow
    findings: tuple[Finding, ...]
    full: bool
    fresh: bool
    error: InspectorError | None = None


def survey(
    store: Store,
    *,
    report: Report = lambda done, total: None,
    scanned: Report = lambda done, total: None,
    cancelled: Cancelled = lambda: False,
    now: datetime | None = None,
    remember: bool = True,
    processes: int | None = None,
) -> Iterator[Surveyed]:
    """Examine every conversation as they are done: those known to be worth it before the others.

    Of both kinds the newest come first, and the first few of them before all others are even listed.

    `report` is told how many steps of how many are done, `scanned` how many messages were looked through.
    `cancelled` is asked between steps; what is done by then is remembered.

    Raises:
        ConfigError: config.yaml cannot be used.
    """
    kept = KeptAnswer("findings", str(store.path.resolve())) if remember else None
    memory = Memory.read(kept)
    home, now = store.location.home, now or datetime.now(UTC)
    config, logs = load_config(home), SessionLogs.of_home(home)
    around = _Surroundings(config, repr(sorted(config.raw.items(), key=str)), logs, store.locks(), now)
    examined = partial(_examine_all, store, memory=memory, around=around, cancelled=cancelled)
    try:
        newest = _newest_told(store, memory, around)
        yield from examined(newest, processes=1)
        examined = partial(examined, processes=processes)
        yield from _others(
            store, newest, memory, around, examined, report, partial(_reached, scanned, cancelled)
        )
    except _Stopped:
        return
    finally:
        memory.write(kept)


def _others(
    store: Store,
    newest: Sequence[ConversationRow],
    memory: Memory,
    around: _Surroundings,
    examined: Callable[..., Iterator[Surveyed]],
    report: Report,
    reached: Callable[[int, int], None],
) -> Iterator[Surveyed]:
    """All conversations but the newest that were examined already."""
    slices, rows = list(_slices(store, memory.scanned)), store.conversations(shown=False).rows
    done, steps = {row.root.id for row in newest}, count(1)

    def step() -> None:
        report(next(steps), len(slices) + len(rows))

    for _ in done:
        step()
    told = [row for row in rows if row.root.id not in done and _is_told_of(row, memory, around)]
    scan = _scan(store, slices, memory, reached, step)
    yield from examined(told, report=step, meanwhile=scan)
    done.update(row.root.id for row in told)
    yield from examined([row for row in rows if row.root.id not in done], report=step)


def _newest_told(store: Store, memory: Memory, around: _Surroundings) -> list[ConversationRow]:
    """Those of the newest conversations that are worth a full examination."""
    newest = store.newest(_FIRST, shown=False)
    if not memory.scanned:
        unknown = [row.tip.id for row in newest if not _is_told_of(row, memory, around)]
        memory.to_examine |= quick_check_of(store, unknown)
    return [row for row in newest if _is_told_of(row, memory, around)]


def _scan(
    store: Store,
    slices: Sequence[tuple[int, int]],
    memory: Memory,
    reached: Callable[[int, int], None],
    report: Callable[[], None],
) -> Iterator[bool]:
    """Look through the messages that came since the last survey, step by step; remember how far it got."""
    for start, end in slices:
        tell = partial(reached, slices[-1][1])
        tell(start - 1)
        memory.to_examine |= quick_check(store, start, end, memory.pending, tell)
        memory.scanned = end
        report()
        tell(end)
        yield True


class _Stopped(Exception):  # noqa: N818 - asked for, not a fault
    """The reader asked for the pass over the messages to end."""


def _reached(scanned: Report, cancelled: Cancelled, last: int, row: int) -> None:
    """Tell how far the pass over the messages is, and end it when that is asked for."""
    scanned(row, last)
    if cancelled():
        raise _Stopped


@dataclass(frozen=True, slots=True)
class _Task:
    """One conversation to examine.

    Attributes:
        stamp: Changes whenever a finding may.
        known: What was found when it was examined under this stamp.
    """

    row: ConversationRow
    ids: tuple[str, ...]
    full: bool
    stamp: str
    known: tuple[Finding, ...] | None


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What all conversations have in common."""

    config: HermesConfig
    configured: str
    logs: SessionLogs
    locks: Sequence[Lease]
    now: datetime


def _examine_all(
    store: Store,
    rows: Sequence[ConversationRow],
    *,
    memory: Memory,
    around: _Surroundings,
    cancelled: Cancelled,
    processes: int | None,
    report: Callable[[], None] = lambda: None,
    meanwhile: Iterator[bool] | None = None,
) -> Iterator[Surveyed]:
    """Examine some conversations, and do what is to be done meanwhile; `_Stopped` when that is asked for."""
    tasks, work = [_task(row, memory, around) for row in rows], meanwhile or iter(())
    waiting = [task.ids for task in tasks if task.full and task.known is None]
    with Examiners(store.location, around.now, waiting, processes=processes) as examiners:
        for task in tasks:
            while task.full and task.known is None and not examiners.ready and next(work, False):
                pass
            done = _surveyed(task, memory, lambda one: _examined(store, one, examiners, around))
            if done.findings or done.error is not None:
                store.learn_titles([task.row])  # few are shown of the many that are looked at
            yield done
            report()
            if cancelled():
                raise _Stopped
    for _ in work:
        pass


def _is_told_of(row: ConversationRow, memory: Memory, around: _Surroundings) -> bool:
    """Whether a conversation is worth a full examination, by what is known without its messages."""
    ids = [session.id for session in row.sessions]
    locked = any(lock.key in ids for lock in around.locks)
    return len(ids) > 1 or locked or any(one in memory.to_examine or around.logs.tells(one) for one in ids)


def _task(row: ConversationRow, memory: Memory, around: _Surroundings) -> _Task:
    ids = tuple(session.id for session in row.sessions)
    locked = any(lock.key in ids for lock in around.locks)
    full = _is_told_of(row, memory, around)
    stamp = _stamp(row, around, full, locked)
    old, found = memory.found.get(row.root.id, ("", ()))
    return _Task(row, ids, full, stamp, tuple(map(_decoded, found)) if old == stamp else None)


def _surveyed(task: _Task, memory: Memory, examined: Callable[[_Task], list[dict[str, Any]]]) -> Surveyed:
    """One conversation: what is remembered of it, else what an examination finds."""
    if task.known is not None:
        return Surveyed(task.row, task.known, task.full, fresh=False)
    try:
        found = examined(task)
    except Interrupted:
        raise
    except InspectorError as error:
        return Surveyed(task.row, (), task.full, fresh=True, error=error)
    memory.found[task.row.root.id] = (task.stamp, found)
    return Surveyed(task.row, tuple(map(_decoded, found)), task.full, fresh=True)


def _examined(store: Store, task: _Task, examiners: Examiners, around: _Surroundings) -> list[dict[str, Any]]:
    if not task.full:
        return encoded(examine_row(task.row, around.now))
    found = examiners.next()
    if found is not None:
        return found
    log = around.logs.about(task.ids)
    examination = examine(store, task.row.tip.id, config=around.config, log=log, now=around.now)
    return encoded(examination.findings)


def _decoded(data: dict[str, Any]) -> Finding:
    return convert(data, Finding)


def _slices(store: Store, scanned: int) -> Iterator[tuple[int, int]]:
    """Ranges of message ids that have not been looked at, without the gaps between ids."""
    with reading(store.path):
        newest = newest_row(store.connection)
        last = scanned
        while last < newest and (first := next_row(store.connection, last)) is not None:
            last = min(first + _SLICE - 1, newest)
            yield first, last


def _stamp(row: ConversationRow, around: _Surroundings, full: bool, locked: bool) -> str:
    """Changes whenever a finding may: the sessions' rows, their lines, the configuration.

    What hangs on the time of day, a lock or a pause, is looked at each time.
    """
    parts: list[object] = [full, around.configured, around.now if locked else None]
    for session in row.sessions:
        parts += [session.id, session.messages, session.api_calls, session.last_active, session.ended_at]
        parts += [session.end_reason, session.guards, around.logs.newest(session.id)]
        until = session.guards.cooldown_until
        parts += [around.now] if until is not None and until > around.now else []
    return sha256(repr(parts).encode("utf-8", "replace")).hexdigest()
