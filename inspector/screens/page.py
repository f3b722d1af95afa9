"""Base classes of the app's full screens, of its dialogs, and of screens with a card beside their list."""

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
from inspector.base.commands import bindings, hint
from inspector.base.live import OUTDATED, Pulse
from inspector.base.workers import Reporting
from inspector.terminal.text import content
from inspector.widgets.bars.answer_and_keys import AnswerBar, KeyBar
from inspector.widgets.bars.status_line import StatusLine
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.card import Card

WIDTHS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]
"""CSS class of a screen from this many columns on."""
HEIGHTS = [(0, "-flat"), (22, "-short"), (32, "-tall")]
"""CSS class of a screen from this many rows on."""


class Copying:
    """Mixin for screens that put text on the clipboard."""

    def copy(self, text: str) -> None:
        """Put text on the clipboard through the terminal (OSC 52), and tell the user."""
        assert isinstance(self, Screen)
        assert isinstance(self, Reporting)
        if not text:
            self.toast("Nothing to copy here.", "warning")
            return
        self.app.copy_to_clipboard(text)
        self.toast(f"Copied {fmt.plural(len(text), 'character')}.")


class Dialog(Reporting, Copying, ModalScreen[None]):
    """A framed panel over the screen that it is about."""

    HEADING: ClassVar[str]

    def on_mount(self) -> None:
        """Set the title of the frame."""
        self.query_one("#frame").border_title = content(self.HEADING)

    def action_close(self) -> None:
        """Close and return to the screen below."""
        self.workers.cancel_node(self)
        self.dismiss()


class Page(Reporting, Copying, Screen[None]):
    """A full screen: responsive to size, errors as toasts, clipboard, a way back."""

    WORK: ClassVar[str] = ""
    """The group of workers to cancel when the screen is left."""
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS = bindings("page")

    def action_copy(self) -> None:
        """Copy what is under the cursor; screens with something to copy override this."""
        self.copy("")

    def action_actions(self) -> None:
        """Offer the actions of the active keys in a menu, and run the chosen one."""
        from inspector.widgets.panes.row_actions import ActionsScreen, RowAction, row_actions

        def take(chosen: RowAction | None) -> None:
            if chosen is not None:
                self.call_later(self.app.run_action, chosen.command.action, chosen.node)

        self.app.push_screen(ActionsScreen(row_actions(self)), take)

    def action_picture(self) -> None:
        """Save a picture of the screen in the folder the app was started in."""
        from inspector.terminal.picture import picture_path  # few pictures are saved

        self.toast(picture_path(self.app.export_screenshot(), shell(self).now()))

    def action_pause(self) -> None:
        """Pause following, or resume it."""
        self.toast(shell(self).live.toggle(), seconds=3)

    def action_back(self) -> None:
        """Cancel the screen's work and return to the screen below."""
        self.workers.cancel_group(self, self.WORK)
        self.app.pop_screen()

    def action_refresh(self) -> None:
        """Read again; screens that read something override this."""


class CardPage(Page):
    """A page with a card that can be scrolled and copied."""

    CSS_PATH = Path(__file__).with_name(
        "card_page.tcss"
    )  # a bare name would be resolved beside each subclass

    card = getters.query_one(Card)
    head = getters.query_one("#head", StatusLine)
    answer = getters.query_one(AnswerBar)

    def laid_out(self, rows: RowList[Any]) -> ComposeResult:
        """The layout: head, answer, rows with their card, key bar."""
        yield StatusLine(id="head")
        yield AnswerBar(rows.empty)
        yield Container(rows, Card(), id="verdicts")
        yield KeyBar()

    def note_new_writes(self, location: Location) -> None:
        """Show a note from now on when Hermes has written more; `r` reads again."""
        Pulse(
            self, [location], partial(setattr, self.head, "right", (("severity-warning!", hint(OUTDATED)),))
        )

    def action_scroll_card(self, step: int) -> None:
        """Scroll the card."""
        self.card.scroll_face(step)

    def action_copy(self) -> None:
        """Copy the card as plain text."""
        self.copy(self.card.text)
