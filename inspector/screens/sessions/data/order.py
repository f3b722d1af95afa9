"""What the session list holds, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import InspectorError
from core.model.transcript.session import Kind
from core.store.database.locate import Location
from inspector.screens.sessions.data.columns import PROFILE
from inspector.screens.sessions.data.session_line import Key, SessionLine

FIRST = 80
"""Sessions looked at for the first screenful."""
CHATS = frozenset(Kind) - {Kind.DELEGATE}
SORTS = {
    "last_active": "last active", "tokens": "tokens", "cost": "cost", "messages": "messages",
    "title": "title", "model": "model", "source": "source", "hit": "hit rate",
    "context_use": "context used", "compressions": "compressions", "input": "uncached input",
    "cache_read": "cache read", "cache_write": "cache write", "output": "output", PROFILE: "profile",
}  # fmt: skip
"""The orders `s` goes through, and what they are called."""
MEASURED = frozenset({"context_use", "compressions"})
"""Orders no database knows: every conversation is measured first."""


@dataclass(frozen=True, slots=True)
class Order:
    """What the list holds, and in which order.

    Attributes:
        sort: One of `SORTS`.
        natural: The direction people expect first: newest, largest, A to Z. False turns it round.
        text: Filter; empty for none.
        delegates: Also conversations a tool call started, which otherwise stand below the one that did.
    """

    sort: str = "last_active"
    natural: bool = True
    text: str = ""
    delegates: bool = False


@dataclass(frozen=True, slots=True)
class SourcePage:
    """Part of the list.

    Attributes:
        start: Index of the first row.
        totals: Conversations that match, by database.
        errors: Databases that could not be read; the others are still shown.
        whole: False for a first screenful, read before anybody counted.
        ranking: The conversations in their order, where no database knows it.
        measured: How many of the ranking are in their place already; the others stand below them.
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
        """Conversations that match, over all databases; of a first screenful, its rows."""
        return sum(self.totals.values()) if self.whole else len(self.rows)

    @property
    def settled(self) -> bool:
        """Every row is where it belongs."""
        return self.measured == len(self.ranking)
