"""Lines of words: one with something on the left and on the right, and banners above a list."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from core.model.finding import Severity
from inspector.terminal.glyphs import SEVERITY
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import cell_len, clean_line, content, wrap

Piece = tuple[str, str]
"""A theme token and the text drawn in it; ending in `!` it is bold, in `?` left out rather than cut."""

MOST_LINES = 4
INDENT = 3


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


class Banner(Widget):
    """As many lines as its sentences need, and there only while there is something to say."""

    DEFAULT_CSS = """
    Banner { height: auto; background: $panel; display: none; }
    Banner.-shown { display: block; }
    """

    message = reactive("", layout=True)

    def watch_message(self, message: str) -> None:
        """Come and go."""
        self.set_class(bool(message), "-shown")

    def say(self, message: str) -> None:
        """Show sentences; an empty text takes the banner away."""
        self.message = message

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The lines the sentences take at this width."""
        return len(self._lines(width))

    def render_line(self, y: int) -> Strip:
        """Sign, then the sentences."""
        width, lines = self.size.width, self._lines(self.size.width)
        style = Palette.of(self.app).style("severity-warning")
        line = Line().gap(1).add(SEVERITY[Severity.WARNING] if y == 0 else "", style).to(INDENT)
        return line.add(lines[y] if y < len(lines) else "", style).strip(width, self.rich_style)

    def _lines(self, width: int) -> list[str]:
        lines = list(wrap(clean_line(self.message), width - INDENT - 1))
        if len(lines) > MOST_LINES:
            lines = [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1][: width - INDENT - 2]}…"]
        return lines


class Notice(Vertical):
    """Designed emptiness: nothing there, still reading, or an error."""

    DEFAULT_CSS = """
    Notice { align: center middle; height: 1fr; }
    Notice Static { width: 100%; padding: 0 2; text-align: center; }
    Notice .notice--what { text-style: bold; margin-bottom: 1; }
    Notice .notice--why, Notice .notice--help { color: $ink-muted; }
    Notice.-error .notice--what { color: $severity-critical; }
    """

    def __init__(self, what: str, why: str = "", help: str = "", *, error: bool = False) -> None:
        super().__init__(classes="-error" if error else "")
        self._parts = (("what", what), ("why", why), ("help", help))

    def compose(self) -> ComposeResult:
        """One line for each part that says something."""
        for name, text in self._parts:
            if text:
                yield Static(content(text), classes=f"notice--{name}")
