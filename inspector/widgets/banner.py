"""A strip of one or more sentences above a list: damage, partial results, what is being read."""

from __future__ import annotations

from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from core.model.event import Severity
from inspector.glyphs import SEVERITY
from inspector.line import Line
from inspector.palette import Palette


class Banner(Widget):
    """One line that is there only while there is something to say."""

    DEFAULT_CSS = """
    Banner { height: 1; background: $panel; display: none; }
    Banner.-shown { display: block; }
    """

    message = reactive("")
    severity: reactive[Severity] = reactive(Severity.WARNING)

    def watch_message(self, message: str) -> None:
        """Come and go."""
        self.set_class(bool(message), "-shown")

    def say(self, message: str, severity: Severity = Severity.WARNING) -> None:
        """Show a sentence; an empty one takes the banner away."""
        self.severity = severity
        self.message = message

    def render_line(self, y: int) -> Strip:
        """Sign, then the sentence."""
        style = Palette.of(self.app).style(f"severity-{self.severity}")
        line = Line().gap(1).add(SEVERITY[self.severity], style).gap(1)
        return line.add(self.message, style, most=self.size.width - 4).strip(self.size.width, self.rich_style)
