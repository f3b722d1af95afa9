"""What is typed into the line of the preview, a topic, two topics, turns to keep or a model; what follows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from core.compress.planning.summary_window import MOST_TURNS
from inspector.screens.workspace.preview.focus.model import COMPARED
from inspector.screens.workspace.preview.making import PreviewMaker
from inspector.screens.workspace.preview.next_screens import NextScreens
from inspector.screens.workspace.views import GenerationView
from inspector.widgets.bars.input_lines import PromptBar

FOCUS, COMPARE, KEEP, MODEL = "focus", "compare", "keep", "model"
ONE_OR_TWO = "Name one topic, compared with none, or two with a | between them."
UNSUGGESTED = "This middle suggests no topic to compare: F asks for one or two."
DROPPED = "Your edited summary was made for another focus or cut; the offline summary is back."
EITHER = "Hermes takes a focus or turns to keep, not both: the other one is gone."

OFFLINE = "Here an engine's calls are answered offline; `compress --engine --summariser` asks a model."
KEPT = "Keeping turns is Hermes' own; e goes back to builtin."


class TypedAnswers:
    """Asks in a line, and changes what a preview is made with: the focus, the cut, who writes it."""

    def __init__(
        self, view: GenerationView, bar: PromptBar, maker: PreviewMaker, screens: NextScreens
    ) -> None:
        self._view = view
        self._bar = bar
        self._maker = maker
        self._work = maker.work
        self._screens = screens

    def ask_focus(self) -> None:
        """Ask for a topic the summary should keep; an empty one takes it away."""
        self._ask(
            FOCUS,
            "focus",
            self._work.focus or "",
            "a topic, a file or words of it, as in /compress auth tokens; empty: none",
        )

    def ask_focuses(self) -> None:
        """Ask for one topic or two, then compare them with none and with each other."""
        topics = " | ".join(self._work.topics(self._work.focus))
        self._ask(COMPARE, "compare focuses", topics, "one topic against none, or two: auth tokens | tests")

    def ask_turns(self) -> None:
        """Ask how many of the user's last turns stay word for word; an empty answer leaves it to Hermes."""
        if self._view.cursor.engine is not None:
            self._view.toast(KEPT, "warning")
            return
        hint = f"1 to {MOST_TURNS} of your last turns stay word for word; empty: as Hermes cuts"
        if self._work.basis is None and not self._work.reading:
            self._view.toast(self._work.refusal, "warning")
        else:
            self._bar.ask(KEEP, "keep turns", self._work.turns, hint=hint)

    def ask_model(self) -> None:
        """Ask for a model nobody configured; it is offered before anything is sent."""
        self._bar.ask(MODEL, "model", hint="name, provider/name, or name @ https://server/v1")

    def choose_engine(self) -> None:
        """Choose whose cut is foreseen."""
        if self._work.basis is None and not self._work.reading:
            self._view.toast(self._work.refusal, "warning")
        else:
            self._screens.engines()

    def choose_writer(self) -> None:
        """Choose who writes the summary."""
        if self._view.cursor.engine is not None:
            self._view.toast(OFFLINE, "warning")
            return
        self._maker.when_read(partial(self._screens.choose_writer, self.ask_model))

    def compare(self, *named: str) -> None:
        """Compare two topics at once; the ones not named are suggested."""
        if self._work.refusal:
            self._view.toast(self._work.refusal, "warning")
        else:
            self._compare(self._work.topics(*named), UNSUGGESTED)

    def take(self, event: PromptBar.Answered) -> None:
        """Do what was answered."""
        text = (event.text or "").strip()
        if event.text is not None:
            self._maker.when_read(partial(self._do, event.purpose, text))

    def _do(self, purpose: str, text: str) -> None:
        if self._work.basis is None:
            self._view.toast(self._work.refusal, "warning")
        elif purpose == COMPARE:
            self._compare([part.strip() for part in text.split("|") if part.strip()])
        elif purpose == KEEP:
            self._keep(text)
        elif purpose == FOCUS:
            self._aim(text or None)
        elif text:
            self._screens.choose_writer(self.ask_model, text)

    def _ask(self, purpose: str, label: str, value: str, hint: str) -> None:
        if self._work.refusal and not self._work.reading:
            self._view.toast(self._work.refusal, "warning")
        else:
            self._bar.ask(purpose, label, value, hint=hint)

    def _aim(self, topic: str | None) -> None:
        if topic != self._work.focus and self._work.drop_edited():
            self._view.toast(DROPPED, "warning")
        self._work.focus = topic
        if topic and self._work.turns:
            self._view.toast(EITHER)
            self._maker.cut_again("")
        else:
            self._maker.make()

    def _keep(self, text: str) -> None:
        if text and not (text.isascii() and text.isdecimal() and int(text[:9]) > 0):
            self._view.toast("Type a number of turns, or leave it empty.", "warning")
        elif self._work.basis is not None:
            if text and self._work.focus:
                self._work.focus = None
                self._view.toast(EITHER)
            if text != self._work.turns and self._work.drop_edited():
                self._view.toast(DROPPED, "warning")
            self._maker.cut_again(text)

    def _compare(self, focuses: Sequence[str], otherwise: str = ONE_OR_TWO) -> None:
        if self._work.basis is None or not 1 <= len(focuses) <= COMPARED:
            self._view.toast(otherwise, "warning")
        else:
            self._screens.compare(focuses)
