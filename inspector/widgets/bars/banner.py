"""Sentences above a list: damage, partial results, what is being read."""

from __future__ import annotations

from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from core.model.finding import Severity
from inspector.terminal.glyphs import SEVERITY
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.terminal.text import clean_line
from inspector.widgets.panes.text_wrap import wrap

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
