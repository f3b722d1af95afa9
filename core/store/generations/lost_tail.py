"""Messages that a partial compression was to keep, and lost.

`/compress here N` of Hermes 0.18 and 0.19 archives every live row, but writes back only what became of the
part it compressed: the turns that were to stay as they are stay archived instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.model.transcript.boundary import BoundaryMode
from core.model.transcript.message import RowState
from core.store.generations.row_outline import RowOutline
from core.store.generations.split import Segment


def lost_tail(segments: Sequence[Segment]) -> tuple[int, ...]:
    """Rows behind the last copied one that the newest compaction neither summarised nor kept.

    Args:
        segments: The generations of one session, in order.

    Returns:
        Row ids in order; empty when the tail reaches the end of the previous generation, as it should.
    """
    if len(segments) < 2 or segments[-1].mode is not BoundaryMode.IN_PLACE or not segments[-1].tail:
        return ()
    previous, newest = segments[-2].outlines, segments[-1]
    last = _last_copied(newest)
    at = max(
        (index for index, outline in enumerate(previous) if last is not None and outline.key == last.key),
        default=-1,
    )
    behind = previous[at + 1 :] if at >= 0 else ()
    # The kept part always begins with the user's words; anything else was dropped on purpose.
    starts = next((index for index, outline in enumerate(behind) if outline.role == "user"), None)
    if starts is None or any(outline.state is not RowState.ARCHIVED for outline in behind):
        return ()
    return tuple(outline.id for outline in behind[starts:])


def block_end(segment: Segment) -> int:
    """How many rows of a generation its compaction wrote; the rest came later."""
    copied = [index for index, outline in enumerate(segment.outlines) if outline.id in segment.copies]
    return max([*copied, segment.summary if segment.summary is not None else -1]) + 1


def _last_copied(segment: Segment) -> RowOutline | None:
    start = segment.summary or 0
    copied = [outline for outline in segment.outlines[start:] if outline.id in segment.copies]
    return copied[-1] if copied else None
