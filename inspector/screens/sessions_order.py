"""What the session list holds, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import InspectorError
from core.model.session import Kind
from core.store.locate import Location
from inspector.screens.sessions_columns import SessionLine

FIRST = 80
"""Sessions looked at for the first screenful."""
CHATS = frozenset(Kind) - {Kind.DELEGATE}


@dataclass(frozen=True, slots=True)
class Order:
    """What the list holds, and in which order.

    Attributes:
        sort: One of the store's orders.
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
    """

    order: Order
    start: int
    rows: tuple[SessionLine, ...]
    totals: Mapping[Location, int] = field(default_factory=dict)
    errors: tuple[InspectorError, ...] = ()
    whole: bool = True

    @property
    def total(self) -> int:
        """Conversations that match, over all databases; of a first screenful, its rows."""
        return sum(self.totals.values()) if self.whole else len(self.rows)


SORTS = {
    "last_active": "last active", "tokens": "tokens", "cost": "cost", "messages": "messages",
    "calls": "calls", "title": "title", "model": "model", "source": "source",
}  # fmt: skip
"""The orders `s` goes through, and what they are called."""
