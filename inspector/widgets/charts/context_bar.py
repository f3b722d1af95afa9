"""A gauge of context used with a tick at the threshold, and sparklines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from core.support import formatting as fmt
from core.support.formatting import NEAR_LIMIT, round_number
from inspector.terminal.glyphs import GAUGE_FULL, GAUGE_HALF, GAUGE_TRACK, LEVELS, THRESHOLD
from inspector.terminal.line import Line, Palette

FIGURES = 12
"""Cells for size and limit after the gauge, including a blank."""
PARTS = ("part-outside", "part-head", "part-middle", "part-tail")
"""What fills a window, from the left: what precedes the messages, then the messages by part."""
BARS = LEVELS[1:-1]
"""Bars of a sparkline; the highest leaves a gap to the row above."""


def apportion(weights: Sequence[int], cells: int) -> tuple[int, ...]:
    """Divide `cells` in proportion to `weights` by largest remainder; the counts sum to `cells`, or to 0.

    Every positive weight gets at least one cell if there are enough, so that nothing is drawn with no width;
    those cells come from the widest shares.
    """
    total = sum(weights)
    if total <= 0 or cells <= 0:
        return (0,) * len(weights)
    shares = [weight * cells // total for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: (-(weights[i] * cells % total), i))
    for index in by_remainder[: cells - sum(shares)]:
        shares[index] += 1
    if sum(1 for weight in weights if weight > 0) <= cells:
        _widen_starved(weights, shares)
    return tuple(shares)


def _widen_starved(weights: Sequence[int], shares: list[int]) -> None:
    for index, weight in enumerate(weights):
        if weight > 0 and shares[index] == 0:
            shares[max(range(len(shares)), key=lambda i: shares[i])] -= 1
            shares[index] = 1


@dataclass(frozen=True, slots=True)
class ContextUse:
    """Tokens of the next request, compared with threshold and window.

    Attributes:
        tokens: The release's estimate of the next request; None if not computed.
        threshold, window: None if the window is unknown.
        refused: The size beyond which the provider refuses, if that comes before the threshold.
    """

    tokens: int | None = None
    threshold: int | None = None
    window: int | None = None
    refused: int | None = None

    @property
    def most(self) -> int | None:
        """What the tokens are compared with."""
        return self.threshold if self.refused is None else self.refused

    @property
    def share(self) -> float | None:
        """The share of the window in use."""
        return None if self.tokens is None or not self.window else self.tokens / self.window

    @property
    def past(self) -> bool:
        """Whether the threshold is reached."""
        return bool(self.most) and (self.tokens or 0) >= (self.most or 0)

    @property
    def near(self) -> bool:
        """Whether the threshold is close."""
        return bool(self.most) and (self.tokens or 0) >= NEAR_LIMIT * (self.most or 0)

    @property
    def token(self) -> str:
        """The colour token: calm, near the threshold, past it."""
        if self.past:
            return "severity-critical"
        return "severity-warning" if self.near else "severity-info"


def draw_context_use(
    use: ContextUse, width: int, ink: Palette, *, failing: bool = False, parts: tuple[int, ...] = ()
) -> Line:
    """A gauge with a tick at the threshold, if there is room for it, then size and limit in numbers.

    `failing` draws the gauge as if it were past the limit; `parts` are the tokens of `PARTS` to colour it by.
    """
    if use.share is None:
        why = " window unknown" if use.window is None and width > 16 else ""
        return Line().cell(fmt.UNKNOWN + why, width, ink.style("ink-faint"))
    token = "severity-critical" if failing else use.token
    line = bar(use, width - FIGURES, ink, token, parts)
    words = f"{round_number(use.tokens)}/{round_number(use.most or None)}"
    return line.cell(
        words, min(width, FIGURES), ink.style(token if use.near or failing else "ink-muted"), right=True
    )


def bar(
    use: ContextUse, cells: int, ink: Palette, token: str | None = None, parts: tuple[int, ...] = ()
) -> Line:
    """The gauge alone: a heavy line over a light one."""
    halves = round(min(use.share or 0.0, 1.0) * cells * 2)
    tick = _tick(use, cells)
    ends = tuple(accumulate(apportion(parts, -(-halves // 2))))
    line = Line()
    for cell in range(cells):
        filled = max(0, min(2, halves - cell * 2))
        if cell == tick:
            line.add(THRESHOLD, ink.style("threshold"))
        elif filled:
            line.add(
                (GAUGE_HALF, GAUGE_FULL)[filled - 1],
                ink.style(
                    PARTS[bisect_right(ends, cell)] if cell < max(ends, default=0) else token or use.token
                ),
            )
        else:
            line.add(GAUGE_TRACK, ink.style("rule"))
    return line


def _tick(use: ContextUse, cells: int) -> int | None:
    if not use.most or not use.window:
        return None
    return min(cells - 1, int(use.most / use.window * cells))


def sparkline(values: Sequence[int], width: int, most: int | None = None) -> str:
    """Draw numbers, oldest first, as bars; of several in a cell the largest counts. `most` fills a cell."""
    if not values or width < 1:
        return ""
    cells = min(width, len(values))
    edges = [place * len(values) // cells for place in range(cells + 1)]
    shown = [max(values[start:end]) for start, end in pairwise(edges)]
    top = max(most or 0, *shown, 1)
    return "".join(BARS[min(len(BARS) - 1, value * len(BARS) // top)] for value in shown)
