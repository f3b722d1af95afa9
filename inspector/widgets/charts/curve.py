"""Values of a token curve: its marks, and which value each column of a chart shows. No widget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inspector.widgets.charts.stack import Layer

NUMBERS = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
MANY = "◦"
THRESHOLD = "threshold"


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened after a number of values.

    Attributes:
        token: Its colour.
        sign: The glyph; empty for the next number.
    """

    after: int
    token: str
    sign: str = ""


def number(index: int) -> str:
    """The sign of the n-th mark, from 0: ① to ⑳, then the same sign for all."""
    return NUMBERS[index] if index < len(NUMBERS) else MANY


@dataclass(frozen=True, slots=True)
class RequestCurve:
    """Input of a chart: values with their layers, the threshold, marks, and texts below."""

    values: tuple[int, ...] = ()
    made_of: tuple[Layer, ...] = ()
    threshold: int | None = None
    marks: tuple[Mark, ...] = ()
    asides: tuple[Mark, ...] = ()
    caption: str = ""
    ends: tuple[str, str] = ("", "")
    limit_name: str = THRESHOLD


def sampled(values: Sequence[int], cells: int, tell: Callable[[Sequence[int]], int] = max) -> list[int]:
    """The value each of `cells` columns shows: repeated if few, picked by `tell` if several share one."""
    count = len(values)
    found = []
    for cell in range(cells):
        start = cell * count // cells
        here = values[start : max(start + 1, (cell + 1) * count // cells)]
        found.append(start + here.index(tell(here)))
    return found


def place_of(after: int, count: int, cells: int) -> int:
    """The column of something that happened after `after` of `count` values."""
    return 0 if not count else min(cells, after * cells // count)
