"""Sentences above a list: damage, partial results, what is being read."""

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
from inspector.terminal.text import clean_line, content, wrap

MOST_LINES = 4
INDENT = 3


class Banner(Widget):
    """As many lines as its sentences need, and there only while there is something to say."""

    DEFAULT_CSS = """
    Banner { height: auto; background: $panel; display: none; }
    Banner.-shown { display: block; }
    """

    message = reactive("", layout=True)
    severity: reactive[Severity] = reactive(Severity.WARNING)

    def watch_message(self, message: str) -> None:
        """Come and go."""
        self.set_class(bool(message), "-shown")

    def say(self, message: str, severity: Severity = Severity.WARNING) -> None:
        """Show sentences; an empty text takes the banner away."""
        self.severity = severity
        self.message = message

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The lines the sentences take at this width."""
        return len(self._lines(width))

    def render_line(self, y: int) -> Strip:
        """Sign, then the sentences."""
        width, lines = self.size.width, self._lines(self.size.width)
        style = Palette.of(self.app).style(f"severity-{self.severity}")
        line = Line().gap(1).add(SEVERITY[self.severity] if y == 0 else "", style).to(INDENT)
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
