"""A chart of token counts in block characters, with a threshold line and numbered marks below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from textual import events
from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from core.support.formatting import NEAR_LIMIT, round_number
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import cell_len
from inspector.widgets.charts.curve import THRESHOLD, Mark, RequestCurve, number, place_of, sampled
from inspector.widgets.charts.stack import EIGHTHS, Cell, Layer, cell_of, drawn, ends_of, legend, round_marks

AXIS = 7
"""Cells of the scale on the left."""
EMPTY = Cell(0)
HIGH = 14
"""Rows from which a chart has fine lines at its numbers: lower ones are read without."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a chart, as levels of its cells.

    Attributes:
        limit: The row of the threshold.
        numbers: The scale: what stands before a row.
        ends: For each column, where each layer ends, in eighths of a cell.
        over: For each column, whether it reaches the threshold.
    """

    limit: int | None
    numbers: Mapping[int, str]
    layers: tuple[Layer, ...]
    ends: tuple[tuple[int, ...], ...]
    over: tuple[bool, ...]

    def cells(self, row: int, count: int) -> Iterable[tuple[Cell, bool]]:
        """The cells of a row, counted from the bottom, each with whether its column is over the limit."""
        if not self.ends:
            return ((EMPTY, False),) * count
        return zip((cell_of(ends, row) for ends in self.ends), self.over, strict=True)


class CurveChart(Widget):
    """Values in order, one bar per cell; if several values share a cell, `tell` picks one."""

    DEFAULT_CSS = "CurveChart { height: 8; }"

    values: reactive[tuple[int, ...]] = reactive(())
    made_of: reactive[tuple[Layer, ...]] = reactive(())
    """The layers of each value; without layers, a bar's colour shows how near the threshold it is."""
    threshold: reactive[int | None] = reactive(None)
    limit_name = reactive(THRESHOLD)
    """What happens at the threshold's line."""
    marks: reactive[tuple[Mark, ...]] = reactive(())
    asides: reactive[tuple[Mark, ...]] = reactive(())
    """Marks with signs of their own; they move one cell left of a numbered mark in the same place."""
    selected = reactive(-1)
    caption = reactive("")
    unit = reactive("")
    """Unit after the numbers of the scale."""
    ends: reactive[tuple[str, str]] = reactive(("", ""))
    """Labels of the first and the last value, below the axis."""
    pointed = reactive(-1)
    """The value that is read out instead of the caption; -1 for none."""
    tell: Callable[[Sequence[int]], int] = max
    """Picks the value a cell shows; `min` where a fall matters."""
    read_out: Callable[[int], str] | None = None
    """Describes a value in words."""

    _tallest = 0
    _columns: Columns | None = None
    _computed_for: Size | None = None

    def show(self, curve: RequestCurve) -> None:
        """Draw a curve."""
        self.values, self.made_of, self.threshold = curve.values, curve.made_of, curve.threshold
        self.marks, self.asides = curve.marks, curve.asides
        self.caption, self.ends, self.limit_name = curve.caption, curve.ends, curve.limit_name

    def watch_made_of(self, layers: tuple[Layer, ...]) -> None:
        """Find the tallest column before the lines are drawn one by one."""
        heights = (sum(column) for column in zip(*(layer.values for layer in layers), strict=True))
        self._tallest = int(max(heights, default=0))
        self._columns = None

    def watch_values(self) -> None:
        """Recompute the columns, once for all lines."""
        self._columns = None

    def watch_threshold(self) -> None:
        """Recompute the columns, because the scale includes the threshold."""
        self._columns = None

    def point(self, step: int) -> None:
        """Read out another value; the first time the newest, or the one next to the selected mark."""
        if not self.values or self.read_out is None:
            return
        last = len(self.values) - 1
        mark = self.marks[self.selected].after if 0 <= self.selected < len(self.marks) else last + 1
        place = self.pointed if self.pointed >= 0 else mark - (step > 0)
        self.pointed = max(0, min(last, place + step * max(1, len(self.values) // max(1, self._cells))))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Read out the value under the mouse."""
        cell = event.x - AXIS - 1
        if self.read_out is not None and self.values and 0 <= cell < self._cells:
            self.pointed = self._told[cell]

    def on_leave(self) -> None:
        """Show the caption again."""
        self.pointed = -1

    def render_line(self, y: int) -> Strip:
        """The plot from top to bottom, then the marks, then the caption."""
        width, rows = self.size.width, self.size.height - 2
        ink = Palette.of(self.app)
        if not self.values and self.threshold is None and y <= rows:
            line = Line()  # an axis without a scale is useless
        elif y < rows:
            line = self._plot(rows - 1 - y, rows, width, ink)
        elif y == rows:
            line = self._mark_line(ink)
        else:
            line = self._foot(width, ink)
        return line.strip(width, self.rich_style)

    def _foot(self, width: int, ink: Palette) -> Line:
        """First label, caption, legend, last label; only the caption if they do not all fit."""
        line, legend = Line().gap(AXIS + 1), tuple(self._legend())
        first, last = self._ends_beside(legend, width)
        faint, room = ink.style("ink-faint"), width - AXIS - 2
        if 0 <= self.pointed < len(self.values) and self.read_out is not None:
            return line.add(self.read_out(self.pointed), ink.style("ink", bold=True), most=room)
        if len(first) + len(last) + cell_len(self.caption) + 6 > room:
            return line.add(self.caption, faint, most=room)
        line.add(first, faint).gap(3 if first else 0).add(self.caption, faint)
        for token, words in legend:
            if line.width + cell_len(words) + len(last) + 5 > width:
                break
            line.gap(2).add(words, ink.style(token))
        return line.to(width - 1 - len(last)).add(last, faint) if last else line

    def _ends_beside(self, legend: Sequence[tuple[str, str]], width: int) -> tuple[str, str]:
        """The first and last label, shorter or left out if the legend would otherwise be cut."""
        first, last = self.ends
        room = width - AXIS - 1 - cell_len(self.caption) - sum(cell_len(words) + 2 for _, words in legend)
        for one, other in ((first, last), (first.rpartition(" ")[2], last), ("", "")):
            if cell_len(one) + cell_len(other) + 6 * bool(one or other) <= room:
                return one, other
        return first, last

    def _legend(self) -> Iterable[tuple[str, str]]:
        """What the colours mean; without colours, only layers have textures of their own."""
        columns = self._worked_out(max(1, self.size.height - 2))
        if not self.app.no_color:
            yield from legend(columns.layers, columns.ends)
            if any(columns.over):
                yield "severity-critical", "■ past the limit"
        elif self.made_of:
            yield from legend(self.made_of, columns.ends, plain=True)

    @property
    def _cells(self) -> int:
        return max(1, self.size.width - AXIS - 2)

    @property
    def _told(self) -> list[int]:
        """The value each cell shows."""
        return sampled(self.values, self._cells, self.tell)

    def _worked_out(self, rows: int) -> Columns:
        """Compute the columns for all lines at once, which is half of the drawing time."""
        if self._columns is None or self._computed_for != self.size:  # drawn before its resize event
            self._computed_for = self.size
            layers, top, limit = self.made_of or self._plain_layers(), self._top, self.threshold
            shown = self._told if self.values else []
            ends = tuple(ends_of([layer.values[place] for layer in layers], top, rows) for place in shown)
            over = tuple(limit is not None and self.values[place] >= limit for place in shown)
            row = None if limit is None else min(rows - 1, int(limit / top * rows))
            self._columns = Columns(row, self._numbers(top, row, rows), layers, ends, over)
        return self._columns

    @property
    def _top(self) -> int:
        most = max(1, *self.values, self._tallest, int((self.threshold or 0) * 1.08))
        return most if self.values else self.threshold or 1

    def _plot(self, row: int, rows: int, width: int, ink: Palette) -> Line:
        """One row of cells, counted from the bottom."""
        columns = self._worked_out(rows)
        limit, layers = columns.limit, columns.layers
        plain = self.app.no_color and bool(self.made_of)
        ruled = rows >= HIGH and row < rows - 1 and row in columns.numbers and not plain
        here = row == limit
        number = ink.style("threshold" if here else "ink-faint")
        line = Line().cell(columns.numbers.get(row, ""), AXIS, number, right=True).gap(1)
        for (block, past), alike in groupby(columns.cells(row, self._cells)):
            count = len(tuple(alike))
            if block.level and (past or not here):  # a bar below the threshold does not interrupt its line
                hot = past and limit is not None and row >= limit
                if hot and block.above is not None and not plain:  # above the limit every layer is red
                    block = Cell(EIGHTHS)
                if ruled and block == Cell(EIGHTHS, block.layer):
                    block = Cell(EIGHTHS - 1, block.layer)
                sign, style = drawn(block, layers, ink, plain=plain)
                line.add(sign * count, ink.style("severity-critical") if hot else style)
            elif here:
                name = self._named(columns, line.width - AXIS - 1, count)
                line.add(name, ink.style("threshold"))
            else:
                line.gap(count)
        return line.add("─" * max(0, width - line.width - 1) if here else "", ink.style("threshold"))

    def _named(self, columns: Columns, start: int, count: int) -> str:
        """A piece of the threshold line; its first cells have the name if no column crosses them."""
        name = f" {self.limit_name} "
        named = self._cells > 3 * len(name) and not any(columns.over[: len(name) + 2])
        whole = ("──" + name if named else "").ljust(start + count, "─")
        return whole[start : start + count]

    def _numbers(self, top: int, limit: int | None, rows: int) -> Mapping[int, str]:
        """The scale: threshold, peak, and round numbers where they leave room for those."""
        reached = self.threshold is None or top <= max(self._tallest, *self.values, 0)
        own = {rows - 1: top} if reached else {}
        if limit is not None and self.threshold is not None:
            own[limit] = self.threshold
        marks = round_marks(top, rows, own) if self.values else {}
        return {row: round_number(int(at)) + self.unit for row, at in {**marks, **own}.items() if at >= 1}

    def _plain_layers(self) -> tuple[Layer, ...]:
        """Layers of values without parts: those far from the threshold, and those near it."""
        limit = self.threshold
        calm = tuple(0 if limit and value >= NEAR_LIMIT * limit else value for value in self.values)
        near = tuple(value - low for value, low in zip(self.values, calm, strict=True))
        name = f"from {NEAR_LIMIT:.0%} of the limit"
        return (Layer("", "severity-info", "█", calm), Layer(name, "severity-warning", "█", near))

    def _mark_line(self, ink: Palette) -> Line:
        cells = self._cells
        signs = [("─", ink.style("rule"))] * cells
        numbered = [self._cell(mark, cells) for mark in self.marks]
        if 0 <= self.pointed < len(self.values):
            signs[place_of(self.pointed, len(self.values), cells)] = ("▴", ink.style("ink", bold=True))
        for aside in self.asides:
            place = self._cell(aside, cells)
            place -= place in numbered and place > 0
            signs[place] = (aside.sign, ink.style(aside.token, bold=True))
        for index, (mark, place) in enumerate(zip(self.marks, numbered, strict=True)):
            style = ink.style(mark.token, bold=True, on="cursor" if index == self.selected else None)
            signs[place] = (number(index), style)
        line = Line().cell(f"0{self.unit}", AXIS, ink.style("ink-faint"), right=True).gap(1)
        for sign, style in signs:
            line.add(sign, style)
        return line

    def _cell(self, mark: Mark, cells: int) -> int:
        return min(cells - 1, place_of(mark.after, len(self.values), cells))
