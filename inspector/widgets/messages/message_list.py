"""The messages of a conversation with the bands of the cut between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from inspector.terminal.line import Line
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.row_source import Rows
from inspector.widgets.messages.bands import Band, Banding
from inspector.widgets.messages.draw import Marks, MessageRow, draw_band, draw_message

Entry: TypeAlias = MessageRow | Band


class BandedRows:
    """Rows of messages, read elsewhere, with bands laid between them.

    Args:
        messages: Where the messages come from.
        banding: Which row is a band.
        dress: Adds to a message what is known by now: partition, tokens, pruned text.
    """

    def __init__(
        self, messages: Rows[MessageRow], banding: Banding, dress: Callable[[MessageRow], MessageRow]
    ) -> None:
        self.messages = messages
        self.banding = banding
        self._dress = dress

    @property
    def count(self) -> int:
        """Messages and bands."""
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
    """A message a line. The cursor stands on messages only; `message` is its index.

    Attributes:
        marks: What sets some rows apart now.
    """

    def __init__(self, *, empty: str = "", id: str | None = None) -> None:
        super().__init__(empty=empty, id=id)
        self._banding = Banding(0)
        self.marks = Marks()

    @property
    def message(self) -> int | None:
        """Index of the message under the cursor."""
        return self._banding.message_near(self.cursor)

    def lay(self, rows: BandedRows, *, message: int | None = None) -> None:
        """Show other rows with the cursor on a message; by default on the one it was on."""
        place = self.message if message is None else message
        self._banding = rows.banding
        place = min(place or 0, max(0, rows.banding.messages - 1))
        self.show(rows, cursor=rows.banding.row_of(place) if rows.banding.messages else 0, again=True)

    def go_to(self, message: int) -> None:
        """Move the cursor to a message."""
        if 0 <= message < self._banding.messages:
            self.cursor = self._banding.row_of(message)

    def mark(self, marks: Marks) -> None:
        """Set rows apart: mates of the cursor, hits of a search."""
        old, self.marks = self.marks, marks
        if replace(old, mates=marks.mates) != marks:
            self.refresh()
            return
        for message in old.mates ^ marks.mates:
            if message < self._banding.messages:
                self.refresh_row(self._banding.row_of(message))

    def is_heading(self, index: int) -> bool:
        """The cursor passes over bands."""
        return 0 <= index < self._banding.count and isinstance(self._banding.at(index), Band)

    def heading_above(self, index: int) -> int | None:
        """The band a row lies under stays in sight."""
        return self._banding.band_above(index)

    def draw_row(self, row: Entry, index: int, width: int) -> Line:
        """A band or a message."""
        if isinstance(row, Band):
            return draw_band(row, width, self.palette)
        return draw_message(row, width, self.palette, self.marks)
