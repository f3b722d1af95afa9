"""The first thing a new user sees: what this is, and three jobs with their keys."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.terminal.text import content

WORDS = """Why Hermes compressed, what was lost, what it cost.
Databases are only read, unless you ask for more.

w   why a conversation was compressed, or why not
p   what /compress would keep and lose
u   what today cost, and what most of it was for

?   everything else

Any key closes this for good."""
ACTS = frozenset({"w", "p", "u", "question_mark", "enter"})
"""Keys of the list that go on to it, as the card says what they do."""


class FirstRunScreen(ModalScreen[str]):
    """A card over the list that any key takes away; it returns the key if the list has a use for it."""

    DEFAULT_CSS = """
    FirstRunScreen { align: center middle; }
    FirstRunScreen Vertical {
        width: 60; max-width: 96%; height: auto; max-height: 96%; padding: 1 2;
        border: round $part-head; background: $surface;
    }
    """

    def compose(self) -> ComposeResult:
        """The words in a frame."""
        with Vertical() as frame:
            frame.border_title = "Hermes Inspector"
            yield Static(content(WORDS))

    def on_key(self, event: events.Key) -> None:
        """Go."""
        event.stop()
        event.prevent_default()
        self.dismiss(event.key if event.key in ACTS else "")

    def on_click(self) -> None:
        """Go."""
        self.dismiss("")
