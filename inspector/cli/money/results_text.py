"""Tool results for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.compress.tool_results.arrival import Arrived, ArrivedTurn, threshold_words
from core.explain.tool_results.life import STATES, ResultLife, ResultLives, file_words, results_headline
from inspector.cli import output
from inspector.cli.table import Column
from inspector.cli.table import lines as table
from inspector.terminal import formatting as fmt


def lines(found: ResultLives, shown: Sequence[ResultLife]) -> Iterator[str]:
    """What all of them come to, then a table of those that are shown."""
    yield from output.headline(results_headline(found))
    if not found.results:
        return
    columns = (
        Column("row", right=True),
        Column("tool", varies=True),
        Column("tokens", right=True, rank=2),
        Column("calls", right=True, rank=3),
        Column("in all", right=True, rank=4),
        Column("cost", right=True),
        Column("state", varies=True, rank=5),
        Column("shortened to", shrinks=True, least=20, rank=1),
    )
    yield from table(columns, map(_cells, shown))
    yield ""
    size, turn = fmt.count(found.sizes.result), fmt.count(found.sizes.turn)
    window = f"a window of {fmt.count(found.window)}" if found.window else "no window known"
    yield f"Hermes {found.release}, {window}: limit {size} characters a result, {turn} a turn"
    for one in shown:
        if one.path is not None:
            yield f"row {one.row}: {one.path} ({file_words(one)})"
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
        STATES[one.standing.layer],
        " ".join((one.stub or "").split()),
    ]


def turn_lines(found: ArrivedTurn) -> Iterator[str]:
    """What becomes of each result of a turn."""
    columns = (
        Column("id", shrinks=True),
        Column("tool", varies=True, rank=1),
        Column("outcome"),
        Column("because of", varies=True, rank=2),
        Column("limit", right=True, varies=True, rank=3),
        Column("characters", right=True),
        Column("preview", right=True, varies=True, rank=4),
    )
    yield from table(columns, map(_arrived_cells, found.results))
    before, after = fmt.count(found.before), fmt.count(found.after)
    yield f"{before} characters together, limit {fmt.count(found.budget)} a turn: {after} remain"


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
