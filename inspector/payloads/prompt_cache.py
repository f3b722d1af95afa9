"""What a conversation found in the prompt cache, as JSON."""

from __future__ import annotations

from typing import Any

from core.explain.headline.usage import break_headline, cache_headline
from core.model.accounting.prompt_cache import (
    Breakpoint,
    CacheBreak,
    CacheCall,
    CacheReport,
    Payback,
    RecordedUse,
)
from inspector.payloads import values as jsonio


def payload(found: CacheReport) -> dict[str, Any]:
    """A report as the command line promises it."""
    return {
        **jsonio.headline(cache_headline(found)),
        **jsonio.fields(found, "strategy layout ttl"),
        "why": found.route.why,
        "breakpoints": list(dict.fromkeys(point.index for point in found.breakpoints if point.index >= 0)),
        "markers": [marker(point) for point in found.breakpoints],
        "calls": [call_payload(call) for call in found.calls],
        "breaks": [_break(one, found) for one in found.breaks],
        "advice": {}
        if found.advice is None
        else jsonio.fields(found.advice, "current better reason usd_5m usd_1h gaps"),
        "paybacks": [_payback(one) for one in found.paybacks],
        "results": [jsonio.fields(one, "row session tool tokens calls usd") for one in found.results],
        "tokens": jsonio.tokens(found.tokens),
        "hit_rate": found.tokens.hit_rate,
        "log": found.log,
        "notes": list(found.notes),
        "recorded": None if found.recorded is None else recorded(found.recorded),
    }


def marker(point: Breakpoint) -> dict[str, Any]:
    """Where a request carries a cache marker."""
    return jsonio.fields(point, "index role where ttl honoured prefix_tokens")


def call_payload(call: CacheCall) -> dict[str, Any]:
    """A call and what it found in the cache."""
    return jsonio.fields(call, "at session model prompt cache_read cache_write output hit_rate gap where")


def recorded(found: RecordedUse) -> dict[str, Any]:
    """What the recorder inside Hermes saw of the requests themselves."""
    return {
        "requests": found.requests,
        "tokens": jsonio.tokens(found.tokens),
        "auxiliary": {task: jsonio.tokens(tokens) for task, tokens in found.auxiliary.items()},
        "characters": dict(found.parts),
        "tool_schemas": dict(found.tool_schemas),
        "breaks": [
            {
                "at": jsonio.time(one.at),
                "cause": one.cause,
                "message": one.at_message,
                "of": one.of,
                "row": one.row,
            }
            for one in found.breaks
        ],
    }


def _break(one: CacheBreak, found: CacheReport) -> dict[str, Any]:
    return {
        **jsonio.fields(one, "at call cause tokens_lost"),
        "cost_usd": jsonio.money(one.usd),
        "hit_rate_before": one.before,
        "hit_rate_after": one.after,
        **jsonio.headline(break_headline(one, found.calls)),
        "evidence": [jsonio.evidence(evidence) for evidence in one.evidence],
    }


def _payback(one: Payback) -> dict[str, Any]:
    return jsonio.fields(
        one,
        "at session saved_per_call price_usd saving_per_call_usd calls_after paid_back_after notes",
    )
