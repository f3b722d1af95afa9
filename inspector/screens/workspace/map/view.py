"""Map: what does the model see, and where would compression cut?"""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult

from core.errors import UsageError
from inspector.base.commands import bindings, hint
from inspector.screens.workspace.engines.screen import open_engines
from inspector.screens.workspace.map.detail import MapDetail, MapPanes
from inspector.screens.workspace.map.listing import MapListing
from inspector.screens.workspace.map.model import listed_words
from inspector.screens.workspace.map.planning import MapPlanner, PlanWidgets
from inspector.screens.workspace.map.work import MapWork
from inspector.screens.workspace.views import Cursor, GenerationView
from inspector.widgets.bars.input_lines import PromptBar
from inspector.widgets.bars.what_if import WhatIfBar
from inspector.widgets.charts.context_strip import ContextStrip
from inspector.widgets.messages.message_list import MessageList

SEARCH, VALUE = "search", "value"


class MapView(GenerationView):
    """The strip, the messages with bands, one message in full, and the what-if bar.

    Attributes:
        work: What is known of the generation.
        widgets: Show its plan.
        panes: List, message and sums.
        listing: Fills the list and jumps around in it.
        detail: Fills message and sums.
        planner: Reads, measures, plans.
    """

    BINDINGS = bindings("map")
    DEFAULT_CSS = """
    MapView.-nothing MapHeader, MapView.-nothing ContextStrip, MapView.-nothing WhatIfBar { display: none; }
    MapView.-nothing #beside { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.work, self.widgets, self.panes = MapWork(), PlanWidgets(), MapPanes()
        self._prompt = PromptBar()
        self.listing = MapListing(self, self.work, self.panes.list)
        self.detail = MapDetail(self, self.work, self.listing, self.widgets.strip, self.panes)
        self.planner = MapPlanner(self, self.work, self.widgets, self.listing, self.detail)

    def compose(self) -> ComposeResult:
        """Answer, header, strip, panes, prompt, bar."""
        yield self.widgets.answer
        yield self.widgets.header
        yield self.widgets.strip
        yield self.panes
        yield self._prompt
        yield self.widgets.bar

    def enter(self, *, again: bool = False) -> None:
        """Show the rows of the generation, then its plan."""
        if again:
            self.planner.renew(self.generation)
        else:
            self.planner.enter(self.generation)

    def follow(self, old: Cursor, new: Cursor) -> None:
        """Take over the what-if values, and go to the message."""
        self.planner.follow()
        self.listing.go_to(new.row)

    def wake(self) -> None:
        """Focus the list, once it is mounted."""
        if self.panes.list.is_mounted:
            self.panes.list.focus()

    def report(self, error: BaseException) -> None:
        """Report an error; a failed read also ends the waiting message."""
        if self.work.reading is None:
            self.planner.wait(hint("The messages could not be measured; {page.refresh} reads them again."))
        super().report(error)

    def copy_text(self) -> str:
        """The text of the message under the cursor."""
        shown = self.panes.message.detail
        return shown.message.text if shown else ""

    # Messages from widgets.

    @on(MessageList.Moved)
    def _moved(self) -> None:
        self.detail.follow()

    @on(MessageList.Opened)
    def _opened(self) -> None:
        self.panes.open_message()

    @on(ContextStrip.Chosen)
    def _chosen(self, event: ContextStrip.Chosen) -> None:
        self.listing.go_to(self.work.row_at(event.index))

    @on(WhatIfBar.Changed)
    def _turned(self, event: WhatIfBar.Changed) -> None:
        self.planner.replan()
        self.suppose(event.state.supposed if event.state.changed else None)

    @on(WhatIfBar.TypingAsked)
    def _ask_value(self) -> None:
        if (state := self.widgets.bar.state) is not None:
            hint = f"now {state.shown(state.setting)}"
            self._prompt.ask(VALUE, state.setting.label or "temperature", hint=hint)

    @on(PromptBar.Answered)
    def _answered(self, event: PromptBar.Answered) -> None:
        if event.purpose == SEARCH:
            self.panes.list.focus()
            if event.text:
                self.listing.search(event.text)
            return
        self.widgets.bar.focus()
        if event.text and (state := self.widgets.bar.state) is not None:
            try:
                self.widgets.bar.become(state.typed(event.text))
            except UsageError as error:
                self.report(error)

    # Keys.

    def action_what_if(self) -> None:
        """Focus the what-if bar."""
        self.widgets.bar.focus()

    def action_turn(self, step: int) -> None:
        """Turn the selected setting without leaving the list."""
        self.widgets.bar.action_turn(step)

    def action_reset(self) -> None:
        """Reset the what-if values."""
        self.widgets.bar.action_reset()

    def action_everything(self) -> None:
        """Switch between the messages as the model saw them and every row."""
        everything = self.listing.everything = not self.listing.everything
        self.listing.list_rows()
        self.detail.show_row()
        if self.subject is not None:
            self.toast(listed_words(self.subject.conversation, everything=everything))

    def action_leave_for(self, what: str) -> None:
        """Show the engines, or what happened to each tool result."""
        from inspector.screens.results import ResultsScreen

        if what == "engines":
            open_engines(self)
        elif self.subject is not None:
            about = self.subject.conversation
            self.app.push_screen(ResultsScreen(self.subject.location, about.tip.id, about.name))

    def action_search(self) -> None:
        """Ask for a text to search for."""
        self._prompt.ask(SEARCH, "/", hint="text in this conversation")

    def action_go_to(self, what: str, step: int) -> None:
        """Go to the next search hit, band, or message of the user."""
        goes = {
            "hit": self.listing.go_to_hit,
            "band": self.listing.go_to_band,
            "turn": self.listing.go_to_turn,
        }
        goes[what](step)

    def action_scroll_detail(self, step: int) -> None:
        """Scroll the message."""
        self.panes.message.action_line(step * 3)

    def action_longer(self) -> None:
        """Lay out another chunk of a long message."""
        self.detail.lengthen()

    def action_sums(self) -> None:
        """Show the sums instead of the message; a wide screen shows both."""
        self.panes.toggle_sums()

    @on(WhatIfBar.Left)
    def action_close(self) -> None:
        """Cancel a running engine, or return to the list; on the list, clear the search."""
        if self.planner.running:
            self.planner.give_up()
            return
        if self.panes.list.has_focus:
            self.listing.clear_hits()
        self.panes.close_drawer()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Escape and r to the workspace if there is nothing to close or reset here."""
        if action in ("close", "reset") and not self.is_mounted:
            return False
        if action == "close":
            return self.planner.running or self.listing.has_hits or not self.panes.list.has_focus
        if action == "reset":
            return self.widgets.bar.state is not None and self.widgets.bar.state.changed
        return True
