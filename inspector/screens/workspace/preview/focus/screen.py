"""Focus lab: compares no focus and one or two focuses over the same middle, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from core.compress.engines.host.process import EngineFailed
from core.compress.engines.run import OtherEngine
from core.model.compaction.preview import Retention
from core.model.finding import Headline, Severity
from core.preview.comparison import Comparison
from core.preview.foreseen import Basis, compare
from core.preview.offers import Writer
from core.preview.words import broken_engine, kind_word
from core.support import formatting as fmt
from inspector.base.commands import bindings, hint
from inspector.base.workers import cancelled, in_thread, then
from inspector.screens.page import HEIGHTS, Page
from inspector.screens.workspace.preview.after_list import FATES, NO_FACTS
from inspector.screens.workspace.preview.focus.column import FocusColumn
from inspector.screens.workspace.preview.focus.model import (
    COMPARED,
    FateRow,
    aligned,
    facts_on_topic,
    fates,
    kept_of,
    outcome,
)
from inspector.terminal.line import Line
from inspector.widgets.bars.answer_and_keys import AnswerBar, KeyBar
from inspector.widgets.bars.title_bar import TitleBar
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.text_pane import TextPane

LAB = "focus lab"
COLUMN = 3
HIGH = [*HEIGHTS, (45, "-high")]
"""Rows from which there is room for the summaries and their facts at once."""
WRITING = "The facts follow with the first summary."


class FateList(RowList[FateRow]):
    """Every fact, and its outcome in each column."""

    HEADER_LINES = 1

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(empty=WRITING)
        self._names = tuple(names)

    def draw_header(self, width: int) -> list[Line]:
        """The column titles."""
        ink, line = self.palette.style("ink-muted"), Line().gap()
        for number in range(1, len(self._names) + 1):
            line.cell(str(number), COLUMN, ink)
        line.cell("kind", 13, ink).cell("where", 6, ink, right=True).gap(2)
        return [line.add("what", ink, most=max(0, width - line.width))]

    def draw_row(self, row: FateRow, index: int, width: int) -> Line:
        """Draw a sign for each column, then the fact."""
        muted, line = self.palette.style("ink-muted"), Line().gap()
        for fate in row.fates:
            sign, token = FATES[fate] if fate else ("·", "ink-faint")
            line.cell(sign, COLUMN, self.palette.style(token, bold=True))
        where = f"#{row.messages[-1]}" if row.messages else ""
        line.cell(kind_word(row.category), 13, muted).cell(where, 6, muted, right=True).gap(2)
        ink = self.palette.style("match" if row.in_focus else "ink", bold=row.differs)
        return line.add(row.value, ink, most=max(0, width - line.width))


class FocusLab(Page):
    """Previews of one compaction without a focus, and with each of one or two focuses.

    `show` is called with the index of a message that the user wants to see.
    """

    CSS_PATH = "focus.tcss"
    VERTICAL_BREAKPOINTS = HIGH
    BINDINGS = bindings("focus")

    def __init__(
        self,
        basis: Basis,
        writer: Writer,
        focuses: Sequence[str],
        show: Callable[[int], None],
        engine: OtherEngine | None = None,
    ) -> None:
        super().__init__()
        self._basis = basis
        self._writer = writer
        self._focuses = tuple(focuses)
        self._topics: tuple[str | None, ...] = (None, *focuses)
        self._show, self._engine = show, engine
        self.add_class("-facts")
        self._made: list[Comparison | None] = [None] * len(self._topics)

    def compose(self) -> ComposeResult:
        """Title, answer, columns, facts, key bar."""
        yield TitleBar()
        yield AnswerBar()
        with Horizontal(id="columns"):
            for place, topic in enumerate(self._topics):
                yield FocusColumn(place, topic, self._focuses)
        yield FateList([topic or "no focus" for topic in self._topics])
        yield KeyBar()

    def on_mount(self) -> None:
        """Start making the previews."""
        bar, here = self.query_one(TitleBar), self._basis.reading.context.conversation
        bar.heading = here.name
        count = fmt.plural(self._basis.plan.middle.size, "message")
        ways = "two" if len(self._topics) == COMPARED else "three"
        bar.detail = f"{LAB} · {count} summarised {ways} ways · {self._writer.title}"
        bar.place = "" if self._engine is None else f"engine {self._engine.title}"
        bar.brief_place = bar.place or LAB
        self.query_one(AnswerBar).waiting = f"Writing {fmt.count(len(self._topics))} summaries …"
        self.query_one(FateList).focus()
        self.make()

    @property
    def columns(self) -> list[FocusColumn]:
        """The columns, the one without a focus first."""
        return list(self.query(FocusColumn))

    @in_thread("focus")
    def make(self) -> None:
        """Make the previews one after the other."""
        from core.preview.other_engine import compare_by

        stop = cancelled()
        for place, topic in enumerate(self._topics):
            if stop():
                return
            if self._engine is None:
                made = compare(self._basis, self._writer.summariser, topic, stop=stop)
            else:
                made = compare_by(self._engine, self._basis, self._writer.summariser, topic, stop)
            then(self, self._take, place, made)

    def _take(self, place: int, comparison: Comparison) -> None:
        self._made[place] = comparison
        topics = [facts_on_topic(made.retention) if made else None for made in self._made[1:]]
        for column, made in zip(self.columns, self._made, strict=True):
            if made is not None:
                facts = made.retention or Retention(())
                column.show(made, [None if keys is None else kept_of(facts, keys) for keys in topics])
        sections = aligned([made.summary if made else "" for made in self._made])
        for column in self.columns:
            column.align(sections)
        retentions = [made.retention if made else None for made in self._made]
        self.query_one(AnswerBar).answer = self._of_engine() or outcome(self._focuses, retentions)
        listed = self.query_one(FateList)
        listed.empty = WRITING if None in self._made else hint(NO_FACTS)
        listed.show(ListRows(fates(retentions)))

    def _of_engine(self) -> Headline | None:
        """The answer if an engine ignores the focus or returned invalid messages."""
        made = [one for one in self._made if one is not None]
        if self._engine is None or len(made) < len(self._topics):
            return None
        broken = next((one.broken for one in made if one.broken), ())
        if broken:
            return broken_engine(self._engine.title, "; ".join(broken))
        if any(one.retention is not None for one in made):
            return None
        said = f"The engine {self._engine.title} does not change this conversation, whatever the topic."
        return Headline(said, hint("{preview.engine} on Preview shows what other engines do."), Severity.INFO)

    def report(self, error: BaseException) -> None:
        """Show a failure, an engine's as the answer; no other summary follows."""
        if self._engine is None or not isinstance(error, EngineFailed):
            super().report(error)
        else:
            self.query_one(AnswerBar).answer = broken_engine(self._engine.title, error.what)
        self.query_one(FateList).empty = ""
        for column in self.columns:
            column.give_up()

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
        """Switch between facts and summaries."""
        self.toggle_class("-facts")
        front = self.query_one(FateList) if self.has_class("-facts") else self.columns[0].pane
        self.call_after_refresh(front.focus)

    def action_copy(self) -> None:
        """Copy the summary of the focused column, or of the first focus."""
        places = [place for place, column in enumerate(self.columns) if column.pane.has_focus]
        made = self._made[places[0] if places else 1]
        self.copy(made.summary if made else "")
