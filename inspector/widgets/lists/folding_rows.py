"""Rows of which some have rows of their own below them, shown when unfolded."""

from __future__ import annotations

from typing import Generic

from inspector.widgets.lists.rows import Row, Rows


class FoldingRows(Generic[Row]):
    """A list of rows with unfolded children between them.

    Args:
        base: The rows themselves; may be paged.
    """

    def __init__(self, base: Rows[Row]) -> None:
        self.base = base
        self._unfolded: dict[int, tuple[Row, ...]] = {}

    @property
    def count(self) -> int:
        """Rows and unfolded children together."""
        return self.base.count + sum(map(len, self._unfolded.values()))

    def row(self, index: int) -> Row | None:
        """One row or child; None while it is still being read."""
        place, child = self.place(index)
        if child is None:
            return self.base.row(place)
        return self._unfolded[place][child]

    def place(self, index: int) -> tuple[int, int | None]:
        """The row a line belongs to, and which of its children it is; None for the row itself."""
        above = 0
        for place in sorted(self._unfolded):
            line = place + above
            if index <= line:
                break
            children = len(self._unfolded[place])
            if index <= line + children:
                return place, index - line - 1
            above += children
        return index - above, None

    def line(self, place: int) -> int:
        """The line a row stands on."""
        return place + sum(len(rows) for before, rows in self._unfolded.items() if before < place)

    def unfolded(self, place: int) -> bool:
        """Whether a row shows its children."""
        return place in self._unfolded

    def unfold(self, place: int, children: tuple[Row, ...]) -> None:
        """Show a row's children; none folds it."""
        self._unfolded.pop(place, None)
        if children:
            self._unfolded[place] = children
