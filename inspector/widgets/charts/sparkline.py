"""A row of numbers as one line of bars."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

BARS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[int], width: int, most: int | None = None) -> str:
    """The numbers as bars, the newest on the right; of too many, the largest of those that share a cell.

    A full bar stands for the largest of the numbers, or for more where `most` says so.
    """
    if not values or width < 1:
        return ""
    cells = min(width, len(values))
    edges = [place * len(values) // cells for place in range(cells + 1)]
    shown = [max(values[start:end]) for start, end in pairwise(edges)]
    top = max(most or 0, *shown, 1)
    return "".join(BARS[min(len(BARS) - 1, value * len(BARS) // top)] for value in shown)
