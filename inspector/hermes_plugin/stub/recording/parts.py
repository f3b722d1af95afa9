"""Reads the rows of a request: role, text, and the size of each part."""

from __future__ import annotations

import json
import re
from typing import Any

from .row_names import shown_text

_BLOCKS = {
    "memory": re.compile(r"═{9,}\n(?:MEMORY|USER PROFILE) .*\n═{9,}\n(?:(?!\n\n).|\n(?!\n))*"),
    "skills": re.compile(r"<available_skills>(?:.|\n)*?</available_skills>"),
}
"""Blocks of the system prompt that are measured separately; a memory ends at the first empty line."""


def text_of(value: Any) -> str:
    """A message's content as text."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, default=str)


def system_of(messages: list[Any]) -> str:
    """The system prompt, if it is the first message."""
    first = messages[0] if messages else None
    leads = isinstance(first, dict) and first.get("role") in ("system", "developer")
    return text_of(first.get("content")) if leads and isinstance(first, dict) else ""


def tool_sizes_of(tools: Any) -> list[tuple[str, int]]:
    """The name of each tool, with the characters of its schema."""
    found = []
    for tool in tools if isinstance(tools, list) else ():
        inner = tool.get("function", tool) if isinstance(tool, dict) else {}
        name = inner.get("name") if isinstance(inner, dict) else None
        found.append((str(name or "?"), len(json.dumps(tool, default=str))))
    return found


def parts_of(system: str, tools: list[tuple[str, int]] | None, rows: list[tuple[str, int]]) -> dict[str, int]:
    """Characters of each part of a request: system, tools, rows by role; parts seen cut are left out."""
    blocks = {
        name: sum(map(len, (found.group() for found in pattern.finditer(system))))
        for name, pattern in _BLOCKS.items()
    }
    rest = len(system) - sum(blocks.values())
    held = {name: size for name, size in blocks.items() if size}
    sizes = {"system": rest, **held} if system else {}
    if tools is not None:
        sizes["tools"] = sum(size for _, size in tools)
    for role, size in rows:
        if role not in ("system", "developer"):
            sizes[role] = sizes.get(role, 0) + size
    return sizes


def size_of(message: Any) -> int:
    """Characters of a row's content and calls."""
    if not isinstance(message, dict):
        return len(str(message))
    calls = message.get("tool_calls")
    return len(text_of(message.get("content"))) + (len(json.dumps(calls, default=str)) if calls else 0)


def role_of(message: Any) -> str:
    """The role of a row."""
    return str(message.get("role", "?")) if isinstance(message, dict) else "other"


def content_of(message: Any) -> str:
    """The text and calls of a row."""
    if not isinstance(message, dict):
        return str(message)
    calls = message.get("tool_calls")
    return "\n".join(filter(None, (shown_text(message), json.dumps(calls, default=str) if calls else "")))
