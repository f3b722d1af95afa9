"""A boundary moved by hand: the last turns of the user stay word for word, what precedes them is compressed.

This is what `/compress here N` asks of Hermes 0.16 and later. The kept part begins with a user message, so no
tool call is parted from its results, and the summary joins it as it joins any other tail.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from core.compress.columns import Columns
from core.compress.measure import Measured
from core.compress.partition import Cut
from core.compress.prune import Pruning

MOST_TURNS = 100
"""Turns a user can keep at the most."""


def clamped(turns: int) -> int:
    """The number of turns Hermes would take instead: 1 to 100."""
    return max(1, min(turns, MOST_TURNS))


def moved(found: Cut, rows: Columns, turns: int | None) -> tuple[Cut, int | None]:
    """The cut with its end at the first of the last user turns.

    Args:
        found: The cut the release would make by itself.
        rows: What it is made on.
        turns: User turns to keep; None leaves the cut alone.

    Returns:
        The cut, and the first row kept as it is. None when nothing would lie before the kept turns: then all
        is compressed as without a number.
    """
    start = None if turns is None else _first_kept(rows, clamped(turns))
    return (found, None) if start is None else (replace(found, end=start), start)


def spared(pruning: Pruning, measured: Measured, start: int | None) -> Pruning:
    """Pruning that leaves the kept turns alone, older copies of their results included."""
    if start is None:
        return pruning
    shrunk = frozenset(i for i in pruning.shrunk if i < start)
    copies = bisect_left(measured.duplicates, start)
    return replace(
        pruning,
        shrunk=shrunk,
        count=pruning.count
        - len(measured.duplicates)
        + copies
        - len((pruning.shrunk - shrunk) & measured.counted),
        weights=[*pruning.weights[:start], *measured.weights.full[start:]],
        full=[*pruning.full[:start], *measured.weights.full[start:]],
    )


def _first_kept(rows: Columns, turns: int) -> int | None:
    """Where the last user turns begin. What an earlier summary stands for was compressed already."""
    newest = rows.summaries[-1] if rows.summaries else -1
    asked = [i for i in rows.requests if i > newest]
    if newest >= 0 and asked:
        return asked[-min(turns, len(asked))]
    if len(asked) < turns or asked[-turns] <= int(rows.has_system):
        return None
    return asked[-turns]
