"""What is kept of a request: hashes and sizes of its parts, and how many rows repeat the last request."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from .kept_texts import Text
from .parts import content_of, parts_of, role_of, size_of, system_of, text_of, tool_sizes_of
from .row_names import digest, row_name, rows_of, shown_text

_MAX_KNOWN = 50_000
_MAX_SESSIONS = 16
_MAX_OPEN = 64
_PIECE, _BREATH = 1024, 0.0005
Seen = tuple[Any, Any, Any, Any]


class Row(NamedTuple):
    """A message that was read.

    Attributes:
        seen: The message's fields, to recognise an unchanged copy.
    """

    seen: Seen
    name: str
    role: str
    size: int


AROUND = "around_request"
KEYS = ("session_id", "api_request_id", "api_call_count")
"""The keys that identify a hook's call."""
_CUT = ("...[truncated ", "_truncated", "depth limit>")
"""What Hermes writes where it cuts a hook's payload."""
_BUCKETS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_read": "cache_read_tokens",
    "cache_write": "cache_write_tokens",
    "reasoning": "reasoning_tokens",
}


class ShapeReader:
    """Pairs each request with its answer, and describes both; `texts` collects the texts too."""

    def __init__(self, home: str, *, texts: bool = False) -> None:
        self._home, self._wants_texts = home, texts
        self._texts: list[Text] = []
        self._open: OrderedDict[str, tuple[float, dict[str, Any]]] = OrderedDict()
        self._known: dict[str, str] = {}
        self._before: OrderedDict[tuple[str, str], list[Row]] = OrderedDict()
        self._rows: list[dict[str, Any]] = []
        self._shapes: dict[str, tuple[str, Any]] = {}
        self._system_prompt: set[str] = set()

    def take(self, hook: str, at: float, details: Mapping[str, Any]) -> None:
        """Take one call of a hook."""
        key = str(
            details.get("api_request_id") or f"{details.get('session_id')}/{details.get('api_call_count')}"
        )
        if hook == AROUND:
            if key in self._open:
                self._open[key][1].update(details)
            return
        if hook.startswith("pre_"):
            self._open[key] = (at, dict(details))
            while len(self._open) > _MAX_OPEN:
                self._open.popitem(last=False)
            return
        # A request without an answer is not one that the next request continues.
        row = self._begun(*self._open.pop(key, (at, details)))
        self._rows.append(row | _ended(details))
        if row["task"] and row["request"]:  # the database has answers of the main loop
            self._keep_text(row["request"], row["session"], "answer", text_of(details.get("response")))

    def finished(self) -> tuple[list[dict[str, Any]], dict[str, tuple[str, Any]]]:
        """Requests completed since the last call."""
        rows, self._rows = self._rows, []
        shapes, self._shapes = self._shapes, {}
        return rows, shapes

    def texts(self) -> list[Text]:
        """Texts collected since the last call."""
        found, self._texts = self._texts, []
        return found

    def _keep_text(self, name: str, session: str, role: str, text: str) -> None:
        if self._wants_texts and text:
            self._texts.append((name, session, role, text))

    def forget(self) -> None:
        """The last result was lost, so describe the next request completely."""
        self._before.clear()

    def _begun(self, at: float, details: Mapping[str, Any]) -> dict[str, Any]:
        body = _body(details)
        messages = [row for message in _messages(details, body) for row in rows_of(message)]
        whole = details.get("whole") or {}
        system = (
            text_of(details.get("system_prompt"))
            or system_of(messages)
            or _system_prompt(whole)
            or _system_prompt(body)
        )
        tools = _tools(whole, body, details.get("tool_count"))
        task, session = str(details.get("aux_task") or ""), str(details.get("session_id") or "")
        count = details.get("message_count")
        rows = self._read(messages, self._before.get((session, task), []))
        sizes = None if tools is None else tool_sizes_of(tools)
        return {
            "at": at,
            "home": self._home,
            "session": session,
            "turn": _short(details.get("turn_id")),
            "request": _short(details.get("api_request_id")),
            "task": task,
            "model": _short(details.get("model")),
            "provider": _short(details.get("provider")),
            "host": urlsplit(str(details.get("base_url") or "")).hostname or "",
            "messages": count if isinstance(count, int) else None,
            "system": self._shape("system", session, system, [len(part) for part in system.split("\n\n")]),
            "tools": self._shape("tools", session, json.dumps(tools, default=str) if tools else "", sizes),
            "parts": json.dumps(parts_of(system, sizes, [(one.role, one.size) for one in rows])),
        } | self._followed(session, task, rows, messages)

    def _followed(self, session: str, task: str, rows: list[Row], messages: list[Any]) -> dict[str, Any]:
        """Which rows repeat the last request, and what the others are."""
        if not rows:
            return {"kept": None, "rows": None}
        before = self._before.get((session, task), [])
        pairs = enumerate(zip(before, rows, strict=False))
        kept = next((i for i, (old, new) in pairs if old.name != new.name), min(len(before), len(rows)))
        self._before[session, task] = rows
        self._before.move_to_end((session, task))
        while len(self._before) > _MAX_SESSIONS:
            self._before.popitem(last=False)
        for row, message in zip(rows[kept:], messages[kept:], strict=True) if self._wants_texts else ():
            if row.role != "system":  # already collected
                self._keep_text(row.name, session, row.role, content_of(message))
        return {"kept": kept, "rows": json.dumps([(row.name, row.role[:1], row.size) for row in rows[kept:]])}

    def _read(self, messages: list[Any], before: list[Row]) -> list[Row]:
        """The rows of a list; a message equal to the one at its place before is not read again.

        A long list is read in pieces, so that the chat's own thread gets its turn.
        """
        rows: list[Row] = []
        for index, message in enumerate(messages):
            seen = _seen(message)
            old = before[index] if index < len(before) else None
            if old is None or old.seen != seen:
                old = Row(seen, row_name(message, self._hash), role_of(message), size_of(message))
            rows.append(old)
            if index % _PIECE == _PIECE - 1:
                time.sleep(_BREATH)
        return rows

    def _shape(self, kind: str, session: str, text: str, shape: Any) -> str | None:
        if not text:
            return None
        name = self._hash(text)
        self._shapes[name] = (kind, shape)
        if name not in self._system_prompt:
            self._system_prompt.add(name)
            self._keep_text(name, session, kind, text)
        return name

    def _hash(self, text: str) -> str:
        """Hash a text, with a cache, because the same texts come with every request."""
        found = self._known.get(text)
        if found is None:
            found = digest(text)
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            self._known[text] = found
        return found


