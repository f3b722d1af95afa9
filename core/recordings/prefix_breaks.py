"""Where a recorded request departs from the one before: the exact place at which a prompt cache ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.recordings.read import RecordedRequest, SentRow
from core.recordings.sent_lists import whole_lists


@dataclass(frozen=True, slots=True)
class PrefixBreak:
    """A request that does not go on where the one before it ended.

    Attributes:
        cause: `system`, `tools`, or `messages`.
        at: The first message that differs; None when it is not a message.
        of: Messages of the request before.
    """

    request: RecordedRequest
    cause: str
    at: int | None
    of: int
    sent: tuple[SentRow, ...]


def prefix_breaks(requests: Sequence[RecordedRequest]) -> tuple[PrefixBreak, ...]:
    """Every break of a session's main loop, in order; requests whose messages were not seen prove none."""
    found: list[PrefixBreak] = []
    before: RecordedRequest | None = None
    rows: list[SentRow] = []
    for request, now in whole_lists(one for one in requests if not one.task):
        if before is not None and before.session == request.session:
            same = _common(rows, now)
            cause = _cause(before, request, broken=same < len(rows))
            if cause is not None:
                at = same if cause == "messages" else None
                found.append(PrefixBreak(request, cause, at, len(rows), tuple(now)))
        before, rows = request, now
    return tuple(found)


def _common(before: Sequence[SentRow], now: Sequence[SentRow]) -> int:
    """How many leading messages are the same; a recorder that has just begun compared with none."""
    pairs = enumerate(zip(before, now, strict=False))
    return next((place for place, (old, new) in pairs if old.name != new.name), min(len(before), len(now)))


def _cause(before: RecordedRequest, request: RecordedRequest, *, broken: bool) -> str | None:
    if before.tools and request.tools and before.tools != request.tools:
        return "tools"
    if before.system and request.system and before.system != request.system:
        return "system"
    return "messages" if broken else None
