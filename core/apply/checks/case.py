"""What a check before writing is asked about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from core.model.compaction.apply import GuardResult, GuardState, Rehearsal
from core.store.store import Store


@dataclass(frozen=True, slots=True)
class Case:
    """A write that has not happened.

    Attributes:
        thread: Every session of the conversation.
        own_lock: The holder under which the caller has locked the session itself.
        integrity_seconds: How long SQLite may look for damage.
    """

    store: Store
    rehearsal: Rehearsal
    thread: frozenset[str]
    now: datetime
    own_lock: str | None
    integrity_seconds: float
    progress: Callable[[str], None]


def passed(name: str, text: str) -> GuardResult:
    """Nothing to say against it."""
    return GuardResult(name, GuardState.PASSED, text)


def noted(name: str, text: str) -> GuardResult:
    """Nothing stands in the way, but the reader should know."""
    return GuardResult(name, GuardState.NOTED, text)


def against(name: str, text: str, *, forceable: bool = False) -> GuardResult:
    """A refusal."""
    return GuardResult(name, GuardState.REFUSED, text, forceable)
