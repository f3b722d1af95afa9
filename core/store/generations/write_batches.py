"""Which rows of a session were written in one stroke, as far as their times tell."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from core.store.generations.copied_rows import LONGEST_HEAD
from core.store.generations.row_outline import Bone

_SOON = 4
"""Rows behind a pause among which a copy must stand."""
_BATCH_SECONDS = 1.0
"""Rows of one compaction are written without a longer pause than this, unless copies go on behind it."""
_PAUSE_SECONDS = 30.0
"""A pause longer than this is no disk's."""
_STROKE_SECONDS = 1e-4
"""Rows of one stroke are stamped a microsecond apart; those of a turn take their time."""


def batch_end(bones: Sequence[Bone], index: int, previous: Sequence[Bone]) -> int:
    """Where the rows behind a summary can no longer be copies: they have a later time of their own.

    A copy keeps the time of its original, or is stamped together with the summary. A slow disk may pause
    between two copies; then calls that are known go on behind the pause.
    """
    known = {bone.timestamp for bone in previous}
    called = {bone.key for bone in previous if _names_call(bone)}
    latest = bones[index].timestamp
    for at in range(index + 1, len(bones)):
        time = bones[at].timestamp
        if time in known or time is None or latest is None:
            continue
        if abs(time - latest) >= _BATCH_SECONDS and not _goes_on(bones, at, latest, called):
            return at
        latest = time
    return len(bones)


def _goes_on(bones: Sequence[Bone], at: int, latest: float, called: Collection[Hashable]) -> bool:
    """Whether a copy of a call stands soon behind a pause that is short enough for a disk."""
    time = bones[at].timestamp
    short = time is not None and time - latest < _PAUSE_SECONDS
    return short and any(bone.key in called for bone in bones[at : at + _SOON])


def _names_call(bone: Bone) -> bool:
    """Whether a key holds ids of calls besides texts, which may recur."""
    return isinstance(bone.key, tuple) and bool(bone.key[1])


def could_be_copy(bone: Bone, originals: Collection[float | None], written: float | None) -> bool:
    """Whether a row has the time of one of the originals, or was stamped together with the summary."""
    if bone.timestamp is None or written is None or abs(bone.timestamp - written) < _BATCH_SECONDS:
        return True
    return bone.timestamp in originals


def set_back(bones: Sequence[Bone], start: int, index: int) -> int:
    """How many rows before one are stamped earlier than the row before them, with times that occurred before.

    So are copies that keep their old time, even where a text is no longer the same: loaded messages may have
    been joined before they were copied.

    Args:
        bones: A session's rows by id.
        start: Where the generation before begins.
        index: The row they stand before.
    """
    known: set[float | None] = {bone.timestamp for bone in bones[start : index - LONGEST_HEAD]}
    for at in range(max(start + 1, index - LONGEST_HEAD), index):
        time, before = bones[at].timestamp, bones[at - 1].timestamp
        if time is not None and before is not None and time < before and time in known:
            rest = all(bone.timestamp in known for bone in bones[at:index])
            return index - at if rest else 0
        known.add(time)
    return 0


def stroke(bones: Sequence[Bone], start: int) -> range:
    """Rows from one on that were written in one stroke: stamped together, or with an older time."""
    before = bones[start - 1].timestamp or 0.0
    latest: float | None = None
    for at in range(start, len(bones)):
        time = bones[at].timestamp
        if time is None or time <= before:
            continue
        if latest is not None and time - latest >= _STROKE_SECONDS:
            return range(start, at)
        latest = time
    return range(start, len(bones))
