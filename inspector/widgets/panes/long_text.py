"""A text of any length in a pane: masked and broken into lines off the screen's thread."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from core.store.database.connect import Cancelled
from inspector.base.workers import Reporting, ask
from inspector.terminal.line import Line
from inspector.terminal.text import clean
from inspector.widgets.lists.row_source import ListRows
from inspector.widgets.panes.text_pane import Lines, TextPane
from inspector.widgets.panes.text_wrap import wrap


class LongText(Reporting, TextPane):
    """Two million characters take a second to mask and to wrap; lines are made as they come into sight."""

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
            ask(self, "wrap", partial(_wrapped, self._text, max(1, wanted[0] - 2)), self._take)

    def _take(self, lines: Sequence[str]) -> None:
        self.rows = ListRows(Lines(lines, self._line))
        self.fit_rows()
        if not self._keep_place:
            self.scroll_to(y=0, animate=False)
        self._keep_place = True
        self.refresh()

    def _line(self, text: str) -> Line:
        return Line().gap().preformatted(text, self.palette.style("ink"))


def _wrapped(text: str, width: int, _stop: Cancelled) -> list[str]:
    return list(wrap(clean(text), width))
