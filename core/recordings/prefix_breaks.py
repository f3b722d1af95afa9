"""Where a recorded request departs from the one before: the exact place at which a prompt cache ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.recordings.read import RecordedRequest


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


def prefix_breaks(requests: Sequence[RecordedRequest]) -> tuple[PrefixBreak, ...]:
    """Every break of a session's main loop, in order; requests whose messages were not seen prove none."""
    found: list[PrefixBreak] = []
    before: RecordedRequest | None = None
    length = 0
    for request in requests:
        if request.task or request.kept is None:
            continue
        if before is not None and before.session == request.session:
            cause = _cause(before, request, length)
            if cause is not None:
                at = request.kept if cause == "messages" else None
                found.append(PrefixBreak(request, cause, at, length))
        before = request
        length = (request.kept or 0) + len(request.added)
    return tuple(found)


def _cause(before: RecordedRequest, request: RecordedRequest, length: int) -> str | None:
    if before.tools != request.tools:
        return "tools"
    if before.system != request.system:
        return "system"
    if request.kept is not None and request.kept < length:
        return "messages"
    return None
