"""Examines every conversation of a database within the time a user will wait.

Most conversations were never compressed, and most rules do not apply to them. One pass over the messages
(`message_scan`) finds those that were compressed, have duplicated or mismatched rows, or hold credentials.
These are examined in full, as are those mentioned in the log or held by a lock; for the others only the
session row is checked. The pass runs while other processes examine those already known to be worth it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
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
from core.model.transcript.session import ConversationRow
from core.model.transcript.storage import Lease
from core.store.database.connect import Interrupted, reading
from core.store.rows.messages import newest_row, next_row
from core.store.store import Store
from core.support.program_files import KeptAnswer

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
    remember: bool = True,
    processes: int | None = None,
) -> Iterator[Surveyed]:
    """Examine every conversation, and yield each when done: first those known to be worth it.

    Within both groups the newest come first, and a few of these even before the others are listed. `report`
    and `scanned` hear how many steps and messages are done, of how many.

    Raises:
        ConfigError: config.yaml cannot be used.
    """
    kept = KeptAnswer("findings", str(store.path.resolve())) if remember else None
    memory = Memory.read(kept)
    config, logs = load_config(store.location.home), SessionLogs.of_home(store.location.home)
    run = _Survey(store, memory, config, logs, store.locks(), datetime.now(UTC), scanned, cancelled)
    try:
        newest = run.newest_to_examine()
        yield from run.examined(newest, processes=1)
        yield from run.others({row.root.id for row in newest}, report, processes)
    except _Stopped:
        return
    finally:
        memory.write(kept)


class _Stopped(Exception):  # noqa: N818 - asked for, not a fault
    """The caller asked for the pass over the messages to end."""


@dataclass(frozen=True, slots=True)
class _Task:
    """One conversation to examine.

    Attributes:
        stamp: Changes whenever a finding may change.
        known: The findings of an earlier examination with the same stamp.
    """

    row: ConversationRow
    ids: tuple[str, ...]
    full: bool
    stamp: str
    known: tuple[Finding, ...] | None


@dataclass(frozen=True)
class _Survey:
    """One survey, with everything that all conversations of the database share."""

    store: Store
    memory: Memory
    config: HermesConfig
    logs: SessionLogs
    locks: Sequence[Lease]
    now: datetime
    scanned: Report
    cancelled: Cancelled

    def newest_to_examine(self) -> list[ConversationRow]:
        """The newest conversations that are worth a full examination."""
        newest = self.store.newest(_FIRST, shown=False)
        if not self.memory.scanned:
            unknown = [row.tip.id for row in newest if not self._needs_examination(row)]
            self.memory.to_examine |= quick_check_of(self.store, unknown)
        return [row for row in newest if self._needs_examination(row)]

    def others(self, done: set[str], report: Report, processes: int | None) -> Iterator[Surveyed]:
        """All conversations but those examined already."""
        slices = list(_slices(self.store, self.memory.scanned))
        rows = self.store.conversations(shown=False).rows
        steps = count(1)

        def step() -> None:
            report(next(steps), len(slices) + len(rows))

        for _ in done:
            step()
        rows_shown = [row for row in rows if row.root.id not in done and self._needs_examination(row)]
        yield from self.examined(rows_shown, processes, step, self._scan(slices, step))
        done.update(row.root.id for row in rows_shown)
        yield from self.examined([row for row in rows if row.root.id not in done], processes, step)

    def examined(
        self,
        rows: Sequence[ConversationRow],
        processes: int | None,
        step: Callable[[], None] = lambda: None,
        meanwhile: Iterator[bool] = iter(()),  # noqa: B008 - empty, and stays so
    ) -> Iterator[Surveyed]:
        """Examine some conversations; while workers are busy, advance `meanwhile`."""
        tasks = [self._task(row) for row in rows]
        waiting = [task.ids for task in tasks if task.full and task.known is None]
        with Examiners(self.store.location, self.now, waiting, processes=processes) as examiners:
            for task in tasks:
                while task.full and task.known is None and not examiners.ready and next(meanwhile, False):
                    pass
                done = self._surveyed(task, examiners)
                if done.findings or done.error is not None:
                    self.store.learn_titles([task.row])  # few of those examined are shown
                yield done
                step()
                if self.cancelled():
                    raise _Stopped
        for _ in meanwhile:
            pass

    def _scan(self, slices: Sequence[tuple[int, int]], step: Callable[[], None]) -> Iterator[bool]:
        """Scan the messages that came since the last survey, and remember how far that got."""
        for start, end in slices:
            tell = partial(self._reached, slices[-1][1])
            tell(start - 1)
            self.memory.to_examine |= quick_check(self.store, start, end, self.memory.pending, tell)
            self.memory.scanned = end
            step()
            tell(end)
            yield True

    def _reached(self, last: int, row: int) -> None:
        """Report how far the scan is, and end it when that was asked for."""
        self.scanned(row, last)
        if self.cancelled():
            raise _Stopped

    def _is_locked(self, row: ConversationRow) -> bool:
        return any(lock.key == session.id for lock in self.locks for session in row.sessions)

    def _needs_examination(self, row: ConversationRow) -> bool:
        """Whether a conversation is worth a full examination, without reading its messages."""
        if len(row.sessions) > 1 or self._is_locked(row):
            return True
        return row.tip.id in self.memory.to_examine or self.logs.tells(row.tip.id)

    def _task(self, row: ConversationRow) -> _Task:
        full = self._needs_examination(row)
        stamp = self._stamp(row, full)
        old, found = self.memory.found.get(row.root.id, ("", ()))
        known = tuple(map(_decoded, found)) if old == stamp else None
        return _Task(row, tuple(session.id for session in row.sessions), full, stamp, known)

    def _surveyed(self, task: _Task, examiners: Examiners) -> Surveyed:
        """One conversation with its remembered findings, else those of an examination."""
        if task.known is not None:
            return Surveyed(task.row, task.known, task.full, fresh=False)
        try:
            found = self._found(task, examiners)
        except Interrupted:
            raise
        except InspectorError as error:
            return Surveyed(task.row, (), task.full, fresh=True, error=error)
        self.memory.found[task.row.root.id] = (task.stamp, found)
        return Surveyed(task.row, tuple(map(_decoded, found)), task.full, fresh=True)

    def _found(self, task: _Task, examiners: Examiners) -> list[dict[str, Any]]:
        if not task.full:
            return encoded(examine_row(task.row, self.now))
        found = examiners.next()
        if found is not None:
            return found
        log = self.logs.about(task.ids)
        examination = examine(self.store, task.row.tip.id, config=self.config, log=log, now=self.now)
        return encoded(examination.findings)

    @cached_property
    def _configured(self) -> str:
        return repr(sorted(self.config.raw.items(), key=str))

    def _stamp(self, row: ConversationRow, full: bool) -> str:
        """A hash that changes whenever a finding may: of rows, log lines, configuration and advised commands.

        Locks, pauses and deadlines depend on the time of day, so such a conversation is examined each time.
        """
        parts: list[object] = [full, self._configured, self.store.location.command]
        parts += [self.now] if self._is_locked(row) else []
        for session in row.sessions:
            parts += [session.id, session.messages, session.api_calls, session.last_active, session.ended_at]
            parts += [session.end_reason, session.guards, self.logs.newest(session.id)]
            waits = (session.guards.cooldown_until, session.guards.recovery_deadline)
            parts += [self.now for until in waits if until is not None and until > self.now]
        return sha256(repr(parts).encode("utf-8", "replace")).hexdigest()


def _decoded(data: dict[str, Any]) -> Finding:
    return convert(data, Finding)


def _slices(store: Store, scanned: int) -> Iterator[tuple[int, int]]:
    """Ranges of message ids not scanned yet, skipping gaps between ids."""
    with reading(store.path):
        newest = newest_row(store.connection)
        last = scanned
        while last < newest and (first := next_row(store.connection, last)) is not None:
            last = min(first + _SLICE - 1, newest)
            yield first, last
