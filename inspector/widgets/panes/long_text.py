"""A text of any length in a pane: masked and broken into lines off the screen's thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import on
from textual.message import Message as Event

from inspector.base.workers import Reporting, cancelled, in_thread
from inspector.terminal.line import Line
from inspector.terminal.text import clean
from inspector.widgets.lists.row_source import ListRows
from inspector.widgets.panes.text_pane import Lines, TextPane
from inspector.widgets.panes.text_wrap import wrap


class LongText(Reporting, TextPane):
    """Two million characters take a second to mask and to wrap; lines are made as they come into sight."""

    @dataclass
    class Wrapped(Event):
        """The lines of a text for a width in cells."""

        lines: Sequence[str]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text = ""
        self._keep_place = False

    def read(self, text: str, *, keep_place: bool = False) -> None:
        """Show another text, from its top unless the place is to be kept."""
        self._text, self._keep_place, self._drawn_for = text, keep_place, None
        self._lay_out()

    def _lay_out(self) -> None:
        wanted = (self.row_width, self.app.theme)
        if wanted != self._drawn_for and wanted[0] > 0:
            self._drawn_for = wanted
            self._wrap(self._text, wanted[0])

    @in_thread("wrap")
    def _wrap(self, text: str, width: int) -> None:
        stop = cancelled()
        lines = list(wrap(clean(text), max(1, width - 2)))
        if not stop():
            self.post_message(self.Wrapped(lines))

    @on(Wrapped)
    def _take(self, event: Wrapped) -> None:
        self.rows = ListRows(Lines(event.lines, self._line))
        self.fit_rows()
        if not self._keep_place:
            self.scroll_to(y=0, animate=False)
        self._keep_place = True
        self.refresh()

    def _line(self, text: str) -> Line:
        return Line().gap().preformatted(text, self.palette.style("ink"))
