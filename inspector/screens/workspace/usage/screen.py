"""Where did the money go? For everything or one conversation; every figure can show its origin."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from textual import getters
from textual.app import ComposeResult

from core.store.database.locate import Location
from inspector.base.commands import bindings, hint
from inspector.base.live import OUTDATED, Pulse
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
        """Only the panel."""
        yield self.panel

    def watch_subject(self, subject: Subject | None) -> None:
        """Ask for the conversation by model; before it is mounted, the panel only stores the question."""
        if subject is not None:
            question = Question(by="model", session=subject.conversation.root.id)
            self.panel.ask((subject.location,), question)

    def wake(self) -> None:
        """Focus the rows, once they are mounted."""
        for found in self.query(LedgerList):
            found.focus()

    def copy_text(self) -> str:
        """The origin of the figure under the cursor."""
        return self.panel.copy_text()


class UsageScreen(Page):
    """The usage of all conversations."""

    def __init__(self, locations: Sequence[Location], question: Question | None = None) -> None:
        super().__init__()
        self._locations = tuple(locations)
        self._question = question or Question()

    BINDINGS = bindings("usage_screen")
    panel = getters.query_one(UsagePanel)

    def compose(self) -> ComposeResult:
        """The panel and the key bar."""
        yield UsagePanel(self._locations, self._question)
        yield KeyBar()

    def on_mount(self) -> None:
        """Focus the rows."""
        self.panel.rows.focus()
        line = self.query_one("#dimensions", StatusLine)
        Pulse(
            self, self._locations, partial(setattr, line, "right", (("severity-warning!", hint(OUTDATED)),))
        )

    def action_refresh(self) -> None:
        """Read again."""
        self.panel.ask(self.panel.locations, self.panel.question)

    def action_copy(self) -> None:
        """Copy the origin of the figure under the cursor."""
        self.copy(self.panel.copy_text())
