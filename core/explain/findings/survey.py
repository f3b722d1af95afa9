"""Every conversation of a database, examined in the time a user is willing to wait.

Most conversations were never compressed, and most rules have nothing to say about them. One pass over the
messages finds those that were; they are examined in full. Of the others the session row alone is looked at.
What was found is kept, so that the next survey looks only at what has changed.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from core.errors import InspectorError
from core.explain.codec import decode, encode
from core.explain.findings.examine import examine
from core.explain.findings.session_rules import examine_row
from core.hermes.config import HermesConfig, load_config
from core.hermes.log import Kind, Log, LogRecord, read_log
from core.hermes.markers import PREFILTERS
from core.model.event import Finding
from core.model.session import ConversationRow
from core.places import cache_directory
from core.store.connect import Interrupted
from core.store.store import Store

_SLICE = 50_000
_VERSION = 1
_STATED = (Kind.PREFLIGHT, Kind.PRE_API, Kind.HYGIENE, Kind.TELEMETRY, Kind.INIT)

Report = Callable[[int, int], None]
Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Surveyed:
    """One conversation and what was found.

    Attributes:
        full: Every rule was applied; else only those about the session row.
        fresh: It was examined now, not remembered.
        error: Why it could not be examined.
    """

    row: ConversationRow
    findings: tuple[Finding, ...]
    full: bool
    fresh: bool
    error: InspectorError | None = None


@dataclass(slots=True)
class _Memory:
    """What an earlier survey found.

    Attributes:
        scanned: Newest message id that was looked at.
        suspects: Sessions that hold a compaction.
        found: By root session: a stamp of what was examined, and the findings.
    """

    scanned: int = 0
    suspects: set[str] = field(default_factory=set)
    found: dict[str, tuple[str, list[dict[str, Any]]]] = field(default_factory=dict)


def survey(
    store: Store,
    *,
    report: Report = lambda done, total: None,
    cancelled: Cancelled = lambda: False,
    now: datetime | None = None,
    remember: bool = True,
) -> Iterator[Surveyed]:
    """Examine every conversation, newest first, as they are done.

    Args:
        store: The database.
        report: Told how many steps of how many are done.
        cancelled: Asked between steps; the survey ends when it says yes, and what is done is remembered.
        now: The moment asked about; this one by default.
        remember: Keep the findings in the user's cache directory.

    Raises:
        ConfigError: config.yaml cannot be used.
    """
    slot = _slot(store) if remember else None
    memory = _load(slot)
    home = store.location.home
    config = load_config(home)
    logs = _Logs(read_log(home, None, cache_directory() / "logs") if home else Log())
    rows = store.conversations().rows
    slices = list(_slices(store, memory.scanned))
    total = len(slices) + len(rows)
    try:
        for step, (start, end) in enumerate(slices, 1):
            memory.suspects |= _suspects(store, start, end)
            memory.scanned = end
            report(step, total)
            if cancelled():
                return
        for step, row in enumerate(rows, len(slices) + 1):
            yield _surveyed(store, row, memory, logs, config, now or datetime.now(UTC))
            report(step, total)
            if cancelled():
                return
    finally:
        _save(slot, memory)


def _surveyed(
    store: Store, row: ConversationRow, memory: _Memory, logs: _Logs, config: HermesConfig, now: datetime
) -> Surveyed:
    ids = [session.id for session in row.sessions]
    full = len(ids) > 1 or any(one in memory.suspects or logs.compressed(one) for one in ids)
    stamp = _stamp(row, full, config, logs)
    known = memory.found.get(row.root.id)
    if known is not None and known[0] == stamp:
        return Surveyed(row, tuple(decode(Finding, one) for one in known[1]), full, fresh=False)
    try:
        found = _examined(store, row, full, logs.about(ids) if full else Log(), config, now)
    except Interrupted:
        raise
    except InspectorError as error:
        return Surveyed(row, (), full, fresh=True, error=error)
    memory.found[row.root.id] = (stamp, [encode(finding) for finding in found])
    return Surveyed(row, found, full, fresh=True)


def _examined(
    store: Store, row: ConversationRow, full: bool, log: Log, config: HermesConfig, now: datetime
) -> tuple[Finding, ...]:
    if full:
        return examine(store, row.tip.id, config=config, log=log, now=now).findings
    return examine_row(row, now)


class _Logs:
    """The log of a home, taken apart by session."""

    def __init__(self, log: Log) -> None:
        self.whole = log
        self.own: dict[str, list[LogRecord]] = defaultdict(list)
        self.common: list[LogRecord] = []
        newest: dict[str, LogRecord] = {}
        for record in log.records:
            for session in {record.session, record.tag} - {None}:
                self.own[str(session)].append(record)
            if record.session is None:
                self.common.append(record)
            if record.kind in _STATED and record.window and record.model:
                newest[record.model] = record
        self.stated = tuple(newest.values())

    def about(self, sessions: list[str]) -> Log:
        """The lines about some sessions, those that name none, and the newest window of each model."""
        found = {id(record): record for session in sessions for record in self.own.get(session, ())}
        found |= {id(record): record for record in (*self.common, *self.stated)}
        records = sorted(found.values(), key=lambda record: record.at)
        return Log(tuple(records), self.whole.files, self.whole.problems)

    def compressed(self, session: str) -> bool:
        """A line tells of an attempt in this session."""
        return any(record.kind in (Kind.STARTED, Kind.TELEMETRY) for record in self.own.get(session, ()))

    def newest(self, session: str) -> str:
        """When the log last spoke of a session."""
        records = self.own.get(session)
        return records[-1].at.isoformat() if records else ""


def _slices(store: Store, scanned: int) -> Iterator[tuple[int, int]]:
    """Ranges of message ids that have not been looked at."""
    (newest,) = store.connection.execute("SELECT max(id) FROM messages").fetchone()
    for start in range(scanned, newest or 0, _SLICE):
        yield start + 1, min(start + _SLICE, newest)


def _suspects(store: Store, start: int, end: int) -> set[str]:
    """Sessions with a compaction among some messages; reads are short, so no running Hermes waits."""
    tests = [f"instr(content, '{marker}') > 0" for marker in PREFILTERS]
    if store.schema.archives:
        tests.append("compacted = 1")
    query = f"SELECT DISTINCT session_id FROM messages WHERE id BETWEEN ? AND ? AND ({' OR '.join(tests)})"  # noqa: S608 - constants
    return {str(session) for (session,) in store.connection.execute(query, (start, end)).fetchall()}


def _stamp(row: ConversationRow, full: bool, config: HermesConfig, logs: _Logs) -> str:
    """Changes whenever a finding may: the sessions' rows, their lines, the configuration."""
    parts: list[object] = [full, sorted(config.raw.items(), key=str)]
    for session in row.sessions:
        parts += [session.id, session.messages, session.api_calls, session.last_active, session.ended_at]
        parts += [session.end_reason, session.guards, logs.newest(session.id)]
    return sha256(repr(parts).encode("utf-8", "replace")).hexdigest()


def _slot(store: Store) -> Path:
    name = sha256(os.fsencode(store.path.resolve())).hexdigest()[:24]
    return cache_directory() / "findings" / f"{name}.json"


def _load(slot: Path | None) -> _Memory:
    """What is remembered; a file that cannot be read counts as nothing."""
    if slot is None:
        return _Memory()
    try:
        data: Mapping[str, Any] = json.loads(slot.read_text("utf-8"))
        if data["version"] != _VERSION:
            return _Memory()
        found = {root: (stamp, list(rows)) for root, (stamp, rows) in data["found"].items()}
        return _Memory(int(data["scanned"]), set(data["suspects"]), found)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return _Memory()


def _save(slot: Path | None, memory: _Memory) -> None:
    """Write beside and rename; findings quote conversations, so nobody else may read them."""
    if slot is None:
        return
    data = {
        "version": _VERSION,
        "scanned": memory.scanned,
        "suspects": sorted(memory.suspects),
        "found": memory.found,
    }
    with suppress(OSError):
        slot.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=slot.parent, prefix=".findings-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump(data, stream, default=str)
            os.replace(name, slot)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name)
