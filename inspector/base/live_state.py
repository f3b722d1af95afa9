"""Whether the app follows a Hermes that writes, and the sign that says so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from inspector.terminal import formatting as fmt
from inspector.terminal.glyphs import LIVE, PAUSED


@dataclass(slots=True)
class LiveState:
    """Whether the app follows, and when something was last written.

    Attributes:
        changed: None while nothing was written since the app was opened.
    """

    paused: bool = False
    changed: datetime | None = None

    def sign(self, now: datetime) -> str:
        """The state in a few characters; "" while there is nothing to tell."""
        if self.paused:
            return f"{PAUSED} paused"
        return f"{LIVE} live, {fmt.age(self.changed, now)}" if self.changed is not None else ""

    def toggle(self) -> str:
        """Stop following, or go on; what to tell the user."""
        self.paused = not self.paused
        return "Paused: what Hermes writes is shown when you go on." if self.paused else "Live again."
