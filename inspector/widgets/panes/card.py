"""What is known about the row under the cursor, and behind it what that rests on."""

from __future__ import annotations

from collections.abc import Iterable

from textual import getters
from textual.app import ComposeResult
from textual.containers import Horizontal

from inspector.terminal.line import Line, Palette
from inspector.widgets.panes.text_pane import Draw, TextPane

GAP = 1
"""Cells between the words and the scroll bar."""


class Card(Horizontal):
    """One pane that holds both; a wide screen shows them side by side (`app.tcss`)."""

    DEFAULT_CSS = """
    Card {
        height: 1fr;
        border-top: solid $rule;
        TextPane { width: 1fr; padding: 0 0 0 1; }
        #behind { display: none; border-left: solid $rule; }
    }
    """

    face = getters.query_one("#face", TextPane)
    behind = getters.query_one("#behind", TextPane)

    def compose(self) -> ComposeResult:
        """Both panes; which are in sight is for the style sheet to say."""
        yield TextPane(id="face")
        yield TextPane(id="behind")

    def show(self, face: Draw, behind: Draw, *, keep_place: bool = False) -> None:
        """Draw another row's card."""

        def whole(width: int, ink: Palette) -> Iterable[Line]:
            yield from face(width - GAP, ink)
            more = [] if self.behind.display else list(behind(width - GAP, ink))
            yield from [Line(), *more] if more else ()

        def rest(width: int, ink: Palette) -> Iterable[Line]:
            return behind(width - GAP, ink)

        self.face.show(whole, keep_place=keep_place)
        self.behind.show(rest, keep_place=keep_place)

    def clear(self) -> None:
        """Draw nothing: there is no row to tell of."""
        self.show(lambda width, ink: (), lambda width, ink: ())

    def scroll_face(self, step: int) -> None:
        """Scroll what is known by lines."""
        self.face.action_line(step)

    @property
    def text(self) -> str:
        """Both parts as plain text."""
        parts = (self.face.text, self.behind.text if self.behind.display else "")
        return "\n\n".join(part for part in parts if part)
