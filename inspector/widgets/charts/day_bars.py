"""Stacked bars, one per day or call, or per group of them if there are many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isclose

from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from core.support.formatting import LOWER_BOUND
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import cell_len, clean_line
from inspector.widgets.charts.stack import Cell, Layer, cell_of, drawn, ends_of, even_top, legend, round_marks

GAP = 3
NONE = "·"
"""Drawn for a day without a value, to keep its place."""
AXIS = 8
"""Cells of the scale on the left."""
MIN_CAPTION = 20
"""Cells the caption keeps when the legend is added."""
WIDEST = 24
"""Most cells of a bar, so that a few bars do not become walls."""
APART = 3
"""If every bar has at least this many cells, one of them is a gap; uneven gaps would suggest groups."""


class DayBars(Widget):
    """Values over the whole width, the newest on the right; several share a bar if there are many."""

    DEFAULT_CSS = "DayBars { height: 5; margin: 0 1; }"

    values: reactive[tuple[float, ...]] = reactive(())
    made_of: reactive[tuple[Layer, ...]] = reactive(())
    """The layers of the values; together they add up to them."""
    incomplete: reactive[tuple[bool, ...]] = reactive(())
    """For each value, whether it is a lower bound; empty if none is."""
    pointed = reactive(-1)
    caption: reactive[str] = reactive("")
    more: reactive[str] = reactive("")
    """The end of the caption, shown only whole: half a figure would be another one."""
    first: reactive[str] = reactive("")
    last: reactive[str] = reactive("")
    unit: reactive[str] = reactive("days")
    adds = True
    """Whether values that share a bar add up; otherwise the largest represents them."""
    format: Callable[[int], str] = str
    """Describes the value at an index, for when it is pointed at."""
    scale: Callable[[float], str] = str
    """Formats a value for the scale."""

    class Chosen(Message):
        """The user clicked a bar for a single value; `index` is its place in `values`."""

        def __init__(self, index: int) -> None:
            self.index = index
            super().__init__()

    def on_click(self, event: events.Click) -> None:
        """Announce the clicked bar, unless it stands for several values."""
        index = self._at(event.x)
        if index is not None:
            self.post_message(self.Chosen(index))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Read out the bar under the mouse."""
        index = self._at(event.x)
        self.pointed = -1 if index is None else index

    def on_leave(self) -> None:
        """Show the caption again."""
        self.pointed = -1

    def render_line(self, y: int) -> Strip:
        """The bars from top to bottom, then a line with their ends and the caption."""
        ink, width, rows = Palette.of(self.app), self.size.width, self.size.height - 1
        line = self._bars(rows - 1 - y, rows, ink) if y < rows else self._ends(width, ink)
        return line.strip(width, self.rich_style)

    @property
    def _room(self) -> int:
        return max(1, self.size.width - AXIS - 1)

    def _at(self, x: int) -> int | None:
        places = spans(len(self.values), self._room)
        cell = x - AXIS - 1
        if len(places) != len(self.values):
            return None
        return next((at for at, (start, end) in enumerate(places) if start <= cell < end), None)

    def _bars(self, row: int, rows: int, ink: Palette) -> Line:
        """One row of cells, counted from the bottom."""
        places = spans(len(self.values), self._room)
        peak, columns = self._columns(len(places), rows)
        line = Line().cell(self._label(row, rows, peak), AXIS, ink.style("ink-faint"), right=True).gap(1)
        gap = int(min((end - start for start, end in places), default=0) >= APART)
        for bar, (start, end) in enumerate(places):
            cell = cell_of(columns[bar], row) if columns else Cell(0)
            sign, style = drawn(cell, self.made_of, ink, plain=self.app.no_color)
            if row == 0 and not cell.level:
                sign, style = NONE, ink.style("rule")
            line.add(sign * (end - start - gap), style) if sign != " " else line.gap(end - start - gap)
            line.gap(gap)
        return line

    def _columns(self, bars: int, rows: int) -> tuple[float, tuple[tuple[int, ...], ...]]:
        """The highest bar, and where the layers of each end; any value is high enough to be seen."""
        gather = summed if self.adds else largest
        layers = [gather(one.values, bars, self.values) for one in self.made_of]
        parts = tuple(zip(*layers, strict=True))
        peak = max(map(sum, parts), default=0.0) or 1.0
        top = even_top(peak, rows)
        return peak, tuple(_visible(ends_of(one, top, rows), one) for one in parts)

    def _label(self, row: int, rows: int, peak: float) -> str:
        top = even_top(peak, rows)
        highest = max(0, round(peak / top * rows) - 1)
        at = {**round_marks(top, rows, {highest: peak}), highest: peak}.get(row)
        mark = LOWER_BOUND if row == highest and self._is_least(peak) else ""
        return "" if at is None or not self.values else f"{mark}{self.scale(at)}"

    def _is_least(self, peak: float) -> bool:
        """Whether a highest bar holds a value that is a lower bound."""
        bars = len(spans(len(self.values), self._room))
        heights, least = summed(self.values, bars), summed(self.incomplete, bars)
        return any(count and isclose(height, peak) for height, count in zip(heights, least, strict=False))

    def _ends(self, width: int, ink: Palette) -> Line:
        places = spans(len(self.values), self._room)
        size = -(-len(self.values) // max(1, len(places)))
        caption = self.caption if size <= 1 else f"{size} {self.unit} a bar · {self.caption}"
        faint, muted = ink.style("ink-faint"), ink.style("ink-muted")
        columns = self._columns(len(places), max(1, self.size.height - 1))[1]
        names = legend(self.made_of, columns, plain=self.app.no_color)
        if 0 <= self.pointed < len(self.values):
            told = Line().add(self.format(self.pointed), ink.style("ink", bold=True), most=width)
            return _named(told, names, width, ink)
        if not places:
            return Line().add(caption, muted, most=width)
        room, end = cell_len(clean_line(caption + self.more)), AXIS + 1 + places[-1][1]
        if end - AXIS - len(self.first) - len(self.last) < room + 2 * GAP:
            line = Line().add(f"{self.first} to {self.last} · {caption}", muted, most=width)
            return line.add(self.more, muted) if line.width + cell_len(self.more) <= width else line
        line = Line().cell(self.scale(0), AXIS, faint, right=True).gap().add(self.first, faint).gap(GAP)
        free = end - line.width - len(self.last) - GAP
        most = max(MIN_CAPTION, free - sum(cell_len(name) + 2 for _, name in names))
        line.add(f"{caption}{self.more if room <= most else ''}", muted, most=most)
        _named(line, names, end - len(self.last) - GAP, ink)
        return line.to(end - len(self.last)).add(self.last, faint)


def _visible(ends: tuple[int, ...], parts: Sequence[float]) -> tuple[int, ...]:
    """The ends of a bar's layers; a bar too low to be seen shows a little of its largest part."""
    if not any(parts) or ends[-1]:
        return ends
    largest_part = parts.index(max(parts))
    return tuple(int(place >= largest_part) for place in range(len(parts)))


def _named(line: Line, names: Sequence[tuple[str, str]], end: int, ink: Palette) -> Line:
    """Add the legend in its colours, as far as it fits."""
    for token, words in names:
        if line.width + cell_len(words) + 2 > end:
            break
        line.gap(2).add(words, ink.style(token))
    return line


def spans(count: int, width: int) -> tuple[tuple[int, int], ...]:
    """The cells of each bar, over the whole width; several values share a bar if necessary."""
    if not count:
        return ()
    bars = -(-count // -(-count // max(1, width)))
    over = min(width, bars * WIDEST)
    return tuple((bar * over // bars, (bar + 1) * over // bars) for bar in range(bars))


def largest(values: Sequence[float], bars: int, whole: Sequence[float]) -> tuple[float, ...]:
    """For each bar, the value where `whole` is largest."""
    size = -(-len(values) // max(1, bars))
    starts = (max(0, len(values) - (bars - bar) * size) for bar in range(bars))
    ends = (len(values) - (bars - bar - 1) * size for bar in range(bars))
    spans_ = zip(starts, ends, strict=True)
    return tuple(values[max(range(start, end), key=lambda at: whole[at])] for start, end in spans_)


def summed(values: Sequence[float], bars: int, _whole: Sequence[float] = ()) -> tuple[float, ...]:
    """The sum of each bar's values; the last bar is always full."""
    size = -(-len(values) // max(1, bars))
    if size <= 1:
        return tuple(values)
    starts = range(len(values) - bars * size, len(values), size)
    return tuple(sum(values[max(0, start) : start + size]) for start in starts)
