"""What a summary keeps and loses: a bar of what matters, counts by category, a heat line of the messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from textual.events import Click
from textual.message import Message as Event
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from core.compress.retention.words import most_important_loss, weighed
from core.model.compaction.preview import FactCount, Retention
from core.preview.words import importance, kind_word, unchecked_sentence
from core.support import formatting as fmt
from inspector.terminal import glyphs
from inspector.terminal.line import Line, Palette

HEAT = "how much each message loses"
WARM, HOT = 0.34, 0.67
"""Shares lost from which a count becomes a warning, and critical."""
PENDING, UNCHANGED = "Which facts are kept is known once there is a summary.", "Nothing is removed or lost."
"""What stands for the counts before there is a summary, and where there will be none."""
NO_FACTS, NO_FACTS_BRIEF = "What is summarised holds no checkable facts.", "no checkable facts"
LEAST_BAR = 5
"""The cells a bar keeps beside the words that say what its shares are of."""
KEPT, LOST, UNSUPPORTED = "▇", "░", "▒"
"""Textures that differ without colour too."""


class RetentionStrip(Widget):
    """Two lines about retention; clicking the heat line announces the message under the mouse."""

    DEFAULT_CSS = "RetentionStrip { height: 2; }"

    @dataclass
    class Chosen(Event):
        """The user clicked a message of the middle; `index` counts from the first message of the middle."""

        index: int

    _retention: Retention | None = None
    _without = PENDING

    def show(self, retention: Retention | None, without: str = PENDING) -> None:
        """Show the retention of another summary, or `without` if there is none."""
        self._retention, self._without = retention, without
        self.set_class(retention is None, "-uncounted")
        self.refresh()

    def on_click(self, event: Click) -> None:
        """Announce the message under the mouse."""
        shares = self._retention.losses if self._retention else ()
        cells = min(len(shares), self._heat_cells())
        if event.y == 1 and 0 <= event.x - 1 < cells:
            self.post_message(self.Chosen((event.x - 1) * len(shares) // cells))

    def render_line(self, y: int) -> Strip:
        """Counts (line 0) or heat (line 1)."""
        width, palette = self.size.width, Palette.of(self.app)
        if self._retention is None:
            words = self._without if y == 0 else ""
            return Line().gap().add(words, palette.style("ink-faint")).strip(width, self.rich_style)
        if y == 0:
            line = survival_line(self._retention, width, palette)
        else:
            line = heat_line(self._retention, self._heat_cells(), width, palette)
        return line.strip(width, self.rich_style)

    def _heat_cells(self) -> int:
        return max(0, self.size.width // 2)


def survival_line(retention: Retention, width: int, palette: Palette) -> Line:
    """`facts kept 14/15  files 11/12  errors 3/3 ...`, then the most important lost fact."""
    line = Line().gap().add("facts kept", palette.style("ink-muted", bold=True)).gap()
    total = retention.total
    kept = f"{total.of - total.lost:,}/{total.of:,}" if total.of else fmt.UNKNOWN
    line.add(kept, palette.style("ink", bold=True))
    for category in sorted(retention.by_category, key=importance):
        counts = retention.by_category[category]
        words = f"{kind_word(category)} {counts.of - counts.lost}/{counts.of}"
        if line.width + len(words) + 2 > width:
            continue
        line.gap(2).add(words, palette.style(_severity(counts)))
    if retention.unfounded:
        words = f"▲ {len(retention.unfounded):,} unsupported"
        if line.width + len(words) + 2 <= width:
            line.gap(2).add(words, palette.style("severity-warning"))
    untold = unchecked_sentence(retention)
    if untold and line.width + len(untold) + 2 <= width:
        line.gap(2).add(untold, palette.style("ink-muted"))
    loss = most_important_loss(retention)
    room = width - line.width - 4
    if loss is not None and room > 16:
        line.gap(2).add(f"▲ lost: {loss.value}", palette.style("severity-warning"), most=room)
    return line


def heat_line(retention: Retention, cells: int, width: int, palette: Palette) -> Line:
    """A cell per message or group of messages, as high as the weight of what it loses."""
    line = Line().gap()
    shares = heat(retention.losses, cells)
    for (glyph, ink), run in groupby((heat_glyph(share), heat_ink(share)) for share in shares):
        line.add(glyph * sum(1 for _ in run), palette.style(ink))
    if line.width + len(HEAT) + 2 <= width:
        line.gap(2).add(HEAT, palette.style("ink-muted"))
    return line


def heat(shares: Sequence[float | None], cells: int) -> list[float | None]:
    """The worst share among the messages of each cell; never more cells than messages."""
    cells = min(cells, len(shares))
    found: list[float | None] = []
    for cell in range(cells):
        here = shares[cell * len(shares) // cells : (cell + 1) * len(shares) // cells]
        found.append(max((share for share in here if share is not None), default=None))
    return found


def heat_glyph(share: float | None) -> str:
    """A block as high as the loss, the lowest for no loss; a dot if there was nothing to lose."""
    if share is None:
        return "·"
    return glyphs.LEVELS[2 + min(6, int(share * 7)) if share else 1]


def heat_ink(share: float | None) -> str:
    """The theme token for a share lost."""
    if share is None:
        return "ink-faint"
    return "severity-critical" if share >= HOT else "severity-warning" if share else "severity-ok"


def kept_share(counts: FactCount) -> float | None:
    """The share of facts kept, word for word or paraphrased; None if there are no facts."""
    return None if not counts.of else (counts.of - counts.lost) / counts.of


def _severity(counts: FactCount) -> str:
    share = kept_share(counts)
    if share is None:
        return "ink-faint"
    lost = 1 - share
    return "severity-critical" if lost >= HOT else "severity-warning" if lost >= WARM else "severity-ok"


class WeightBar(Widget):
    """One line: `kept 92% of what matters ▇▇▇▇▇▇▇▇░░▒ lost 8% · 2 unsupported`; empty without retention."""

    DEFAULT_CSS = "WeightBar { height: 1; }"

    retention: reactive[Retention | None] = reactive(None)

    def render_line(self, y: int) -> Strip:
        """The bar between its labels."""
        width, ink = self.size.width, Palette.of(self.app)
        found = self.retention
        line = Line() if found is None else weight_line(found, width, ink)
        return line.strip(width, self.rich_style)


def weight_line(found: Retention, width: int, ink: Palette) -> Line:
    """Kept in green, lost in red, unsupported in amber; each part that exists gets at least one cell."""
    if found.score is None:
        told = NO_FACTS if len(NO_FACTS) + 2 <= width else NO_FACTS_BRIEF
        return Line().gap().add(told, ink.style("ink-muted"))
    claims = len(found.unfounded)
    left, right = _labels(found.score, claims, width - LEAST_BAR - 2)
    cells = max(0, width - len(left) - len(right) - 2)
    kept, lost, other = weight_cells(found, cells)
    line = Line().gap().add(left, ink.style("ink-muted")).add(KEPT * kept, ink.style("severity-ok"))
    line.add(LOST * lost, ink.style("severity-critical")).add(
        UNSUPPORTED * other, ink.style("severity-warning")
    )
    return line.preformatted(right, ink.style("severity-warning" if claims else "ink-muted"))


def _labels(score: float, claims: int, most: int) -> tuple[str, str]:
    """What stands before and after the bar: what the shares are of goes before the share lost."""
    kept, lost = f"kept {fmt.percent(score)} ", f" lost {fmt.percent(1 - score)}"
    full, also = f"kept {weighed(score)} ", f" · {claims:,} unsupported" if claims else ""
    labels = (full, lost + also), (full, also)
    return next((pair for pair in labels if len("".join(pair)) <= most), (kept, lost + also))


def weight_cells(found: Retention, cells: int) -> tuple[int, int, int]:
    """Cells for kept, lost and unsupported; a claim weighs as much as an average fact."""
    facts, claims, score = len(found.facts), len(found.unfounded), found.score or 0.0
    other = _share(claims / (facts + claims) if facts + claims else 0.0, cells)
    lost = _share(1 - score, cells - other)
    return max(0, cells - other - lost), lost, other


def _share(share: float, cells: int) -> int:
    """At least one cell for a positive share, and at least one left over for the rest."""
    if share <= 0 or cells <= 0:
        return 0
    return cells if share >= 1 else max(1, min(cells - 1, round(share * cells)))
