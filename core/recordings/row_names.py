"""Names a message of a request by a hash of what a provider sees of it.

Standard library only: `plugin install` copies this file into Hermes, so that the recorder and the reader of
its recordings name messages alike.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any


def digest(text: str) -> str:
    """A short hash."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def rows_of(message: Any) -> list[Any]:
    """The rows a database has for a message; in Anthropic's format one message has several results."""
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return [message]
    kinds = [part.get("type") if isinstance(part, dict) else None for part in content]
    if not {"tool_use", "tool_result"} & set(kinds):
        return [message]
    parts = list(zip(kinds, content, strict=True))
    rows: list[Any] = [
        {"role": "tool", "tool_call_id": part.get("tool_use_id"), "content": part.get("content")}
        for kind, part in parts
        if kind == "tool_result"
    ]
    calls = [
        {"id": part.get("id"), "function": {"name": part.get("name"), "arguments": part.get("input")}}
        for kind, part in parts
        if kind == "tool_use"
    ]
    texts = [part for kind, part in parts if kind in (None, "text", "image", "document")]
    if texts or calls:
        rows.append(
            {"role": message.get("role"), "content": texts, **({"tool_calls": calls} if calls else {})}
        )
    return rows


def row_name(message: Any, hashed: Callable[[str], str] = digest) -> str:
    """The name of a message, by role, content and calls; `hashed` looks hashes up instead of making them."""
    if not isinstance(message, dict):
        return hashed(str(message))
    parts = [str(message.get("role")), hashed(shown_text(message)), str(message.get("tool_call_id") or "")]
    return hashed("\x1f".join((*parts, *_calls(message))))


def shown_text(message: dict[str, Any]) -> str:
    """The content as one text, without cache markers."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [_unmarked(part) for part in content]
        texts = [part["text"] for part in parts if isinstance(part, dict) and _is_text(part)]
        content = "\n".join(texts) if len(texts) == len(parts) else parts
    return content if isinstance(content, str) else json.dumps(content, default=str) if content else ""


def _unmarked(part: Any) -> Any:
    if not isinstance(part, dict):
        return part
    return {key: value for key, value in part.items() if key != "cache_control"}


def _is_text(part: dict[str, Any]) -> bool:
    return part.get("type") == "text" and isinstance(part.get("text"), str)


def _calls(message: dict[str, Any]) -> list[str]:
    """Each call's id, tool and arguments, which are the same in a request and a database."""
    found, calls = [], message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        inner = call.get("function") if isinstance(call, dict) else None
        function = inner if isinstance(inner, dict) else {}
        name = call.get("id") if isinstance(call, dict) else call
        found += [str(name or ""), str(function.get("name")), _arguments(function.get("arguments"))]
    return found


def _arguments(value: Any) -> str:
    """JSON with normalised spaces and order: Hermes sends it shorter than it stores it."""
    try:
        arguments = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return str(value)
    return json.dumps(arguments, default=str, sort_keys=True)
