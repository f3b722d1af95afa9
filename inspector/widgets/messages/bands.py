"""Messages with bands between them, addressed by row. Pure arithmetic: no row is held anywhere."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from core.model.compaction.plan import Part, Plan
from core.support.amounts import plural


@dataclass(frozen=True, slots=True)
class Band:
    """A ruled line above a message.

    Attributes:
        before: Index of the message it stands above.
        part: The partition it opens; None for a boundary between generations.
        title: What opens here.
        note: What would happen to it, in words.
    """

    before: int
    part: Part | None
    title: str
    note: str


@dataclass(frozen=True, slots=True)
class Banding:
    """The rows of a list of `messages` with bands, which stand in order of `before`."""

    messages: int
    bands: tuple[Band, ...] = ()

    @property
    def count(self) -> int:
        """Rows in all."""
        return self.messages + len(self.bands)

    def at(self, row: int) -> int | Band:
        """The index of the message in a row, or the band that fills it.

        Raises:
            IndexError: There is no such row.
        """
        if not 0 <= row < self.count:
            raise IndexError(row)
        above = bisect_left(range(len(self.bands)), row, key=self._row_of_band)
        if above < len(self.bands) and self._row_of_band(above) == row:
            return self.bands[above]
        return row - above

    def row_of(self, message: int) -> int:
        """The row a message stands in."""
        return message + bisect_right(self.bands, message, key=lambda band: band.before)

    def message_near(self, row: int) -> int | None:
        """The message in a row, or the next one below when a band fills it."""
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
    """The bands of a plan: middle and tail, or one line saying why nothing would be cut."""
    if not plan.messages:
        return ()
    if not plan.summarises:
        reason = plan.blocked_by[0] if plan.blocked_by else "head and tail meet"
        return (Band(0, None, "nothing to summarise", reason),)
    return (
        Band(
            plan.middle.start,
            Part.MIDDLE,
            "middle",
            f"{plural(plan.middle.size, 'message')} · would become one summary",
        ),
        Band(plan.tail.start, Part.TAIL, "tail", f"{plural(plan.tail.size, 'message')} · kept as they are"),
    )
