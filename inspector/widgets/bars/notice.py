"""The middle of a screen that has nothing to show: one sentence, the reason, the key that helps."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from inspector.terminal.text import content


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
