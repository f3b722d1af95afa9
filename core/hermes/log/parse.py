"""Parses a line of agent.log into a record."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from datetime import MAXYEAR, MINYEAR, datetime
from functools import cache, lru_cache
from sys import intern
from typing import Any, NamedTuple

from core.hermes.log.record import Kind, LogRecord, Particulars, Telemetry
from core.support.program_files import load_table

_HEAD = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) (?:DEBUG|INFO|WARNING|ERROR|CRITICAL)"
    r"(?: \[([^\]]+)\])? ([\w.\-]+): (.*)",
    re.DOTALL,
)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})*|\d+")
_PREFIX = re.compile(r"\[[^\]]{1,40}\] ")
_QUOTED = 400
_KEY = 8
_INTEGERS = frozenset(
    {"tokens", "tokens_after", "plain", "threshold", "window", "before", "after"}
    | {"input", "output", "cached", "written", "number"}
)
_TORN = object()
_NAMES = frozenset({"session", "model", "provider"})
"""Fields with the same values in many lines; each value is interned."""
_MAX_NUMBER_CHARS = 30
"""Characters; no real count is longer, and Python refuses to parse a number of thousands of digits."""
_MAX_SECONDS = 10_000_000
"""More than any call or pause takes, and so few that a line's time plus them is still in the calendar."""


class Pattern(NamedTuple):
    """How to recognise and read one kind of line."""

    kind: Kind
    starts: str
    source: str
    anywhere: bool

    def fullmatch(self, message: str) -> re.Match[str] | None:
        """The fields, if the whole message has this form."""
        return _compiled(self.source).fullmatch(message)


class Head(NamedTuple):
    """The part of a line before the message, and the message."""

    at: datetime
    tag: str | None
    logger: str
    message: str


@cache
def patterns() -> tuple[Pattern, ...]:
    """Every known line form."""
    return tuple(
        Pattern(Kind(e["kind"]), e["starts"], e["pattern"], e.get("anywhere", False))
        for e in load_table("core/hermes/log/lines.yaml")
    )


@cache
def _compiled(source: str) -> re.Pattern[str]:
    # Compiled on first use: most logs have few of the forms, and compiling all of them takes 30 ms.
    return re.compile(source, re.DOTALL)


@cache
def _by_start() -> Mapping[str, tuple[Pattern, ...]]:
    table: dict[str, list[Pattern]] = {}
    for pattern in patterns():
        table.setdefault(pattern.starts[:_KEY], []).append(pattern)
    return {key: tuple(found) for key, found in table.items()}


def split_head(line: str) -> Head | None:
    """The head of a record; None for a continuation line, a torn line, or an invalid time."""
    match = _HEAD.fullmatch(line)
    if match is None:
        return None
    stamp, tag, logger, message = match.groups()
    try:
        at = datetime.fromisoformat(stamp.replace(",", "."))
    except ValueError:
        return None
    if not MINYEAR < at.year < MAXYEAR:
        return None  # in another time zone, or a second later, it would be outside the calendar
    return Head(at, tag and intern(tag), intern(logger), message)


def parse_line(line: str, where: str, continuation: str = "") -> LogRecord | None:
    """Parse a line of a place such as `agent.log:812`; free text may continue in the lines after it."""
    head = split_head(line)
    if head is None:
        return None
    prefix = _PREFIX.match(head.message)
    text = head.message[prefix.end() :] if prefix else head.message
    for message in (head.message, text):
        for pattern in _by_start().get(message[:_KEY], ()):
            if message.startswith(pattern.starts) and (match := pattern.fullmatch(message)):
                return _record(pattern.kind, head, where, match.groupdict(), continuation)
    return None


