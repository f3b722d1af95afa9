"""The call to a model that wrote a summary: what its provider counted, and what that cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.payloads.values import money

if TYPE_CHECKING:
    from core.model.compaction.preview import SummaryCall

_KEYS = ("input", "cache_read", "cache_write", "output")


def call_payload(call: SummaryCall) -> dict[str, Any]:
    """Its model, its tokens and their price; None for what was not counted or has no price."""
    counted = call.usage
    tokens = {key: counted and getattr(counted, key) for key in _KEYS}
    return {"model": call.model, **tokens, "usd": money(call.usd)}


def call_words(call: SummaryCall) -> str:
    """The same in words."""
    from inspector.terminal import formatting as fmt

    counted = call.usage
    if counted is None:
        return f"written by {call.model}; the provider counted nothing"
    parts = [f"{fmt.count(counted.input)} tokens in", f"{fmt.count(counted.output)} out"]
    if counted.cache_read:
        parts.insert(1, f"{fmt.count(counted.cache_read)} from the cache")
    return f"written by {call.model}: {', '.join(parts)}, {fmt.money(call.usd)}"
