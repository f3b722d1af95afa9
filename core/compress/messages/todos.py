"""The to-do list of a conversation, as an agent reads it back from the results of its own calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.hermes.markers.summary_signs import markers
from core.model.transcript.message import Message, ToolCall

_TOOLS = ("todo", "todo_list")
_MARKS = {"completed": "x", "in_progress": ">", "pending": " ", "cancelled": "~"}
_OPEN = ("pending", "in_progress")


def todo_header() -> str:
    """The line a carried-over to-do list begins with."""
    found: str = next(m["text"] for m in markers()["scaffolding"] if m["kind"] == "todo_snapshot")
    return found


def open_todos(messages: Sequence[Message]) -> str | None:
    """The text a release puts behind a compacted list: the open items of the newest to-do result.

    Returns:
        None when no item is open, or no result holds a list.
    """
    items = _newest(messages) or []
    lines = [line for item in items if not item.get("parent") for line in _lines(item, items, 0)]
    return "\n".join([todo_header(), *lines]) if lines else None


def may_hide_todos(messages: Sequence[Message]) -> bool:
    """Whether an agent may hold to-dos in memory that no result in the conversation shows."""
    header = todo_header()
    told = any(call.name in _TOOLS for call in _calls(messages)) or any(
        message.role == "user" and header in message.text for message in messages
    )
    return told and _newest(messages) is None


def _newest(messages: Sequence[Message]) -> list[Mapping[str, Any]] | None:
    names: Mapping[str, str] | None = None
    for message in reversed(messages):
        content = message.content
        if message.role != "tool" or not isinstance(content, str) or '"todos"' not in content:
            continue
        names = {call.id: call.name for call in _calls(messages)} if names is None else names
        found = _listed(content) if names.get(message.tool_call_id or "") in _TOOLS else None
        if found is not None:
            return found
    return None


def _calls(messages: Sequence[Message]) -> Iterator[ToolCall]:
    return (call for message in messages if message.wire.get("tool_calls") for call in message.tool_calls)


def _listed(text: str) -> list[Mapping[str, Any]] | None:
    try:
        items = json.loads(text)["todos"]
    except (ValueError, KeyError, TypeError):
        return None
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else None


def _lines(item: Mapping[str, Any], items: Sequence[Mapping[str, Any]], depth: int) -> Iterator[str]:
    """An item with those below it; a finished one only where something below it is open (0.22)."""
    key = item.get("id")
    parts = [one for one in items if one.get("parent") and one.get("parent") == key and one is not item]
    below = [line for part in parts if depth < len(items) for line in _lines(part, items, depth + 1)]
    status = item.get("status")
    if status in _OPEN or below:
        mark = _MARKS.get(str(status), "?")
        yield f"{'  ' * depth}- [{mark}] {key}. {item.get('content')} ({status})"
        yield from below
