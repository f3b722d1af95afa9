"""A full screen of rows, and the card of the one under the cursor."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from textual import getters
from textual.app import ComposeResult
from textual.containers import Container

from core.store.database.locate import Location
from inspector.base.live import BEHIND, Pulse
from inspector.screens.page import Page
from inspector.widgets.bars.answer_bar import AnswerBar
from inspector.widgets.bars.key_bar import KeyBar
from inspector.widgets.bars.status_line import StatusLine
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.card import Card


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
