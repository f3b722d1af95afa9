"""What every full screen of the app can do."""

from __future__ import annotations

from textual.screen import Screen

from inspector.base.app_protocol import shell
from inspector.base.commands import bindings
from inspector.base.workers import Reporting
from inspector.terminal import formatting as fmt

WIDTHS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]
"""Class a screen carries from this many columns on."""
HEIGHTS = [(0, "-flat"), (22, "-short"), (32, "-tall")]
"""Class a screen carries from this many lines on."""


class Copying:
    """For screens that put text on the clipboard."""

    def copy(self, text: str) -> None:
        """Put text on the clipboard through the terminal (OSC 52), and say so."""
        assert isinstance(self, Screen)
        assert isinstance(self, Reporting)
        if not text:
            self.toast("Nothing to copy here.", "warning")
            return
        self.app.copy_to_clipboard(text)
        self.toast(f"Copied {fmt.plural(len(text), 'character')}.")


class Page(Reporting, Copying, Screen[None]):
    """A full screen: three widths to lay out for, errors as toasts, a clipboard."""

    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS = bindings("page")

    def action_copy(self) -> None:
        """Copy what is under the cursor; a screen that has something overrides this."""
        self.copy("")

    def action_pause(self) -> None:
        """Leave the screen as it is, or follow again what is written."""
        self.toast(shell(self).live.toggle(), seconds=3)

    def action_refresh(self) -> None:
        """Read again; a screen that reads overrides this."""
