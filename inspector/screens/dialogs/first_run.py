"""The first thing a new user sees: what this is, and three jobs with their keys."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.terminal.text import content

WORDS = """Hermes Inspector shows why Hermes compressed a conversation, what that lost, and what it cost.
It reads your session databases and changes nothing unless you ask it to.

w       why was it compressed, or why did that fail
enter   open a conversation; 3 there previews what /compress would keep and lose
u       what did today cost, and which conversation most of it

?       everything else

Any key closes this; it is not shown again."""


class FirstRunScreen(ModalScreen[None]):
    """A card over the list; whatever is pressed takes it away and does nothing else."""

    DEFAULT_CSS = """
    FirstRunScreen { align: center middle; }
    FirstRunScreen Vertical {
        width: 92; max-width: 96%; height: auto; max-height: 96%; padding: 1 2;
        border: round $part-head; background: $surface;
    }
    """

    def compose(self) -> ComposeResult:
        """The words in a frame."""
        with Vertical() as frame:
            frame.border_title = "Welcome"
            yield Static(content(WORDS))

    def on_key(self, event: events.Key) -> None:
        """Go."""
        event.stop()
        event.prevent_default()
        self.dismiss()

    def on_click(self) -> None:
        """Go."""
        self.dismiss()
