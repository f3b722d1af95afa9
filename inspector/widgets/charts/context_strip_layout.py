"""Divides the cells of a line among a conversation's messages and its window. Pure functions, no widget."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.model.compaction.plan import Part, Plan, Span
from inspector.widgets.charts.context_bar import apportion

_PARTS = tuple(Part)


@dataclass(frozen=True, slots=True)
class StripLayout:
    """What each cell of the line represents.

    Attributes:
        scale: Tokens of the whole line: the window, or the request if that is larger.
        ends: For each `Part`, in order, the cell after its last one.
        spans: For each `Part`, its half-open range of message indexes; empty for parts without messages.
        offsets: Tokens before each message, then the total; one entry more than messages.
        threshold: Cell of the threshold tick; None if the window is unknown.
        window_end: Cell where the window ends, if the request is larger than the window.
    """

    width: int
    scale: int
    ends: tuple[int, ...]
    spans: tuple[Span, ...]
    offsets: Sequence[int]
    threshold: int | None
    window_end: int | None

    def part(self, cell: int) -> Part:
        """The part a cell belongs to; the last part for a cell beyond the end."""
        return _PARTS[min(bisect_right(self.ends, cell), len(_PARTS) - 1)]

    def cells(self, part: Part) -> range:
        """The cells of a part."""
        place = _PARTS.index(part)
        return range(self.ends[place - 1] if place else 0, self.ends[place])

    def message_at(self, cell: int) -> int | None:
        """The message at the left edge of a cell; None if the cell has no message."""
        place = bisect_right(self.ends, cell)
        if place >= len(_PARTS) or not self.spans[place].size:
            return None
        start, end = self.spans[place]
        cells = self.cells(_PARTS[place])
        first, last = self.offsets[start], self.offsets[end]
        at = first + (last - first) * (cell - cells.start) // len(cells)
        return min(max(bisect_right(self.offsets, at) - 1, start), end - 1)

    def cells_of(self, message: int) -> range:
        """The cells of a message, or the one it shares if it has none; empty for an index out of range."""
        for place, (start, end) in enumerate(self.spans):
            if start <= message < end:
                return self._cells_within(self.cells(_PARTS[place]), start, end, message)
        return range(0)

    def _cells_within(self, cells: range, start: int, end: int, message: int) -> range:
        if not cells:
            return range(0)
        first, total = self.offsets[start], self.offsets[end] - self.offsets[start]
        if total <= 0:
            return range(cells.start, cells.start + 1)
        left, right = (len(cells) * (self.offsets[i] - first) for i in (message, message + 1))
        if -(-left // total) < -(-right // total):
            return range(cells.start - (-left // total), cells.start - (-right // total))
        only = min(cells.start + left // total, cells.stop - 1)
        return range(only, only + 1)


def strip_layout(plan: Plan, width: int) -> StripLayout:
    """Lay out a plan over `width` cells.

    The filled length is the size that is compared with the threshold. If that is larger than the messages,
    the difference is drawn first (system prompt and tool schemas); if it is smaller, because a provider
    counted fewer tokens than the estimate, every message shrinks in proportion.
    """
    offsets = array("q", accumulate(plan.estimates, initial=0))
    spans = {Part.HEAD: plan.head, Part.MIDDLE: plan.middle, Part.TAIL: plan.tail}
    sizes = [offsets[span.end] - offsets[span.start] for span in spans.values()]
    used, messages = plan.compared_tokens, sum(sizes)
    if messages > used:
        sizes = list(apportion(sizes, used))
    outside = max(0, used - messages)
    scale = max(used, plan.window or 0, 1)
    fires = plan.threshold_tokens
    room = 0 if fires is None else max(0, min(fires, scale) - used)
    parts = [outside, *sizes, room, scale - used - room]
    ends = tuple(accumulate(apportion(parts, width)))
    return StripLayout(
        width=width,
        scale=scale,
        ends=ends,
        spans=tuple(spans.get(part, Span(0, 0)) for part in _PARTS),
        offsets=offsets,
        threshold=_tick(fires, scale, width, filled=ends[3], room_end=ends[4], over=used >= (fires or 0)),
        window_end=None if plan.window is None or plan.window >= scale else plan.window * width // scale,
    )


def _tick(fires: int | None, scale: int, width: int, *, filled: int, room_end: int, over: bool) -> int | None:
    """Place the tick inside the filled part exactly when the threshold is reached."""
    if fires is None or width <= 0:
        return None
    if over:
        return max(0, min(fires * width // scale, filled - 1))
    return min(room_end, width - 1)
