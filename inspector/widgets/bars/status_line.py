"""Lines of text: one with a left and a right side, banners above a list, and notices instead of one."""

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
"""A theme token and a text; `!` after the token means bold, `?` means drop rather than cut."""

MAX_LINES = 4
INDENT = 3


def titled(name: str, about: str) -> tuple[Piece, ...]:
    """The name of a screen and its subject."""
    return (("part-head!", name), ("ink-faint", " · "), ("ink", about))


class StatusLine(Widget):
    """Pieces of text in token colours; the right side stays complete, the left is cut to fit."""

    DEFAULT_CSS = "StatusLine { height: 1; }"

    left: reactive[tuple[Piece, ...]] = reactive(())
    right: reactive[tuple[Piece, ...]] = reactive(())

    def render_line(self, y: int) -> Strip:
        """Left side, blanks, right side."""
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
                line.gap(min(len(text), max(0, left)))  # `add` would collapse them
                continue
            if token.endswith("?") and cell_len(clean_line(text)) > left:
                break
            if left > 0:
                line.add(text, ink.style(token.rstrip("!?"), bold=token.endswith("!")), most=left)
            if cell_len(clean_line(text)) > left:
                break  # what follows would look like part of the cut piece
        return line


class Banner(Widget):
    """Messages above a list, as high as their text needs; hidden while there is none."""

    DEFAULT_CSS = """
    Banner { height: auto; background: $panel; display: none; }
    Banner.-shown { display: block; }
    """

    told: reactive[tuple[tuple[Severity, str], ...]] = reactive((), layout=True)

    def watch_told(self) -> None:
        """Show or hide the banner."""
        self.set_class(bool(self.told), "-shown")

    def say(self, message: str, known: str = "") -> None:
        """Show what is wrong, below what is good to know; without either, hide the banner."""
        both = ((Severity.INFO, known), (Severity.WARNING, message))
        self.told = tuple((severity, text) for severity, text in both if text)

    @property
    def message(self) -> str:
        """What is wrong."""
        return next((text for severity, text in self.told if severity is Severity.WARNING), "")

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines the messages need at this width."""
        return len(self._lines(width))

    def render_line(self, y: int) -> Strip:
        """The severity sign on the first line of a message."""
        width, lines = self.size.width, self._lines(self.size.width)
        severity, sign, text = lines[y] if y < len(lines) else (Severity.INFO, "", "")
        style = Palette.of(self.app).style(f"severity-{severity}")
        return Line().gap(1).add(sign, style).to(INDENT).add(text, style).strip(width, self.rich_style)

    def _lines(self, width: int) -> list[tuple[Severity, str, str]]:
        return [
            (severity, "" if place else SEVERITY[severity], line)
            for severity, text in self.told
            for place, line in enumerate(_wrapped(text, width - INDENT - 1))
        ]


def _wrapped(text: str, width: int) -> list[str]:
    lines = list(wrap(clean_line(text), width))
    if len(lines) > MAX_LINES:
        lines = [*lines[: MAX_LINES - 1], f"{lines[MAX_LINES - 1][: width - 1]}…"]
    return lines


class Notice(Vertical):
    """A centred notice for an empty, loading or failed view."""

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
        """One line per part that has text."""
        for name, text in self._parts:
            if text:
                yield Static(content(text), classes=f"notice--{name}")
