"""Computes what the visible rows of the session list lack: context used, compressions, first words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from inspector.base.live import in_sight
from inspector.screens.sessions.data.session_line import Figures, Key, SessionLine, remembered
from inspector.screens.sessions.list_view import SessionsList
from inspector.screens.sessions.reader import ListReader, Measured, Told, Weighed

DETAIL = 50
"""A change of less than 1/50 of a size is not visible in the gauge."""


class Measuring:
    """Starts the computation once the rows are shown; until then an earlier run's figures are shown.

    Args:
        listing: The list.
        reader: Does the computing.
    """

    def __init__(self, listing: SessionsList, reader: ListReader) -> None:
        self._listing, self._reader = listing, reader
        self._known: Mapping[Key, Figures] = {}
        self._weighed: dict[Key, int | None] = {}
        self._telling: set[Key] = set()

    def look(self) -> None:
        """Show what is known of the visible rows, and compute what is not, visible rows first.

        While a conversation is open above it the list waits, because this would take half of the processor.
        """
        self._show_known()
        if not in_sight(self._listing):
            return
        extras = self._listing.extras
        wanted = [
            line
            for line in self._listing.conversations
            if line.key not in extras or extras[line.key].state != line.state
        ]
        if wanted:
            self._reader.measure(wanted)
        self._weigh()
        self._tell_losses()

    def _tell_losses(self) -> None:
        """Find out what summaries lost: first under the cursor, then in sight, then in the rows beyond.

        Each part waits until its rows are measured.
        """
        listing = self._listing
        rows = (listing.current, *(listing.rows.row(place) for place in listing.in_sight))
        untold = self._untold([row for row in rows if row is not None and row.part is None])
        if untold == {}:
            untold = self._untold(listing.conversations)
        if not untold or not in_sight(listing):
            return
        if not untold.keys() <= self._telling:
            self._telling = set(untold)
            self._reader.tell_losses(list(untold.values()))

    def _untold(self, lines: Sequence[SessionLine]) -> dict[Key, SessionLine] | None:
        """Of some lines those whose summaries are still to be compared; None while one is not measured."""
        if any(not self._is_measured(line) for line in lines):
            return None
        return {line.key: line for line in lines if self._listing.extras[line.key].lacks_loss}

    def _is_measured(self, line: SessionLine) -> bool:
        extra = self._listing.extras.get(line.key)
        return extra is not None and extra.state == line.state

    def _weigh(self) -> None:
        """Find out what fills the window of the conversation under the cursor."""
        line = self._listing.current
        extra = self._listing.extras.get(line.key) if line is not None else None
        if line is None or line.part is not None or extra is None or not in_sight(self._listing):
            return
        before, tokens = self._listing.parts.get(line.key, (None,))[0], extra.context_use.tokens
        if before == line.state or (before and _about(tokens, self._weighed.get(line.key))):
            return  # it reads every message, and the difference would not show
        self._weighed[line.key] = tokens
        self._reader.weigh(line)

    def rest(self) -> None:
        """Stop while another screen is in front; `look` continues."""
        self._reader.stop_measuring()
        self._weighed.clear()
        self._telling.clear()

    def recall(self, known: Mapping[Key, Figures]) -> None:
        """Take over what an earlier run computed."""
        self._known = known
        self._show_known()

    def take(self, found: Measured | Weighed | Told) -> None:
        """Take what was computed for a conversation."""
        if isinstance(found, Told):
            self._take_loss(found)
            self._tell_losses()
            return
        if isinstance(found, Weighed):
            self._listing.parts[found.line.key] = found.line.state, found.parts
            self._listing.refresh_row(self._listing.cursor)
            return
        self._listing.extras[found.key] = found.extra
        self._telling.discard(found.key)
        self._redraw(found.key)
        if self._listing.current is not None and self._listing.current.key == found.key:
            self._weigh()
        self._tell_losses()

    def _take_loss(self, found: Told) -> None:
        key, extra = found.line.key, self._listing.extras.get(found.line.key)
        if extra is not None and extra.state == found.line.state:
            said = found.answer if found.answer.sentence else extra.said
            self._listing.extras[key] = replace(extra, said=said, is_complete=True)
            self._redraw(key)

    def _redraw(self, key: Key) -> None:
        for place in self._listing.in_sight:
            row = self._listing.rows.row(place)
            if row is not None and row.key == key:
                self._listing.refresh_row(place)

    def forget(self) -> None:
        """Have everything computed again."""
        self._listing.extras.clear()

    def _show_known(self) -> None:
        """Show an earlier run's figures for rows that are not measured yet."""
        new = [line for line in self._listing.conversations if line.key not in self._listing.extras]
        if not self._known or not new:
            return

        found = {line.key: extra for line in new if (extra := remembered(line, self._known)) is not None}
        self._listing.extras.update(found)
        if found:
            self._listing.refresh()


def _about(tokens: int | None, before: int | None) -> bool:
    """Whether a size differs from the drawn one by less than the gauge can show."""
    return tokens is not None and before is not None and abs(tokens - before) * DETAIL <= before