def _record(
    kind: Kind, head: Head, where: str, found: dict[str, str | None], continuation: str
) -> LogRecord | None:
    values: dict[str, Any] = {name: _value(name, text) for name, text in found.items() if text is not None}
    if any(value is _TORN for value in values.values()):
        return None
    if "plain" in values:
        values["tokens_after"] = values.pop("plain")
    if kind is Kind.TELEMETRY:
        values = _telemetry_values(values["text"])
    if continuation and values.get("text"):
        values["text"] = f"{values['text']}\n{continuation}"
    if "focus" in values:
        values["text"] = values.pop("focus")
    session = values.pop("session", None) or head.tag
    more = {name: values.pop(name) for name in Particulars.__slots__ if name in values}
    if more:
        values["more"] = Particulars(**more)
    values |= {"kind": kind, "quoted": _quoted(head.message)}
    return LogRecord(where, session, at=head.at, tag=head.tag, logger=head.logger, **values).briefly


def _quoted(message: str) -> str:
    """The start of a message, cut after a word or a member of JSON: half a credential is not recognised."""
    if len(message) <= _QUOTED:
        return message
    ends = (message.rfind(" ", 0, _QUOTED), message.rfind(',"', 0, _QUOTED) + 1, 0)
    word = _QUOTED if message[_QUOTED].isspace() else max(ends)
    return f"{message[:word].rstrip()}…"


def _value(name: str, text: str) -> Any:
    if name in _INTEGERS:
        if text in ("?", "None"):
            return None
        return _counted(text)
    if name == "seconds":
        return _seconds(text)
    if name in _NAMES:
        return intern(text)
    if name == "focus":
        return _focus(text)
    return text


@lru_cache(maxsize=1024)
def _counted(text: str) -> Any:
    """The same int object for the same text: many calls read from the cache what the previous one sent."""
    counted = len(text) <= _MAX_NUMBER_CHARS and _GROUPED.fullmatch(text)
    return int(text.replace(",", "")) if counted else _TORN


@lru_cache(maxsize=1024)
def _seconds(text: str) -> Any:
    """The same float object for the same text: to a tenth of a second, many calls take the same time."""
    try:
        seconds = float(text)
    except ValueError:
        return _TORN
    return seconds if seconds <= _MAX_SECONDS else _TORN


def _focus(text: str) -> str | None:
    """A topic from its `%r`; None for the word None."""
    if text == "None":
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return value if isinstance(value, str) else text


def _telemetry_values(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {"text": text}
    if not isinstance(data, dict):
        return {"text": text}
    telemetry = _telemetry(data)
    return {
        "session": _text(data, "session_id"),
        "model": _text(data, "main_model"),
        "provider": _text(data, "main_provider"),
        "tokens": telemetry.tokens,
        "threshold": telemetry.threshold,
        "window": telemetry.window,
        "before": telemetry.messages_before,
        "after": telemetry.messages_after,
        "telemetry": telemetry,
    }


def _telemetry(data: Mapping[str, Any]) -> Telemetry:
    took = _integer(data, "total_duration_ms")
    return Telemetry(
        trigger=_text(data, "trigger_source") or "unknown",
        overflow_reason=_text(data, "overflow_reason"),
        tokens=_integer(data, "current_estimated_tokens") or None,
        threshold=_integer(data, "effective_threshold"),
        window=_integer(data, "main_context_limit"),
        messages_before=_integer(data, "messages_before"),
        messages_after=_integer(data, "messages_after"),
        method=_text(data, "method"),
        commit=_text(data, "commit_status"),
        failure=_text(data, "failure_class"),
        aux_model=_text(data, "aux_model"),
        duration=took / 1000 if took is not None and 0 <= took <= 1000 * _MAX_SECONDS else None,
        route=_text(data, "route"),
    )


def _text(data: Mapping[str, Any], key: str) -> str | None:
    value = data.get(key)
    return value if isinstance(value, str) and value else None


def _integer(data: Mapping[str, Any], key: str) -> int | None:
    value = data.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return int(value) if abs(value) < 10**_MAX_NUMBER_CHARS else None
