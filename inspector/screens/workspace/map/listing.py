"""The list of the map: which rows it shows, how their pages arrive, how to jump around."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from core.preview.generation import RowPlaces
from core.support import formatting as fmt
from inspector.base.commands import hint
from inspector.base.workers import ask
from inspector.screens.workspace.map.model import Listed, every_row, generation_bands, next_of, page_rows
from inspector.screens.workspace.map.work import MapWork, previews_of, rows_with
from inspector.screens.workspace.views import GenerationView
from inspector.widgets.lists.rows import PAGE, PagedRows
from inspector.widgets.messages.message_line import Marks, MessageRow
from inspector.widgets.messages.message_list import Band, BandedRows, Banding, MessageList, partition_bands


class MapListing:
    """Keeps the message list, whose rows are `ids`, in step with generation, plan and search.

    Args:
        view: Provides the subject, cursor and threads.
        work: What is known of the messages.
        list: The list to fill.
    """

    def __init__(self, view: GenerationView, work: MapWork, list: MessageList) -> None:
        self._view = view
        self._work = work
        self._list = list
        self.everything = False
        self.ids: tuple[int, ...] = ()
        self._within: tuple[int, ...] = ()
        self._places = RowPlaces()
        self._pages: PagedRows[MessageRow] = PagedRows(0, lambda start, size: ())
        self._bands: tuple[Band, ...] = ()
        self._hits: tuple[int, ...] = ()
        self._then: Callable[[], None] | None = None

    @property
    def row_id(self) -> int | None:
        """The row under the list's cursor."""
        place = self._list.message
        return None if place is None or place >= len(self.ids) else self.ids[place]

    @property
    def has_hits(self) -> bool:
        """Whether search hits are highlighted."""
        return bool(self._hits)

    def go_to(self, row: int | None) -> None:
        """Move the cursor to a row, if it is in the list."""
        place = self._places.place(row)
        if place is not None:
            self._list.go_to(place)

    # Listed rows.

    def enter(self, then: Callable[[], None] | None) -> None:
        """List the rows of a generation; `then` is slower work, begun once there is something to look at."""
        self._then = then
        self.list_rows(anew=True)

    def list_rows(self, *, anew: bool = False) -> None:
        """List the generation's rows, or every row; pages are read when in view, `anew` even if unchanged."""
        subject, generation = self._view.subject, self._view.generation
        listed = generation.row_ids if generation is not None else ()
        self._within = ()
        if self.everything and subject is not None:
            every = every_row(subject.conversation)
            listed, self._within = tuple(row for _, row in every), tuple(index for index, _ in every)
        if anew or listed != self.ids:
            before, pages = len(self.ids), self._pages
            grew = not anew and listed[:before] == self.ids
            self.ids, self._pages = listed, PagedRows(len(listed), self._fetch)
            self._places = RowPlaces(listed)
            if grew:
                self._pages.go_on_from(pages)
            else:
                self._hits = ()
        self.lay_bands()
        self._pages.row(self._list.message or 0)  # even while a drawer hides the list

    def lay_bands(self) -> None:
        """Place the bands again, with the cursor on the same row."""
        subject, annotations = self._view.subject, self._work.annotations
        self._bands = ()
        if self.everything and subject is not None:
            self._bands = generation_bands(self._within, subject.conversation)
        elif annotations is not None and annotations.plan.messages == len(self.ids):
            self._bands = partition_bands(annotations.plan)
        rows = BandedRows(self._pages, Banding(len(self.ids), self._bands), self._work.annotated)
        self._list.lay(rows, message=self._places.place(self._view.cursor.row))

    def _fetch(self, start: int, size: int) -> None:
        if self._view.subject is not None:
            ids = self.ids[start : start + size]
            job = partial(previews_of, self._view.subject.location, ids)
            ask(self._view, "map-page", job, partial(self._page_read, self._pages, start), exclusive=False)

    def _page_read(self, pages: PagedRows[MessageRow], start: int, rows: Sequence[Listed]) -> None:
        if pages is not self._pages:
            return
        end = min(start + PAGE, len(self.ids))
        pages.arrived(start, page_rows(self.ids, range(start, end), rows, self._within))
        self._list.refresh()
        then, self._then = self._then, None
        if then is not None:
            then()

    def set_marks(self) -> None:
        """Highlight the mates of the message under the cursor, and search hits."""
        mates = frozenset(self._placed(self._work.partners(self.row_id)))
        cells = len(str(max(1, len(self.ids) - 1)))
        self._list.mark(Marks(mates, frozenset(self._hits), max(3, cells)))

    def _placed(self, rows: Iterable[int]) -> Iterator[int]:
        return (place for place in map(self._places.place, rows) if place is not None)

    # Jumps.

    def go_to_band(self, step: int) -> None:
        """Go to the next band; after the last one the cursor stays."""
        here = self._list.message or 0
        places = [band.before for band in self._bands if (band.before - here) * step > 0]
        if places:
            self._list.go_to(min(places) if step > 0 else max(places))

    def go_to_turn(self, step: int) -> None:
        """Go to the next message of the user; stop at a row that is still being read."""
        place = (self._list.message or 0) + step
        while 0 <= place < len(self.ids):
            row = self._pages.row(place)
            if row is None or (row.preview.role == "user" and not row.preview.is_summary):
                self._list.go_to(place)
                return
            place += step

    def search(self, needle: str) -> None:
        """Search for a text in every listed row."""
        if self._view.subject is not None:
            job = partial(rows_with, self._view.subject.location, self.ids, needle)
            ask(self._view, "map-search", job, partial(self._found, needle))

    def _found(self, needle: str, rows: Sequence[int]) -> None:
        self._hits = tuple(self._placed(rows))
        self.set_marks()
        if not self._hits:
            self._view.toast(f"No message contains “{needle}”.", "warning")
            return
        self._view.toast(
            fmt.plural(len(self._hits), "message")
            + hint(" · {map.next_hit} next, {map.previous_hit} previous")
        )
        here = self._list.message or 0
        self._list.go_to(here if here in self._hits else next_of(self._hits, here, 1))

    def go_to_hit(self, step: int) -> None:
        """Go to the next search hit, wrapping around."""
        if self._hits:
            self._list.go_to(next_of(self._hits, self._list.message or 0, step))

    def clear_hits(self) -> None:
        """Clear the search."""
        self._hits = ()
        self.set_marks()
