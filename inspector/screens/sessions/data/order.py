"""What the session list contains, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import InspectorError
from core.model.transcript.session import Kind
from core.store.database.locate import Location
from inspector.screens.sessions.data.columns import PROFILE
from inspector.screens.sessions.data.session_line import Key, SessionLine

FIRST = 80
"""Sessions read for the first screenful."""
CHATS = frozenset(Kind) - {Kind.DELEGATE}
SORTS = {
    "last_active": "last active", "tokens": "tokens", "cost": "cost", "messages": "messages",
    "title": "title", "model": "model", "source": "source", "hit": "hit rate",
    "context_use": "context used", "compressions": "compressions", "input": "uncached input",
    "cache_read": "cache read", "cache_write": "cache write", "output": "output", PROFILE: "profile",
}  # fmt: skip
"""The orders that `s` cycles through, with their names."""
MEASURED = frozenset({"context_use", "compressions"})
"""Orders no database can sort by: every conversation is measured first."""


@dataclass(frozen=True, slots=True)
class Order:
    """What the list contains, and in which order.

    Attributes:
        sort: One of `SORTS`.
        natural: The direction people expect first: newest, largest, A to Z. False reverses it.
        text: Filter; empty for none.
        delegates: Also list conversations started by a tool call, which otherwise appear below their parent.
    """

    sort: str = "last_active"
    natural: bool = True
    text: str = ""
    delegates: bool = False


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A part of the list.

    Attributes:
        start: Index of the first row.
        totals: Matching conversations by database.
        errors: Databases that could not be read; the others are still shown.
        whole: False for a first screenful, read before anything was counted.
        ranking: The conversations in order, if no database can sort them.
        measured: How many of the ranking are in their place; the others follow them.
    """

    order: Order
    start: int
    rows: tuple[SessionLine, ...]
    totals: Mapping[Location, int] = field(default_factory=dict)
    errors: tuple[InspectorError, ...] = ()
    whole: bool = True
    ranking: tuple[Key, ...] = ()
    measured: int = 0

    @property
    def total(self) -> int:
        """Matching conversations over all databases; for a first screenful, its rows."""
        return sum(self.totals.values()) if self.whole else len(self.rows)

    @property
    def settled(self) -> bool:
        """Whether every row is in its final place."""
        return self.measured == len(self.ranking)
