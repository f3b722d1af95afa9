"""How much of what matters a summary keeps and loses, by weight, and how much of it nobody said."""

from __future__ import annotations

from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from core.model.compaction.preview import Retention
from inspector.terminal import formatting as fmt
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette

KEPT, LOST, UNSUPPORTED = "▇", "░", "▒"
"""Told apart without a colour too."""
WIDEST = 120
"""Cells beyond which a longer bar says no more."""


class WeightBar(Widget):
    """One line: `kept 92% ▇▇▇▇▇▇▇▇░░▒ lost 8% · 2 unsupported`; nothing to say, nothing drawn."""

    DEFAULT_CSS = "WeightBar { height: 1; }"

    retention: reactive[Retention | None] = reactive(None)

    def render_line(self, y: int) -> Strip:
        """The bar between its words."""
        width, ink = self.size.width, Palette.of(self.app)
        found = self.retention
        line = Line() if found is None else weight_line(found, width, ink)
        return line.strip(width, self.rich_style)


def weight_line(found: Retention, width: int, ink: Palette) -> Line:
    """Kept in green, lost in red, unsupported in amber; each part that is there has a cell at least."""
    if found.score is None:
        return Line().gap().add("What is summarised holds no checkable facts.", ink.style("ink-muted"))
    claims = len(found.unfounded)
    left = f"kept {fmt.percent(found.score)} "
    right = f" lost {fmt.percent(1 - found.score)}" + (f" · {claims:,} unsupported" if claims else "")
    cells = min(WIDEST, max(0, width - len(left) - len(right) - 2))
    kept, lost, other = weight_cells(found, cells)
    line = Line().gap().add(left, ink.style("ink-muted")).add(KEPT * kept, ink.style("severity-ok"))
    line.add(LOST * lost, ink.style("severity-critical")).add(
        UNSUPPORTED * other, ink.style("severity-warning")
    )
    return line.preformatted(right, ink.style("severity-warning" if claims else "ink-muted"))


def weight_cells(found: Retention, cells: int) -> tuple[int, int, int]:
    """Cells for what is kept, lost and unsupported; a claim weighs as much as a fact does on average."""
    facts, claims, score = len(found.anchors), len(found.unfounded), found.score or 0.0
    other = _share(claims / (facts + claims) if facts + claims else 0.0, cells)
    lost = _share(1 - score, cells - other)
    return max(0, cells - other - lost), lost, other


def _share(share: float, cells: int) -> int:
    """At least one cell for what is there at all, and one left for the rest."""
    if share <= 0 or cells <= 0:
        return 0
    return cells if share >= 1 else max(1, min(cells - 1, round(share * cells)))
