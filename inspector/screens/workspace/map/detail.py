"""The right side of the map: the message under the cursor, or the sums; a drawer where there is no room."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from textual import on
from textual.timer import Timer
from textual.widget import Widget

from core.model.accounting.usage import TokenCounts
from core.preview.generation import Reading
from inspector.screens.workspace.map.listing import ListingView
from inspector.screens.workspace.map.sums import sums_lines
from inspector.widgets.charts.context_strip import ContextStrip
from inspector.widgets.messages.detail_pane import CHUNK, Detail, DetailPane
from inspector.widgets.messages.message_list import MessageList
from inspector.widgets.panes.text_pane import TextPane

GLANCE = 0.04
"""Seconds the cursor rests before its message is shown: holding a key down costs nothing."""
REST = 0.4
"""Seconds a generation stays before its messages are counted: passing through costs nothing."""


class DetailView(ListingView):
    """Keeps strip, detail and sums in step with the cursor of the list."""

    def __init__(self) -> None:
        super().__init__()
        self.reading: Reading | None = None
        self.counts: TokenCounts | None = None
        self._resting: Timer | None = None

    @property
    def pane(self) -> DetailPane:
        """The message in full."""
        return self.query_one(DetailPane)

    @on(MessageList.Moved)
    def _moved(self) -> None:
        row = self.row_id
        if row is not None and row != self.cursor.row:
            self.move_to(row=row)
        self.query_one(ContextStrip).cursor = self._place
        self.set_marks()
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(GLANCE, self.show_row)

    @property
    def _place(self) -> int | None:
        """Where the message under the cursor stands in the request; None outside it or before it was read."""
        row = self.row_id
        return None if self.dressing is None or row is None else self.dressing.reading.places.get(row)

    def show_row(self) -> None:
        """Show the message under the cursor: at once when it was read, else as soon as it is."""
        row, dressing, place = self.row_id, self.dressing, self._place
        self.query_one(ContextStrip).cursor = place
        self.set_marks()
        if row is None:
            self.pane.tell(None)
        elif dressing is None or place is None:
            self.read_row(row)
        else:
            detail = replace(dressing.detail(place), index=self.list.message or 0)
            self.pane.tell(detail if self.counts is None else _counted(detail, self.counts, place))

    @on(ListingView.RowRead)
    def _row_read(self, event: ListingView.RowRead) -> None:
        known = self.dressing.reading.places if self.dressing else {}
        if event.row == self.row_id and event.row not in known:
            self.pane.tell(Detail(self.list.message or 0, event.message))

    def count_soon(self) -> None:
        """Count the messages that were read, unless another generation is asked for first."""
        self.set_timer(REST, partial(self._count, self.asked))

    def _count(self, asked: int) -> None:
        if asked == self.asked and self.reading is not None:
            here = self.reading.situation
            self.count(here.messages, here.settings.model, asked)

    @on(ListingView.Counted)
    def _take_counts(self, event: ListingView.Counted) -> None:
        if event.asked == self.asked:
            self.counts = event.counts
            self.show_row()
            self.show_sums()

    @on(ContextStrip.Chosen)
    def _chosen(self, event: ContextStrip.Chosen) -> None:
        row = self.reading.messages[event.index].row if self.reading else None
        place = self.index_of(row.id if row else None)
        if place is not None:
            self.list.go_to(place)

    def show_sums(self) -> None:
        """The sums as far as they are known."""
        if self.subject is None:
            return
        plan = self.dressing.plan if self.dressing else None
        origins = self.reading.origins if self.reading else ()
        conversation = self.subject.conversation
        self.query_one("#sums", TextPane).show(
            lambda width, palette: list(
                sums_lines(plan, conversation, origins, width, palette, counts=self.counts)
            ),
            keep_place=True,
        )

    # Keys.

    def action_scroll_detail(self, step: int) -> None:
        """Scroll the message."""
        self.pane.action_line(step * 3)

    def action_longer(self) -> None:
        """Lay out another chunk of a long message."""
        if self.pane.detail is not None:
            self.pane.tell(replace(self.pane.detail, shown=self.pane.detail.shown + CHUNK))

    def action_sums(self) -> None:
        """Show the sums in place of the message; a wide screen shows both."""
        shown = not self.has_class("-sums")
        self.set_class(shown, "-sums", "-drawer")
        self.give_keys(self.query_one("#sums") if shown else self.list)

    @on(MessageList.Opened)
    def _opened(self) -> None:
        self.add_class("-drawer")
        self.remove_class("-sums")
        self.give_keys(self.pane)

    def close_drawer(self) -> None:
        """Back to the list."""
        self.remove_class("-drawer", "-sums")
        self.give_keys(self.list)

    def give_keys(self, widget: Widget) -> None:
        """Focus a widget once what hides it is gone."""
        self.call_after_refresh(widget.focus)

    def copy_text(self) -> str:
        """The text of the message under the cursor."""
        return self.pane.detail.message.text if self.pane.detail else ""


def _counted(detail: Detail, counts: TokenCounts, place: int) -> Detail:
    tokens = counts.counts[place] + counts.reasoning[place]
    return replace(detail, counted=(tokens, counts.encoding.name), exact=counts.encoding.exact)
