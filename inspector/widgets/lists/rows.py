"""Sources of a list's rows: all in memory, read by pages, or with unfolded children."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

Row = TypeVar("Row")
Row_co = TypeVar("Row_co", covariant=True)

PAGE, PAGES_KEPT = 200, 12
"""Rows read at a time, and how many such pages are kept."""


class Rows(Protocol[Row_co]):
    """Where a row list gets its rows."""

    @property
    def count(self) -> int:
        """How many rows there are."""
        ...

    def row(self, index: int) -> Row_co | None:
        """One row; None while it is still being read."""
        ...


class PagedRows(Generic[Row]):
    """Rows read one page at a time; only the pages used last are kept.

    `fetch` reads `size` rows from `start`; it returns None if a worker will read the page and deliver it with
    `arrived`.
    """

    def __init__(self, count: int, fetch: Callable[[int, int], Sequence[Row] | None]) -> None:
        self.count = count
        self._fetch = fetch
        self._pages: OrderedDict[int, Sequence[Row]] = OrderedDict()
        self._asked: set[int] = set()
        self._older: dict[int, Sequence[Row]] = {}

    def row(self, index: int) -> Row | None:
        """One row; None outside the list or until its page arrives."""
        if not 0 <= index < self.count:
            return None
        number, offset = divmod(index, PAGE)
        page = self._pages.get(number)
        if page is None or offset >= len(page):
            page = self._read(number) or self._older.get(number)
        else:
            self._pages.move_to_end(number)
        return page[offset] if page is not None and offset < len(page) else None

    def go_on_from(self, before: PagedRows[Row]) -> None:
        """Take over the pages of the list that this one extends; an incomplete page is fetched again."""
        self._pages.update(before._pages)

    def stand_in(self, before: PagedRows[Row]) -> None:
        """Show the pages of an older read of this list until this one's pages arrive."""
        older = {**before._older, **before._pages}
        self._older = dict([*older.items()][-PAGES_KEPT:])

    def arrived(self, start: int, rows: Sequence[Row]) -> None:
        """Take a page that a worker read."""
        number = start // PAGE
        self._asked.discard(number)
        self._pages[number] = rows
        self._pages.move_to_end(number)
        while len(self._pages) > PAGES_KEPT:
            self._pages.popitem(last=False)

    def _read(self, number: int) -> Sequence[Row] | None:
        if number in self._asked:
            return None
        self._asked.add(number)
        rows = self._fetch(number * PAGE, PAGE)
        if rows is not None:
            self.arrived(number * PAGE, rows)
        return rows


class FoldingRows(Generic[Row]):
    """Rows, perhaps paged, with unfolded children between them."""

    def __init__(self, base: Rows[Row]) -> None:
        self.base = base
        self._unfolded: dict[int, tuple[Row, ...]] = {}

    @property
    def count(self) -> int:
        """The number of rows and unfolded children."""
        return self.base.count + sum(map(len, self._unfolded.values()))

    def row(self, index: int) -> Row | None:
        """One row or child; None while it is still being read."""
        place, child = self.place(index)
        if child is None:
            return self.base.row(place)
        return self._unfolded[place][child]

    def place(self, index: int) -> tuple[int, int | None]:
        """The row a line belongs to, and which of its children the line shows; None for the row itself."""
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
        """The line of a row."""
        return place + sum(len(rows) for before, rows in self._unfolded.items() if before < place)

    def unfolded(self, place: int) -> bool:
        """Whether a row shows its children."""
        return place in self._unfolded

    def unfold(self, place: int, children: tuple[Row, ...]) -> None:
        """Show a row's children; with no children, fold it."""
        self._unfolded.pop(place, None)
        if children:
            self._unfolded[place] = children
