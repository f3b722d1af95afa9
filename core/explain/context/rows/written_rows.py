"""Which rows of a generation the compaction that began it wrote."""

from __future__ import annotations

from collections.abc import Sequence

from core.model.transcript.boundary import BoundaryMode
from core.model.transcript.conversation import Generation
from core.model.transcript.message import Message


def copied_rows(generation: Generation) -> int:
    """How many rows the compaction that began a generation wrote: copies and its summary."""
    boundary = generation.boundary
    if boundary is None:
        return 0
    if boundary.summary_row is None and generation.copy_ids:
        # Whatever stands between copies was written with them, by an engine that marks no summary.
        return generation.row_ids.index(generation.copy_ids[-1]) + 1
    return boundary.head_rows + (boundary.summary_row is not None) + boundary.tail_rows


def written_rows(generation: Generation) -> list[int]:
    """The rows it wrote, in the order it wrote them: a release may load them by their times."""
    return sorted(generation.row_ids[: copied_rows(generation)])


def fresh_rows(generation: Generation) -> tuple[int, ...]:
    """The rows of a generation that are neither copies nor its summary."""
    return generation.row_ids[copied_rows(generation) :]


def answered(generation: Generation, messages: Sequence[Message]) -> bool:
    """Whether the rows show a call answered since the compaction that began a generation.

    Args:
        generation: The one asked about.
        messages: Its messages, in the order of its rows.
    """
    return any(message.role == "assistant" for message in messages[copied_rows(generation) :])


def rotated(generation: Generation) -> bool:
    """Whether it began in a session of its own."""
    return generation.boundary is not None and generation.boundary.mode is BoundaryMode.ROTATION
