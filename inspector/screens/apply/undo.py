"""Undoes what was written earlier: shows what it was, and one key restores every row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual import getters
from textual.app import ComposeResult
from textual.containers import Horizontal

from core.model.compaction.apply import JournalEntry
from core.store.database.locate import Location
from core.support import formatting as fmt
from inspector.base.commands import bindings, key_of
from inspector.base.workers import ask_store, in_thread, then
from inspector.screens.apply.model import TAKEN_BACK, failed_answer, offer, restored_lines
from inspector.screens.apply.screen import WritingBar
from inspector.screens.apply.work import take_back
from inspector.screens.apply.written import Written, read_written, written_lines
from inspector.screens.page import Page
from inspector.terminal.line import Line, Palette
from inspector.widgets.bars.answer_and_keys import AnswerBar
from inspector.widgets.bars.title_bar import TitleBar
from inspector.widgets.panes.text_pane import LongText, TextPane


class UndoScreen(Page):
    """One journal entry, and how to undo it."""

    CSS_PATH = "apply.tcss"
    BINDINGS = bindings("undo")

    text = getters.query_one("#change", TextPane)

    def __init__(self, location: Location, entry: JournalEntry, conversation: str) -> None:
        super().__init__()
        self._location, self._entry, self._conversation = location, entry, conversation
        self._written: Written | None = None
        self._answer = offer(entry)
        self.busy = self.done = False

    def compose(self) -> ComposeResult:
        """Title, answer, text, on a wide screen the summary that was written, key bar."""
        yield TitleBar()
        yield AnswerBar()
        yield Horizontal(TextPane(id="change"), LongText(id="summary"))
        yield WritingBar()

    def on_mount(self) -> None:
        """Show what was written."""
        bar = self.query_one(TitleBar)
        bar.heading, bar.brief_place = self._conversation, "undo"
        bar.place = f"undo · written {fmt.moment(self._entry.at)}"
        self.text.focus()
        self._draw()
        ask_store(self, "written", self._location, partial(read_written, self._entry), self._take)

    def _take(self, written: Written) -> None:
        self._written = written
        if written.summary:
            self.add_class("-summary")
            goes = f"{key_of('undo.take_back')} takes this summary out:"
            self.query_one(LongText).read(f"{goes}\n\n{written.summary}")
        self._draw()

    def _draw(self) -> None:
        self.query_one(AnswerBar).answer = self._answer
        self.text.show(self._lines)
        self.refresh_bindings()

    def _lines(self, width: int, ink: Palette) -> Iterator[Line]:
        entry = self._entry
        if self.done:
            yield from restored_lines(entry, entry.replaced, entry.written, width, ink)
        else:
            yield from written_lines(entry, self._written, width, ink)

    @in_thread("undo")
    def put_back(self) -> None:
        """Undo it."""
        take_back(self._entry.database, self._entry.id)
        then(self, self._restored)

    def _restored(self) -> None:
        self.busy, self.done = False, True
        self._answer = TAKEN_BACK
        self.remove_class("-summary")
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
        self.copy(f"{self.query_one(AnswerBar).text}\n\n{self.text.text}")

    def action_back(self) -> None:
        """Return to the previous screen."""
        if not self.busy:
            self.dismiss()
