"""What a screen may ask of the app around it, and what `=` asks of a screen: where its figures come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from textual.widget import Widget

from core.errors import InspectorError
from core.model.accounting.usage import Origin
from core.model.finding import Evidence, Severity
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.support import formatting as fmt
from inspector.base.key_hold import KeyHold
from inspector.terminal.glyphs import LIVE, PAUSED

if TYPE_CHECKING:
    from core.compress.engines.run import OtherEngine


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


class Shell(Protocol):
    """The app, as its screens see it.

    Attributes:
        now: The clock.
        diagnosed: How many findings of each severity a conversation, or with None a database, has, once
            somebody examined it.
        keys: Those typed while something opens.
        failures: What could not be read, the first first.
        engine: The context engine the command line named; None for ours.
        hermes_python: The interpreter Hermes runs on, where the command line named one.
        live: Whether screens follow what is written, and when something last was.
    """

    now: Callable[[], datetime]
    diagnosed: dict[tuple[Location, str | None], Counter[Severity]]
    keys: KeyHold
    failures: list[InspectorError]
    engine: OtherEngine | None
    hermes_python: Path | None
    live: LiveState

    def recall(self, name: str) -> object:
        """What an earlier run remembered under a name; None where nothing was."""

    def remember(self, name: str, value: str | bool) -> None:
        """Keep it for the next run."""

    def open_conversation(
        self, location: Location, session_id: str, *, view: str | None = None, row: int | None = None
    ) -> None:
        """Open the workspace of a conversation, at a message when one is named."""

    def open_trajectories(self, path: str) -> None:
        """Open a file of trajectories."""


def shell(widget: Widget) -> Shell:
    """The app a screen or widget lives in."""
    return cast("Shell", widget.app)


@dataclass(frozen=True, slots=True)
class FigureOrigin:
    """One figure: its origin, and what it is of where the title does not say that."""

    origin: Origin
    about: str = ""


@dataclass(frozen=True, slots=True)
class FigureQuestion:
    """The figures under the cursor.

    Attributes:
        title: What they are of.
        read: Looks them up, in a worker's thread.
    """

    title: str
    read: Callable[[Cancelled], Sequence[FigureOrigin]]


def located(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    """Where each piece lies, and what it says there."""
    return tuple(f"{one.where}: {one.text}" for one in evidence)
