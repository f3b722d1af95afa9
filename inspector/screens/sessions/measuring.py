"""What has to be computed for the rows in sight of the session list: pressure, generations, first words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual import on
from textual.timer import Timer

from core.store.database.locate import Location
from inspector.screens.sessions.card import SessionCard
from inspector.screens.sessions.columns import Key, SessionLine
from inspector.screens.sessions.ordering import OrderingSessions
from inspector.screens.sessions.reading import ReadingSessions
from inspector.widgets.lists.row_list import RowList

if TYPE_CHECKING:
    from inspector.screens.sessions.data.figure_cache import Figures

LOOK_SECONDS = 0.1
"""How long a list must stand still before its rows are measured."""


class MeasuringSessions(OrderingSessions):
    """Computes it a moment after the rows are there; until then they show what an earlier run computed.

    Args:
        locations: The databases, the active profile's first.
    """

    def __init__(self, locations: Sequence[Location]) -> None:
        super().__init__(locations)
        self._closer: Timer | None = None
        self._known: Mapping[Key, Figures] = {}

    @on(RowList.Scrolled)
    def _look_closer(self) -> None:
        if self._closer is not None:
            self._closer.stop()
        self._closer = self.set_timer(LOOK_SECONDS, self.measure_visible)

    def measure_visible(self) -> None:
        """Show what is known of the rows in sight, and compute what is not."""
        self._remember_visible()
        extras = self.listing.extras
        wanted = [
            line for line in self._visible() if line.key not in extras or extras[line.key].state != line.state
        ]
        if wanted:
            self.measure(wanted)

    def _visible(self) -> list[SessionLine]:
        lines = [self.listing.rows.row(index) for index in self.listing.in_sight]
        return [line for line in lines if line and line.part is None]

    def _remember_visible(self) -> None:
        """Show what an earlier run knew of rows that were not measured yet."""
        if self._known:
            from inspector.screens.sessions.data.figure_cache import remembered

            for line in self._visible():
                extra = remembered(line, self._known, self.listing.now)
                if extra is not None:
                    self.listing.extras.setdefault(line.key, extra)
            self._tell_extras()

    def _tell_extras(self) -> None:
        self.listing.refresh()
        self.query_one(SessionCard).tell(self.listing)

    @on(ReadingSessions.Recalled)
    def _recall(self, event: ReadingSessions.Recalled) -> None:
        self._known = event.known
        self._remember_visible()

    @on(ReadingSessions.Measured)
    def _know(self, event: ReadingSessions.Measured) -> None:
        self.listing.extras[event.key] = event.extra
        self._tell_extras()

    @on(ReadingSessions.Previewed)
    def _quote(self, event: ReadingSessions.Previewed) -> None:
        self.listing.previews.update(event.previews)
        self._tell_extras()
