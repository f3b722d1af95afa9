"""What is told of a store that is written to, one event after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class LiveKind(StrEnum):
    """What kind of thing happened."""

    MESSAGE = "message"
    CALL = "call"
    COMPACTION = "compaction"
    FAILURE = "failure"
    CACHE_BREAK = "cache_break"
    BUDGET = "budget"
    ALERT = "alert"


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """One thing that happened.

    Attributes:
        key: The same whenever the same event is told, and no other's: a row, or a line of a log.
        session: None where nothing names one.
        at: When it happened; None where nothing says.
        facts: Figures and words by name; what a database or a log says is untrusted.
    """

    kind: LiveKind
    key: str
    session: str | None
    at: datetime | None
    facts: Mapping[str, Any] = field(default_factory=dict)
