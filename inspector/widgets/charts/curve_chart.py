"""A curve of token counts in block characters, with a threshold across it and numbered marks below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from inspector.terminal import formatting as format
from inspector.terminal.glyphs import LEVELS
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.terminal.text import cell_len

AXIS = 7
"""Cells of the scale on the left."""
LIMIT = " threshold "
NUMBERS = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
MANY = "◦"


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened after so many values.

    Attributes:
        token: Its colour.
        sign: How it is drawn; empty for the next number.
    """

    after: int
    token: str
    sign: str = ""


def number(index: int) -> str:
    """The sign of the n-th mark, counted from 0: ① to ⑳, then one sign for all."""
    return NUMBERS[index] if index < len(NUMBERS) else MANY


class CurveChart(Widget):
    """Values over their order; a bar for every cell: of the values it stands for the one that tells most."""

    DEFAULT_CSS = "CurveChart { height: 8; }"

    values: reactive[tuple[int, ...]] = reactive(())
    threshold: reactive[int | None] = reactive(None)
    marks: reactive[tuple[Mark, ...]] = reactive(())
    asides: reactive[tuple[Mark, ...]] = reactive(())
    """Marks with signs of their own; where a numbered one stands they stand before it."""
    selected = reactive(-1)
    caption = reactive("")
    ends: reactive[tuple[str, str]] = reactive(("", ""))
    """What the first and the last value are called, below the axis."""
    tell: Callable[[Sequence[int]], int] = max
    """Which of the values of a cell is drawn: `min` where a fall is the news."""

    def render_line(self, y: int) -> Strip:
        """The plot from its top, then the marks, then the caption."""
        width, rows = self.size.width, self.size.height - 2
        ink = Palette.of(self.app)
        if not self.values and self.threshold is None and y <= rows:
            line = Line()  # an axis without a scale says nothing
        elif y < rows:
            line = self._plot(rows - 1 - y, rows, width, ink)
        elif y == rows:
            line = self._mark_line(width, ink)
        else:
            line = self._foot(width, ink)
        return line.strip(width, self.rich_style)

    def _foot(self, width: int, ink: Palette) -> Line:
        """First, caption, last; where they do not all fit, the caption alone."""
        (first, last), line = self.ends, Line().gap(AXIS + 1)
        faint, room = ink.style("ink-faint"), width - AXIS - 2
        if not first or len(first) + len(last) + cell_len(self.caption) + 6 > room:
            return line.add(self.caption, faint, most=room)
        line.add(first, faint).gap(3).add(self.caption, faint)
        return line.to(width - 1 - len(last)).add(last, faint)

    @property
    def _top(self) -> int:
        return max(1, *self.values, int((self.threshold or 0) * 1.08)) if self.values else self.threshold or 1

    def _plot(self, row: int, rows: int, width: int, ink: Palette) -> Line:
        """One row of cells, counted from the bottom."""
        top, cells = self._top, max(1, width - AXIS - 2)
        limit = None if self.threshold is None else min(rows - 1, int(self.threshold / top * rows))
        here = row == limit
        label = format.short(self.threshold) if here else format.short(top) if row == rows - 1 else ""
        line = Line().cell(label, AXIS, ink.style("threshold" if here else "ink-faint"), right=True).gap(1)
        drawn = columns(self.values, cells, self.tell)
        named = here and len(drawn) > 3 * len(LIMIT) and not any(map(self._over, drawn[: len(LIMIT) + 2]))
        for cell, value in enumerate(drawn):
            eighths = max(0, min(8, round(value / top * rows * 8) - row * 8)) if value else 0
            if eighths and (self._over(value) or not here):  # what stays below the line does not break it
                line.add(LEVELS[eighths], ink.style("severity-warning" if self._over(value) else "ink-faint"))
            elif here:
                word = LIMIT[cell - 2] if named and 0 <= cell - 2 < len(LIMIT) else "─"
                line.add(word, ink.style("threshold"))
            else:
                line.gap(1)
        return line.add("─" * max(0, width - line.width - 1) if here else "", ink.style("threshold"))

    def _over(self, value: int) -> bool:
        return self.threshold is not None and value >= self.threshold

    def _mark_line(self, width: int, ink: Palette) -> Line:
        cells = max(1, width - AXIS - 2)
        signs = [("─", ink.style("rule"))] * cells
        numbered = [self._cell(mark, cells) for mark in self.marks]
        for aside in self.asides:
            place = self._cell(aside, cells)
            place -= place in numbered and place > 0
            signs[place] = (aside.sign, ink.style(aside.token, bold=True))
        for index, (mark, place) in enumerate(zip(self.marks, numbered, strict=True)):
            style = ink.style(mark.token, bold=True, on="cursor" if index == self.selected else None)
            signs[place] = (number(index), style)
        line = Line().cell("0", AXIS, ink.style("ink-faint"), right=True).gap(1)
        for sign, style in signs:
            line.add(sign, style)
        return line

    def _cell(self, mark: Mark, cells: int) -> int:
        return min(cells - 1, place_of(mark.after, len(self.values), cells))


def columns(values: Sequence[int], cells: int, tell: Callable[[Sequence[int]], int] = max) -> list[int]:
    """The values spread over `cells` columns: repeated when few, the one that tells most when many."""
    if not values:
        return [0] * cells
    count = len(values)
    found = []
    for cell in range(cells):
        start = cell * count // cells
        end = max(start + 1, (cell + 1) * count // cells)
        found.append(tell(values[start:end]))
    return found


def place_of(after: int, count: int, cells: int) -> int:
    """The column where something stands that happened after so many values."""
    return 0 if not count else min(cells, after * cells // count)
