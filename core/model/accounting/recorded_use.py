"""What a recorder kept of the requests of a conversation, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from core.model.accounting.amounts import Buckets


@dataclass(frozen=True, slots=True)
class RecordedBreak:
    """A recorded request that does not go on where the one before it ended.

    Attributes:
        cause: `system`, `tools` or `messages`.
        at_message: The first message that differs; None when it is not a message.
        of: Messages of the request before.
        row: The row that message is stored in; None when it is not known.
    """

    at: datetime
    cause: str
    at_message: int | None
    of: int
    row: int | None = None


@dataclass(frozen=True, slots=True)
class RecordedUse:
    """What a recorder inside Hermes kept of a conversation's requests.

    Attributes:
        tokens: Of the main loop, as the provider counted them.
        auxiliary: Of summaries, titles and the like, by task.
        parts: Characters of the newest request: `tools`, roles, and `system` without `memory` and `skills`;
            without those that were not seen whole.
        tool_schemas: Characters of each tool's schema in it.
    """

    requests: int
    tokens: Buckets
    auxiliary: Mapping[str, Buckets]
    parts: Mapping[str, int]
    tool_schemas: Mapping[str, int]
    breaks: tuple[RecordedBreak, ...]