def _seen(message: Any) -> Seen:
    if not isinstance(message, dict):
        return (message, None, None, None)
    get = message.get
    return (get("content"), get("role"), get("tool_call_id"), get("tool_calls"))


def _body(details: Mapping[str, Any]) -> Mapping[str, Any]:
    request = details.get("request")
    body = request.get("body") if isinstance(request, Mapping) else None
    return body if isinstance(body, Mapping) else {}


def _messages(details: Mapping[str, Any], body: Mapping[str, Any]) -> list[Any]:
    # A long body is cut short for a hook; the separate list of messages is not.
    for found in (details.get("request_messages"), body.get("messages"), body.get("input")):
        if isinstance(found, list):
            return found
    return []


def _tools(whole: Mapping[str, Any], body: Mapping[str, Any], count: Any) -> list[Any] | None:
    """The tools of a request; None if they were not all shown uncut."""
    if whole.get("tools") or count == 0:
        return list(whole.get("tools") or ())
    tools = body.get("tools")
    if not isinstance(tools, list) or not tools or (isinstance(count, int) and count != len(tools)):
        return None
    return tools if _uncut(tools) else None


def _system_prompt(body: Mapping[str, Any]) -> str:
    """The system prompt, if it is not one of the messages."""
    return _uncut(shown_text({"content": body.get("system") or body.get("instructions")}))


def _uncut(value: Any) -> str:
    """A part of a request's body as text; empty if Hermes cut it for the hook."""
    text = text_of(value)
    return "" if any(mark in text for mark in _CUT) else text


def _short(value: Any) -> str:
    return str(value or "")[:200]


def _ended(details: Mapping[str, Any]) -> dict[str, Any]:
    usage = details.get("usage")
    counts = usage if isinstance(usage, Mapping) else {}
    row: dict[str, Any] = {
        name: counts[key] if isinstance(counts.get(key), int) else None for name, key in _BUCKETS.items()
    }
    duration = details.get("api_duration")
    row["seconds"] = float(duration) if isinstance(duration, int | float) else None
    row["finish"] = _short(details.get("finish_reason"))
    row["error"] = _short(details.get("error_type"))
    return row
