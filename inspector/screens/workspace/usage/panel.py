"""The panel of every usage view: totals, days, rows, and the origin of the figure under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.events import Resize

from core.explain.headline.usage import usage_headline
from core.model.accounting.ledger import LedgerRow
from core.store.database.connect import Interrupted
from core.store.database.locate import Location
from inspector.base.app_protocol import shell
from inspector.base.commands import bindings, hint
from inspector.base.workers import Reporting, ask, cancelled, in_thread, then
from inspector.screens.workspace.usage.bars import SHORT, bar_of, bars_of, draw_bars, lines_of, origin_of_row
from inspector.screens.workspace.usage.list_view import LedgerList
from inspector.screens.workspace.usage.model import UsageAnswer, answer, holds
from inspector.screens.workspace.usage.question import PERIODS, Question
from inspector.screens.workspace.usage.words import (
    Detail,
    above,
    bucket_pieces,
    detail,
    headline,
    nothing,
    peak_words,
    period_of,
    summary_pieces,
    tabs,
    unspent,
    waiting,
)
from inspector.widgets.bars.answer_and_keys import AnswerBar
from inspector.widgets.bars.status_line import Banner, Piece, StatusLine, titled
from inspector.widgets.charts.day_bars import DayBars
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.text_pane import TextPane

FAILED = "Nothing could be added up; the reason is above."
LOADING = "Adding up tokens and money; for a large database the first time takes some seconds."
NARROW, ROOMY = 80, 110
"""Columns below which the totals have less detail, and from which they have more."""
EMPTY_LINES = 3
"""Height of a list that says why it is empty."""
MIN_ROWS = 4
"""Fewer rows than this leave room for their origin on a short screen."""


class UsagePanel(Reporting, Vertical):
    """Totals, days, rows, and the origin of the figure under the cursor."""

    BINDINGS = bindings("usage")
    DEFAULT_CSS = """
    UsagePanel {
        height: 1fr;
        #dimensions { margin: 1 0 0 0; }
        #ledger { height: 1fr; }
        LedgerList { height: 3fr; padding: 0 1; }
        #origin { height: 2fr; padding: 0 1; border-top: solid $rule; }
        &.-without-origin #origin { display: none; }
        &.-nothing #buckets, &.-nothing DayBars, &.-nothing #origin { display: none; }
    }
    """
    rows = getters.query_one(LedgerList)
    card = getters.query_one("#origin", TextPane)

    def __init__(self, locations: Sequence[Location] = (), question: Question | None = None) -> None:
        super().__init__()
        self.locations = tuple(locations)
        self.question = question or Question()
        self._answer: UsageAnswer | None = None
        self._detail: Detail | None = None
        self._asked_origin = False
        self._unspent: UsageAnswer | None = None  # of the longest period passed over when opened
        self._left: dict[Question, int] = {}
        """The row that was opened in each list, to return to."""

    def compose(self) -> ComposeResult:
        """Answer and totals, then days, rows, and the origin of a figure."""
        answer, sums = AnswerBar(), StatusLine(id="sums")
        yield from (sums, answer) if self.locations else (answer, sums)  # a tab already has a title above
        yield StatusLine(id="buckets")
        yield DayBars()
        yield Banner()
        yield StatusLine(id="dimensions")
        with Container(id="ledger"):
            yield LedgerList(empty=LOADING)
            yield TextPane(id="origin")

    def on_mount(self) -> None:
        """Start reading, once the question is known."""
        if self.locations:
            self._start()

    def ask(self, locations: Sequence[Location], question: Question) -> None:
        """Ask another question; the screen does not change until the answer arrives."""
        self.locations, self.question = tuple(locations), question
        if self.is_mounted:
            self._start()

    def _start(self) -> None:
        what = self.question.title.rpartition(" › ")[2]
        self._show_dimensions(("ink-muted", f"adding up {what} …"))
        if self._answer is None:
            self.query_one("#sums", StatusLine).left = waiting(self.question)
        self.add_up(self.locations, self.question)

    @in_thread("usage")
    def add_up(self, locations: Sequence[Location], question: Question) -> None:
        """Read on connections of the worker's own; the first answer comes without prices, to be fast."""
        stop = cancelled()
        now = shell(self).now()
        for priced in (False, True) if self._answer is None else (True,):
            found = answer(locations, question, now, stop, priced=priced)
            if stop():
                return
            then(self, self._take, found)
        then(self, self._add_detail, found, detail(found, locations, now, stop))

    def report(self, error: BaseException) -> None:
        """Report an error, after which nothing is added up any more."""
        super().report(error)
        if self._answer is None and not isinstance(error, Interrupted):
            self.query_one("#sums", StatusLine).left = titled("Usage", self.question.title)
            self.rows.empty = FAILED
            self._show_dimensions()

    def _take(self, found: UsageAnswer) -> None:
        first = self._answer is None and (found.question.is_today or self._unspent is not None)
        if first and not found.ledger.rows and found.question.period < len(PERIODS) - 1:
            self._unspent = found
            self.action_period()
            return
        anew = self._answer is None
        again = self._answer is not None and self._answer.question == found.question
        before = self.rows.current if again else None
        self._answer, self._detail = found, None
        self.set_class(not found.ledger.rows, "-nothing")
        self._draw_sums()
        draw_bars(self.query_one(DayBars), bars_of(found))
        self._fit_bars(anew=anew)
        self.query_one(Banner).say(" · ".join([*(error.line for error in found.errors), *found.ledger.notes]))
        shell(self).failures += found.errors
        self._draw_rows(found, before, self.rows.cursor if again else self._left.pop(found.question, 0))
        self._show_dimensions()
        if not again:
            self.card.scroll_to(y=0, animate=False)
        self._show_origin()

    def _draw_rows(self, found: UsageAnswer, before: LedgerRow | None, left: int) -> None:
        self.rows.highest_cost = max(filter(None, (row.cost.usd for row in found.ledger.rows)), default=None)
        self.rows.by, self.rows.priced = found.ledger.by, found.priced
        self.rows.empty = nothing(found)
        rows = (*found.ledger.rows, found.ledger.totals) if found.ledger.rows else ()
        about = before and (before.key, before.task)
        same = (place for place, row in enumerate(rows) if (row.key, row.task) == about)
        self.rows.show(ListRows(rows), cursor=next(same, left))
        # The origin has the rest; what an empty list says begins below a blank line.
        self.rows.styles.max_height = LedgerList.HEADER_LINES + (len(rows) or EMPTY_LINES)

    def _add_detail(self, found: UsageAnswer, more: Detail) -> None:
        """Show the details next to the totals."""
        if found is not self._answer:
            return
        self._detail = more
        self._show_origin()
        self._show_dimensions()
        if more.most_expensive is not None and found.peak is not None:
            self.query_one(DayBars).caption += peak_words(more.most_expensive)

    @on(Resize)
    def _draw_sums(self) -> None:
        if self._answer is not None:
            roomy, sums = self.size.width >= ROOMY, self.query_one("#sums", StatusLine)
            now, width, brief = shell(self).now(), self.size.width, self.size.width < NARROW
            sums.left, sums.right = headline(self._answer, now, width=width, roomy=roomy, brief=brief)
            line = usage_headline(self._answer.ledger, period_of(self._answer.question))
            over, asked, rows = self._unspent, self._answer.question, self._answer.ledger.rows
            if over and rows and not asked.path and asked.period == over.question.period + 1:
                line = replace(line, sentence=f"{unspent(over)} {line.sentence}")
            self.query_one(AnswerBar).answer = line
            pieces = bucket_pieces(self._answer.ledger.totals, priced=roomy)
            self.query_one("#buckets", StatusLine).left = pieces

    def _show_dimensions(self, *right: Piece) -> None:
        line = self.query_one("#dimensions", StatusLine)
        if not right and self._detail is not None and self._answer is not None:
            head = self.query_one("#sums", StatusLine).right
            right = summary_pieces(self._answer, self._detail, head, self.size.width)
        line.left, line.right = tabs(self.question), right

    @on(Resize)
    def _fit_bars(self, event: Resize | None = None, *, anew: bool = False) -> None:
        """Give the bars the lines that rows and origin leave; a low screen shows no origin until asked."""
        widget, found, high = self.query_one(DayBars), self._answer, self.app.size.height
        listed = len(found.ledger.rows) if found else 0
        if (event is not None or anew) and not self._asked_origin:
            self.set_class(high < SHORT and listed > MIN_ROWS, "-without-origin")
        origin = not self.has_class("-without-origin")
        widget.styles.height = 1 + (lines_of(high, listed, origin=origin) if widget.values else 0)
        self._show_dimensions()

    @on(RowList.Moved)
    def _show_origin(self, moved: RowList.Moved | None = None) -> None:
        row, found = self.rows.current, self._answer
        if row is not None and found is not None:
            whole = row is found.ledger.totals
            others = tuple(above(found, shell(self).now(), self._detail)) if whole else ()
            self.query_one(DayBars).pointed = bar_of(found, row)
            draw = partial(origin_of_row, row, found, self.rows.figure, others)
            self.card.show(draw, keep_place=moved is None)

    # What the user does.

    def action_dimension(self, step: int) -> None:
        """Group by another dimension."""
        offered = self.question.dimensions
        place = offered.index(self.question.by) if self.question.by in offered else -min(step, 0)
        self.ask(self.locations, replace(self.question, by=offered[(place + step) % len(offered)]))

    def action_period(self) -> None:
        """Change the period; a conversation is always shown as a whole."""
        if self.question.session is None:
            period = (self.question.period + (not self.question.path)) % len(PERIODS)
            self.ask(self.locations, Question(self.question.by, period))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the period for a conversation, and going up in the topmost list."""
        if action == "out":
            return self._asked_origin or bool(self.question.path)
        return not (action == "period" and self.question.session is not None)

    def action_out(self) -> None:
        """Close the origin, or return to the list of the opened row."""
        if self._asked_origin:
            self.action_origin()
        else:
            self.ask(self.locations, self.question.out())

    def action_figure(self, step: int) -> None:
        """Move the cursor to another figure of the row."""
        self.rows.turn(step)
        self._show_origin()

    @on(RowList.HeaderClicked)
    def _aim(self, event: RowList.HeaderClicked) -> None:
        self.rows.aim(event.index)
        self._show_origin()

    def action_origin(self) -> None:
        """Show or hide the origin of the figure under the cursor."""
        self.toggle_class("-without-origin")
        self._asked_origin = not self.has_class("-without-origin")
        self.refresh_bindings()

    def action_scroll_card(self, step: int) -> None:
        """Scroll the origin."""
        self.card.action_line(step)

    @on(RowList.Opened)
    def _drill(self) -> None:
        row = self.rows.current
        if row is None or self._answer is None or row is self._answer.ledger.totals:
            return
        alone = self.question.by == "conversation" and row.sessions == 1
        below = None if alone else self._answer.question.into(row)
        if below is not None:
            self._left[self.question] = self.rows.cursor
            self.ask(self.locations, below)
        elif self.question.session is None:
            key, places = row.key, self.locations
            opened = partial(shell(self).open_conversation, session_id=key, view="usage")
            ask(self, "open", lambda _: next((one for one in places if holds(one, key)), None), opened)
        else:
            self.toast(hint("This conversation is already open; {workspace.view_1} shows its messages."))

    @on(DayBars.Chosen)
    def _choose_day(self, event: DayBars.Chosen) -> None:
        found = self._answer
        if found is None or bars_of(found).unit != "days" or "day" not in self.question.dimensions:
            return
        below = replace(found.question, by="day").into(LedgerRow(found.days[event.index].day.isoformat()))
        if below is not None:
            self.ask(self.locations, below)

    def copy_text(self) -> str:
        """The origin of the figure under the cursor."""
        return self.card.text
