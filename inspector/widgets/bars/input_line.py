"""A line to type in, with a sign that says what for."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Label

from inspector.terminal.text import content


class InputLine(Horizontal):
    """A label and an input without a frame."""

    DEFAULT_CSS = """
    InputLine { height: 1; background: $panel; }
    InputLine Label { width: auto; padding: 0 1; color: $part-head; text-style: bold; }
    InputLine Input { width: 1fr; height: 1; border: none; padding: 0; background: $panel; color: $ink; }
    """

    def __init__(self, label: str, placeholder: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._label = label
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        """Sign and input."""
        yield Label(content(self._label))
        yield Input(placeholder=self._placeholder, compact=True)
