"""The cache hits of a conversation over its calls: what was found, and why less was than could have been."""

from __future__ import annotations

from core.model.accounting.prompt_cache import CacheReport
from inspector.screens.workspace.cache.list_view import CAUSES, token_of
from inspector.terminal import formatting as fmt
from inspector.widgets.charts.stack import Layer

_SHORT = {
    "compaction": "compaction",
    "model_changed": "model",
    "system_prompt_changed": "system prompt",
    "tools_changed": "tools",
    "messages_rewritten": "rewritten",
    "ttl_expired": "expired",
    "resume": "new start",
}
"""The cause of a break in the legend."""


def hit_layers(report: CacheReport) -> tuple[Layer, ...]:
    """Per cent of each prompt that the cache served, and over it what each break left out, by its cause."""
    hits = tuple(round((call.hit_rate or 0) * 100) for call in report.calls)
    found = [Layer("cached", "bucket-read", "█", hits)]
    for cause in dict.fromkeys(one.cause for one in report.breaks):
        mine = [one for one in report.breaks if one.cause == cause]
        missed = {one.call: 100 - hits[one.call] for one in mine if one.call < len(hits)}
        values = tuple(missed.get(place, 0) for place in range(len(hits)))
        found.append(Layer(_SHORT.get(cause, "no cause known"), token_of(mine[0]), "░", values))
    return tuple(found)


def read_out(report: CacheReport, place: int) -> str:
    """One call in words: when, how large, how much of it the cache served, and why not more."""
    call = report.calls[place]
    cause = next((CAUSES.get(one.cause, one.cause) for one in report.breaks if one.call == place), "")
    sizes = f"{fmt.percent(call.hit_rate)} of {fmt.count(call.prompt)} tokens from the cache"
    said = f"call {place + 1:,} · {fmt.clock(call.at, seconds=False)} · {sizes}"
    return f"{said} · {cause}" if cause else said
