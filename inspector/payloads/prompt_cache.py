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
    ResultCost,
    TtlAdvice,
)
from inspector.payloads import values as jsonio


def payload(found: CacheReport) -> dict[str, Any]:
    """A report as the command line promises it."""
    return {
        **jsonio.headline(cache_headline(found)),
        "strategy": found.strategy,
        "layout": found.layout,
        "ttl": found.ttl,
        "why": found.route.why,
        "breakpoints": list(dict.fromkeys(point.index for point in found.breakpoints if point.index >= 0)),
        "markers": [marker(point) for point in found.breakpoints],
        "calls": [call_payload(call) for call in found.calls],
        "breaks": [_break(one, found) for one in found.breaks],
        "advice": {} if found.advice is None else _advice(found.advice),
        "paybacks": [_payback(one) for one in found.paybacks],
        "results": [_result(one) for one in found.results],
        "tokens": jsonio.tokens(found.tokens),
        "hit_rate": found.tokens.hit_rate,
        "log": found.log,
        "notes": list(found.notes),
        "recorded": None if found.recorded is None else recorded(found.recorded),
    }


def marker(point: Breakpoint) -> dict[str, Any]:
    """Where a request carries a cache marker."""
    return {
        "index": point.index,
        "role": point.role,
        "where": point.where,
        "ttl": point.ttl,
        "honoured": point.honoured,
        "prefix_tokens": point.prefix_tokens,
    }


def call_payload(call: CacheCall) -> dict[str, Any]:
    """A call and what it found in the cache."""
    return {
        "at": jsonio.time(call.at),
        "session": call.session,
        "model": call.model,
        "prompt": call.prompt,
        "cache_read": call.cache_read,
        "cache_write": call.cache_write,
        "output": call.output,
        "hit_rate": call.hit_rate,
        "gap": call.gap,
        "where": call.where,
    }


def recorded(found: RecordedUse) -> dict[str, Any]:
    """What the recorder inside Hermes saw of the requests themselves."""
    return {
        "requests": found.requests,
        "tokens": jsonio.tokens(found.tokens),
        "auxiliary": {task: jsonio.tokens(tokens) for task, tokens in found.auxiliary.items()},
        "characters": dict(found.parts),
        "tool_schemas": dict(found.tool_schemas),
        "breaks": [
            {"at": jsonio.time(one.at), "cause": one.cause, "message": one.at_message, "of": one.of}
            for one in found.breaks
        ],
    }


def _break(one: CacheBreak, found: CacheReport) -> dict[str, Any]:
    return {
        "at": jsonio.time(one.at),
        "call": one.call,
        "cause": one.cause,
        "tokens_lost": one.tokens_lost,
        "cost_usd": jsonio.money(one.usd),
        "hit_rate_before": one.before,
        "hit_rate_after": one.after,
        **jsonio.headline(break_headline(one, found.calls)),
        "evidence": [jsonio.evidence(evidence) for evidence in one.evidence],
    }


def _advice(one: TtlAdvice) -> dict[str, Any]:
    return {
        "current": one.current,
        "better": one.better,
        "reason": one.reason,
        "usd_5m": jsonio.money(one.usd_5m),
        "usd_1h": jsonio.money(one.usd_1h),
        "gaps": list(one.gaps),
    }


def _payback(one: Payback) -> dict[str, Any]:
    return {
        "at": jsonio.time(one.at),
        "session": one.session,
        "saved_per_call": one.saved_per_call,
        "price_usd": jsonio.money(one.price_usd),
        "saving_per_call_usd": jsonio.money(one.saving_per_call_usd),
        "calls_after": one.calls_after,
        "paid_back_after": one.paid_back_after,
        "notes": list(one.notes),
    }


def _result(one: ResultCost) -> dict[str, Any]:
    return {
        "row": one.row,
        "session": one.session,
        "tool": one.tool,
        "tokens": one.tokens,
        "calls": one.calls,
        "usd": jsonio.money(one.usd),
    }
