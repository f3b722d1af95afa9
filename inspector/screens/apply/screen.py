"""What exactly would be written, does anything prevent it, and how is it undone?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal

from core.model.compaction.apply import Applied, ApplyMode
from core.model.finding import NO_HEADLINE
from core.store.database.locate import Location
from inspector.base.commands import bindings, hint
from inspector.base.workers import Answered, in_thread, then
from inspector.screens.apply.model import (
    TAKEN_BACK,
    Stage,
    applied_lines,
    failed_answer,
    once_more,
    review_answer,
    review_lines,
    summary_text,
    undone_lines,
    written_answer,
)
from inspector.screens.apply.work import Proposal, Review, carry_out, examine, next_mode, take_back
from inspector.screens.page import Page
from inspector.terminal.line import Line, Palette
from inspector.widgets.bars.answer_and_keys import AnswerBar, KeyBar
from inspector.widgets.bars.input_lines import PromptBar
from inspector.widgets.bars.title_bar import TitleBar
from inspector.widgets.panes.text_pane import LongText, TextPane

DETAILS = {
    Stage.CHECKING: "checking, nothing is written",
    Stage.REVIEW: "review",
    Stage.WRITING: "writing",
    Stage.APPLIED: "written",
    Stage.UNDONE: "undone",
    Stage.FAILED: "not written",
}
HINT = "the end of the session's id; {prompt.leave} writes nothing"
ALLOWED = {
    "write": (Stage.REVIEW,),
    "mode": (Stage.REVIEW, Stage.FAILED),
    "undo": (Stage.APPLIED,),
}


class WritingBar(KeyBar):
    """The key bar of the screens that can change a database."""

    NOTE = "can write"


class ApplyScreen(Page):
    """Review, confirm, write, undo.

    Attributes:
        changed: Whether something was written, also if it was undone.
    """

    CSS_PATH = "apply.tcss"
    BINDINGS = bindings("apply")

    text = getters.query_one("#review", TextPane)

    def __init__(self, location: Location, proposal: Proposal, conversation: str = "") -> None:
        super().__init__()
        self._location = location
        self.proposal = proposal
        self._conversation = conversation
        self._review: Review | None = None
        self._mode: ApplyMode | None = None
        self._applied: Applied | None = None
        self._failure = ""
        self._step = ""
        self._sure = False
        self.stage = Stage.CHECKING
        self.changed = False

    def compose(self) -> ComposeResult:
        """Title, answer, text, on a wide screen the summary, prompt, key bar."""
        yield TitleBar()
        yield AnswerBar()
        yield Horizontal(TextPane(id="review"), LongText(id="summary"))
        yield PromptBar()
        yield WritingBar()

    def on_mount(self) -> None:
        """Rehearse at once; that changes nothing."""
        self.query_one(TitleBar).heading = self._conversation or self.proposal.heading
        self.text.focus()
        self._enter(Stage.CHECKING)
        self.check(None)

    def _enter(self, stage: Stage) -> None:
        self.stage = stage
        bar, heading = self.query_one(TitleBar), self.proposal.heading
        doing = (
            f"{heading[:1].lower()}{heading[1:]} · {DETAILS[stage]}" if self._conversation else DETAILS[stage]
        )
        bar.place = bar.brief_place = doing
        self._say()
        self.text.show(self._draw)
        self.refresh_bindings()

    def _draw(self, width: int, ink: Palette) -> Iterator[Line]:
        if self.stage is Stage.APPLIED and self._applied is not None:
            yield from applied_lines(self._applied, self.proposal, width, ink)
        elif self.stage is Stage.UNDONE and self._review is not None:
            yield from undone_lines(self._review, width, ink)
        elif self.stage is Stage.REVIEW and self._review is not None:
            brief = not self.has_class("-tall")
            yield from review_lines(self._review, self.proposal, width, ink, brief=brief)

    def _say(self) -> None:
        """Show the answer of the current stage."""
        bar, answer = self.query_one(AnswerBar), NO_HEADLINE
        bar.waiting = f"{self._step or 'Starting'} …"
        if self.stage is Stage.APPLIED and self._applied is not None:
            answer = once_more() if self._sure else written_answer(self.proposal)
        elif self.stage is Stage.UNDONE:
            answer = TAKEN_BACK
        elif self.stage is Stage.FAILED:
            answer = failed_answer(self._failure)
        elif self.stage is Stage.REVIEW and self._review is not None:
            answer = review_answer(self._review, self.proposal)
        bar.answer = answer

    # Work in threads.

    @in_thread("apply")
    def check(self, mode: ApplyMode | None) -> None:
        """Find out what would be written, and what prevents it."""
        then(self, self._reviewed, examine(self._location, self.proposal, mode, self._told))

    @in_thread("apply")
    def write(self, review: Review) -> None:
        """Write what was reviewed."""
        then(self, self._wrote, carry_out(review, self._told))

    @in_thread("apply")
    def put_back(self, applied: Applied) -> None:
        """Undo what was written."""
        take_back(applied.database, applied.undo_id)
        then(self, self._restored)

    def _told(self, name: str) -> None:
        """Report a step; also called from threads of the checks, which are not workers."""
        self.post_message(Answered(partial(self._stepped, name)))

    def _stepped(self, name: str) -> None:
        self._step = name
        if self.stage in (Stage.CHECKING, Stage.WRITING):
            self._say()

    def _reviewed(self, review: Review) -> None:
        self._review, self._mode = review, review.rehearsal.mode
        self.query_one(LongText).read(summary_text(review.rehearsal))
        self._enter(Stage.REVIEW)

    def _wrote(self, applied: Applied) -> None:
        self._applied, self.changed = applied, True
        self._enter(Stage.APPLIED)

    def _restored(self) -> None:
        self._applied = None
        self._enter(Stage.UNDONE)

    def report(self, error: BaseException) -> None:
        """Show a refusal as the answer; a refused undo leaves the applied state on screen."""
        super().report(error)
        if self.stage is not Stage.APPLIED:
            self._failure = getattr(error, "line", str(error))
            self._enter(Stage.FAILED)

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable each key at its stage only; writing requires that no check refuses."""
        if action in ALLOWED and self.stage not in ALLOWED[action]:
            return False
        if action == "mode" and len(self.proposal.modes) < 2:
            return False
        return not (action == "write" and self._review is not None and self._review.refused)

    def action_write(self) -> None:
        """Ask for the session's short id, and for `fallback` if the summary failed; then write."""
        wanted = self.proposal.confirmation
        self.query_one(PromptBar).ask("write", f"type {wanted} to write", hint=hint(HINT))

    @on(PromptBar.Answered)
    def _answered(self, event: PromptBar.Answered) -> None:
        self.text.focus()
        if event.text is None or self._review is None:
            return
        if event.text.strip() != self.proposal.confirmation:
            self.toast(f"That is not {self.proposal.confirmation}; nothing was written.", "warning")
            return
        self._enter(Stage.WRITING)
        self.write(self._review)

    def action_mode(self) -> None:
        """Review another way of writing it."""
        modes = self.proposal.modes
        self._mode = next_mode(modes, self._mode) if self._mode else modes[-1]
        self._enter(Stage.CHECKING)
        self.check(self._mode)

    def action_undo(self) -> None:
        """Undo what was just written, the second time the key is pressed."""
        if self._applied is not None and self._sure:
            self.put_back(self._applied)
        self._ask_again(not self._sure)

    def _ask_again(self, sure: bool) -> None:
        self._sure = sure
        self._say()

    def action_back(self) -> None:
        """Return to the preview, unless rows are being written right now."""
        if self.stage is Stage.WRITING:
            self.toast("Still writing; this takes a moment.")
        elif self._sure:
            self._ask_again(False)
        else:
            self.dismiss()

    def action_copy(self) -> None:
        """Copy what is shown."""
        self.copy(f"{self.query_one(AnswerBar).text}\n\n{self.text.text}")
