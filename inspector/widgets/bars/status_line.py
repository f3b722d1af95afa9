"""One line of words: something on the left, something on the right."""

from __future__ import annotations

from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from inspector.terminal.line import Line, Palette
from inspector.terminal.text import cell_len, clean_line

Piece = tuple[str, str]
"""A theme token and the text drawn in it; ending in `!` it is bold, in `?` left out rather than cut."""


def titled(name: str, about: str) -> tuple[Piece, ...]:
    """What a screen is called, and what it is about."""
    return (("part-head!", name), ("ink-faint", " · "), ("ink", about))


class StatusLine(Widget):
    """Pieces of text in token colours; the right side stays whole, the left gives way piece by piece."""

    DEFAULT_CSS = "StatusLine { height: 1; }"

    left: reactive[tuple[Piece, ...]] = reactive(())
    right: reactive[tuple[Piece, ...]] = reactive(())

    def render_line(self, y: int) -> Strip:
        """Left, blanks, right."""
        width = self.size.width
        right = self._pieces(self.right, width)
        room = width - right.width - (4 if right.width else 2)
        line = Line().gap(1).extend(self._pieces(self.left, room))
        return line.to(width - right.width - 1).extend(right).strip(width, self.rich_style)

    def _pieces(self, pieces: tuple[Piece, ...], room: int) -> Line:
        ink, line = Palette.of(self.app), Line()
        for token, text in pieces:
            left = room - line.width
            if text.isspace():
                line.gap(min(len(text), max(0, left)))  # blanks in words run together
                continue
            if token.endswith("?") and cell_len(clean_line(text)) > left:
                break
            if left > 0:
                line.add(text, ink.style(token.rstrip("!?"), bold=token.endswith("!")), most=left)
            if cell_len(clean_line(text)) > left:
                break  # what follows would look as if it belonged to what was cut
        return line
