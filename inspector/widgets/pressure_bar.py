"""How full a window is, with the tick where compression fires."""

from __future__ import annotations

from dataclasses import dataclass

from inspector import format
from inspector.glyphs import EIGHTHS, THRESHOLD
from inspector.line import Line
from inspector.palette import Palette

NEAR = 0.85
"""Share of the threshold from which a conversation counts as about to fire."""


@dataclass(frozen=True, slots=True)
class Pressure:
    """Tokens of the next prompt against the window.

    Attributes:
        tokens: The release's estimate of what the next request carries; None when not computed.
        threshold, window: None when the window is unknown.
    """

    tokens: int | None = None
    threshold: int | None = None
    window: int | None = None

    @property
    def share(self) -> float | None:
        """Part of the window in use."""
        return None if self.tokens is None or not self.window else self.tokens / self.window

    @property
    def token(self) -> str:
        """The colour it deserves: calm, near its threshold, past it."""
        if self.tokens is None or not self.threshold:
            return "ink-muted"
        if self.tokens >= self.threshold:
            return "severity-critical"
        return "severity-warning" if self.tokens >= NEAR * self.threshold else "part-head"


def draw(pressure: Pressure, width: int, ink: Palette) -> Line:
    """A bar of `width` cells: filled part, threshold tick, the share in numbers at the end."""
    if pressure.share is None:
        why = " window unknown" if pressure.window is None and width > 16 else ""
        return Line().cell(format.UNKNOWN + why, width, ink.style("ink-faint"))
    cells = width - 5
    line = bar(pressure, cells, ink)
    return line.cell(format.percent(pressure.share), 5, ink.style(pressure.token), right=True)


def bar(pressure: Pressure, cells: int, ink: Palette) -> Line:
    """The bar alone."""
    filled = round(min(pressure.share or 0.0, 1.0) * cells * 8)
    tick = _tick(pressure, cells)
    line = Line()
    for cell in range(cells):
        eighths = max(0, min(8, filled - cell * 8))
        if cell == tick:
            line.add(THRESHOLD, ink.style("threshold", on=pressure.token if eighths == 8 else "rule"))
        elif eighths:
            line.add(EIGHTHS[eighths], ink.style(pressure.token, on="rule"))
        else:
            # Seen only where there are no colours.
            line.add("·", ink.style("rule", on="rule"))
    return line


def _tick(pressure: Pressure, cells: int) -> int | None:
    if not pressure.threshold or not pressure.window:
        return None
    return min(cells - 1, int(pressure.threshold / pressure.window * cells))
