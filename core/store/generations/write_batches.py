"""Which rows of a session were written in one batch, as far as their times tell."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from core.store.generations.copied_rows import LONGEST_HEAD
from core.store.generations.row_outline import RowOutline

_SOON = 4
"""Rows behind a pause among which a copy must stand."""
_BATCH_SECONDS = 1.0
"""Rows of one compaction are written without a longer pause than this, unless copies go on behind it."""
_PAUSE_SECONDS = 30.0
"""A pause longer than this is no disk's."""
_STROKE_SECONDS = 1e-4
"""Rows of one batch are stamped a microsecond apart; those of a turn take their time."""


def batch_end(outlines: Sequence[RowOutline], index: int, previous: Sequence[RowOutline]) -> int:
    """Where the rows behind a summary can no longer be copies: they have a later time of their own.

    A copy keeps the time of its original, or is stamped together with the summary. A slow disk may pause
    between two copies; then calls that are known go on behind the pause.
    """
    known = {outline.timestamp for outline in previous}
    called = {outline.key for outline in previous if _names_call(outline)}
    latest = outlines[index].timestamp
    for at in range(index + 1, len(outlines)):
        time = outlines[at].timestamp
        if time in known or time is None or latest is None:
            continue
        if abs(time - latest) >= _BATCH_SECONDS and not _goes_on(outlines, at, latest, called):
            return at
        latest = time
    return len(outlines)


def _goes_on(outlines: Sequence[RowOutline], at: int, latest: float, called: Collection[Hashable]) -> bool:
    """Whether a copy of a call stands soon behind a pause that is short enough for a disk."""
    time = outlines[at].timestamp
    short = time is not None and time - latest < _PAUSE_SECONDS
    return short and any(outline.key in called for outline in outlines[at : at + _SOON])


def _names_call(outline: RowOutline) -> bool:
    """Whether a key holds ids of calls besides texts, which may recur."""
    return isinstance(outline.key, tuple) and bool(outline.key[1])


def could_be_copy(outline: RowOutline, originals: Collection[float | None], written: float | None) -> bool:
    """Whether a row has the time of one of the originals, or was stamped together with the summary."""
    if outline.timestamp is None or written is None or abs(outline.timestamp - written) < _BATCH_SECONDS:
        return True
    return outline.timestamp in originals


def set_back(outlines: Sequence[RowOutline], start: int, index: int) -> int:
    """How many rows before one are stamped earlier than the row before them, with times that occurred before.

    So are copies that keep their old time, even where a text is no longer the same: loaded messages may have
    been joined before they were copied.

    Args:
        outlines: A session's rows by id.
        start: Where the generation before begins.
        index: The row they stand before.
    """
    known: set[float | None] = {outline.timestamp for outline in outlines[start : index - LONGEST_HEAD]}
    for at in range(max(start + 1, index - LONGEST_HEAD), index):
        time, before = outlines[at].timestamp, outlines[at - 1].timestamp
        if time is not None and before is not None and time < before and time in known:
            rest = all(outline.timestamp in known for outline in outlines[at:index])
            return index - at if rest else 0
        known.add(time)
    return 0


def write_batch(outlines: Sequence[RowOutline], start: int) -> range:
    """Rows from one on that were written in one batch: stamped together, or with an older time."""
    before = outlines[start - 1].timestamp or 0.0
    latest: float | None = None
    for at in range(start, len(outlines)):
        time = outlines[at].timestamp
        if time is None or time <= before:
            continue
        if latest is not None and time - latest >= _STROKE_SECONDS:
            return range(start, at)
        latest = time
    return range(start, len(outlines))
