"""Where did the money go? Over everything, or in one conversation; every number says where it is from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from textual import getters
from textual.app import ComposeResult

from core.store.database.locate import Location
from inspector.base.commands import bindings
from inspector.base.live import BEHIND, Pulse
from inspector.screens.page import Page
from inspector.screens.workspace.usage.list_view import LedgerList
from inspector.screens.workspace.usage.panel import UsagePanel
from inspector.screens.workspace.usage.question import Question
from inspector.screens.workspace.views import Subject, View
from inspector.widgets.bars.answer_and_keys import KeyBar
from inspector.widgets.bars.status_line import StatusLine


class UsageView(View):
    """The usage of one conversation, as a tab of its workspace."""

    def __init__(self) -> None:
        super().__init__()
        self.panel = UsagePanel()

    def compose(self) -> ComposeResult:
        """The panel alone."""
        yield self.panel

    def watch_subject(self, subject: Subject | None) -> None:
        """Add up the conversation, model by model; before the panel is mounted it keeps the question."""
        if subject is not None:
            question = Question(by="model", session=subject.conversation.root.id)
            self.panel.ask((subject.location,), question)

    def wake(self) -> None:
        """The rows have the keys; before they are mounted there is nothing to wake."""
        for found in self.query(LedgerList):
            found.focus()

    def copy_text(self) -> str:
        """The origin of the figure under the cursor."""
        return self.panel.copy_text()


class UsageScreen(Page):
    """The usage of everything in sight.

    Args:
        locations: The databases.
        question: What to begin with.
    """

    def __init__(self, locations: Sequence[Location], question: Question | None = None) -> None:
        super().__init__()
        self._locations = tuple(locations)
        self._question = question or Question()

    BINDINGS = bindings("usage_screen")
    panel = getters.query_one(UsagePanel)

    def compose(self) -> ComposeResult:
        """The panel and its keys."""
        yield UsagePanel(self._locations, self._question)
        yield KeyBar()

    def on_mount(self) -> None:
        """The rows take the keys."""
        self.panel.rows.focus()
        line = self.query_one("#dimensions", StatusLine)
        Pulse(self, self._locations, partial(setattr, line, "right", (("severity-warning!", BEHIND),)))

    def action_refresh(self) -> None:
        """Add up again."""
        self.panel.ask(self.panel.locations, self.panel.question)

    def action_copy(self) -> None:
        """Copy the origin of the figure under the cursor."""
        self.copy(self.panel.copy_text())
