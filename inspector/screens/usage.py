"""Where did the money go? Over everything, or in one conversation; every number says where it is from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message as Event

from core.account.origins import origin
from core.model.usage import LedgerRow
from core.store.locate import Location
from inspector.commands import bindings
from inspector.line import Line
from inspector.palette import Palette
from inspector.screens.base import Page
from inspector.screens.usage_calls import Bars, bars_of
from inspector.screens.usage_card import origin_lines, subtree
from inspector.screens.usage_list import LedgerList
from inspector.screens.usage_model import PERIODS, Answer, Question, answer
from inspector.screens.usage_words import bucket_pieces, headline, tabs
from inspector.shell import shell
from inspector.views import Subject, View
from inspector.widgets.banner import Banner
from inspector.widgets.day_bars import DayBars
from inspector.widgets.key_bar import KeyBar
from inspector.widgets.row_list import RowList
from inspector.widgets.rows import ListRows
from inspector.widgets.status_line import StatusLine
from inspector.widgets.text_pane import TextPane
from inspector.workers import Reporting, cancelled, in_thread


class UsagePanel(Reporting, Vertical):
    """Figures, days, rows and the origin of the figure under the cursor."""

    BINDINGS = bindings("usage")
    DEFAULT_CSS = """
    UsagePanel {
        height: 1fr;
        #dimensions { margin: 1 0 0 0; }
        LedgerList { height: 1fr; padding: 0 1; }
        #origin { height: 40%; padding: 0 1; border-top: solid $rule; }
        &.-without-origin #origin { display: none; }
    }
    """
    SHORT = 32
    """Lines of the screen below which the rows come first: low bars, the origin only on request."""

    rows = getters.query_one(LedgerList)
    card = getters.query_one("#origin", TextPane)

    @dataclass
    class Answered(Event):
        """The sums are there."""

        answer: Answer

    def __init__(self, locations: Sequence[Location] = (), question: Question | None = None) -> None:
        super().__init__()
        self.locations = tuple(locations)
        self.question = question or Question()
        self._answer: Answer | None = None

    def compose(self) -> ComposeResult:
        """The sums first, then the days, then who spent it, then where a number is from."""
        yield StatusLine(id="sums")
        yield StatusLine(id="buckets")
        yield DayBars()
        yield Banner()
        yield StatusLine(id="dimensions")
        yield LedgerList(empty="Adding up …")
        yield TextPane(id="origin")

    def on_mount(self) -> None:
        """Start adding up when it is known what."""
        if self.app.size.height < self.SHORT:
            self.add_class("-without-origin")
        if self.locations:
            self._start()

    def ask(self, locations: Sequence[Location], question: Question) -> None:
        """Ask something else; what is on screen stays until the answer comes."""
        self.locations, self.question = tuple(locations), question
        if self.is_mounted:
            self._start()

    def _start(self) -> None:
        self._draw_tabs()
        self.add_up(self.locations, self.question)

    @in_thread("usage")
    def add_up(self, locations: Sequence[Location], question: Question) -> None:
        """Read on connections of the worker's own; an empty screen does not wait for the price list."""
        stop = cancelled()
        now = shell(self).now()
        for priced in (False, True) if self._answer is None else (True,):
            found = answer(locations, question, now, stop, priced=priced)
            if stop():
                return
            self.post_message(self.Answered(found))

    @on(Answered)
    def _take(self, event: Answered) -> None:
        found = event.answer
        again = self._answer is not None and self._answer.question == found.question
        self._answer = found
        now = shell(self).now()
        self.query_one("#sums", StatusLine).left, self.query_one("#sums", StatusLine).right = headline(
            found, now
        )
        self.query_one("#buckets", StatusLine).left = bucket_pieces(found.ledger.totals)
        self._draw_bars(bars_of(found))
        self.query_one(Banner).say(" · ".join([*(error.line for error in found.errors), *found.ledger.notes]))
        self.rows.by, self.rows.priced = found.ledger.by, found.priced
        self.rows.empty = f"Nothing was spent in {found.question.title}."
        rows = (*found.ledger.rows, found.ledger.totals) if found.ledger.rows else ()
        self.rows.show(ListRows(rows), cursor=self.rows.cursor if again else 0)
        self._draw_tabs()
        self._show_origin()

    def _draw_bars(self, bars: Bars) -> None:
        widget = self.query_one(DayBars)
        widget.values, widget.unit, widget.token = bars.values, bars.unit, bars.token
        widget.first, widget.last, widget.caption = bars.first, bars.last, bars.caption
        rows = 2 if self.app.size.height < self.SHORT else 4
        widget.styles.height = 1 + (rows if bars.values else 0)

    def _draw_tabs(self) -> None:
        self.query_one("#dimensions", StatusLine).left = tabs(self.question)

    @on(RowList.Moved)
    def _show_origin(self) -> None:
        row, found = self.rows.current, self._answer
        if row is not None and found is not None:
            self.card.show(partial(_origin, row, found, self.rows.figure))

    # What the user does.

    def action_dimension(self, step: int) -> None:
        """Add up by something else."""
        offered = self.question.dimensions
        place = offered.index(self.question.by) if self.question.by in offered else -min(step, 0)
        self.ask(self.locations, replace(self.question, by=offered[(place + step) % len(offered)]))

    def action_period(self) -> None:
        """Another period; a conversation is always shown whole."""
        if self.question.session is None:
            period = (self.question.period + (not self.question.path)) % len(PERIODS)
            self.ask(self.locations, Question(self.question.by, period))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A conversation has no period to choose, and only below a row there is a way up."""
        if action == "out":
            return bool(self.question.path)
        return not (action == "period" and self.question.session is not None)

    def action_out(self) -> None:
        """Back to the list the row was in."""
        self.ask(self.locations, self.question.out())

    def action_figure(self, step: int) -> None:
        """Put the cursor on another figure of the row."""
        self.rows.turn(step)
        self._show_origin()

    def action_origin(self) -> None:
        """Show or hide where the figure under the cursor comes from."""
        self.toggle_class("-without-origin")

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
            self.ask(self.locations, below)
        elif self.question.session is None:
            self._open(row.key)
        else:
            self.toast("This conversation is open already; 1 shows its messages.")

    def _open(self, session_id: str) -> None:
        app = shell(self)
        for location in self.locations:
            if _holds(location, session_id):
                app.open_conversation(location, session_id, view="usage")
                return

    def copy_text(self) -> str:
        """The origin of the figure under the cursor."""
        return self.card.text


class UsageView(View):
    """The usage of one conversation, as a tab of its workspace."""

    def __init__(self) -> None:
        super().__init__()
        self.panel = UsagePanel()

    def compose(self) -> ComposeResult:
        """The panel alone."""
        yield self.panel

    def watch_subject(self, subject: Subject | None) -> None:
        """Add up the conversation, model by model; before the panel is mounted it keeps the question."""
        if subject is not None:
            question = Question(by="model", session=subject.conversation.root.id)
            self.panel.ask((subject.location,), question)

    def wake(self) -> None:
        """The rows have the keys; before they are mounted there is nothing to wake."""
        for found in self.query(LedgerList):
            found.focus()

    def copy_text(self) -> str:
        """The origin of the figure under the cursor."""
        return self.panel.copy_text()


class UsageScreen(Page):
    """The usage of everything in sight."""

    def __init__(self, locations: Sequence[Location]) -> None:
        super().__init__()
        self._locations = tuple(locations)

    BINDINGS = bindings("usage_screen")
    panel = getters.query_one(UsagePanel)

    def compose(self) -> ComposeResult:
        """The panel and its keys."""
        yield UsagePanel(self._locations)
        yield KeyBar()

    def on_mount(self) -> None:
        """The rows take the keys."""
        self.panel.rows.focus()

    def action_refresh(self) -> None:
        """Add up again."""
        self.panel.ask(self.panel.locations, self.panel.question)

    def action_copy(self) -> None:
        """Copy the origin of the figure under the cursor."""
        self.copy(self.panel.copy_text())

    def action_back(self) -> None:
        """Back to the list of conversations."""
        self.app.pop_screen()


def _holds(location: Location, session_id: str) -> bool:
    from core.errors import InspectorError
    from core.store.store import Store

    try:
        with Store(location) as store:
            store.session(session_id)
    except InspectorError:
        return False
    return True


def _origin(row: LedgerRow, found: Answer, figure: str, width: int, ink: Palette) -> list[Line]:
    about = row.label or row.key
    return [*origin_lines(about, origin(found.ledger, row, figure), width, ink), *subtree(row, width, ink)]
