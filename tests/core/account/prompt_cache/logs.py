"""Calls and log lines for cache tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from core.hermes.log.read import Log
from core.hermes.log.record import Kind, LogRecord, Particulars
from core.model.accounting.prompt_cache import CacheCall

START = datetime(2026, 6, 1, 12, tzinfo=UTC)


def call(
    seconds: float,
    prompt: int | None,
    read: int | None,
    *,
    model: str = "opus",
    provider: str = "anthropic",
    number: int = 2,
    session: str = "s",
) -> CacheCall:
    """A call some seconds after the start."""
    at = START + timedelta(seconds=seconds)
    told = {"input": prompt, "output": 50, "cached": read, "number": number}
    return CacheCall(at, line(Kind.CALL, seconds, session, model=model, provider=provider, **told))


def line(kind: Kind, seconds: float, session: str | None = "s", **fields: object) -> LogRecord:
    """A log line; the tests' logs are written in UTC."""
    at = (START + timedelta(seconds=seconds)).replace(tzinfo=None)
    where = f"agent.log:{int(seconds)}"
    more = {name: fields.pop(name) for name in Particulars.__slots__ if name in fields}
    fields["more"] = Particulars(**more)  # type: ignore[arg-type]
    head = {"kind": kind, "at": at, "logger": "x", "tag": session, "quoted": f"{kind} line"}
    return LogRecord(where, session, **head, **fields)  # type: ignore[arg-type]


def log(*lines: LogRecord) -> Log:
    """A log of these lines."""
    return Log(tuple(sorted(lines, key=lambda one: one.at)), ("agent.log",))


def utc(local: datetime) -> datetime:
    """Log times of the tests are UTC."""
    return local.replace(tzinfo=UTC)
