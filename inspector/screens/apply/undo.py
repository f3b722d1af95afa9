"""Undoes what was written earlier: shows what it was, and one key restores every row."""

from __future__ import annotations

from collections.abc import Iterator

from textual.app import ComposeResult

from core.model.compaction.apply import JournalEntry
from core.store.database.own_changes import undo_command
from core.support import formatting as fmt
from inspector.base.commands import bindings
from inspector.base.workers import in_thread, then
from inspector.payloads.values import call_words
from inspector.screens.apply.model import TAKEN_BACK, failed_answer, offer, place_lines, restored_lines
from inspector.screens.apply.screen import WritingBar
from inspector.screens.apply.work import take_back
from inspector.screens.page import Page
from inspector.terminal.line import Line, Palette
from inspector.widgets.bars.answer_and_keys import AnswerBar
from inspector.widgets.bars.title_bar import TitleBar
from inspector.widgets.panes.card import field
from inspector.widgets.panes.text_pane import TextPane


class UndoScreen(Page):
    """One journal entry, and how to undo it."""

    CSS_PATH = "apply.tcss"
    BINDINGS = bindings("undo")

    def __init__(self, entry: JournalEntry) -> None:
        super().__init__()
        self._entry = entry
        self._answer = offer(entry.replaced)
        self.busy = self.done = False

    def compose(self) -> ComposeResult:
        """Title, answer, text, key bar."""
        yield TitleBar()
        yield AnswerBar()
        yield TextPane()
        yield WritingBar()

    def on_mount(self) -> None:
        """Show what was written."""
        bar = self.query_one(TitleBar)
        bar.heading, bar.detail = "Undo", f"written {fmt.moment(self._entry.at)}"
        self.query_one(TextPane).focus()
        self._draw()

    def _draw(self) -> None:
        self.query_one(AnswerBar).answer = self._answer
        self.query_one(TextPane).show(self._lines)
        self.refresh_bindings()

    def _lines(self, width: int, ink: Palette) -> Iterator[Line]:
        entry = self._entry
        yield from place_lines(entry, width, ink)
        if self.done:
            yield from restored_lines(entry.replaced, entry.written, width, ink)
            return
        yield from field("rows", f"{entry.replaced:,} replaced, {entry.written:,} written", width, ink)
        if entry.call is not None:
            yield from field("summary", call_words(entry.call), width, ink)
        yield from field("undo", undo_command(entry.id, entry.database), width, ink, "ink-muted")

    @in_thread("undo")
    def put_back(self) -> None:
        """Undo it."""
        take_back(self._entry.database, self._entry.id)
        then(self, self._restored)

    def _restored(self) -> None:
        self.busy, self.done = False, True
        self._answer = TAKEN_BACK
        self._draw()

    def report(self, error: BaseException) -> None:
        """Show a refusal as the answer."""
        super().report(error)
        self.busy = False
        self._answer = failed_answer(getattr(error, "line", str(error)))
        self._draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Undo works once, and not while it is running."""
        return action != "take_back" or not (self.busy or self.done)

    def action_take_back(self) -> None:
        """Restore every replaced row."""
        self.busy = True
        self.put_back()

    def action_copy(self) -> None:
        """Copy what is shown."""
        self.copy(f"{self.query_one(AnswerBar).text}\n\n{self.query_one(TextPane).text}")

    def action_back(self) -> None:
        """Return to the previous screen."""
        if not self.busy:
            self.dismiss()
