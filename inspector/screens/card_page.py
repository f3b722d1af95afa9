"""A full screen of rows, and the card of the one under the cursor."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import getters

from inspector.screens.page import Page
from inspector.widgets.panes.card import Card


class CardPage(Page):
    """Scrolls its card, copies it, and stops its work on the way out."""

    CSS_PATH = Path(__file__).with_name("card_page.tcss")  # a bare name is sought beside each heir
    WORK: ClassVar[str] = ""
    """The group of workers that has nobody to tell once the screen is left."""

    card = getters.query_one(Card)

    def action_scroll_card(self, step: int) -> None:
        """Scroll the card."""
        self.card.scroll_face(step)

    def action_copy(self) -> None:
        """Copy the card as plain text."""
        self.copy(self.card.text)

    def action_back(self) -> None:
        """Stop and go back."""
        self.workers.cancel_group(self, self.WORK)
        self.app.pop_screen()
