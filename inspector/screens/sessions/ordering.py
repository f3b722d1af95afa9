"""Sorting, turning round and filtering the session list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from textual import getters, on
from textual.timer import Timer
from textual.widgets import Input

from core.store.database.locate import Location
from inspector.screens.sessions.data.order import SORTS, Order, SourcePage
from inspector.screens.sessions.list_view import SessionsList
from inspector.screens.sessions.reading import ReadingSessions
from inspector.widgets.bars.input_line import InputLine
from inspector.widgets.lists.row_list import RowList

FILTER_SECONDS = 0.15
"""How long typing must pause before the list is read anew."""


class OrderingSessions(ReadingSessions):
    """What the list holds and in which order; a change reads it anew.

    Args:
        locations: The databases, the active profile's first.
    """

    filter_line = getters.query_one(InputLine)
    filter = getters.query_one("InputLine Input", Input)
    listing = getters.query_one(SessionsList)

    def __init__(self, locations: Sequence[Location]) -> None:
        super().__init__(locations)
        self._order = Order()
        self._epoch = 0
        self._page: SourcePage | None = None
        self._delay: Timer | None = None

    def reload(self) -> None:
        """Read the list anew; what is on screen stays until the answer comes."""
        self._epoch += 1
        self.read(self._epoch, self._order, first=self._page is None)
        self.tell()

    def tell(self) -> None:
        """Say where we are and what is being done; a subclass does."""

    def action_sort(self) -> None:
        """Sort by the next column in sight."""
        names = [name for name in SORTS if name in self.listing.sorts]
        place = names.index(self._order.sort) if self._order.sort in names else -1
        self._reorder(names[(place + 1) % len(names)])

    def action_delegates(self) -> None:
        """List delegates on their own, or below their conversation."""
        self._order = replace(self._order, delegates=not self._order.delegates)
        self.reload()

    def action_reverse(self) -> None:
        """Turn the order round."""
        self._order = replace(self._order, natural=not self._order.natural)
        self.reload()

    @on(RowList.HeaderClicked)
    def _header_clicked(self, event: RowList.HeaderClicked) -> None:
        sort = self.listing.column_at(event.index)
        if sort == self._order.sort:
            self.action_reverse()
        elif sort:
            self._reorder(sort)

    def _reorder(self, sort: str) -> None:
        self._order = replace(self._order, sort=sort, natural=True)
        self.reload()

    def action_filter(self) -> None:
        """Open the filter, or go on editing it."""
        self.filter_line.display = True
        self.filter.focus()
        self.refresh_bindings()

    @on(Input.Changed)
    def _filter_changed(self, event: Input.Changed) -> None:
        if self._delay is not None:
            self._delay.stop()
        self._delay = self.set_timer(FILTER_SECONDS, partial(self._filter, event.value))

    def _filter(self, text: str) -> None:
        if text != self._order.text:
            self._order = replace(self._order, text=text)
            self.reload()

    @on(Input.Submitted)
    def _filter_done(self) -> None:
        self.listing.focus()

    def action_clear(self) -> None:
        """Leave the filter."""
        self.filter.value = ""
        self.filter_line.display = False
        self._filter("")
        self.listing.focus()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A filter that is not there cannot be left."""
        return self.is_mounted and self.filter_line.display if action == "clear" else True
