"""Walking back from the end of a conversation, and keeping tool groups whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.compress.planning.row_facts import Columns


class Walk(NamedTuple):
    """Where a walk stopped, and what it had picked up by then."""

    cut: int
    total: int


def walk_back(
    weights: Sequence[int], start: int, limit: int, least: int, *, include_last: bool = False
) -> Walk:
    """Add weights from the end until one more would pass the limit.

    Args:
        weights: Of every message.
        start: Position the walk never passes.
        limit: Most tokens.
        least: Messages taken whatever they weigh.
        include_last: The message that passes the limit is taken too.

    Returns:
        The first position taken (the length when none is), and the tokens of those before it stopped.
    """
    count = len(weights)
    total, cut = 0, count
    for i in range(count - 1, start - 1, -1):
        weight = weights[i]
        if total + weight > limit and count - i >= least:
            return Walk(i if include_last else cut, total)
        total += weight
        cut = i
    return Walk(cut, total)


def past_results(rows: Columns, position: int) -> int:
    """The first position from here on that is no tool result."""
    while position < len(rows) and rows.roles[position] == "tool":
        position += 1
    return position


def group_start(rows: Columns, position: int) -> int:
    """Before the tool group that ends just before a position; the position itself when none does."""
    if position <= 0 or position >= len(rows):
        return position
    before = position - 1
    while before >= 0 and rows.roles[before] == "tool":
        before -= 1
    calling = before >= 0 and rows.roles[before] == "assistant" and rows.calls[before]
    return before if calling else position
