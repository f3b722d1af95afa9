"""Tool results as printed tables, and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from core.compress.tool_results.arrival import Arrived, ArrivedTurn, threshold_words
from core.explain.tool_results.life import MOVED, ResultLife, ResultLives, file_words, results_headline
from core.support import formatting as fmt
from inspector.cli import output, table
from inspector.payloads import values as jsonio


def lines(found: ResultLives, shown: Sequence[ResultLife]) -> Iterator[str]:
    """The totals, then a table of the results that are shown."""
    yield from output.headline(results_headline(found))
    if not found.results:
        return
    columns = (
        table.Column("row", right=True),
        table.Column("tool", varies=True),
        table.Column("tokens", right=True, rank=2),
        table.Column("calls", right=True, rank=3),
        table.Column("in all", right=True, rank=4),
        table.Column("cost", right=True, varies=True),
        table.Column("state", varies=True, rank=5),
        table.Column("if pruned", shrinks=True, least=20, rank=1),
    )
    yield from table.lines(columns, map(_cells, shown))
    yield ""
    size, turn = fmt.count(found.sizes.result), fmt.count(found.sizes.turn)
    window = f"a window of {fmt.count(found.window)}" if found.window else "window unknown"
    yield f"Hermes {found.release}, {window}: limit {size} characters per result, {turn} per turn"
    for one in shown:
        if one.path is not None:
            yield f"row {one.row}: {one.path} ({file_words(one)})"
        if one.moved:
            yield f"row {one.row}: {MOVED}"
        if one.cap is not None and "tool_cap" in (one.arrived.layer, one.standing.layer):
            yield f"row {one.row}: {one.tool} itself cuts at {fmt.count(one.cap)} characters"


def _cells(one: ResultLife) -> list[str]:
    return [
        str(one.row),
        one.tool,
        fmt.count(one.tokens, mark=fmt.ESTIMATE),
        str(one.calls),
        fmt.count(one.lifetime_tokens, mark=fmt.ESTIMATE),
        fmt.money(one.usd),
        one.state,
        " ".join((one.stub or "").split()),
    ]


def turn_lines(found: ArrivedTurn) -> Iterator[str]:
    """What happens to each result of a turn."""
    columns = (
        table.Column("id", shrinks=True),
        table.Column("tool", varies=True, rank=1),
        table.Column("outcome"),
        table.Column("because of", varies=True, rank=2),
        table.Column("limit", right=True, varies=True, rank=3),
        table.Column("characters", right=True),
        table.Column("preview", right=True, varies=True, rank=4),
    )
    yield from table.lines(columns, map(_arrived_cells, found.results))
    before, after = fmt.count(found.before), fmt.count(found.after)
    yield f"{before} characters together, limit {fmt.count(found.budget)} per turn: {after} remain"


def _arrived_cells(one: Arrived) -> list[str]:
    threshold = threshold_words(one.threshold)
    return [
        one.call,
        one.tool,
        one.outcome,
        {"result": "its size", "turn": "the turn"}.get(one.layer or "", ""),
        "any" if isinstance(threshold, str) else fmt.count(threshold),
        fmt.count(one.message_length),
        fmt.count(one.preview),
    ]


def lives(found: ResultLives, shown: Sequence[ResultLife]) -> dict[str, Any]:
    """The document of `results`: the results that are shown, and what all of them come to."""
    priced = [result.usd for result in found.results if result.usd is not None]
    return {
        **jsonio.fields(found, "release window"),
        "result_size": found.sizes.result,
        "turn_budget": found.sizes.turn,
        "results": [_life(result) for result in shown],
        "totals": {
            "results": len(found.results),
            "tokens": sum(result.tokens for result in found.results if result.live),
            "lifetime_tokens": sum(result.lifetime_tokens for result in found.results),
            "lifetime_usd": jsonio.money(sum(priced, Decimal(0))) if priced else None,
            "unpriced": len(found.results) - len(priced),
            "layers": dict(Counter(result.standing.layer for result in found.results)),
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
        "moved": one.moved,
        "would": None if one.would is None else _arrival(one.would),
    }


def _arrival(one: Arrived) -> dict[str, Any]:
    return {
        **jsonio.fields(one, "outcome layer"),
        "threshold": threshold_words(one.threshold),
        "length": one.message_length,
    }


def turn(found: ArrivedTurn) -> dict[str, Any]:
    """The document of `results --incoming`."""
    alone = len(found.results) == 1
    return {
        "results": [_arrived(result, alone=alone) for result in found.results],
        "turn_budget": found.budget,
        "total_before": found.before,
        "total_after": found.after,
    }


def _arrived(one: Arrived, *, alone: bool) -> dict[str, Any]:
    """One result. In a turn its message is what counts, and wrapping it counts as a change."""
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
