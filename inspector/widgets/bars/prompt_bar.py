"""One line that asks for a text, and goes away."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message as Event
from textual.widgets import Input, Label

from inspector.base.commands import bindings
from inspector.terminal.text import content


class PromptBar(Horizontal):
    """A label and an input, hidden until something is asked."""

    BINDINGS = bindings("prompt")
    DEFAULT_CSS = """
    PromptBar { height: 1; display: none; background: $panel; }
    PromptBar.-asking { display: block; }
    PromptBar Label { width: auto; padding: 0 1; color: $part-head; text-style: bold; }
    PromptBar Input { width: 1fr; height: 1; border: none; padding: 0; background: $panel; }
    """

    @dataclass
    class Answered(Event):
        """The user typed something and pressed enter; None when they thought better of it."""

        purpose: str
        text: str | None

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._purpose = ""

    def compose(self) -> ComposeResult:
        """Label and input."""
        yield Label("")
        yield Input(compact=True)

    @property
    def asking(self) -> bool:
        """Something is being asked."""
        return self.has_class("-asking")

    def ask(self, purpose: str, label: str, value: str = "", *, hint: str = "") -> None:
        """Ask; the answer comes as `Answered` with the same purpose."""
        self._purpose = purpose
        self.query_one(Label).update(content(label))
        field = self.query_one(Input)
        field.placeholder = hint
        field.value = value
        field.cursor_position = len(value)
        self.add_class("-asking")
        self.screen.set_focus(field)  # at once: `focus()` would leave the next keys to what had them

    def dismiss(self) -> None:
        """Go away without an answer."""
        self._finish(None)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._finish(event.value)

    def action_leave(self) -> None:
        """Think better of it."""
        self.dismiss()

    def _finish(self, text: str | None) -> None:
        if self.asking:
            self.remove_class("-asking")
            self.post_message(self.Answered(self._purpose, text))
