"""Pages of the list of sessions."""

from __future__ import annotations

from dataclasses import dataclass

from core.model.session import Kind, Session


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One session and its place in its conversation.

    Attributes:
        root, tip: First and last session of the conversation it belongs to.
        position: 0-based place in it, root first.
        sessions: How many sessions the conversation has.
    """

    session: Session
    kind: Kind
    root: str
    tip: str
    position: int
    sessions: int


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A page of the session list; `total` counts without the limit."""

    rows: tuple[SessionEntry, ...]
    total: int
