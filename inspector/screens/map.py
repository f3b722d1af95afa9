"""Map: what does the model see, and what would be cut?"""

from __future__ import annotations

from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from core.compress.measure import Measured
from core.errors import UsageError
from inspector.commands import bindings
from inspector.screens.map_header import MapHeader
from inspector.screens.map_listing import ListingView
from inspector.screens.map_model import Dressing, Reading
from inspector.screens.map_sums import sums_lines
from inspector.views import Cursor
from inspector.widgets.context_strip import ContextStrip
from inspector.widgets.detail_pane import CHUNK, Detail, DetailPane
from inspector.widgets.message_list import MessageList
from inspector.widgets.prompt_bar import PromptBar
from inspector.widgets.text_pane import TextPane
from inspector.widgets.what_if import WhatIfBar

SEARCH, VALUE = "search", "value"


class MapView(ListingView):
    """The strip, the messages under their bands, one message in full, and the what-if bar."""

    SCOPED_CSS = False  # what is shown depends on a class of the screen, which stands outside this widget
    BINDINGS = bindings("map")
    DEFAULT_CSS = """
    MapView #panes { height: 1fr; border-top: solid $rule; }
    MapView MessageList { width: 3fr; }
    MapView DetailPane, MapView #sums { width: 2fr; border-left: solid $rule; padding: 0 1; }
    MapView #sums { display: none; }
    MapView.-sums #sums { display: block; }
    MapView.-sums DetailPane { display: none; }
    .-wide MapView #sums, .-wide MapView DetailPane { display: block; }
    .-narrow MapView DetailPane, .-narrow MapView #sums { display: none; width: 1fr; border-left: none; }
    .-narrow MapView.-drawer MessageList { display: none; }
    .-narrow MapView.-drawer DetailPane { display: block; }
    .-narrow MapView.-drawer.-sums DetailPane { display: none; }
    .-narrow MapView.-drawer.-sums #sums { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.reading: Reading | None = None
        self._measured: Measured | None = None

    def compose(self) -> ComposeResult:
        """Header, strip, panes, prompt, bar."""
        yield MapHeader()
        yield ContextStrip()
        with Horizontal(id="panes"):
            yield MessageList(empty="No messages. This session was opened and never spoken to.")
            yield DetailPane()
            yield TextPane(id="sums")
        yield PromptBar()
        yield WhatIfBar()

    def on_mount(self) -> None:
        """The subject may have come before the widgets."""
        self.enter()
        self.list.focus()

    def watch_subject(self) -> None:
        """Another conversation, or the same one read again."""
        if self.is_mounted:
            self.enter()

    def watch_cursor(self, old: Cursor, new: Cursor) -> None:
        """Follow the cursor all views share."""
        if not self.is_mounted:
            return
        if old.generation != new.generation:
            self.enter()
        elif (place := self.index_of(new.row)) is not None:
            self.list.go_to(place)

    # Reading and planning.

    def enter(self) -> None:
        """Show the rows of the generation at once; measure it in a worker."""
        self.asked += 1
        self.reading = self.dressing = self._measured = None
        generation = self.generation
        count = len(generation.row_ids) if generation else 0
        self.query_one(MapHeader).show(
            None, waiting=f"Measuring {count:,} messages …" if count else "Nothing to measure."
        )
        self.query_one(ContextStrip).show(None)
        self.query_one(WhatIfBar).show(None)
        self.list_rows()
        self._show_sums()
        if generation is not None and count:
            self.read_generation(generation, self.asked)

    @on(ListingView.Read)
    def _read(self, event: ListingView.Read) -> None:
        if event.asked == self.asked:
            self.reading, self._measured = event.reading, event.reading.measured
            self.query_one(WhatIfBar).show(event.reading.what_if)
            self.replan()

    @on(ListingView.MeasuredAgain)
    def _measured_again(self, event: ListingView.MeasuredAgain) -> None:
        if event.asked == self.asked:
            self._measured = event.measured
            self.replan()

    @on(WhatIfBar.Changed)
    def replan(self) -> None:
        """Plan what is supposed; another release is measured first."""
        state, reading, measured = self.query_one(WhatIfBar).state, self.reading, self._measured
        if state is None or reading is None or measured is None:
            return
        header, release = self.query_one(MapHeader), state.supposed.release
        if measured.policy.release != release:
            header.show(
                None, waiting=f"Measuring {len(reading.messages):,} messages as Hermes {release} does …"
            )
            self.measure_for(reading.messages, release, self.asked)
            return
        plan = reading.planned(measured, state.supposed)
        self.dressing = Dressing.of(reading, measured, plan)
        header.show(plan, supposed=state.changed)
        self.query_one(ContextStrip).show(plan)
        self.lay_bands()
        self._show_sums()
        self._show_row()

    def _show_sums(self) -> None:
        if self.subject is None:
            return
        plan = self.dressing.plan if self.dressing else None
        notes = self.reading.origins if self.reading else ()
        conversation = self.subject.conversation
        self.query_one("#sums", TextPane).show(
            lambda width, palette: list(sums_lines(plan, conversation, notes, width, palette)),
            keep_place=True,
        )

    # The message under the cursor.

    @on(MessageList.Moved)
    def _moved(self) -> None:
        row = self.row_id
        if row is not None and row != self.cursor.row:
            self.move_to(row=row)
        self._show_row()

    def _show_row(self) -> None:
        row, dressing = self.row_id, self.dressing
        place = None if dressing is None or row is None else dressing.reading.places.get(row)
        self.query_one(ContextStrip).cursor = place
        self.set_marks()
        if dressing is not None and place is not None:
            self._tell(replace(dressing.detail(place), index=self.list.message or 0))
            self.count_message(dressing.reading.messages[place], row or 0, dressing.plan.settings.model)
        elif row is not None:
            self.read_row(row, row)

    def _tell(self, detail: Detail) -> None:
        self.query_one(DetailPane).tell(detail)

    @on(ListingView.RowRead)
    def _row_read(self, event: ListingView.RowRead) -> None:
        known = self.dressing.reading.places if self.dressing else {}
        if event.asked == self.row_id and event.asked not in known:
            self._tell(Detail(self.list.message or 0, event.message))

    @on(ListingView.Counted)
    def _counted(self, event: ListingView.Counted) -> None:
        detail = self.query_one(DetailPane).detail
        if detail is not None and event.row == self.row_id:
            self._tell(replace(detail, counted=event.tokens, exact=event.exact))

    @on(ContextStrip.Chosen)
    def _chosen(self, event: ContextStrip.Chosen) -> None:
        row = self.reading.messages[event.index].row if self.reading else None
        place = self.index_of(row.id if row else None)
        if place is not None:
            self.list.go_to(place)

    # Keys.

    def action_what_if(self) -> None:
        """Give the bar the keys."""
        self.query_one(WhatIfBar).focus()

    def action_turn(self, step: int) -> None:
        """Turn the selected knob without leaving the list."""
        self.query_one(WhatIfBar).action_turn(step)

    def action_reset(self) -> None:
        """Suppose nothing."""
        self.query_one(WhatIfBar).action_reset()

    def action_everything(self) -> None:
        """As the model saw it, or every row."""
        self.everything = not self.everything
        self.list_rows()
        self._show_row()
        self.app.notify("Every row ever stored." if self.everything else "As the model saw it.", markup=False)

    def action_sums(self) -> None:
        """Show the sums in place of the message; a wide screen shows both."""
        self.toggle_class("-sums")
        self.set_class(self.has_class("-sums"), "-drawer")
        self._give_keys(self.query_one("#sums") if self.has_class("-sums") else self.list)

    def action_scroll_detail(self, step: int) -> None:
        """Scroll the message."""
        self.query_one(DetailPane).action_line(step * 3)

    def action_longer(self) -> None:
        """Lay out another chunk of a long message."""
        detail = self.query_one(DetailPane).detail
        if detail is not None:
            self._tell(replace(detail, shown=detail.shown + CHUNK))

    def action_search(self) -> None:
        """Ask what to look for."""
        self.query_one(PromptBar).ask(SEARCH, "/", hint="text in this conversation")

    @on(WhatIfBar.TypingAsked)
    def _ask_value(self) -> None:
        state = self.query_one(WhatIfBar).state
        if state is not None:
            label = state.knob.label or "temperature"
            self.query_one(PromptBar).ask(VALUE, label, hint=f"now {state.shown(state.knob)}")

    @on(PromptBar.Answered)
    def _answered(self, event: PromptBar.Answered) -> None:
        bar = self.query_one(WhatIfBar)
        if event.purpose == VALUE:
            bar.focus()
            if event.text and bar.state is not None:
                self._suppose(bar, event.text)
            return
        self.list.focus()
        if event.text:
            self.search([row for _, row in self._listed], event.text)

    def _suppose(self, bar: WhatIfBar, text: str) -> None:
        try:
            bar.become(bar.state.typed(text) if bar.state else None)
        except UsageError as error:
            self.report(error)

    @on(MessageList.Opened)
    def _opened(self) -> None:
        self.add_class("-drawer")
        self.remove_class("-sums")
        self._give_keys(self.query_one(DetailPane))

    @on(WhatIfBar.Left)
    def action_close(self) -> None:
        """Back to the list; then forget the search."""
        if not self.has_class("-drawer") and self.list.has_focus:
            self.clear_hits()
        self.remove_class("-drawer", "-sums")
        self._give_keys(self.list)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape and r fall through to the workspace when there is nothing here to close or reset."""
        if action == "close":
            return bool(self._hits) or not self.list.has_focus
        if action == "reset":
            state = self.query_one(WhatIfBar).state
            return state is not None and state.changed
        return True

    def _give_keys(self, widget: Widget) -> None:
        self.call_after_refresh(widget.focus)

    def wake(self) -> None:
        """The list has the keys; before it is mounted there is nothing to wake."""
        for found in self.query(MessageList):
            found.focus()

    def copy_text(self) -> str:
        """The text of the message under the cursor."""
        detail = self.query_one(DetailPane).detail
        return detail.message.text if detail else ""
