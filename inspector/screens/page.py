"""What every full screen of the app can do, and one with a card beside or below its list."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual import getters
from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import ModalScreen, Screen

from core.store.database.locate import Location
from core.support import formatting as fmt
from inspector.base.app_protocol import shell
from inspector.base.commands import bindings
from inspector.base.live import BEHIND, Pulse
from inspector.base.workers import Reporting
from inspector.terminal.picture import told
from inspector.terminal.text import content
from inspector.widgets.bars.answer_and_keys import AnswerBar, KeyBar
from inspector.widgets.bars.status_line import StatusLine
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.card import Card

WIDTHS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]
"""Class a screen carries from this many columns on."""
HEIGHTS = [(0, "-flat"), (22, "-short"), (32, "-tall")]
"""Class a screen carries from this many lines on."""


class Copying:
    """For screens that put text on the clipboard."""

    def copy(self, text: str) -> None:
        """Put text on the clipboard through the terminal (OSC 52), and say so."""
        assert isinstance(self, Screen)
        assert isinstance(self, Reporting)
        if not text:
            self.toast("Nothing to copy here.", "warning")
            return
        self.app.copy_to_clipboard(text)
        self.toast(f"Copied {fmt.plural(len(text), 'character')}.")


class Dialog(Reporting, Copying, ModalScreen[None]):
    """A panel in a frame over the screen it is about."""

    HEADING: ClassVar[str]

    def on_mount(self) -> None:
        """Name the frame."""
        self.query_one("#frame").border_title = content(self.HEADING)

    def action_close(self) -> None:
        """Back to the screen behind."""
        self.workers.cancel_node(self)
        self.dismiss()


class Page(Reporting, Copying, Screen[None]):
    """A full screen: three widths to lay out for, errors as toasts, a clipboard, a way back."""

    WORK: ClassVar[str] = ""
    """The group of workers that has nobody to tell once the screen is left."""
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS = bindings("page")

    def action_copy(self) -> None:
        """Copy what is under the cursor; a screen that has something overrides this."""
        self.copy("")

    def action_actions(self) -> None:
        """Offer what the keys in force do here, and do what is chosen."""
        from inspector.widgets.panes.row_actions import ActionsScreen, RowAction, row_actions

        def take(chosen: RowAction | None) -> None:
            if chosen is not None:
                self.call_later(self.app.run_action, chosen.command.action, chosen.node)

        self.app.push_screen(ActionsScreen(row_actions(self)), take)

    def action_picture(self) -> None:
        """Write what is on screen to the folder the app was started in."""
        self.toast(told(Path.cwd(), self.app.export_screenshot(), shell(self).now()))

    def action_pause(self) -> None:
        """Leave the screen as it is, or follow again what is written."""
        self.toast(shell(self).live.toggle(), seconds=3)

    def action_back(self) -> None:
        """Stop and go back to the screen below."""
        self.workers.cancel_group(self, self.WORK)
        self.app.pop_screen()

    def action_refresh(self) -> None:
        """Read again; a screen that reads overrides this."""


class CardPage(Page):
    """Scrolls its card and copies it."""

    CSS_PATH = Path(__file__).with_name("card_page.tcss")  # a bare name is sought beside each heir

    card = getters.query_one(Card)
    head = getters.query_one("#head", StatusLine)
    answer = getters.query_one(AnswerBar)

    def laid_out(self, rows: RowList[Any]) -> ComposeResult:
        """Whose rows and how many, the answer, the rows, the one under the cursor, keys."""
        yield StatusLine(id="head")
        yield AnswerBar(rows.empty)
        yield Container(rows, Card(), id="verdicts")
        yield KeyBar()

    def say_when_behind(self, location: Location) -> None:
        """From now on; `r` reads again."""
        Pulse(self, [location], partial(setattr, self.head, "right", (("severity-warning!", BEHIND),)))

    def action_scroll_card(self, step: int) -> None:
        """Scroll the card."""
        self.card.scroll_face(step)

    def action_copy(self) -> None:
        """Copy the card as plain text."""
        self.copy(self.card.text)
