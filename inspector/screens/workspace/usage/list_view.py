"""Rows of a ledger with one figure under the cursor, which can explain its origin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from rich.style import Style
from textual.reactive import reactive

from core.model.accounting.ledger import LedgerRow
from core.support import formatting as fmt
from inspector.terminal.line import Line
from inspector.widgets.lists.row_list import RowList

GAP = 2
PAD = 1
"""Cells between the last column and the scroll bar."""
PRICING = "pricing…"
"""Shown instead of computed costs until the price list is loaded."""
MIN_NAME, MAX_NAME, MIN_BAR = 22, 44, 12
"""Fewest cells of a name, most cells of a name with a cost bar, fewest cells of that bar."""
BAR = "▇"


@dataclass(frozen=True, slots=True)
class Figure:
    """One column: a figure of `core.account.origins`, its text, and the list width from which it is shown."""

    name: str
    title: str
    width: int
    token: str
    text: Callable[[LedgerRow], str]
    least: int = 0


def _bucket(name: str) -> Callable[[LedgerRow], str]:
    return lambda row: fmt.tokens(getattr(row.tokens, name), lower_bound=row.lower_bound)


def _calls(row: LedgerRow) -> str:
    return fmt.tokens(row.calls, lower_bound=row.lower_bound, whole=True)


def _cost(name: str) -> Callable[[LedgerRow], str]:
    def cost_words(row: LedgerRow) -> str:
        return fmt.sum_of_money(getattr(row, name), lower_bound=row.lower_bound, own=row.status == "local")

    return cost_words


FIGURES = (
    Figure("calls", "calls", 7, "ink-muted", _calls, 104),
    Figure("input", "uncached", 8, "bucket-fresh", _bucket("input"), 72),
    Figure("cache_read", "read", 6, "bucket-read", _bucket("cache_read"), 84),
    Figure("cache_write", "write", 6, "bucket-write", _bucket("cache_write"), 96),
    Figure("output", "output", 6, "bucket-output", _bucket("output"), 72),
    Figure("hit_rate", "hit", 4, "ink", lambda row: fmt.percent(row.tokens.hit_rate)),
    Figure("recorded", "recorded", 9, "money", _cost("recorded")),
    Figure("computed", "list price", 10, "money", _cost("computed"), 49),
)


class LedgerList(RowList[LedgerRow]):
    """Name, task and figures; `figure` is the column under the cursor."""

    HEADER_LINES = 1

    highest_cost: Decimal | None = None
    """Cost of the most expensive row, the full length of the bars; None if no row has a price."""
    by = reactive("")
    priced = reactive(True)
    figure = reactive(FIGURES[-2].name)

    @property
    def shown(self) -> tuple[Figure, ...]:
        """The figures that fit."""
        return tuple(one for one in FIGURES if self.row_width >= one.least)

    def turn(self, step: int) -> None:
        """Select the next or previous figure."""
        names = [one.name for one in self.shown]
        place = names.index(self.figure) if self.figure in names else 0
        self.figure = names[max(0, min(len(names) - 1, place + step))]

    def aim(self, x: int) -> None:
        """Select the figure whose column is at cell `x` of the list."""
        right = self.row_width - PAD
        for one in reversed(self.shown):
            left = right - one.width - GAP
            if left <= x < right:
                self.figure = one.name
            right = left

    def watch_figure(self) -> None:
        """Redraw the header and the row under the cursor."""
        self.refresh()

    def draw_header(self, width: int) -> list[Line]:
        """Column titles; the selected one is bold."""
        ink, width = self.palette, width - PAD
        line = Line().cell(self.by, self._room(width), ink.style("ink-muted"))
        for one in self.shown:
            chosen = one.name == self.figure
            style = ink.style("ink" if chosen else "ink-muted", bold=chosen)
            line.gap(GAP).cell(one.title, one.width, style, right=True)
        return [line]

    def draw_row(self, row: LedgerRow, index: int, width: int) -> Line:
        """Draw one row of the ledger."""
        ink, width = self.palette, width - PAD
        task = f"  {row.task}" if row.task else ""
        room = self._room(width)
        name = min(room, MAX_NAME) if room - MAX_NAME >= MIN_BAR else room
        line = Line().add(row.label or row.key, ink.style("ink"), most=max(4, name - len(task)))
        line.add(task, ink.style("ink-faint"), most=name - line.width).to(name)
        if name < room and self.highest_cost and row.key:
            share = float((row.cost.usd or 0) / self.highest_cost)
            cells = round(share * (room - name - 2)) if share <= 1 else 0  # the total has no bar
            line.gap(1).add(BAR * cells, ink.style("money"))
        line.to(room)
        for one in self.shown:
            chosen = index == self.cursor and one.name == self.figure
            style = ink.style(one.token, bold=chosen) + Style(underline=chosen or None)
            text = PRICING if one.name == "computed" and not self.priced else one.text(row)
            line.gap(GAP).cell(text, one.width, style, right=True)
        return line

    def _room(self, width: int) -> int:
        return max(MIN_NAME, width - sum(one.width + GAP for one in self.shown))
