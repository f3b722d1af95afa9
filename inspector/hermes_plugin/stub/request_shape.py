"""What is kept of a request: hashes and sizes of its parts, and how far it goes on from the one before."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections import OrderedDict
from collections.abc import Mapping
from operator import is_
from typing import Any
from urllib.parse import urlsplit

_MOST_KNOWN = 50_000
_MOST_SESSIONS = 16
_MOST_OPEN = 64
_PIECE, _BREATH = 1024, 0.0005
Seen = tuple[Any, Any, Any, Any]
"""The objects a row consisted of, which say whether another copy of it holds the same."""
_CUT = ("...[truncated ", "_truncated", "depth limit>")
"""What Hermes writes in place of what it leaves out of a hook's payload."""
_BLOCKS = {
    "memory": re.compile(r"═{9,}\n(?:MEMORY|USER PROFILE) .*\n═{9,}\n(?:(?!\n\n).|\n(?!\n))*"),
    "skills": re.compile(r"<available_skills>(?:.|\n)*?</available_skills>"),
}
"""Blocks of the system prompt that are told apart; a memory ends at the first empty line."""
_BUCKETS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_read": "cache_read_tokens",
    "cache_write": "cache_write_tokens",
    "reasoning": "reasoning_tokens",
}


class ShapeReader:
    """Pairs each request with its answer and describes both.

    Args:
        home: The HERMES_HOME.
    """

    def __init__(self, home: str) -> None:
        self._home = home
        self._open: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._known: dict[str, str] = {}
        self._before: OrderedDict[tuple[str, str], tuple[list[str], list[Seen]]] = OrderedDict()
        self._sizes: OrderedDict[str, list[tuple[str, int]]] = OrderedDict()
        self._rows: list[dict[str, Any]] = []
        self._shapes: dict[str, tuple[str, Any]] = {}

    def take(self, hook: str, at: float, details: Mapping[str, Any]) -> None:
        """One call of a hook."""
        key = str(
            details.get("api_request_id") or f"{details.get('session_id')}/{details.get('api_call_count')}"
        )
        if hook.startswith("pre_"):
            self._open[key] = self._begun(at, details)
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
            return
        row = self._open.pop(key, None) or self._begun(at, details)
        self._rows.append(row | _ended(details))

    def finished(self) -> tuple[list[dict[str, Any]], dict[str, tuple[str, Any]]]:
        """What is complete and not yet handed out."""
        rows, self._rows = self._rows, []
        shapes, self._shapes = self._shapes, {}
        return rows, shapes

    def forget(self) -> None:
        """What was handed out was lost: the next request is written whole."""
        self._before.clear()

    def _begun(self, at: float, details: Mapping[str, Any]) -> dict[str, Any]:
        body = _body(details)
        messages = _messages(details, body)
        system = _text(details.get("system_prompt")) or _system(messages)
        tools = _whole(body.get("tools"), details.get("tool_count"))
        task, session = str(details.get("aux_task") or ""), str(details.get("session_id") or "")
        count = details.get("message_count")
        sizes = _tool_sizes(tools) if tools else self._sizes.get(session, [])
        self._sizes[session] = sizes
        while len(self._sizes) > _MOST_SESSIONS:
            self._sizes.popitem(last=False)
        row = {
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
            "system": self._shape("system", system, [len(part) for part in system.split("\n\n")]),
            "tools": self._shape("tools", json.dumps(tools, default=str) if tools else "", sizes),
            "parts": json.dumps(_parts(system, sizes, messages)),
        }
        return row | self._followed(session, task, messages)

    def _followed(self, session: str, task: str, messages: list[Any]) -> dict[str, Any]:
        """Which rows are those of the request before, and what the others are."""
        if not messages:
            return {"kept": None, "rows": None}
        before, seen = self._before.get((session, task), ([], []))
        parts = [_seen(message) for message in messages]
        now = self._names(messages, parts, before, seen)
        pairs = enumerate(zip(before, now, strict=False))
        kept = next((i for i, (old, new) in pairs if old != new), min(len(before), len(now)))
        self._before[session, task] = (now, parts)
        self._before.move_to_end((session, task))
        while len(self._before) > _MOST_SESSIONS:
            self._before.popitem(last=False)
        fresh = zip(now[kept:], messages[kept:], strict=True)
        added = [[name, _letter(message), _size(message)] for name, message in fresh]
        return {"kept": kept, "rows": json.dumps(added)}

    def _names(
        self, messages: list[Any], parts: list[Seen], before: list[str], seen: list[Seen]
    ) -> list[str]:
        """A hash of each row: that of the row in its place before, where all it holds are the same objects.

        A long list is read in pieces, so that the chat's own thread comes in between.
        """
        names: list[str] = []
        for index, part in enumerate(parts):
            same = index < len(seen) and all(map(is_, part, seen[index]))
            names.append(before[index] if same else self._name(messages[index]))
            if index % _PIECE == _PIECE - 1:
                time.sleep(_BREATH)
        return names

    def _name(self, message: Any) -> str:
        """A hash of what a provider sees of a row."""
        if not isinstance(message, dict):
            return self._hash(str(message))
        content, calls = message.get("content"), message.get("tool_calls")
        text = content if isinstance(content, str) else json.dumps(content, default=str)
        parts = [str(message.get("role")), self._hash(text), str(message.get("tool_call_id") or "")]
        if calls:
            parts.append(self._hash(json.dumps(calls, default=str)))
        return self._hash("\x1f".join(parts))

    def _shape(self, kind: str, text: str, shape: Any) -> str | None:
        if not text:
            return None
        name = self._hash(text)
        self._shapes[name] = (kind, shape)
        return name

    def _hash(self, text: str) -> str:
        """Hashes of texts seen before are looked up: the same objects come with every request."""
        found = self._known.get(text)
        if found is None:
            found = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
            if len(self._known) >= _MOST_KNOWN:
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
    # The body a hook is shown is cut short when it is long; the list beside it is not.
    for found in (details.get("request_messages"), body.get("messages"), body.get("input")):
        if isinstance(found, list):
            return found
    return []


