"""Preview: what would I lose, and is this focus better? For the past: what was lost?"""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult

from core.preview.summarisers import extractive
from inspector.base.commands import bindings
from inspector.screens.workspace.preview.header import PreviewHeader
from inspector.screens.workspace.preview.panes import SIDES, TEXT
from inspector.screens.workspace.preview.prompts import AskingView
from inspector.screens.workspace.views import Cursor
from inspector.terminal import formatting as format
from inspector.widgets.bars.prompt_bar import PromptBar
from inspector.widgets.messages.message_list import MessageList

EMPTY = "No messages here, so there is nothing to compress."


class PreviewView(AskingView):
    """A dry run of the next compaction, or the one that ended an older generation."""

    BINDINGS = bindings("preview")
    _outdated = False

    def compose(self) -> ComposeResult:
        """Header, panes, strip, prompt."""
        yield PreviewHeader()
        yield from self.compose_sides()
        yield PromptBar()

    def on_mount(self) -> None:
        """Both sides scroll as one."""
        self.link()

    def follow(self, old: Cursor, new: Cursor) -> None:
        """Other settings are another compaction."""
        if old.supposed != new.supposed:
            self._outdated = True
            if self.display:
                self.enter()

    def enter(self) -> None:
        """Foresee the next compaction in the newest generation; look back in an older one."""
        self.asked += 1
        self.basis, self._outdated = None, False
        generation = self.generation
        if generation is None or self.subject is None or not generation.row_ids:
            self.tell(None)
            self.rest(EMPTY)
            return
        self.busy = True
        words = f"Reading {format.plural(len(generation.row_ids), 'message')} …"
        self.header.show(None, waiting=words)
        self.tell(None, f"{words} the cut comes first, then the summary · esc gives up")
        if generation.index < len(self.subject.conversation.generations):
            self.look_back(generation, self.asked)
        else:
            self.prepare(generation, self.cursor.supposed, self.asked)

    @on(AskingView.Prepared)
    def _prepared(self, event: AskingView.Prepared) -> None:
        if event.asked == self.asked:
            self.basis = event.basis
            self.kept_turns = ""
            self.writer = extractive(event.basis)
            self.make()

    # Keys.

    def action_reset(self) -> None:
        """Suppose nothing: foresee what would really happen."""
        self.suppose(None)

    def action_look(self, mode: str) -> None:
        """Look at the diff, or at what is lost; again for both sides."""
        self.look(mode)

    def action_prompt(self) -> None:
        """Read what a model would be sent."""
        if self.mode == TEXT:
            self.look(SIDES)
        elif self.basis is None or self.refusal:
            self.toast(self.refusal, "warning")
        else:
            self.read_text("Putting the prompt together …")
            self.read_prompt(self.basis, self.focus_topic)

    def action_close(self) -> None:
        """Give up waiting for a summary; else back to both sides."""
        if self.busy:
            self.give_up()
        if self.mode != SIDES:
            self.look(SIDES)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape and r fall through to the workspace when there is nothing here to leave or reset."""
        if action == "close":
            return self.busy or self.mode != SIDES
        return action != "reset" or self.cursor.supposed is not None

    @on(MessageList.Opened, "MessageList")
    def _opened(self) -> None:
        place, laid = self.before.message, self.laid
        if laid is None or place is None or place >= len(laid.before):
            return
        row = laid.before[place].row
        if row is not None:
            self.move_to(row=row.id)
            self.post_message(self.Wanted("map"))

    def wake(self) -> None:
        """The left side has the keys, and what was supposed meanwhile counts; nothing before mounting."""
        if self.is_mounted and self._outdated:
            self.enter()
        for found in self.query(MessageList):
            found.focus()

    def copy_text(self) -> str:
        """The summary."""
        return self.shown.summary if self.shown else ""
