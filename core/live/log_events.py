"""What a line of the log tells, as an event."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from core.hermes.log.record import Kind, LogRecord
from core.live.event import LiveEvent, LiveKind
from core.model.accounting.amounts import share_of

FAILURES: Mapping[Kind, str] = {
    Kind.ABORTED: "compaction",
    Kind.FALLBACK: "summary",
    Kind.SPLIT_FAILED: "compaction",
    Kind.STALLED: "compaction",
    Kind.HYGIENE_FAILED: "compaction",
    Kind.EXHAUSTED: "compaction",
    Kind.CALL_FAILED: "call",
}
"""Lines that end something badly, and what failed; those before them tell of attempts that may still do."""
_AGAIN = "Compaction completed with a deterministic fallback summary"
"""How a line begins that says once more, when the compaction is done, that its summary fell back (0.19)."""
_COMPACTED = (Kind.DONE, Kind.NATIVE_DONE)


def event_of(key: str, record: LogRecord) -> LiveEvent | None:
    """The event of a line; None for one that tells of none by itself."""
    if record.kind is Kind.CALL:
        return _event(LiveKind.CALL, key, record, _call(record))
    if record.kind in FAILURES and not record.message.startswith(_AGAIN):
        facts = {"what": FAILURES[record.kind], "text": record.message}
        return _event(LiveKind.FAILURE, key, record, facts)
    if record.kind in _COMPACTED:
        return _event(LiveKind.COMPACTION, key, record, _done(record))
    return None


def moment(record: LogRecord) -> datetime:
    """When a line was written: logs are in this machine's time."""
    return record.at.astimezone(UTC)


def _event(kind: LiveKind, key: str, record: LogRecord, facts: Mapping[str, Any]) -> LiveEvent:
    return LiveEvent(kind, key, record.session, moment(record), facts)


def _call(record: LogRecord) -> dict[str, Any]:
    cached = None if record.input is None else record.cached or 0
    return {
        "model": record.model,
        "prompt": record.input,
        "cache_read": cached,
        "output": record.output,
        "hit_rate": share_of(cached, record.input),
        "seconds": record.seconds,
    }


def _done(record: LogRecord) -> dict[str, Any]:
    return {
        "messages_before": record.before,
        "messages_after": record.after,
        "tokens_after": record.tokens_after,
    }
