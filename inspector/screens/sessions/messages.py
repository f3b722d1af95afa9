"""What the workers of the session list tell it; each answer says for which list it was asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message as Event

from inspector.screens.sessions.data.order import SourcePage
from inspector.screens.sessions.data.session_line import Extra, Key, SessionLine

if TYPE_CHECKING:
    from core.account.spending.budget import Today
    from inspector.screens.sessions.data.session_line import Figures


@dataclass
class Arrived(Event):
    """A page of the list was read."""

    epoch: int
    page: SourcePage


@dataclass
class Measured(Event):
    """What had to be computed for a conversation is known."""

    key: Key
    extra: Extra


@dataclass
class Weighed(Event):
    """What fills the window of a conversation is known."""

    line: SessionLine
    parts: tuple[int, ...]


@dataclass
class Recalled(Event):
    """What an earlier run computed was read."""

    known: Mapping[Key, Figures]


@dataclass
class Previewed(Event):
    """What the users of untitled conversations said first is known."""

    previews: Mapping[Key, str]


@dataclass
class Unfolded(Event):
    """The family of a conversation was read, in answer to a key or because Hermes wrote to it since."""

    place: int
    line: SessionLine
    lines: tuple[SessionLine, ...]
    asked: bool


@dataclass
class AddedUp(Event):
    """What today cost is known."""

    today: Today
