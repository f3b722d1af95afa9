"""A row of numbers as one line of bars."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

BARS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[int], width: int, most: int | None = None) -> str:
    """The numbers as bars, the newest on the right; of too many, the largest of those that share a cell.

    Args:
        values: 0 or more each, oldest first.
        width: Cells at most.
        most: What a full bar stands for; the largest of the numbers by default, or where one is above it.
    """
    if not values or width < 1:
        return ""
    cells = min(width, len(values))
    edges = [place * len(values) // cells for place in range(cells + 1)]
    shown = [max(values[start:end]) for start, end in pairwise(edges)]
    top = max(most or 0, *shown, 1)
    return "".join(BARS[min(len(BARS) - 1, value * len(BARS) // top)] for value in shown)
