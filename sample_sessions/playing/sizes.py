"""How large rows are: for Hermes' own estimate, and for the provider."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.compress.sizing.estimate import message_size, total_tokens
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message
from sample_sessions.playing.cast import Row


def as_message(row: Row) -> Message:
    """A row in the key order Hermes loads it with."""
    wire: dict[str, Any] = {"role": row.role, "content": row.content, "timestamp": row.at.timestamp()}
    optional = {
        "tool_call_id": row.tool_call_id,
        "tool_name": row.tool_name,
        "tool_calls": row.tool_calls,
        "finish_reason": row.finish_reason,
        "reasoning": row.reasoning,
    }
    return Message(wire | {key: value for key, value in optional.items() if value})


def estimate(rows: Iterable[Row], policy: Policy) -> int:
    """A release's rough size of messages; what a row weighs is counted once, when it is complete."""
    sizes = []
    for row in rows:
        if row.size is None:
            row.size = message_size(as_message(row).wire, policy.estimate)
        sizes.append(row.size)
    return total_tokens(sizes, policy.estimate)


def provider_tokens(content: Any, chars: float) -> int:
    """What a provider would count for the content of one message."""
    if isinstance(content, list):
        return sum(
            1400 if part.get("type") == "image_url" else provider_tokens(part.get("text"), chars)
            for part in content
        )
    text = content or ""
    dense = 0 if text.isascii() else sum(1 for char in text if char > "\u2e80")
    return round((len(text) - dense) / chars + dense * 0.9) + 4
