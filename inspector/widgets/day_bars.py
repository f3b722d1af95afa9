"""One bar a day, drawn in block characters; the highest is named."""

from __future__ import annotations

from collections.abc import Sequence

from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from inspector.glyphs import LEVELS
from inspector.line import Line
from inspector.palette import Palette

NONE = "·"
"""A day without a value keeps its place."""


class DayBars(Widget):
    """Values in order, the newest at the right; when there are more than cells the newest are shown."""

    DEFAULT_CSS = "DayBars { height: 5; margin: 0 1; }"

    values: reactive[tuple[float, ...]] = reactive(())
    caption: reactive[str] = reactive("")
    first: reactive[str] = reactive("")
    last: reactive[str] = reactive("")

    def render_line(self, y: int) -> Strip:
        """The bars from their top, then their ends and what the highest was."""
        ink, width, rows = Palette.of(self.app), self.size.width, self.size.height - 1
        line = self._bars(rows - 1 - y, rows, width, ink) if y < rows else self._ends(width, ink)
        return line.strip(width, self.rich_style)

    def _bars(self, row: int, rows: int, width: int, ink: Palette) -> Line:
        """One row of cells, counted from the bottom."""
        values, cells = shown(self.values, width)
        top, line = max(values, default=0.0) or 1.0, Line()
        for value in values:
            eighths = max(0, min(8, round(value / top * rows * 8) - row * 8))
            sign = LEVELS[eighths] if eighths else NONE if row == 0 else " "
            if row == 0 and value and not eighths:
                sign = LEVELS[1]
            style = ink.style("money" if value else "rule")
            for _ in range(cells):
                line.add(sign, style) if sign != " " else line.gap(1)
        return line

    def _ends(self, width: int, ink: Palette) -> Line:
        values, cells = shown(self.values, width)
        drawn = len(values) * cells
        if len(self.first) + len(self.last) + 2 > drawn:
            return Line().add(self.caption, ink.style("ink-muted"), most=width)
        faint = ink.style("ink-faint")
        line = Line().add(self.first, faint).to(drawn - len(self.last)).add(self.last, faint)
        return line.gap(3).add(self.caption, ink.style("ink-muted"), most=max(0, width - line.width - 3))


def shown(values: Sequence[float], width: int) -> tuple[Sequence[float], int]:
    """The values that fit, and how many cells wide each is drawn."""
    if not values:
        return (), 1
    cells = max(1, min(3, width * 2 // 3 // len(values)))
    return values[-max(1, width // cells) :], cells
