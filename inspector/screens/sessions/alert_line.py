"""The worst of what is wrong with the conversations in sight, one at a time."""

from __future__ import annotations

from core.model.finding import Severity
from inspector.screens.sessions.columns import Extra, SessionLine
from inspector.screens.sessions.list_view import SessionsList
from inspector.screens.sessions.words import alert
from inspector.widgets.bars.status_line import StatusLine

MOST = 3


class AlertLine(StatusLine):
    """A line above the list while there is something to say, until it is taken away."""

    DEFAULT_CSS = "AlertLine { background: $panel; display: none; } AlertLine.-shown { display: block; }"

    def __init__(self) -> None:
        super().__init__()
        self._alerts: list[tuple[SessionLine, Extra]] = []
        self._place = 0
        self._hidden = False

    def tell(self, listing: SessionsList) -> None:
        """Tell of the worst conversations of a list."""
        rows = (listing.rows.row(place) for place in listing.in_sight)
        known = ((row, listing.extras.get(row.key)) for row in rows if row and row.part is None)
        found = [(row, extra) for row, extra in known if extra is not None and extra.answer.sentence]
        self._alerts = sorted(found, key=lambda one: (one[1].severity or Severity.INFO).rank)[:MOST]
        self._say()

    def turn(self) -> None:
        """Tell of the next one."""
        self._place += 1
        self._say()

    def hide(self) -> None:
        """Go, and do not come back."""
        self._hidden = True
        self._say()

    def _say(self) -> None:
        shown = bool(self._alerts) and not self._hidden
        if shown != self.has_class("-shown"):
            self.set_class(shown, "-shown")
            self.screen.refresh_bindings()
        if shown:
            place = self._place % len(self._alerts)
            self.left, more = alert(*self._alerts[place], place, len(self._alerts))
            self.right = (("ink-muted", more),) if more else ()
