"""The calls of a conversation, as its log reports them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.hermes.log.read import Log, log_files
from core.hermes.log.record import Kind, LogRecord
from core.model.accounting.prompt_cache import CacheCall

ToUtc = Callable[[datetime], datetime]
"""Turns a local time of the log into UTC."""

_STARTS = re.compile(
    rb"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3})[^\n]*"
    rb"(?:run_agent: (?:No \.env file found|Loaded environment variables)|Plugin discovery complete)",
    re.MULTILINE,
)


def local_time(moment: datetime) -> datetime:
    """A log time in this machine's zone as UTC."""
    return moment.astimezone(UTC)


def read_calls(log: Log, sessions: Collection[str], to_utc: ToUtc = local_time) -> tuple[CacheCall, ...]:
    """The model calls of some sessions in time order.

    A call line without a `cache=` part reports a miss; one without numbers reports nothing.
    """
    lines = (record for record in log.records if record.kind is Kind.CALL and record.session in sessions)
    calls = sorted((_call(record, to_utc) for record in lines), key=lambda call: call.at)
    return tuple(_with_gaps(calls))


def program_starts(home: Path | None, to_utc: ToUtc = local_time) -> tuple[datetime, ...]:
    """When Hermes was started, by what it logs first."""
    found: list[datetime] = []
    for path in log_files(home) if home is not None else ():
        try:
            content = path.read_bytes() if path.is_file() else b""  # a pipe would be waited for
        except OSError:
            continue
        for match in _STARTS.finditer(content):
            stamp = f"{match[1].decode()}.{match[2].decode()}"
            found.append(to_utc(datetime.fromisoformat(stamp)))
    return tuple(sorted(found))


def identity_changed(home: Path | None, system_prompt: str | None) -> datetime | None:
    """When SOUL.md, with which a system prompt begins, became another than a stored one begins with.

    None while the stored prompt holds it, or where nobody can tell. Only the last change of a file is known.
    """
    if home is None or not system_prompt:
        return None
    path = home / "SOUL.md"
    try:
        content = path.read_text("utf-8", "replace").strip() if path.is_file() else ""
        changed = path.stat().st_mtime
    except OSError:
        return None
    return datetime.fromtimestamp(changed, UTC) if content and content not in system_prompt else None


def _call(record: LogRecord, to_utc: ToUtc) -> CacheCall:
    return CacheCall(
        at=to_utc(record.at),
        session=record.session or "",
        model=record.model or "",
        provider=record.provider or "",
        prompt=record.input,
        cache_read=None if record.input is None else record.cached or 0,
        output=record.output,
        number=record.number or 0,
        where=record.where,
        cache_write=record.written,
    )


def _with_gaps(calls: Iterable[CacheCall]) -> Iterable[CacheCall]:
    before: datetime | None = None
    for call in calls:
        yield call if before is None else replace(call, gap=(call.at - before).total_seconds())
        before = call.at
