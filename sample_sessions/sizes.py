"""How large rows are: for Hermes' own estimate, and for the provider."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sample_sessions.cast import Row


def estimate(rows: Iterable[Row]) -> int:
    """Hermes 0.19's rough size of messages as loaded from the database: the length of their repr over 4."""
    return (sum(len(str(wire(row))) for row in rows) + 3) // 4


def wire(row: Row) -> dict[str, Any]:
    """A row in the key order Hermes 0.19 loads it with, images stripped."""
    content = row.content
    if isinstance(content, list):
        content = [
            {"type": part["type"], "image": "[stripped]"} if part.get("type") == "image_url" else part
            for part in content
        ]
    message: dict[str, Any] = {"role": row.role, "content": content, "timestamp": row.at.timestamp()}
    optional = {
        "tool_call_id": row.tool_call_id,
        "tool_name": row.tool_name,
        "tool_calls": row.tool_calls,
        "finish_reason": row.finish_reason,
        "reasoning": row.reasoning,
    }
    return message | {key: value for key, value in optional.items() if value}


def provider_tokens(content: Any, chars: float) -> int:
    """What a provider would count for the content of one message."""
    if isinstance(content, list):
        return sum(
            1400 if part.get("type") == "image_url" else provider_tokens(part.get("text"), chars)
            for part in content
        )
    text = content or ""
    dense = sum(1 for char in text if char > "\u2e80")
    return round((len(text) - dense) / chars + dense * 0.9) + 4
