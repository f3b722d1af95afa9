"""A scrolling pane of prepared lines, such as a long text or a table of figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar, overload

from textual.message import Message as Event

from core.store.database.connect import Cancelled
from inspector.base.commands import bindings
from inspector.base.workers import Reporting, ask
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import clean, wrap
from inspector.widgets.lists.line_view import LineView, ListRows

Piece = TypeVar("Piece")
Draw = Callable[[int, Palette], Iterable[Line]]
"""Makes the lines for a width in cells; called again if the width or the theme changes."""


class Lines(Sequence[Line], Generic[Piece]):
    """Lines made when they come into view, because cleaning all of a long text takes longer than drawing."""

    def __init__(self, pieces: Sequence[Piece], make: Callable[[Piece], Line]) -> None:
        self._pieces = pieces
        self._make = make

    def __len__(self) -> int:
        return len(self._pieces)

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | Sequence[Line]:
        if isinstance(index, slice):
            return Lines(self._pieces[index], self._make)
        return self._make(self._pieces[index])


def _nothing(_width: int, _palette: Palette) -> Sequence[Line]:
    return ()


class TextPane(LineView[Line], can_focus=True):
    """Lines of text; it announces scrolling so that panes can be linked."""

    BINDINGS = bindings("pane")
    DEFAULT_CSS = "TextPane { scrollbar-gutter: stable; }"

    @dataclass
    class Scrolled(Event):
        """The pane scrolled to another top line."""

        pane: TextPane
        top: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw: Draw = _nothing
        self._drawn_for: tuple[int, str] | None = None

    def show(self, draw: Draw, *, keep_place: bool = False) -> None:
        """Show another content from its top, or from the same place."""
        self._draw, self._drawn_for = draw, None
        self._lay_out()
        if not keep_place:
            self.scroll_to(y=0, animate=False)
        self.refresh()

    @property
    def text(self) -> str:
        """All lines as plain text."""
        drawn = (self.rows.row(index) for index in range(self.rows.count))
        return "\n".join(line.text.rstrip() for line in drawn if line is not None)

    def draw_row(self, row: Line, index: int, width: int) -> Line:
        """Draw a prepared line."""
        return row

    def on_resize(self) -> None:
        """Lay the text out for the new width."""
        self._lay_out()

    def notify_style_update(self) -> None:
        """Lay the text out for the new theme's colours."""
        super().notify_style_update()
        self._lay_out()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Announce scrolling to linked panes."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Scrolled(self, round(new_value)))

    def action_line(self, step: int) -> None:
        """Scroll by lines."""
        self.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """Scroll by pages."""
        self.scroll_relative(y=step * max(1, self.size.height - 1), animate=False)

    def action_top(self) -> None:
        """Scroll to the first line."""
        self.scroll_to(y=0, animate=False)

    def action_bottom(self) -> None:
        """Scroll to the last line."""
        self.scroll_to(y=self.max_scroll_y, animate=False)

    def _lay_out(self) -> None:
        wanted = (self.row_width, self.app.theme)
        if wanted != self._drawn_for and wanted[0] > 0:
            self._drawn_for = wanted
            drawn = self._draw(wanted[0], self.palette)
            self.rows = ListRows(drawn if isinstance(drawn, Sequence) else tuple(drawn))
            self.fit_rows()
            self.refresh()


class LongText(Reporting, TextPane):
    """A long text, masked and wrapped by a worker: two million characters take a second."""

    _text = ""
    _keep_place = False

    def read(self, text: str, *, keep_place: bool = False) -> None:
        """Show another text from its top, or from the same place."""
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
