"""The right side of the preview as a list, and the list of what is lost."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style

from core.model.compaction.preview import Fact
from core.preview.comparison import Comparison
from core.preview.kept_words import kind_word
from inspector.screens.workspace.preview.paired_rows import AfterEntry, AfterRows
from inspector.screens.workspace.preview.summary_lines import SummaryLine
from inspector.terminal.line import Line
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.rows import ListRows
from inspector.widgets.messages.message_line import Marks, draw_message
from inspector.widgets.messages.message_list import Band, draw_band

FATES = {
    "lost": ("✗", "severity-critical"),
    "paraphrased": ("≈", "severity-warning"),
    "kept": ("✓", "severity-ok"),
}
"""A sign and a theme token a fate, worst first."""


class AfterList(RowList[AfterEntry]):
    """What the model would see instead: head, the summary in full, tail."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(empty="", id=id)
        self._comparison: Comparison | None = None
        self._after: AfterRows | None = None
        self._kept: frozenset[str] = frozenset()

    @property
    def after(self) -> AfterRows | None:
        """The rows as wrapped now."""
        return self._after

    def tell(self, comparison: Comparison | None) -> None:
        """Show another comparison."""
        self._comparison = comparison
        self._wrap(cursor=0)

    def on_resize(self) -> None:
        """Wrap the summary for the new width."""
        self._wrap(cursor=None)

    def _wrap(self, cursor: int | None) -> None:
        if self._comparison is None:
            self._after = None
            self.show(ListRows(()), cursor=0)
        elif self.row_width > 0:
            self._after = AfterRows(self._comparison, self.row_width)
            self._kept = self._after.kept_facts
            self.show(self._after, cursor=cursor)
            if self.is_heading(self.cursor):
                self.action_move(1)

    def is_heading(self, index: int) -> bool:
        """The cursor passes over bands."""
        return self._after is not None and isinstance(self._after.row(index), Band)

    def heading_above(self, index: int) -> int | None:
        """The band a row lies under stays in sight."""
        return self._after.banding.band_above(index) if self._after else None

    def draw_row(self, row: AfterEntry, index: int, width: int) -> Line:
        """A band, a message, or a line of the summary."""
        if isinstance(row, Band):
            return draw_band(row, width, self.palette)
        if isinstance(row, SummaryLine):
            token = "ink-faint" if row.aside else "role-summary" if row.heading else "ink"
            line = Line().gap()
            if row.aside:
                return line.add(row.text, self.palette.style(token), most=width - 1)
            line.preformatted(row.text, self.palette.style(token, bold=row.heading))
            kept = self.palette.style("severity-ok") + Style(underline=True)
            return line if row.heading else line.mark(self._kept, kept)
        return draw_message(row, width, self.palette, Marks())


NO_FACTS = (
    "Nothing that can be checked is summarised here: no request, file, command or figure.\n"
    "A later preview tells more; esc goes back."
)


class FactList(RowList[Fact]):
    """The facts of the middle, the lost ones first."""

    HEADER_LINES = 1

    def show_anchors(self, anchors: Sequence[Fact]) -> None:
        """Show them, worst fate first, and in it what is missed most."""
        order = list(FATES)
        ranked = sorted(anchors, key=lambda one: (order.index(one.fate), -one.weight))
        self.show(ListRows(ranked), cursor=0)

    def draw_header(self, width: int) -> list[Line]:
        """Names of the columns, where there is anything in them."""
        if not self.rows.count:
            return [Line()]
        ink = self.palette.style("ink-muted")
        line = Line().gap(3).cell("outcome", 13, ink).cell("kind", 13, ink).cell("where", 6, ink, right=True)
        return [line.gap(2).add("what", ink, most=max(0, width - line.width - 2))]

    def draw_row(self, row: Fact, index: int, width: int) -> Line:
        """What became of it, category, where it stood, the fact."""
        sign, token = FATES[row.fate]
        ink, muted = self.palette.style(token), self.palette.style("ink-muted")
        line = (
            Line().gap().add(f"{sign} ", ink).cell(row.fate, 13, ink).cell(kind_word(row.category), 13, muted)
        )
        where = f"#{row.messages[-1]}" if row.messages else ""
        line.cell(where, 6, muted, right=True).gap(2)
        return line.add(
            row.value, self.palette.style("match" if row.in_focus else "ink"), most=max(0, width - line.width)
        )
