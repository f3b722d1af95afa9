"""What screens may use of the app around them, and the question that `=` asks a screen about its figures."""

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
    """Whether the app follows new writes, and when it last saw one.

    Attributes:
        paused: The user stopped following.
        changed: When a write was last seen; None if there was none since the app opened.
    """

    paused: bool = False
    changed: datetime | None = None

    def sign(self, now: datetime) -> str:
        """Describe the state in a few characters; empty when there is nothing to say."""
        if self.paused:
            return f"{PAUSED} paused"
        return f"{LIVE} live, {fmt.age(self.changed, now)}" if self.changed is not None else ""

    def toggle(self) -> str:
        """Pause or resume following, and return what to tell the user."""
        self.paused = not self.paused
        return "Paused: what Hermes writes is shown when you go on." if self.paused else "Live again."


class Shell(Protocol):
    """The parts of the app that screens use.

    Attributes:
        now: The clock.
        diagnosed: Findings by severity for each conversation that has been examined; None as the
            session stands for the database as a whole.
        keys: Holds keys typed while something opens.
        failures: Read errors, oldest first.
        engine: The context engine named on the command line; None for Hermes' own.
        hermes_python: The Python that runs Hermes, if the command line named one.
        live: Whether screens follow new writes, and when the last one was seen.
    """

    now: Callable[[], datetime]
    diagnosed: dict[tuple[Location, str | None], Counter[Severity]]
    keys: KeyHold
    failures: list[InspectorError]
    engine: OtherEngine | None
    hermes_python: Path | None
    live: LiveState

    def recall(self, name: str) -> object:
        """Return what an earlier run remembered under a name; None if nothing."""

    def remember(self, name: str, value: str | bool) -> None:
        """Keep a value for the next run."""

    def open_conversation(
        self, location: Location, session_id: str, *, view: str | None = None, row: int | None = None
    ) -> None:
        """Open the workspace of a conversation, at the given message row if there is one."""

    def open_trajectories(self, path: str) -> None:
        """Preview a file of trajectories."""


def shell(widget: Widget) -> Shell:
    """The app that a screen or widget belongs to."""
    return cast("Shell", widget.app)


@dataclass(frozen=True, slots=True)
class FigureOrigin:
    """The origin of one figure, and what the figure is about where the title does not say so."""

    origin: Origin
    about: str = ""


@dataclass(frozen=True, slots=True)
class FigureQuestion:
    """Asks where the figures under the cursor come from.

    Attributes:
        title: What the figures are about.
        read: Looks up their origins; runs in a worker thread.
    """

    title: str
    read: Callable[[Cancelled], Sequence[FigureOrigin]]


def located(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    """Each piece of evidence as its place and its text."""
    return tuple(f"{one.where}: {one.text}" for one in evidence)
