"""The list of the map: which rows it holds, how pages of them arrive, how to jump about in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from textual import on

from core.model.transcript.message import RowState
from core.model.transcript.storage import RowPreview
from inspector.screens.workspace.map.model import Dressing, every_row, generation_bands
from inspector.screens.workspace.map.reading import ReadingView
from inspector.terminal import formatting as format
from inspector.widgets.lists.rows import PAGE, PagedRows
from inspector.widgets.messages.bands import Band, Banding, partition_bands
from inspector.widgets.messages.draw import Marks, MessageRow
from inspector.widgets.messages.message_list import BandedRows, MessageList


class ListingView(ReadingView):
    """Keeps the message list in step with the generation, the cut and the search."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.everything = False
        self.dressing: Dressing | None = None
        self._listed: tuple[tuple[int, int], ...] = ()
        self._indexes: Mapping[int, int] = {}
        self._pages: PagedRows[MessageRow] = PagedRows(0, lambda start, size: ())
        self._bands: tuple[Band, ...] = ()
        self._hits: tuple[int, ...] = ()

    @property
    def list(self) -> MessageList:
        """The message list."""
        return self.query_one(MessageList)

    @property
    def row_id(self) -> int | None:
        """The row under the list's cursor."""
        place = self.list.message
        return None if place is None or place >= len(self._listed) else self._listed[place][1]

    @property
    def listed_ids(self) -> tuple[int, ...]:
        """The row ids listed, in order."""
        return tuple(row for _, row in self._listed)

    @property
    def has_hits(self) -> bool:
        """A search found something that is still marked."""
        return bool(self._hits)

    def index_of(self, row: int | None) -> int | None:
        """Where a row stands in the list."""
        return None if row is None else self._indexes.get(row)

    # What is listed.

    def list_rows(self, *, anew: bool = False) -> None:
        """List the generation's rows, or every row; pages are read as they come into sight.

        Args:
            anew: Read the pages again even when the same rows are listed.
        """
        generation = self.generation
        if self.subject is None or generation is None:
            listed: tuple[tuple[int, int], ...] = ()
        elif self.everything:
            listed = every_row(self.subject.conversation)
        else:
            listed = tuple((generation.index, row) for row in generation.row_ids)
        if anew or listed != self._listed:
            self._listed, self._hits = listed, ()
            self._indexes = {row: place for place, (_, row) in enumerate(listed)}
            self._pages = PagedRows(len(listed), self._fetch)
        self.lay_bands()
        self._pages.row(self.list.message or 0)  # also while a drawer hides the list

    def lay_bands(self) -> None:
        """Lay the bands anew, the cursor on the row it was on."""
        conversation = self.subject.conversation if self.subject else None
        self._bands = ()
        if self.everything and conversation is not None:
            self._bands = generation_bands(self._listed, conversation)
        elif self.dressing is not None and self.dressing.plan.messages == len(self._listed):
            self._bands = partition_bands(self.dressing.plan)
        dress: Callable[[MessageRow], MessageRow] = self.dressing.dress if self.dressing else _as_it_is
        rows = BandedRows(self._pages, Banding(len(self._listed), self._bands), dress)
        self.list.lay(rows, message=self.index_of(self.cursor.row))

    def _fetch(self, start: int, size: int) -> None:
        ids = tuple(row for _, row in self._listed[start : start + size])
        self.read_page(start, ids, hash(self._listed))

    @on(ReadingView.PageRead)
    def _page_read(self, event: ReadingView.PageRead) -> None:
        if event.asked != hash(self._listed):
            return
        found = {preview.id: preview for preview in event.rows}
        end = min(event.start + PAGE, len(self._listed))
        self._pages.arrived(event.start, [self._row(place, found) for place in range(event.start, end)])
        self.list.refresh()
        self.page_arrived()

    def page_arrived(self) -> None:
        """A page is on screen; what takes longer may start now."""

    def _row(self, place: int, found: Mapping[int, RowPreview]) -> MessageRow:
        generation, row = self._listed[place]
        preview = found.get(row) or RowPreview(
            id=row,
            session_id="",
            role="?",
            text="",
            size=0,
            state=RowState.LIVE,
            damage=("this row is gone",),
        )
        return MessageRow(place, preview, generation=generation if self.everything else None)

    def set_marks(self) -> None:
        """Mark the mates of the message under the cursor, and what a search found."""
        mates: frozenset[int] = frozenset()
        if self.dressing is not None:
            reading = self.dressing.reading
            places = reading.pairs.mates(reading.places.get(self.row_id or -1))
            rows = (reading.messages[place].row for place in places)
            mates = frozenset(self._indexes[row.id] for row in rows if row and row.id in self._indexes)
        cells = len(str(max(1, len(self._listed) - 1)))
        self.list.mark(Marks(mates, frozenset(self._hits), max(3, cells)))

    # Jumps.

    def action_hit(self, step: int) -> None:
        """The next message a search found, round the end."""
        if self._hits:
            self.list.go_to(next_of(self._hits, self.list.message or 0, step))

    def action_boundary(self, step: int) -> None:
        """The next band; past the last one the cursor stays."""
        here = self.list.message or 0
        places = [band.before for band in self._bands if (band.before - here) * step > 0]
        if places:
            self.list.go_to(min(places) if step > 0 else max(places))

    def action_turn_of_user(self, step: int) -> None:
        """The next message of the user; a row that is still being read ends the search."""
        place = (self.list.message or 0) + step
        while 0 <= place < len(self._listed):
            row = self._pages.row(place)
            if row is None or (row.preview.role == "user" and not row.preview.is_summary):
                self.list.go_to(place)
                return
            place += step

    @on(ReadingView.Found)
    def _found(self, event: ReadingView.Found) -> None:
        self._hits = tuple(self._indexes[row] for row in event.rows if row in self._indexes)
        self.set_marks()
        if not self._hits:
            self.toast(f"No message holds “{event.needle}”.", "warning")
            return
        self.toast(f"{format.plural(len(self._hits), 'message')} · n next, N previous")
        here = self.list.message or 0
        self.list.go_to(here if here in self._hits else next_of(self._hits, here, 1))

    def clear_hits(self) -> None:
        """Forget the search."""
        self._hits = ()
        self.set_marks()


def _as_it_is(row: MessageRow) -> MessageRow:
    return row


def next_of(places: Sequence[int], here: int, step: int) -> int:
    """The nearest place after (or before) `here`, round the end; `places` ascend and are not empty."""
    beyond = [place for place in places if (place - here) * step > 0]
    if step > 0:
        return beyond[0] if beyond else places[0]
    return beyond[-1] if beyond else places[-1]
