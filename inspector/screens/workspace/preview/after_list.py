"""The right side of the preview, and the list of lost facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from rich.style import Style

from core.model.compaction.preview import SUSPECTED, Fact, Retention, Unsupported
from core.preview.comparison import Comparison
from core.preview.words import claim_sentence, kind_word
from inspector.base.commands import hint
from inspector.screens.workspace.preview.paired_rows import AfterEntry, AfterRows, SummaryLine
from inspector.terminal.line import Line
from inspector.terminal.text import clean, wrap
from inspector.widgets.charts.retention import PENDING
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.messages.message_line import Marks, draw_message
from inspector.widgets.messages.message_list import Band, draw_band

FATES = {
    "lost": ("✗", "severity-critical"),
    "paraphrased": ("≈", "severity-warning"),
    "kept": ("✓", "severity-ok"),
}
"""Sign and theme token of each outcome of a fact, worst first."""


CLAIM = "▲"
OUTCOME, ROOMY = 13, 70
"""Width of the outcome in words, and of a list that has room for it."""
NO_FACTS = (
    "The summarised messages have no checkable facts: no request, file, command or figure.\n"
    "A later preview shows more; {workspace.back} goes back."
)


class AfterList(RowList[AfterEntry]):
    """What the model would see instead: head, the full summary, tail."""

    def __init__(self) -> None:
        super().__init__(empty="")
        self._comparison: Comparison | None = None
        self._after: AfterRows | None = None
        self._kept: frozenset[str] = frozenset()
        self._wrapped_at = 0
        self.drawn_at = 0
        """The width of the rows last drawn, which a worker may read."""

    @property
    def after(self) -> AfterRows | None:
        """The rows as wrapped now."""
        return self._after

    def tell(self, comparison: Comparison | None, rows: AfterRows | None = None) -> None:
        """Show another comparison, with the rows made of it for this width."""
        self._comparison = comparison
        self._wrap(cursor=0, rows=rows)

    def on_resize(self) -> None:
        """Wrap the summary to a new width."""
        if self.row_width != self._wrapped_at:
            self._wrap(cursor=None)

    def _wrap(self, cursor: int | None, rows: AfterRows | None = None) -> None:
        self._wrapped_at = self.row_width
        if self._comparison is None:
            self._after = None
            self.show(ListRows(()), cursor=0)
        elif self.row_width > 0:
            if rows is None or rows.width != self.row_width:
                rows = AfterRows(self._comparison, self.row_width)
            self._after, self._kept = rows, rows.kept_facts
            self.show(rows, cursor=cursor)
            if self.is_heading(self.cursor):
                self.action_move(1)

    def is_heading(self, index: int) -> bool:
        """The cursor skips bands."""
        return self._after is not None and isinstance(self._after.row(index), Band)

    def heading_above(self, index: int) -> int | None:
        """The band above a row stays in view."""
        return self._after.banding.band_above(index) if self._after else None

    def draw_row(self, row: AfterEntry, index: int, width: int) -> Line:
        """Draw a band, a message, or a line of the summary."""
        self.drawn_at = width
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


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """One line of text about an unsupported claim.

    Attributes:
        first: It is the first line of its claim.
        sure: The claim is more than suspected.
        messages: The message that contradicts it, if there is one.
    """

    text: str
    first: bool
    sure: bool
    messages: tuple[int, ...]


class FactList(RowList[Fact | ClaimLine]):
    """Claims that no message supports, then the facts of the middle, lost ones first."""

    HEADER_LINES = 1

    def __init__(self) -> None:
        super().__init__(empty=PENDING)
        self._no_facts = hint(NO_FACTS)
        self._kept: Retention | None = None
        self._wrapped_at = 0

    def show_kept(self, kept: Retention | None, without: str = PENDING) -> None:
        """Show a report: claims, then facts by outcome, the most important first.

        `without` is shown if there is no report.
        """
        self._kept, self.empty = kept, without if kept is None else self._no_facts
        self._wrap(cursor=0)

    def on_resize(self) -> None:
        """Wrap the claims to a new width."""
        if self.row_width != self._wrapped_at:
            self._wrap(cursor=None)

    def _wrap(self, cursor: int | None) -> None:
        self._wrapped_at = self.row_width
        facts, order = self._kept.facts if self._kept else (), list(FATES)
        ranked = sorted(facts, key=lambda one: (order.index(one.fate), -one.weight))
        claims = chain.from_iterable(map(self._claim_lines, self._kept.unsupported if self._kept else ()))
        self.show(ListRows((*claims, *ranked)), cursor=cursor)

    def _claim_lines(self, claim: Unsupported) -> Iterator[ClaimLine]:
        messages = () if claim.message is None else (claim.message,)
        for number, line in enumerate(wrap(clean(claim_sentence(claim)), max(8, self.row_width - 4))):
            yield ClaimLine(line, not number, claim.category != SUSPECTED, messages)

    def draw_header(self, width: int) -> list[Line]:
        """The column titles, if there are rows."""
        if not self.rows.count:
            return [Line()]
        ink = self.palette.style("ink-muted")
        line = (
            Line()
            .gap(3)
            .cell("outcome", _outcome(width), ink)
            .cell("kind", 13, ink)
            .cell("where", 6, ink, right=True)
        )
        return [line.gap(2).add("what", ink, most=max(0, width - line.width - 2))]

    def draw_row(self, row: Fact | ClaimLine, index: int, width: int) -> Line:
        """Draw a line of a claim, or a fact: outcome, category, message, text."""
        if isinstance(row, ClaimLine):
            ink = self.palette.style("severity-warning" if row.sure else "ink-muted")
            line = Line().gap().add(CLAIM if row.first else " ", ink).gap()
            return line.add(row.text, self.palette.style("ink"), most=max(0, width - line.width))
        sign, token = FATES[row.fate]
        ink, muted = self.palette.style(token), self.palette.style("ink-muted")
        line = Line().gap().add(f"{sign} ", ink).cell(row.fate, _outcome(width), ink)
        line.cell(kind_word(row.category), 13, muted)
        where = f"#{row.messages[-1]}" if row.messages else ""
        line.cell(where, 6, muted, right=True).gap(2)
        return line.add(
            row.value, self.palette.style("match" if row.in_focus else "ink"), most=max(0, width - line.width)
        )


def _outcome(width: int) -> int:
    return OUTCOME if width >= ROOMY else 0
