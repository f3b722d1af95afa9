"""Preview: what would be lost, and is this focus better? For an older generation: what was lost?"""

from __future__ import annotations

from functools import partial

from textual import on
from textual.app import ComposeResult

from core.compress.engines.host.process import EngineFailed
from core.compress.summarise.base import FailureKind, SummaryFailure
from core.model.transcript.conversation import Generation
from core.preview.foreseen import Basis
from core.preview.offers import prompt_of
from core.preview.words import broken_engine
from inspector.base.commands import bindings
from inspector.base.workers import start
from inspector.screens.workspace.preview.header import PreviewHeader
from inspector.screens.workspace.preview.making import PreviewMaker
from inspector.screens.workspace.preview.next_screens import NextScreens
from inspector.screens.workspace.preview.panes import SIDES, TEXT, PreviewPanes
from inspector.screens.workspace.preview.typed_answers import TypedAnswers
from inspector.screens.workspace.preview.work import KEEP_ALL, ONLY_SUMMARY, PreviewWork
from inspector.screens.workspace.views import Cursor, GenerationView
from inspector.widgets.bars.input_lines import PromptBar
from inspector.widgets.messages.message_list import MessageList

NEEDING = {"focus", "focuses", "writer", "apply", "edit"}
"""What is asked for or opened only where something is summarised."""


class PreviewView(GenerationView):
    """A preview of the next compaction, or the real one that ended an older generation.

    Attributes:
        work: The state of the preview, with the comparison shown.
        panes: Both sides, diff, long text, lost facts.
        maker: Reads, cuts, has the summary written.
        answers: Handles the prompt: topic, turns to keep, model.
    """

    BINDINGS = bindings("preview")

    def __init__(self) -> None:
        super().__init__()
        self.work = PreviewWork()
        self.header, self.panes, self._bar = PreviewHeader(), PreviewPanes(), PromptBar()
        self.maker = PreviewMaker(self, self.work, self.header, self.panes)
        self._screens = NextScreens(self, self.maker)
        self.answers = TypedAnswers(self, self._bar, self.maker, self._screens)
        self._outdated = False
        self._entered: Generation | None = None

    def compose(self) -> ComposeResult:
        """Header, panes, prompt."""
        yield self.header
        yield self.panes
        yield self._bar

    def follow(self, old: Cursor, new: Cursor) -> None:
        """Make a new preview for other what-if values or another engine."""
        if (old.supposed, old.engine) != (new.supposed, new.engine):
            self._outdated = True
            if self.display:
                self.enter()

    def enter(self, *, again: bool = False) -> None:
        """Show the compaction that ends this generation, as a preview or as it happened.

        A preview stays while Hermes writes, because a new one may cost money.
        """
        if again:
            if self._wrote_more and not self.maker.looks_back:
                self._outdated = True
                self.header.show_outdated(True)
            return
        self._outdated, self._entered = False, self.generation
        self.header.show_outdated(False)
        self.maker.enter(self.generation)

    @property
    def _wrote_more(self) -> bool:
        """Whether there are other messages than when this was entered; the file holds other sessions too."""
        before, here = self._entered, self.generation
        return before is None or here is None or before.row_ids != here.row_ids

    def wake(self) -> None:
        """Focus the left side, and make an outdated preview again."""
        if self.is_mounted and self._outdated:
            self.enter()
        for found in self.query(MessageList):
            found.focus()

    def copy_text(self) -> str:
        """The summary."""
        return self.work.shown.summary if self.work.shown else ""

    def report(self, error: BaseException) -> None:
        """Report a failure and keep what was shown; cancelling is not a failure."""
        engine = self.cursor.engine
        broken = (
            broken_engine(engine.title, error.what) if engine and isinstance(error, EngineFailed) else None
        )
        self.maker.rest("No preview.", broken)
        self.maker.at_last.go_on()
        if not (isinstance(error, SummaryFailure) and error.kind is FailureKind.CANCELLED):
            super().report(error)

    @on(PromptBar.Answered)
    def _take_prompt(self, event: PromptBar.Answered) -> None:
        self.panes.before.focus()
        self.answers.take(event)

    @on(MessageList.Opened, "MessageList")
    def _opened(self) -> None:
        row = self.panes.row
        if row is not None:
            self.move_to(row=row)
            self.post_message(self.MapRequested())

    # Keys.

    def action_ask(self, what: str) -> None:
        """Ask for a topic, topics to compare, turns to keep, or a summariser."""
        asks = {
            "focus": self.answers.ask_focus,
            "focuses": self.answers.ask_focuses,
            "turns": self.answers.ask_turns,
            "writer": self.answers.choose_writer,
        }
        asks[what]()

    def action_go_on(self, what: str) -> None:
        """Edit the summary, review writing it, or undo what was written."""
        screens = {"edit": self._screens.edit, "apply": self._screens.apply, "undo": self._screens.undo}
        screens[what]()

    def action_focus_lab(self, first: str = "", second: str = "") -> None:
        """Compare two topics; missing ones are suggested."""
        # Two parameters, because Textual passes an action only as many arguments as its signature names.
        self.answers.compare(first, second)

    def action_engines(self) -> None:
        """Choose or compare context engines."""
        self.answers.choose_engine()

    def action_reset(self) -> None:
        """Reset the what-if values: preview what would really happen."""
        self.suppose(None)

    def action_look(self, mode: str) -> None:
        """Show the diff or the lost facts; pressed again, both sides."""
        self.panes.look(mode)

    def action_prompt(self) -> None:
        """Show the prompt that a model would be sent."""
        if self.panes.mode == TEXT:
            self.panes.look(SIDES)
        elif self.work.basis is None or self.work.refusal:
            self.toast(self.work.refusal, "warning")
        else:
            self.panes.read_text("Putting the prompt together …")
            start(self, "preview-prompt", partial(self._read_prompt, self.work.basis, self.work.focus))

    def _read_prompt(self, basis: Basis, focus: str | None) -> None:
        text = prompt_of(basis, focus).text
        self.maker.answer(self.work.number, partial(self._show_prompt, text))

    def _show_prompt(self, text: str) -> None:
        if self.panes.mode == TEXT and not self.work.busy:
            self.panes.read_text(text)

    def action_close(self) -> None:
        """Cancel a summary being written, or return to both sides."""
        if self.work.busy:
            self.maker.give_up()
        if self.panes.mode != SIDES:
            self.panes.look(SIDES)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Escape and r to the workspace if there is nothing to close or reset here.

        What needs a summary is not offered where nothing would be summarised, as the answer says.
        """
        is_empty = self.generation is None or not self.generation.row_ids
        is_idle = is_empty or self.work.refusal in (KEEP_ALL, ONLY_SUMMARY)
        if is_idle and (action == "prompt" or NEEDING & set(parameters)):
            return False
        if action == "close":
            return self.work.busy or self.panes.mode != SIDES
        return action != "reset" or self.cursor.supposed is not None
