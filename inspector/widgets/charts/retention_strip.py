"""Which facts are kept: one line of counts by category, one line of heat over the messages of the middle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from textual.events import Click
from textual.message import Message as Event
from textual.strip import Strip
from textual.widget import Widget

from core.model.compaction.preview import Fact, FactCount, Retention
from core.preview.headline import kind_word
from inspector.terminal import formatting as fmt
from inspector.terminal import glyphs
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette

LOST = "lost"
HEAT = "lost, by message"
GRAVE = ("constraints", "asks", "open")
"""Categories of which a single loss is worth naming."""
PLAIN = ("numbers", "hashes")
"""Categories of which many are lost without anybody missing them."""

WARM, HOT = 0.34, 0.67
"""Shares of a message's anchors lost from which its cell is a warning, or worse."""


class RetentionStrip(Widget):
    """Two lines about a retention report; a click on the heat asks for the message under it."""

    DEFAULT_CSS = "RetentionStrip { height: 2; }"

    @dataclass
    class Chosen(Event):
        """A message of the middle was clicked; `index` counts from the middle's first."""

        index: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._retention: Retention | None = None
        self._focus: str | None = None

    def show(self, retention: Retention | None, focus: str | None) -> None:
        """Show another report."""
        self._retention, self._focus = retention, focus
        self.refresh()

    def on_click(self, event: Click) -> None:
        """Ask for the message under the pointer."""
        shares = self._retention.lost_by_message if self._retention else ()
        cells = min(len(shares), self._heat_cells())
        if event.y == 1 and 0 <= event.x - 1 < cells:
            self.post_message(self.Chosen((event.x - 1) * len(shares) // cells))

    def render_line(self, y: int) -> Strip:
        """Counts (line 0) or heat (line 1)."""
        width, palette = self.size.width, Palette.of(self.app)
        if self._retention is None:
            words = "Which facts are kept is known once there is a summary." if y == 0 else ""
            return Line().gap().add(words, palette.style("ink-faint")).strip(width, self.rich_style)
        if y == 0:
            line = survival_line(self._retention, width, palette)
        else:
            line = heat_line(self._retention, self._heat_cells(), self._focus, width, palette)
        return line.strip(width, self.rich_style)

    def _heat_cells(self) -> int:
        return max(0, self.size.width // 2)


def survival_line(retention: Retention, width: int, palette: Palette) -> Line:
    """`facts kept 82%  files 11/12  errors 3/3 ...`, and the gravest loss by name."""
    line = Line().gap().add("facts kept", palette.style("ink-muted", bold=True)).gap()
    line.add(fmt.percent(retention.score), palette.style("ink", bold=True))
    for category in sorted(retention.by_category, key=gravity):
        counts = retention.by_category[category]
        words = f"{kind_word(category)} {counts.of - counts.lost}/{counts.of}"
        if line.width + len(words) + 2 > width:
            continue
        line.gap(2).add(words, palette.style(_severity(counts)))
    if retention.unfounded:
        words = f"▲ {len(retention.unfounded)} not in the messages"
        if line.width + len(words) + 2 <= width:
            line.gap(2).add(words, palette.style("severity-warning"))
    loss = gravest(retention)
    room = width - line.width - 4
    if loss is not None and room > 16:
        line.gap(2).add(f"▲ lost: {loss.value}", palette.style("severity-warning"), most=room)
    return line


def heat_line(retention: Retention, cells: int, focus: str | None, width: int, palette: Palette) -> Line:
    """One cell a message (or a few), as high as the share of its anchors that is lost."""
    line = Line().gap()
    shares = heat(retention.lost_by_message, cells)
    for (glyph, ink), run in groupby((heat_glyph(share), heat_ink(share)) for share in shares):
        line.add(glyph * sum(1 for _ in run), palette.style(ink))
    if line.width + len(HEAT) + 2 <= width:
        line.gap(2).add(HEAT, palette.style("ink-muted"))
    if focus and retention.focus is not None and retention.rest is not None:
        kept, rest = kept_share(retention.focus), kept_share(retention.rest)
        words = f"focus “{focus}”: {fmt.percent(kept)} kept · rest {fmt.percent(rest)}"
        line.gap(3).add(words, palette.style("ink"), most=max(0, width - line.width - 1))
    return line


def heat(shares: Sequence[float | None], cells: int) -> list[float | None]:
    """The worst share among the messages of each cell; no more cells than messages."""
    cells = min(cells, len(shares))
    found: list[float | None] = []
    for cell in range(cells):
        here = shares[cell * len(shares) // cells : (cell + 1) * len(shares) // cells]
        found.append(max((share for share in here if share is not None), default=None))
    return found


def heat_glyph(share: float | None) -> str:
    """A block as high as the share; a dot where there was nothing to lose."""
    if share is None:
        return "·"
    return glyphs.LEVELS[1 + min(7, int(share * 8))]


def heat_ink(share: float | None) -> str:
    """The theme token for a share."""
    if share is None:
        return "ink-faint"
    return "severity-critical" if share >= HOT else "severity-warning" if share >= WARM else "severity-ok"


def kept_share(counts: FactCount) -> float | None:
    """Share of facts kept, word for word or not; None without any."""
    return None if not counts.of else (counts.of - counts.lost) / counts.of


def gravity(category: str) -> int:
    """0 for what is missed first."""
    return 0 if category in GRAVE else 2 if category in PLAIN else 1


def gravest(retention: Retention) -> Fact | None:
    """The heaviest loss of a category of which one is worth naming."""
    return next((anchor for anchor in retention.lost if anchor.category in GRAVE), None)


def _severity(counts: FactCount) -> str:
    share = kept_share(counts)
    return "ink-faint" if share is None else heat_ink(1 - share)
