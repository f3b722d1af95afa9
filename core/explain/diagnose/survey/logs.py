"""The log of a home, taken apart by session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from core.hermes.log.read import Log, read_log
from core.hermes.log.record import Kind, LogRecord
from core.support.file_cache import cache_directory

_STATED = (Kind.PREFLIGHT, Kind.PRE_API, Kind.HYGIENE, Kind.TELEMETRY, Kind.INIT)

_EVERYDAY = (Kind.TURN, Kind.TURN_ENDED, Kind.CALL, Kind.AUX_CALL, Kind.SUMMARY_CALL, Kind.INIT)


class SessionLogs:
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

    @classmethod
    def of_home(cls, home: Path | None) -> Self:
        """The log of a home; empty without one."""
        return cls(read_log(home, None, cache_directory() / "logs") if home else Log())

    def about(self, sessions: Sequence[str]) -> Log:
        """The lines about some sessions, those that name none, and the newest window of each model."""
        found = {id(record): record for session in sessions for record in self.own.get(session, ())}
        found |= {id(record): record for record in (*self.common, *self.stated)}
        records = sorted(found.values(), key=lambda record: record.at)
        return Log(tuple(records), self.whole.files, self.whole.problems, self.whole.compactions)

    def tells(self, session: str) -> bool:
        """A line of this session is about compression: an attempt, a check, a refusal."""
        return any(record.kind not in _EVERYDAY for record in self.own.get(session, ()))

    def newest(self, session: str) -> str:
        """When the log last spoke of a session."""
        records = self.own.get(session)
        return records[-1].at.isoformat() if records else ""
