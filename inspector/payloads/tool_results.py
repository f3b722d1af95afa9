"""What became of tool results, as JSON."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

from core.compress.tool_results.arrival import Arrived, ArrivedTurn, threshold_words
from core.explain.tool_results.life import ResultLife, ResultLives
from inspector.payloads import values as jsonio


def lives(found: ResultLives) -> dict[str, Any]:
    """The results of a conversation as the command line promises them, the dearest first."""
    priced = [one.usd for one in found.results if one.usd is not None]
    return {
        "release": found.release,
        "window": found.window,
        "result_size": found.sizes.result,
        "turn_budget": found.sizes.turn,
        "results": [_life(one) for one in found.results],
        "totals": {
            "results": len(found.results),
            "tokens": sum(one.tokens for one in found.results if one.live),
            "lifetime_tokens": sum(one.lifetime_tokens for one in found.results),
            "lifetime_usd": jsonio.money(sum(priced, Decimal(0))) if priced else None,
            "unpriced": len(found.results) - len(priced),
            "layers": dict(Counter(one.standing.layer for one in found.results)),
        },
    }


def _life(one: ResultLife) -> dict[str, Any]:
    return {
        **jsonio.fields(one, "row session tool"),
        "call_id": one.call,
        "tokens": one.tokens,
        "layer": one.standing.layer,
        "arrived_as": one.arrived.layer,
        "original_chars": one.arrived.chars,
        "path": one.path,
        "readable": one.readable,
        "calls_seen": one.calls,
        "lifetime_tokens": one.lifetime_tokens,
        "lifetime_usd": jsonio.money(one.usd),
        "stub": one.stub,
        "live": one.live,
        "tool_cap": one.cap,
        "expired": one.expired,
        "would": None if one.would is None else _arrival(one.would),
    }


def _arrival(one: Arrived) -> dict[str, Any]:
    return {
        "outcome": one.outcome,
        "layer": one.layer,
        "threshold": threshold_words(one.threshold),
        "length": one.message_length,
    }


def turn(found: ArrivedTurn) -> dict[str, Any]:
    """What becomes of the results of one turn."""
    alone = len(found.results) == 1
    return {
        "results": [_arrived(one, alone=alone) for one in found.results],
        "turn_budget": found.budget,
        "total_before": found.before,
        "total_after": found.after,
    }


def _arrived(one: Arrived, *, alone: bool) -> dict[str, Any]:
    """One result; in a turn its message counts, and a wrapper around it has changed it."""
    wrapped = one.wrapped and one.outcome == "kept" and not alone
    return {
        "id": one.call,
        "tool": one.tool,
        "outcome": "changed" if wrapped else one.outcome,
        "layer": one.layer,
        "threshold": threshold_words(one.threshold),
        "length": one.length if alone else one.message_length,
        "message_length": one.message_length,
        "preview_length": one.preview,
        "path": one.path,
    }
