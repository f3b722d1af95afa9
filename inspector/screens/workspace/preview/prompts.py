"""What the preview asks for in a line: a topic, two topics, turns to keep, a model; and what follows."""

from __future__ import annotations

from textual import on

from core.compress.planning.keep_turns import MOST_TURNS
from core.preview.summarisers import extractive
from inspector.screens.workspace.preview.focus.model import COMPARED, suggested
from inspector.screens.workspace.preview.focus.screen import FocusLab
from inspector.screens.workspace.preview.next_screens import NextScreensView
from inspector.widgets.bars.prompt_bar import PromptBar

FOCUS, COMPARE, KEEP, MODEL = "focus", "compare", "keep", "model"
ONE_OR_TWO = "Name one topic, compared with none, or two with a | between them."
UNSUGGESTED = "This middle suggests no topic to compare: F asks for one or two."
EITHER = "Hermes takes a focus or turns to keep, not both: the other one is gone."


class AskingView(NextScreensView):
    """Changes what a preview is made with: the focus, the cut, who writes it."""

    def action_focus_topic(self) -> None:
        """Ask for a topic the summary should keep; an empty one takes it away."""
        hint = "a topic, as in /compress TOPIC"
        self._ask(FOCUS, "focus", self.focus_topic or "", hint)

    def action_compare(self) -> None:
        """Ask for one topic or two, then compare them with none and with each other."""
        self._ask(
            COMPARE,
            "compare focuses",
            " | ".join(self._topics(self.focus_topic)),
            "one topic, or one | another",
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

    @on(NextScreensView.Recut)
    def _recut(self, event: NextScreensView.Recut) -> None:
        if event.asked == self.asked:
            self.basis, self.kept_turns = event.basis, event.turns
            self.make()

    def _compare(self, focuses: list[str], otherwise: str = ONE_OR_TWO) -> None:
        if self.basis is None or not 1 <= len(focuses) <= COMPARED:
            self.toast(otherwise, "warning")
            return
        # Three summaries by a model would cost three times what was agreed to: the lab stays offline.
        writer = extractive(self.basis) if self.writer is None or self.writer.sends else self.writer
        self.app.push_screen(FocusLab(self.basis, writer, focuses, self.go_to))

    def action_model(self) -> None:
        """Choose who writes the summary."""
        if self.basis is None or self.refusal:
            self.toast(self.refusal, "warning")
        else:
            self.offer(self.basis, self.focus_topic)

    def ask_model(self) -> None:
        """Ask for a model nobody configured; it is offered before anything is sent."""
        self.query_one(PromptBar).ask(MODEL, "model", hint="name, provider/name, or name @ https://server/v1")
