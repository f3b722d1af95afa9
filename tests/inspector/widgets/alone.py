"""A widget without the app around it."""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.app import App, ComposeResult
from textual.widget import Widget

from inspector.terminal.line import defaults, shipped, textual_theme
from themes.loader import DEFAULT

W = TypeVar("W", bound=Widget)


class Alone(App[None], Generic[W]):
    """One widget, in the colours of a theme that ships."""

    def __init__(self, widget: W) -> None:
        super().__init__()
        self.widget = widget
        for theme in shipped():
            self.register_theme(textual_theme(theme))
        self.theme = DEFAULT

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return defaults()

    def compose(self) -> ComposeResult:
        yield self.widget

    def lines(self) -> list[str]:
        """What it shows, line by line; nothing while it is hidden."""
        high = self.widget.size.height if self.widget.display else 0
        return [self.widget.render_line(y).text.rstrip() for y in range(high)]
