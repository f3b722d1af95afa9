"""Where the figures under the cursor come from, in a panel over their screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.base.app_protocol import FigureOrigin, FigureQuestion
from inspector.base.commands import bindings
from inspector.base.workers import ask, words_of
from inspector.screens.page import Dialog
from inspector.terminal.line import Line, Palette
from inspector.widgets.bars.answer_and_keys import KeyBar
from inspector.widgets.panes.card import origin_lines, paragraph
from inspector.widgets.panes.text_pane import Draw, TextPane

READING = "Looking up rows and prices …"
NOTHING = "Nothing is on record that these figures could come from."


class OriginScreen(Dialog):
    """Formula, addends, rows and prices of each figure."""

    CSS_PATH = "origin.tcss"
    BINDINGS = bindings("origin")
    HEADING = "Where these figures come from"

    pane = getters.query_one(TextPane)

    def __init__(self, question: FigureQuestion) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """The figures in a frame, and a key bar."""
        with Vertical(id="frame"):
            yield TextPane()
        yield KeyBar()

    def on_mount(self) -> None:
        """Look up the figures."""
        self._show(_muted(READING))
        self.pane.focus()
        ask(self, "origins", self._question.read, self._take)

    def _take(self, origins: Sequence[FigureOrigin]) -> None:
        self._show(partial(_lines, origins) if origins else _muted(NOTHING))

    def _show(self, draw: Draw) -> None:
        self.pane.show(partial(_titled, self._question.title, draw))

    def report(self, error: BaseException) -> None:
        """Report an error, also in place of the figures."""
        super().report(error)
        self._show(_muted(words_of(error)))

    def action_copy(self) -> None:
        """Copy everything as plain text."""
        self.copy(self.pane.text)


def _muted(text: str) -> Draw:
    return partial(paragraph, text, token="ink-muted")


def _titled(title: str, draw: Draw, width: int, ink: Palette) -> Iterator[Line]:
    yield from paragraph(title, width, ink, "part-head", bold=True)
    yield Line()
    yield from draw(width, ink)


def _lines(origins: Sequence[FigureOrigin], width: int, ink: Palette) -> Iterator[Line]:
    for place, one in enumerate(origins):
        yield from [Line()] if place else ()
        yield from origin_lines(one.about, one.origin, width, ink)
