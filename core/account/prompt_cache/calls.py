"""The calls of a conversation, as its log reports them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.hermes.log.read import Log
from core.hermes.log.record import Kind, LogRecord
from core.model.accounting.prompt_cache import CacheCall

ToUtc = Callable[[datetime], datetime]
"""Turns a local time of the log into UTC."""


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
