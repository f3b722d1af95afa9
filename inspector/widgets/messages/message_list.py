"""A conversation's messages with the bands of the cut between them, addressed by row."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from rich.style import Style

from core.model.compaction.plan import Part, Plan, Span
from core.support.formatting import plural
from inspector.terminal import glyphs
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import cell_len
from inspector.widgets.charts.context_strip import INK
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.rows import Rows
from inspector.widgets.messages.message_line import Marks, MessageRow, draw_message


@dataclass(frozen=True, slots=True)
class Band:
    """A ruled line above a message.

    Attributes:
        before: Index of the message below it.
        part: The part that begins here; None for a boundary between generations.
        title: Name of what begins here.
        note: What would happen to it.
        brief: The note where there is no room for it.
    """

    before: int
    part: Part | None
    title: str
    note: str
    brief: str = ""


@dataclass(frozen=True, slots=True)
class Banding:
    """The rows of a list of messages with bands; bands are in order of `before`."""

    messages: int
    bands: tuple[Band, ...] = ()

    @property
    def count(self) -> int:
        """The number of rows, bands included."""
        return self.messages + len(self.bands)

    def at(self, row: int) -> int | Band:
        """The index of a row's message, or the row's band.

        Raises:
            IndexError: The row does not exist.
        """
        if not 0 <= row < self.count:
            raise IndexError(row)
        above = bisect_left(range(len(self.bands)), row, key=self._row_of_band)
        if above < len(self.bands) and self._row_of_band(above) == row:
            return self.bands[above]
        return row - above

    def row_of(self, message: int) -> int:
        """The row of a message."""
        return message + bisect_right(self.bands, message, key=lambda band: band.before)

    def message_near(self, row: int) -> int | None:
        """The message in a row; for a band, the next message below."""
        for place in range(max(0, row), self.count):
            found = self.at(place)
            if isinstance(found, int):
                return found
        return None

    def band_above(self, row: int) -> int | None:
        """The row of the nearest band at or above a row."""
        above = bisect_right(range(len(self.bands)), row, key=self._row_of_band) - 1
        return self._row_of_band(above) if above >= 0 else None

    def _row_of_band(self, place: int) -> int:
        return self.bands[place].before + place


def partition_bands(plan: Plan) -> tuple[Band, ...]:
    """The bands of a plan: middle and tail, or one that says why nothing would be cut."""
    if not plan.messages:
        return ()
    if not plan.summarises:
        reason = plan.blocked_by[0] if plan.blocked_by else "head and tail meet"
        return (Band(0, None, "nothing to summarise", reason),)
    return (
        middle_band(plan.middle, "would become"),
        Band(plan.tail.start, Part.TAIL, "tail", f"{plural(plan.tail.size, 'message')} · kept as they are"),
    )


def middle_band(middle: Span, verb: str) -> Band:
    """The band above what is summarised."""
    size = plural(middle.size, "message")
    return Band(middle.start, Part.MIDDLE, "middle", f"{size} · {verb} one summary", f"{size} → summary")


def draw_band(band: Band, width: int, palette: Palette) -> Line:
    """A ruled line with a title and a note."""
    ink = palette.style(INK[band.part] if band.part else "ink-muted")
    line = Line().gap().add(glyphs.BAND, ink).gap()
    line.add(band.title, ink + Style(bold=True)).gap().add(glyphs.BAND, ink).gap()
    room = max(0, width - line.width - 2)
    note = band.brief if band.brief and cell_len(band.note) > room else band.note
    line.add(note, palette.style("ink-muted"), most=room).gap()
    return line.add(glyphs.BAND * max(0, width - line.width), palette.style("rule"))


Entry: TypeAlias = MessageRow | Band


class BandedRows:
    """Rows of messages from another source, with bands between them.

    `dress` adds what is known by now to a message: part, tokens, pruned text.
    """

    def __init__(
        self, messages: Rows[MessageRow], banding: Banding, dress: Callable[[MessageRow], MessageRow]
    ) -> None:
        self.messages = messages
        self.banding = banding
        self._dress = dress

    @property
    def count(self) -> int:
        """The number of messages and bands."""
        return self.banding.count

    def row(self, index: int) -> Entry | None:
        """One row; None outside the list or while its message is being read."""
        if not 0 <= index < self.count:
            return None
        found = self.banding.at(index)
        if isinstance(found, Band):
            return found
        message = self.messages.row(found)
        return None if message is None else self._dress(message)


class MessageList(RowList[Entry]):
    """One message per line. The cursor stands on messages only; `message` is the index of its message.

    Attributes:
        marks: What highlights some rows now.
    """

    def __init__(self, *, empty: str = "") -> None:
        super().__init__(empty=empty)
        self._banding = Banding(0)
        self.marks = Marks()

    @property
    def message(self) -> int | None:
        """Index of the message under the cursor."""
        return self._banding.message_near(self.cursor)

    def lay(self, rows: BandedRows, *, message: int | None = None) -> None:
        """Show other rows, with the cursor on a message; by default on the same one as before."""
        place = self.message if message is None else message
        self._banding = rows.banding
        place = min(place or 0, max(0, rows.banding.messages - 1))
        self.show(rows, cursor=rows.banding.row_of(place) if rows.banding.messages else 0, again=True)
        if message is not None:
            self.call_after_refresh(self.keep_in_sight)

    def go_to(self, message: int) -> None:
        """Move the cursor to a message."""
        if 0 <= message < self._banding.messages:
            self.cursor = self._banding.row_of(message)

    def mark(self, marks: Marks) -> None:
        """Highlight rows: mates of the cursor's message, search hits."""
        old, self.marks = self.marks, marks
        if replace(old, partners=marks.partners) != marks:
            self.refresh()
            return
        for message in old.partners ^ marks.partners:
            if message < self._banding.messages:
                self.refresh_row(self._banding.row_of(message))

    def is_heading(self, index: int) -> bool:
        """The cursor skips bands."""
        return 0 <= index < self._banding.count and isinstance(self._banding.at(index), Band)

    def heading_above(self, index: int) -> int | None:
        """The band above a row stays in view."""
        return self._banding.band_above(index)

    def draw_row(self, row: Entry, index: int, width: int) -> Line:
        """Draw a band or a message."""
        if isinstance(row, Band):
            return draw_band(row, width, self.palette)
        return draw_message(row, width, self.palette, self.marks)
