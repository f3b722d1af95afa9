"""Map: what does the model see, and what would be cut?"""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from core.compress.planning.measure import Measured
from core.errors import UsageError
from core.model.headline import UNSAID
from core.model.transcript.conversation import Generation
from core.preview.headline import plan_headline
from inspector.base.commands import bindings
from inspector.screens.workspace.map.detail import DetailView
from inspector.screens.workspace.map.header import MapHeader
from inspector.screens.workspace.map.model import Dressing
from inspector.screens.workspace.views import Cursor
from inspector.widgets.bars.answer_bar import AnswerBar
from inspector.widgets.bars.prompt_bar import PromptBar
from inspector.widgets.bars.what_if import WhatIfBar
from inspector.widgets.charts.context_strip import ContextStrip
from inspector.widgets.messages.detail_pane import DetailPane
from inspector.widgets.messages.message_list import MessageList
from inspector.widgets.panes.text_pane import TextPane

SEARCH, VALUE = "search", "value"


class MapView(DetailView):
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
        self._measured: Measured | None = None
        self._unread: Generation | None = None

    def compose(self) -> ComposeResult:
        """Answer, header, strip, panes, prompt, bar."""
        yield AnswerBar()
        yield MapHeader()
        yield ContextStrip()
        with Horizontal(id="panes"):
            yield MessageList(empty="No messages: this session was opened and nothing was said.")
            yield DetailPane()
            yield TextPane(id="sums")
        yield PromptBar()
        yield WhatIfBar()

    @property
    def bar(self) -> WhatIfBar:
        """The what-if bar."""
        return self.query_one(WhatIfBar)

    def follow(self, old: Cursor, new: Cursor) -> None:
        """Take what is supposed, and go to the message."""
        state = self.bar.state
        if state is not None and state.supposing(new.supposed) != state:
            self.bar.show(state.supposing(new.supposed))
            self.replan()
        if (place := self.index_of(new.row)) is not None:
            self.list.go_to(place)

    # Reading and planning.

    def enter(self) -> None:
        """Show the rows of the generation at once; measure it in a worker."""
        self.asked += 1
        self.reading = self.dressing = self.counts = self._measured = None
        count = len(self.generation.row_ids) if self.generation else 0
        waiting = f"Measuring {count:,} messages …" if count else "Nothing to measure."
        self.query_one(AnswerBar).answer = UNSAID
        self.query_one(MapHeader).show(None, waiting=waiting)
        self.query_one(ContextStrip).show(None)
        self.bar.show(None)
        self._unread = self.generation if count else None
        self.list_rows(anew=True)
        self.show_sums()

    def page_arrived(self) -> None:
        """Measure only once there is something to look at: both would want the same processor."""
        generation, self._unread = self._unread, None
        if generation is not None:
            self.read_generation(generation, self.asked)

    @on(DetailView.Read)
    def _read(self, event: DetailView.Read) -> None:
        if event.asked == self.asked:
            self.reading, self._measured = event.reading, event.reading.measured
            self.bar.show(event.reading.what_if.supposing(self.cursor.supposed))
            self.replan()
            self.count_soon()

    @on(DetailView.MeasuredAgain)
    def _measured_again(self, event: DetailView.MeasuredAgain) -> None:
        if event.asked == self.asked:
            self._measured = event.measured
            self.replan()

    @on(WhatIfBar.Changed)
    def _turned(self, event: WhatIfBar.Changed) -> None:
        self.replan()
        self.suppose(event.state.supposed if event.state.changed else None)

    def replan(self) -> None:
        """Plan what is supposed; another release is measured first."""
        state, reading, measured = self.bar.state, self.reading, self._measured
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
        self.query_one(AnswerBar).answer = plan_headline(plan)
        header.show(plan, supposed=state.changed)
        self.query_one(ContextStrip).show(plan)
        self.lay_bands()
        self.show_sums()
        self.show_row()

    def report(self, error: BaseException) -> None:
        """What could not be read is not being measured any more."""
        if self.reading is None:
            self.query_one(MapHeader).show(None, waiting="Could not be measured; r reads again.")
        super().report(error)

    # Keys.

    def action_what_if(self) -> None:
        """Give the bar the keys."""
        self.bar.focus()

    def action_turn(self, step: int) -> None:
        """Turn the selected knob without leaving the list."""
        self.bar.action_turn(step)

    def action_reset(self) -> None:
        """Suppose nothing."""
        self.bar.action_reset()

    def action_everything(self) -> None:
        """As the model saw it, or every row."""
        self.everything = not self.everything
        self.list_rows()
        self.show_row()
        self.toast("Every row ever stored." if self.everything else "As the model saw it.")

    def action_results(self) -> None:
        """Show what became of each tool result."""
        from inspector.screens.results.screen import ResultsScreen

        if self.subject is not None:
            about = self.subject.conversation
            self.app.push_screen(ResultsScreen(self.subject.location, about.tip.id, about.name))

    def action_search(self) -> None:
        """Ask what to look for."""
        self.query_one(PromptBar).ask(SEARCH, "/", hint="text in this conversation")

    @on(WhatIfBar.TypingAsked)
    def _ask_value(self) -> None:
        if self.bar.state is not None:
            knob = self.bar.state.knob
            hint = f"now {self.bar.state.shown(knob)}"
            self.query_one(PromptBar).ask(VALUE, knob.label or "temperature", hint=hint)

    @on(PromptBar.Answered)
    def _answered(self, event: PromptBar.Answered) -> None:
        if event.purpose == VALUE:
            self.bar.focus()
            self._suppose(event.text or "")
            return
        self.list.focus()
        if event.text:
            self.search(self.listed_ids, event.text)

    def _suppose(self, text: str) -> None:
        if text and self.bar.state is not None:
            try:
                self.bar.become(self.bar.state.typed(text))
            except UsageError as error:
                self.report(error)

    @on(WhatIfBar.Left)
    def action_close(self) -> None:
        """Back to the list; once there, forget the search."""
        if self.list.has_focus:
            self.clear_hits()
        self.close_drawer()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape and r fall through to the workspace when there is nothing here to close or reset."""
        if action in ("close", "reset") and not self.is_mounted:
            return False
        if action == "close":
            return self.has_hits or not self.list.has_focus
        if action == "reset":
            return self.bar.state is not None and self.bar.state.changed
        return True

    def wake(self) -> None:
        """The list has the keys; before it is mounted there is nothing to wake."""
        for found in self.query(MessageList):
            found.focus()
