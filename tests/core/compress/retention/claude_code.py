"""The messages of a Claude Code session file, as a provider would be sent them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Wire = dict[str, Any]


def messages_of(path: Path) -> list[Wire]:
    """Every message of a file, the lines of one answer put together again."""
    made: list[Wire] = []
    answering = None
    for entry in _entries(path):
        message = entry["message"]
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if entry["type"] == "user":
            made += filter(None, map(_asked, blocks))
        elif answering != message["id"] or made[-1]["role"] != "assistant":
            made.append({"role": "assistant", "content": ""})
        answering = message.get("id")
        if entry["type"] == "assistant":
            for block in blocks:
                _answer(made[-1], block)
    return [one for one in made if one["content"] or one.get("tool_calls") or one["role"] == "tool"]


def _entries(path: Path) -> Iterator[Wire]:
    seen = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        told = entry.get("type") in ("user", "assistant") and not entry.get("isMeta")
        if told and entry["uuid"] not in seen:
            seen.add(entry["uuid"])
            yield entry


def _asked(block: Wire) -> Wire | None:
    if block["type"] == "tool_result":
        return {"role": "tool", "tool_call_id": block["tool_use_id"], "content": _text(block.get("content"))}
    return {"role": "user", "content": block["text"]} if block["type"] == "text" else None


def _text(content: Any) -> str:
    parts = content if isinstance(content, list) else [{"text": content or ""}]
    return "\n".join(part.get("text", "") for part in parts)


def _answer(message: Wire, block: Wire) -> None:
    if block["type"] == "text":
        message["content"] = f"{message['content']}\n{block['text']}".strip()
    elif block["type"] == "tool_use":
        function = {"name": block["name"], "arguments": json.dumps(block["input"], ensure_ascii=False)}
        call = {"id": block["id"], "type": "function", "function": function}
        message.setdefault("tool_calls", []).append(call)
