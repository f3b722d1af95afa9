"""Preview: what would I lose, and is this focus better? For the past: what was lost?"""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult

from core.compress.partial import MOST_TURNS
from inspector import format
from inspector.commands import bindings
from inspector.screens.focus import FocusLab
from inspector.screens.focus_model import COMPARED, suggested
from inspector.screens.preview_header import PreviewHeader
from inspector.screens.preview_onward import OnwardView
from inspector.screens.preview_sides import SIDES, TEXT
from inspector.screens.preview_writers import extractive
from inspector.views import Cursor
from inspector.widgets.message_list import MessageList
from inspector.widgets.prompt_bar import PromptBar

FOCUS, COMPARE, KEEP, MODEL = "focus", "compare", "keep", "model"
SEPARATED = "Two topics are needed, with a | between them."
UNSUGGESTED = "This middle suggests no two topics to compare: F asks for two."
EMPTY = "No messages here, so there is nothing to compress."
EITHER = "Hermes takes a focus or turns to keep, not both: the other one is gone."


class PreviewView(OnwardView):
    """The next compaction on paper, or the one that ended an older generation."""

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

    @on(OnwardView.Prepared)
    def _prepared(self, event: OnwardView.Prepared) -> None:
        if event.asked == self.asked:
            self.basis = event.basis
            self.kept_turns = ""
            self.writer = extractive(event.basis)
            self.make()

    # Keys.

    def action_reset(self) -> None:
        """Suppose nothing: foresee what would really happen."""
        self.suppose(None)

    def action_focus_topic(self) -> None:
        """Ask for a topic the summary should keep; an empty one takes it away."""
        hint = "a topic, as in /compress TOPIC"
        self._ask(FOCUS, "focus", self.focus_topic or "", hint)

    def action_compare(self) -> None:
        """Ask for two topics, then compare them with each other and with none."""
        self._ask(
            COMPARE, "compare focuses", " | ".join(self._topics(self.focus_topic)), "one topic | another"
        )

    def action_focus_lab(self, first: str = "", second: str = "") -> None:
        """Compare two topics at once; the ones not named are suggested."""
        # Two names, for Textual hands an action no more words than its signature has names.
        if self.refusal:
            self.toast(self.refusal, "warning")
        else:
            self._compare(self._topics(first, second), UNSUGGESTED)

    def _topics(self, *named: str | None) -> list[str]:
        """What is named, then what the middle is most about, two in all."""
        offered = suggested(self.shown.retention if self.shown else None)
        return list(dict.fromkeys(filter(None, (*named, *offered))))[:COMPARED]

    def action_keep_turns(self) -> None:
        """Ask how many of the user's last turns stay word for word; an empty answer leaves it to Hermes."""
        if self.basis is None:
            self.toast(self.refusal, "warning")
        else:
            hint = f"how many of your last turns stay word for word, 1 to {MOST_TURNS}"
            self.query_one(PromptBar).ask(KEEP, "keep turns", self.kept_turns, hint=hint)

    def _ask(self, purpose: str, label: str, value: str, hint: str) -> None:
        if self.refusal:
            self.toast(self.refusal, "warning")
        else:
            self.query_one(PromptBar).ask(purpose, label, value, hint=hint)

    @on(PromptBar.Answered)
    def _answered(self, event: PromptBar.Answered) -> None:
        self.before.focus()
        if event.text is None:
            return
        if event.purpose == COMPARE:
            self._compare([part.strip() for part in event.text.split("|") if part.strip()])
        elif event.purpose == KEEP:
            self._keep(event.text.strip())
        elif event.purpose == MODEL:
            if self.basis is not None and event.text.strip():
                self.offer(self.basis, self.focus_topic, event.text.strip())
        else:
            self._aim(event.text.strip() or None)

    def _aim(self, topic: str | None) -> None:
        self.focus_topic = topic
        if topic and self.kept_turns:
            self.toast(EITHER)
            self._cut_again("")
        else:
            self.make()

    def _keep(self, text: str) -> None:
        if text and not (text.isascii() and text.isdecimal() and int(text[:9]) > 0):
            self.toast("A number of turns is needed, or nothing.", "warning")
        elif self.basis is not None:
            if text and self.focus_topic:
                self.focus_topic = None
                self.toast(EITHER)
            self._cut_again(text)

    def _cut_again(self, turns: str) -> None:
        if self.basis is not None:
            self.asked += 1
            self.busy = True
            self.header.show(None, waiting="Cutting again …")
            self.recut(self.basis, turns, self.asked)

    @on(OnwardView.Recut)
    def _recut(self, event: OnwardView.Recut) -> None:
        if event.asked == self.asked:
            self.basis, self.kept_turns = event.basis, event.turns
            self.make()

    def _compare(self, focuses: list[str], otherwise: str = SEPARATED) -> None:
        if self.basis is None or len(focuses) != COMPARED:
            self.toast(otherwise, "warning")
            return
        # Three summaries by a model would cost three times what was agreed to: the lab stays offline.
        writer = extractive(self.basis) if self.writer is None or self.writer.sends else self.writer
        self.app.push_screen(FocusLab(self.basis, writer, (focuses[0], focuses[1]), self.go_to))

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

    def action_model(self) -> None:
        """Choose who writes the summary."""
        if self.basis is None or self.refusal:
            self.toast(self.refusal, "warning")
        else:
            self.offer(self.basis, self.focus_topic)

    def ask_model(self) -> None:
        """Ask for a model nobody configured; it is offered before anything is sent."""
        self.query_one(PromptBar).ask(MODEL, "model", hint="name, provider/name, or name @ https://server/v1")

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