def _whole(tools: Any, count: Any) -> list[Any] | None:
    """The tools of a request, where the hook was shown all of them uncut."""
    if not isinstance(tools, list) or not tools or (isinstance(count, int) and count != len(tools)):
        return None
    text = json.dumps(tools, default=str)
    return None if any(mark in text for mark in _CUT) else tools


def _system(messages: list[Any]) -> str:
    first = messages[0] if messages else None
    leads = isinstance(first, dict) and first.get("role") in ("system", "developer")
    return _text(first.get("content")) if leads and isinstance(first, dict) else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, default=str)


def _tool_sizes(tools: Any) -> list[tuple[str, int]]:
    """Each tool by name with the characters of its schema."""
    found = []
    for tool in tools if isinstance(tools, list) else ():
        inner = tool.get("function", tool) if isinstance(tool, dict) else {}
        name = inner.get("name") if isinstance(inner, dict) else None
        found.append((str(name or "?"), len(json.dumps(tool, default=str))))
    return found


def _parts(system: str, tools: list[tuple[str, int]], messages: list[Any]) -> dict[str, int]:
    """Characters of each part of a request."""
    blocks = {
        name: sum(map(len, (found.group() for found in pattern.finditer(system))))
        for name, pattern in _BLOCKS.items()
    }
    rest = len(system) - sum(blocks.values())
    held = {name: size for name, size in blocks.items() if size}
    sizes = {"system": rest, **held, "tools": sum(size for _, size in tools)}
    for message in messages:
        role = str(message.get("role")) if isinstance(message, dict) else "other"
        if role not in ("system", "developer"):
            sizes[role] = sizes.get(role, 0) + _size(message)
    return sizes


def _size(message: Any) -> int:
    if not isinstance(message, dict):
        return len(str(message))
    calls = message.get("tool_calls")
    return len(_text(message.get("content"))) + (len(json.dumps(calls, default=str)) if calls else 0)


def _letter(message: Any) -> str:
    return str(message.get("role", "?"))[:1] if isinstance(message, dict) else "?"


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
