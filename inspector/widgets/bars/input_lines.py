"""Input lines: one that filters what is below it, and one that asks for a text and then disappears."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Label

from inspector.base.commands import bindings
from inspector.terminal.text import content

FILTER_SECONDS = 0.15
"""How long typing must pause before an expensive filter runs."""


class InputLine(Horizontal):
    """A label and a borderless input."""

    DEFAULT_CSS = """
    InputLine { height: 1; background: $panel; }
    InputLine Label { width: auto; padding: 0 1; color: $part-head; text-style: bold; }
    InputLine Input { width: 1fr; height: 1; border: none; padding: 0; background: $panel; color: $ink; }
    """

    def __init__(self, label: str = "", placeholder: str = "") -> None:
        super().__init__()
        self._label = label
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        """The label and the input."""
        yield Label(content(self._label))
        yield Input(placeholder=self._placeholder, compact=True)


class FilterLine(InputLine):
    """A line that announces the filter text, and when focus goes back to the list.

    A patient one announces only when typing pauses.
    """

    DEFAULT_CSS = "FilterLine { display: none; } FilterLine.-open { display: block; }"

    input = getters.query_one(Input)

    @dataclass
    class Changed(Message):
        """The filter text changed; an empty text keeps everything."""

        text: str

    class Left(Message):
        """The user has finished typing."""

    def __init__(self, placeholder: str, *, patient: bool = False) -> None:
        super().__init__("/", placeholder)
        self._patient = patient
        self._delay: Timer | None = None

    @property
    def opened(self) -> bool:
        """Whether the line is visible."""
        return self.has_class("-open")

    @property
    def text(self) -> str:
        """The filter text."""
        return self.input.value

    def on_mount(self) -> None:
        """Refuse focus until opened, because Textual's focus search also finds hidden widgets."""
        self.input.can_focus = False

    def open(self, text: str = "") -> None:
        """Show the line, or edit it again; with a filter to start with, focus stays where it is."""
        self.add_class("-open")
        self.input.can_focus = True
        if text:
            self.input.value = text
        else:
            self.input.focus()
        self.screen.refresh_bindings()

    def close(self) -> None:
        """Hide the line and stop filtering."""
        self.input.value = ""
        self.remove_class("-open")
        self._tell("")
        self.post_message(self.Left())
        self.input.can_focus = False
        self.screen.refresh_bindings()

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if not self._patient:
            self._tell(event.value)
            return
        if self._delay is not None:
            self._delay.stop()
        self._delay = self.set_timer(FILTER_SECONDS, partial(self._tell, event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Left())

    def _tell(self, text: str) -> None:
        self.post_message(self.Changed(text))


class PromptBar(InputLine):
    """A line that is hidden until something is asked."""

    BINDINGS = bindings("prompt")
    DEFAULT_CSS = "PromptBar { display: none; } PromptBar.-asking { display: block; }"

    @dataclass
    class Answered(Message):
        """The user typed a text and pressed Enter; `text` is None if they cancelled."""

        purpose: str
        text: str | None

    _purpose = ""

    @property
    def asking(self) -> bool:
        """Whether a question is open."""
        return self.has_class("-asking")

    def ask(self, purpose: str, label: str, value: str = "", *, hint: str = "") -> None:
        """Ask for a text; the answer arrives as `Answered` with the same purpose."""
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
