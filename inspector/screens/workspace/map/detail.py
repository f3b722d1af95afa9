"""The panes beside the map's list: the message under the cursor, and the sums; and what fills them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widget import Widget

from core.model.accounting.usage import TokenCounts
from core.model.transcript.message import Message
from inspector.base.commands import hint
from inspector.base.workers import ask, ask_store
from inspector.screens.workspace.map.listing import MapListing
from inspector.screens.workspace.map.sums import sums_lines
from inspector.screens.workspace.map.work import MapWork, count_tokens
from inspector.screens.workspace.views import GenerationView
from inspector.widgets.charts.context_strip import ContextStrip
from inspector.widgets.messages.detail_pane import CHUNK, DetailPane
from inspector.widgets.messages.message_list import MessageList
from inspector.widgets.panes.text_pane import TextPane

GLANCE = 0.04
"""Seconds the cursor must rest before its message is read, so that holding a key down costs nothing."""
REST, CALM = 0.4, 4.0
"""Seconds before messages are counted: so that passing through a generation costs nothing, and, for one
that grows, because starting a tokenizer takes 0.3 s."""


class MapPanes(Horizontal):
    """The list, and beside it the message or the totals; on a wide screen both, unless one is opened."""

    SCOPED_CSS = False  # visibility depends on a class of the screen, outside this widget
    DEFAULT_CSS = """
    MapPanes { height: 1fr; border-top: solid $rule; }
    MapPanes MessageList { width: 3fr; }
    MapPanes #beside { width: 2fr; border-left: solid $rule; }
    MapPanes DetailPane, MapPanes #sums { height: 1fr; padding: 0 1; }
    MapPanes #sums { display: none; }
    MapPanes.-sums #sums { display: block; }
    MapPanes.-sums DetailPane { display: none; }
    .-wide MapPanes MessageList { width: 2fr; }
    .-wide MapPanes #beside { width: 1fr; }
    .-wide MapPanes #sums { display: block; border-top: solid $rule; }
    .-wide MapPanes.-drawer #sums { display: none; }
    .-wide MapPanes.-sums #sums { display: block; border-top: none; }
    .-narrow MapPanes #beside { display: none; width: 1fr; border-left: none; }
    .-narrow MapPanes.-drawer #beside { display: block; }
    .-narrow MapPanes.-drawer MessageList { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.list = MessageList(
            empty=hint("{workspace.view_6} shows where this session belongs, {workspace.back} goes back.")
        )
        self.message = DetailPane()
        self.sums = TextPane(id="sums")

    def compose(self) -> ComposeResult:
        """List, message and sums, from left to right."""
        yield self.list
        yield Vertical(self.message, self.sums, id="beside")

    def open_message(self) -> None:
        """Show the message and focus it."""
        self.add_class("-drawer")
        self.remove_class("-sums")
        self._give_keys(self.message)

    def toggle_sums(self) -> None:
        """Show the sums instead of the message, or the message again."""
        shown = not self.has_class("-sums")
        self.set_class(shown, "-sums", "-drawer")
        self._give_keys(self.sums if shown else self.list)

    def close_drawer(self) -> None:
        """Return to the list."""
        self.remove_class("-drawer", "-sums")
        self._give_keys(self.list)

    def _give_keys(self, widget: Widget) -> None:
        """Focus a widget once it is visible."""
        self.call_after_refresh(widget.focus)


class MapDetail:
    """Keeps strip, message and sums in step with the list's cursor.

    Args:
        view: Provides the subject, timers and threads.
        work: What is known of the messages.
        listing: The list and its cursor.
        strip: Highlights the message under the cursor.
        panes: Show message and sums.
    """

    def __init__(
        self, view: GenerationView, work: MapWork, listing: MapListing, strip: ContextStrip, panes: MapPanes
    ) -> None:
        self._view = view
        self._work = work
        self._listing = listing
        self._strip = strip
        self._panes = panes
        self._resting: Timer | None = None
        self._message: Message | None = None

    def enter(self) -> None:
        """Reset for another generation, or the same one read again."""
        self._message = None
        self.show_sums()

    def follow(self) -> None:
        """Follow the cursor: the strip at once, the message when the cursor rests."""
        row = self._listing.row_id
        if row is not None and row != self._view.cursor.row:
            self._view.move_to(row=row)
        self._strip.cursor = self._work.place_of(row)
        self._listing.set_marks()
        if self._resting is not None:
            self._resting.stop()
        self._resting = self._view.set_timer(GLANCE, self.show_row)

    def show_row(self) -> None:
        """Show the message under the cursor, at once if it is already read."""
        row, subject, known = self._listing.row_id, self._view.subject, self._message
        self._strip.cursor = self._work.place_of(row)
        self._listing.set_marks()
        if row is None:
            self._panes.message.tell(None)
        elif known is not None and known.row is not None and known.row.id == row:
            self._row_read(row, (known,))
        elif subject is not None:
            read = partial(self._row_read, row)
            ask_store(self._view, "map-row", subject.location, lambda store: store.messages((row,)), read)

    def _row_read(self, row: int, found: Sequence[Message]) -> None:
        if row == self._listing.row_id:
            self._message = found[0] if found else None
            place = self._panes.list.message or 0
            self._panes.message.tell(self._work.detail(found[0], place) if found else None)

    def count_soon(self, *, again: bool = False) -> None:
        """Count the messages soon, unless others are shown first; later if Hermes is writing (`again`)."""
        self._view.set_timer(CALM if again else REST, partial(self._count, self._work.number))

    def _count(self, number: int) -> None:
        subject, reading = self._view.subject, self._work.reading
        if number == self._work.number and reading is not None and subject is not None:
            job = partial(count_tokens, subject.location, reading)
            ask(self._view, "map-count", job, partial(self._take_counts, number))

    def _take_counts(self, number: int, counts: TokenCounts) -> None:
        if number == self._work.number:
            self._work.counts = counts
            self.show_row()
            self.show_sums()

    def show_sums(self) -> None:
        """Show the sums as far as they are known."""
        if self._view.subject is None:
            return
        annotations, reading, counts = self._work.annotations, self._work.reading, self._work.all_counts
        plan, origins = annotations.plan if annotations else None, reading.origins if reading else ()
        conversation = self._view.subject.conversation
        self._panes.sums.show(
            lambda width, palette: list(
                sums_lines(plan, conversation, origins, width, palette, counts=counts)
            ),
            keep_place=True,
        )

    def lengthen(self) -> None:
        """Lay out another chunk of a long message."""
        detail = self._panes.message.detail
        if detail is not None:
            self._panes.message.tell(replace(detail, shown=detail.shown + CHUNK))
