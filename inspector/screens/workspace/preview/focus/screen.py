"""Focus lab: no focus and two focuses over the same middle, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message as Event

from core.preview.comparison import Comparison
from core.preview.foreseen import Basis, compare
from core.preview.summarisers import Writer
from inspector.base.commands import bindings
from inspector.base.workers import cancelled, in_thread
from inspector.screens.page import Page
from inspector.screens.workspace.preview.after_list import FATES
from inspector.screens.workspace.preview.focus.column import FocusColumn
from inspector.screens.workspace.preview.focus.model import (
    COMPARED,
    FateRow,
    aligned,
    fates,
    topic_share,
    topics,
)
from inspector.terminal import formatting as format
from inspector.terminal.line import Line
from inspector.widgets.bars.key_bar import KeyBar
from inspector.widgets.bars.title_bar import TitleBar
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.rows import ListRows
from inspector.widgets.panes.text_pane import TextPane

COLUMN = 14


class FateList(RowList[FateRow]):
    """Every fact, and what became of it in each column."""

    HEADER_LINES = 1

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(empty="Nothing checkable stands in the middle.")
        self._names = tuple(names)

    def draw_header(self, width: int) -> list[Line]:
        """Names of the columns."""
        ink, line = self.palette.style("ink-muted"), Line().gap()
        for name in self._names:
            line.cell(name, COLUMN, ink).gap()
        line.cell("kind", 13, ink).cell("where", 6, ink, right=True).gap(2)
        return [line.add("what · enter shows its message", ink, most=max(0, width - line.width))]

    def draw_row(self, row: FateRow, index: int, width: int) -> Line:
        """A sign and a word for each column, then the fact."""
        muted, line = self.palette.style("ink-muted"), Line().gap()
        for fate in row.fates:
            sign, token = FATES[fate] if fate else ("·", "ink-faint")
            line.cell(f"{sign} {fate or ''}", COLUMN, self.palette.style(token)).gap()
        where = f"#{row.messages[-1]}" if row.messages else ""
        line.cell(row.category, 13, muted).cell(where, 6, muted, right=True).gap(2)
        ink = self.palette.style("ink", bold=row.differs)
        return line.add(row.value, ink, most=max(0, width - line.width))


class FocusLab(Page):
    """Previews of one compaction, without a focus and with each of one or two.

    Args:
        basis: The conversation, read and planned.
        writer: Who writes all summaries.
        focuses: One topic or two.
        show: Called with the index of a message to go to when the user asks for it.
    """

    CSS_PATH = "focus.tcss"
    BINDINGS = bindings("focus")

    @dataclass
    class Made(Event):
        """One of the previews is there; `shares` is how much of its summary is about each topic."""

        place: int
        comparison: Comparison
        shares: tuple[tuple[str, float | None], ...]

    def __init__(
        self, basis: Basis, writer: Writer, focuses: Sequence[str], show: Callable[[int], None]
    ) -> None:
        super().__init__()
        self._basis = basis
        self._writer = writer
        self._topics: tuple[str | None, ...] = (None, *focuses)
        self._show = show
        self._made: list[Comparison | None] = [None] * len(self._topics)

    def compose(self) -> ComposeResult:
        """Title, columns, facts, keys."""
        yield TitleBar()
        with Horizontal(id="columns"):
            for place, topic in enumerate(self._topics):
                yield FocusColumn(place, topic)
        yield FateList([topic or "no focus" for topic in self._topics])
        yield KeyBar()

    def on_mount(self) -> None:
        """Start making the previews."""
        bar, here = self.query_one(TitleBar), self._basis.reading.situation.conversation
        bar.heading = here.name
        count = format.plural(self._basis.plan.middle.size, "message")
        ways = "two" if len(self._topics) == COMPARED else "three"
        bar.detail = f"{count} summarised {ways} ways · {self._writer.title}"
        self.columns[0].pane.focus()
        self.make()

    @property
    def columns(self) -> list[FocusColumn]:
        """The columns, no focus first."""
        return list(self.query(FocusColumn))

    @in_thread("focus")
    def make(self) -> None:
        """Make the previews one after the other."""
        stop, middle = cancelled(), self._basis.plan.middle
        names = [topic for topic in self._topics if topic]
        weighed = topics(self._basis.reading.messages[middle.start : middle.end], names)
        for place, topic in enumerate(self._topics):
            if stop():
                return
            made = compare(self._basis, self._writer.summariser, topic, stop=stop)
            shares = (topic_share(made.summary, one) for one in weighed)
            self.post_message(self.Made(place, made, tuple(zip(names, shares, strict=True))))

    @on(Made)
    def _take(self, event: FocusLab.Made) -> None:
        self._made[event.place] = event.comparison
        self.columns[event.place].show(event.comparison, event.shares)
        sections = aligned([made.summary if made else "" for made in self._made])
        for column in self.columns:
            column.align(sections)
        self.query_one(FateList).show(
            ListRows(fates([made.retention if made else None for made in self._made]))
        )

    @on(TextPane.Scrolled)
    def _together(self, event: TextPane.Scrolled) -> None:
        for column in self.columns:
            if column.pane is not event.pane and column.pane.scroll_offset.y != event.top:
                column.pane.scroll_to(y=event.top, animate=False)

    @on(FateList.Opened)
    def _go(self) -> None:
        row = self.query_one(FateList).current
        if row is not None and row.messages:
            self.app.pop_screen()
            self._show(row.messages[-1])

    def action_facts(self) -> None:
        """Sections or facts."""
        self.toggle_class("-facts")
        front = self.query_one(FateList) if self.has_class("-facts") else self.columns[0].pane
        self.call_after_refresh(front.focus)

    def action_back(self) -> None:
        """Back to the preview."""
        self.app.pop_screen()

    def action_copy(self) -> None:
        """Copy the summary of the column that has the keys."""
        places = [place for place, column in enumerate(self.columns) if column.pane.has_focus]
        made = self._made[places[0]] if places else None
        self.copy(made.summary if made else "")
