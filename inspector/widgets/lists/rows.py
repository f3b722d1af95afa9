"""What a list draws its rows from: all of them in memory, read by pages, or folded below others."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

Row = TypeVar("Row")
Row_co = TypeVar("Row_co", covariant=True)

PAGE = 200
PAGES_KEPT = 12


class Rows(Protocol[Row_co]):
    """What a row list draws from."""

    @property
    def count(self) -> int:
        """How many rows there are."""
        ...

    def row(self, index: int) -> Row_co | None:
        """One row; None while it is still being read."""
        ...


class PagedRows(Generic[Row]):
    """Rows read a page at a time; only the pages used last are kept.

    Args:
        count: How many rows there are.
        fetch: Reads `size` rows from `start`. When it answers None the page is on its way (a worker reads it)
            and `arrived` brings it.
        page: Rows a page.
        keep: Pages kept.
    """

    def __init__(
        self,
        count: int,
        fetch: Callable[[int, int], Sequence[Row] | None],
        *,
        page: int = PAGE,
        keep: int = PAGES_KEPT,
    ) -> None:
        self.count = count
        self._fetch = fetch
        self._page = page
        self._keep = keep
        self._pages: OrderedDict[int, Sequence[Row]] = OrderedDict()
        self._asked: set[int] = set()
        self._older: dict[int, Sequence[Row]] = {}

    def row(self, index: int) -> Row | None:
        """One row; None outside the list or while its page is on its way."""
        if not 0 <= index < self.count:
            return None
        number, offset = divmod(index, self._page)
        page = self._pages.get(number)
        if page is None or offset >= len(page):
            page = self._read(number) or self._older.get(number)
        else:
            self._pages.move_to_end(number)
        return page[offset] if page is not None and offset < len(page) else None

    def go_on_from(self, before: PagedRows[Row]) -> None:
        """Take the pages of a list that this one begins with; one that was not full is asked for again."""
        self._pages.update(before._pages)

    def stand_in(self, before: PagedRows[Row]) -> None:
        """Show the pages of an older reading of this list until those of this one arrive."""
        older = {**before._older, **before._pages}
        self._older = dict([*older.items()][-self._keep :])

    def arrived(self, start: int, rows: Sequence[Row]) -> None:
        """Take a page that was read elsewhere."""
        number = start // self._page
        self._asked.discard(number)
        self._pages[number] = rows
        self._pages.move_to_end(number)
        while len(self._pages) > self._keep:
            self._pages.popitem(last=False)

    def _read(self, number: int) -> Sequence[Row] | None:
        if number in self._asked:
            return None
        self._asked.add(number)
        rows = self._fetch(number * self._page, self._page)
        if rows is not None:
            self.arrived(number * self._page, rows)
        return rows


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
