"""Which conversation needs me? One row per conversation, over all databases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual import getters, on
from textual.app import ComposeResult
from textual.timer import Timer

from core.model.finding import Severity
from core.store.database.locate import Location
from inspector.base.app_protocol import FigureQuestion, shell
from inspector.base.live import in_sight
from inspector.screens.page import Page
from inspector.screens.sessions.alert_line import AlertLine
from inspector.screens.sessions.card import SessionCard, measured
from inspector.screens.sessions.list_view import (
    SessionsList,
    cells,
    drawn_row,
    header,
    legend,
    position,
    summing_up,
)
from inspector.screens.sessions.pane import SessionsPane
from inspector.screens.sessions.reader import AddedUp, Arrived
from inspector.widgets.bars.answer_and_keys import KeyBar
from inspector.widgets.bars.status_line import Banner, StatusLine
from inspector.widgets.lists.row_list import RowList

if TYPE_CHECKING:
    from core.account.spending.budget import Today

ADD_UP_SECONDS = 10.0
"""Seconds to collect writes before today's cost is computed again, which reads more than the list does."""


class SessionsScreen(Page):
    """The home screen.

    Args:
        locations: The databases, the active profile's first.
        at: A session of the conversation to start on.
    """

    CSS_PATH = "sessions.tcss"

    pane = getters.query_one(SessionsPane)
    listing = getters.query_one(SessionsList)

    def __init__(self, locations: Sequence[Location], *, at: str | None = None) -> None:
        super().__init__()
        self.locations = tuple(locations)
        self._at = at
        self._today: Today | None = None
        self._adding: Timer | None = None

    def compose(self) -> ComposeResult:
        """Head, errors, alert, list with filter, card, foot, key bar."""
        yield StatusLine(id="head")
        yield Banner()
        yield AlertLine()
        yield SessionsPane(self.locations, at=self._at)
        yield SessionCard()
        yield StatusLine(id="foot")
        yield KeyBar()

    def on_screen_resume(self) -> None:
        """Show what other screens found out, and compute what the visible rows lack."""
        self._tell()
        if self.pane.page is not None:
            self.pane.measuring.look()
            self._add_up_at_first()

    def on_screen_suspend(self) -> None:
        """Pause, so that the opened screen gets the whole processor."""
        self.pane.measuring.rest()

    def on_resize(self) -> None:
        """Show more or less for the new size."""
        if self.is_mounted:
            self.call_after_refresh(self._tell)

    @on(Arrived)
    def _arrived(self, event: Arrived) -> None:
        self.query_one(Banner).say(" · ".join(error.line for error in event.page.errors))
        shell(self).failures += event.page.errors
        self._add_up_at_first()

    def tells(self, words: str) -> bool:
        """An error above the list needs no toast."""
        return words in self.query_one(Banner).message

    def _add_up_at_first(self) -> None:
        page = self.pane.page
        if page is not None and page.whole and self._today is None and in_sight(self):
            self.pane.reader.add_up()

    @on(SessionsPane.Written)
    def _add_up_soon(self) -> None:
        if self._adding is None:
            self._adding = self.set_timer(ADD_UP_SECONDS, self._add_up_now)

    def _add_up_now(self) -> None:
        self._adding = None
        self.pane.reader.add_up()

    @on(AddedUp)
    def _sum_up(self, event: AddedUp) -> None:
        self._today = event.today
        self._tell()

    def action_findings(self) -> None:
        """Check every conversation for problems."""
        from inspector.screens.findings.screen import FindingsScreen

        self.app.push_screen(FindingsScreen(self.locations))

    def action_usage(self) -> None:
        """Show where the money went, over all conversations."""
        from inspector.screens.workspace.usage.screen import UsageScreen

        self.app.push_screen(UsageScreen(self.locations))

    def action_search(self) -> None:
        """Search the text of every message."""
        from inspector.screens.search.question import everywhere
        from inspector.screens.search.screen import SearchScreen

        self.app.push_screen(SearchScreen(everywhere(self.locations)))

    @on(RowList.Opened)
    def _open(self) -> None:
        line = self.listing.current
        extra = self.listing.extras.get(line.key) if line is not None else None
        self.action_open_at(extra.view_of_problem if extra is not None else None)

    def action_report(self) -> None:
        """Write the report of the conversation under the cursor."""
        from inspector.screens.dialogs.save_report import ReportScreen

        if (line := self.listing.current) is not None:
            self.app.push_screen(ReportScreen(line.location, line.session.id))

    def action_open_at(self, view: str | None) -> None:
        """Open the conversation under the cursor at one of its views."""
        line = self.listing.current
        if line is not None:
            shell(self).open_conversation(line.location, line.session.id, view=view)

    def action_next_alert(self) -> None:
        """Show the next alert."""
        self.query_one(AlertLine).turn()
        self._tell()

    def action_clear(self) -> None:
        """Close the filter; without one, hide the alert line."""
        if self.pane.filter_line.opened:
            self.pane.action_clear()
        else:
            self.query_one(AlertLine).hide()
            self._tell()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable keys for a filter or alert line that is not shown."""
        if action == "clear" and self.is_mounted and self.pane.filter_line.opened:
            return True
        if action in ("clear", "next_alert"):
            line = self.query_one(AlertLine) if self.is_mounted else None
            return line is not None and line.display and (action == "clear" or bool(line.alerts))
        return super().check_action(action, parameters)

    def action_origins(self) -> None:
        """Show where the figures of the conversation under the cursor come from."""
        from inspector.screens.dialogs.origin import OriginScreen
        from inspector.screens.workspace.usage.bars import spending

        line = self.listing.current
        if line is not None:
            about, alone = line.session.id, line.part is not None
            extra = None if alone else self.listing.extras.get(line.key)
            beside, read = measured(extra) if extra else (), spending(line.location, about, alone=alone)
            self.app.push_screen(
                OriginScreen(FigureQuestion(line.title or about, lambda stop: (*read(stop), *beside)))
            )

    def action_refresh(self) -> None:
        """Read the list again, and compute everything again."""
        self.pane.measuring.forget()
        self.pane.reload()
        self.pane.reader.add_up()

    def action_copy(self) -> None:
        """Copy the id under the cursor."""
        line = self.listing.current
        self.copy(line.session.id if line else "")

    @on(SessionsPane.Changed)
    @on(AlertLine.Resized)
    @on(RowList.Moved)
    def _tell(self) -> None:
        """Update head, foot, card and alert line."""
        page, pane = self.pane.page, self.pane
        total = page.total if page and page.whole else None
        head, foot = self.query_one("#head", StatusLine), self.query_one("#foot", StatusLine)
        head.left = header(self.locations, total, self.size.width, partial=bool(page and page.errors))
        app = shell(self)
        if sign := app.live.sign(app.now()):
            head.left = (*head.left, ("ink-faint", " · "), ("live", sign))
        room = self.size.width - cells(head.left) - 4
        head.right = summing_up(self._today, _count(shell(self).diagnosed), room)
        narrow = self.has_class("-narrow")
        foot.right = position(self.listing, pane.order, page, brief=narrow)
        room = self.size.width - cells(foot.right) - 5
        foot.left = legend(room, drawn_row(self.listing))
        alert, card = self.query_one(AlertLine), self.query_one(SessionCard)
        alert.tell(self.listing)
        card.make_room(self.size.height, self._free_rows(card))
        card.tell(self.listing, alert.shown)

    def _free_rows(self, card: SessionCard) -> int:
        """Rows of list and card that no conversation needs; none before the first are read."""
        if not self.listing.rows.count:
            return 0
        beside = (*self.children, self.pane.filter_line)
        taken = (one.outer_size.height for one in beside if one.display and one not in (self.pane, card))
        return self.size.height - sum(taken) - SessionsList.HEADER_LINES - self.listing.rows.count


def _count(diagnosed: Mapping[tuple[Location, str | None], Counter[Severity]]) -> int:
    """How many findings there are, about conversations and databases."""
    return sum(found.total() for found in diagnosed.values())
