"""One bar a day, or a call, or for some when there are many, in block characters; the highest is named."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from inspector.terminal.glyphs import LEVELS
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.terminal.text import cell_len, clean_line

GAP = 3
NONE = "·"
"""A day without a value keeps its place."""


class DayBars(Widget):
    """Values in order, the newest at the right; of more than there are cells several make a bar."""

    DEFAULT_CSS = "DayBars { height: 5; margin: 0 1; }"

    values: reactive[tuple[float, ...]] = reactive(())
    caption: reactive[str] = reactive("")
    first: reactive[str] = reactive("")
    last: reactive[str] = reactive("")
    unit: reactive[str] = reactive("days")
    token: reactive[str] = reactive("money")

    class Chosen(Message):
        """The mouse chose a bar that stands for a single value: which of `values`."""

        def __init__(self, index: int) -> None:
            self.index = index
            super().__init__()

    def on_click(self, event: events.Click) -> None:
        """Tell which bar the mouse is on; what stands for several values is none of them."""
        bars, cells, size = shown(self.values, self.size.width)
        index = event.x // cells
        if size == 1 and index < len(bars):
            self.post_message(self.Chosen(index))

    def render_line(self, y: int) -> Strip:
        """The bars from their top, then their ends and what the highest was."""
        ink, width, rows = Palette.of(self.app), self.size.width, self.size.height - 1
        line = self._bars(rows - 1 - y, rows, width, ink) if y < rows else self._ends(width, ink)
        return line.strip(width, self.rich_style)

    def _bars(self, row: int, rows: int, width: int, ink: Palette) -> Line:
        """One row of cells, counted from the bottom."""
        values, cells, _ = shown(self.values, width)
        top, line = max(values, default=0.0) or 1.0, Line()
        for value in values:
            eighths = max(0, min(8, round(value / top * rows * 8) - row * 8))
            sign = LEVELS[eighths] if eighths else NONE if row == 0 else " "
            if row == 0 and value and not eighths:
                sign = LEVELS[1]
            style = ink.style(self.token if value else "rule")
            drawn = max(1, cells - 1)  # a gap keeps one bar from the next
            line.add(sign * drawn, style) if sign != " " else line.gap(drawn)
            line.gap(cells - drawn)
        return line

    def _ends(self, width: int, ink: Palette) -> Line:
        values, cells, size = shown(self.values, width)
        caption = self.caption if size == 1 else f"{size} {self.unit} a bar · {self.caption}"
        room, drawn = cell_len(clean_line(caption)), len(values) * cells
        between = drawn - len(self.first) - len(self.last)
        faint, muted = ink.style("ink-faint"), ink.style("ink-muted")
        if between < 2:
            return Line().add(caption, muted, most=width)
        beside = width - drawn >= room + GAP
        if not beside and between < room + 2 * GAP:
            return Line().add(f"{self.first} to {self.last} · {caption}", muted, most=width)
        line = Line().add(self.first, faint)
        if not beside:
            line.gap((between - room) // 2).add(caption, muted)
            caption = ""
        line.to(drawn - len(self.last)).add(self.last, faint)
        return line.gap(GAP).add(caption, muted, most=max(0, width - line.width - GAP))


def shown(values: Sequence[float], width: int) -> tuple[Sequence[float], int, int]:
    """The bars, how many cells wide each is drawn, and how many values make one; the last bar is full."""
    if not values:
        return (), 1, 1
    if len(values) > max(1, width):
        size = -(-len(values) // max(1, width))
        starts = range(len(values) % size - size if len(values) % size else 0, len(values), size)
        return [sum(values[max(0, start) : start + size]) for start in starts], 1, size
    return values, max(1, min(3, width * 2 // 3 // len(values))), 1
