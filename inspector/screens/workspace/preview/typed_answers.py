"""Handles what is typed into the preview's prompt: a topic, topics to compare, turns to keep, a model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from core.compress.planning.summary_window import MAX_TURNS
from inspector.base.commands import hint
from inspector.screens.workspace.preview.focus.model import COMPARED
from inspector.screens.workspace.preview.making import PreviewMaker
from inspector.screens.workspace.preview.next_screens import NextScreens
from inspector.screens.workspace.views import GenerationView
from inspector.widgets.bars.input_lines import PromptBar

FOCUS, COMPARE, KEEP, MODEL = "focus", "compare", "keep", "model"
ONE_OR_TWO = "Type one topic, to compare it with no topic, or two separated by |."
UNSUGGESTED = "These messages suggest no topic to compare; press {preview.compare} to type one or two."
DROPPED = "Your edited summary was for another focus or cut, so the offline summary is used again."
EITHER = "Hermes accepts a focus or turns to keep, not both; the other one was removed."

OFFLINE = "An engine's model calls are answered offline here; `compress --engine --summariser` asks a model."
KEPT = "Only Hermes' own engine can keep turns; press {preview.engine} to return to builtin."


class TypedAnswers:
    """Asks in the prompt, and changes the preview's focus, cut or summariser."""

    def __init__(
        self, view: GenerationView, bar: PromptBar, maker: PreviewMaker, screens: NextScreens
    ) -> None:
        self._view = view
        self._bar = bar
        self._maker = maker
        self._work = maker.work
        self._screens = screens

    def ask_focus(self) -> None:
        """Ask for a topic that the summary should keep; an empty answer removes it."""
        self._ask(
            FOCUS,
            "focus",
            self._work.focus or "",
            "a topic or a file, as in /compress auth tokens; empty: none",
        )

    def ask_focuses(self) -> None:
        """Ask for one or two topics, then compare them with no topic and each other."""
        topics = " | ".join(self._work.topics(self._work.focus))
        self._ask(
            COMPARE,
            "compare focuses: one, or two as a | b",
            topics,
            "one topic to compare with none, or two: auth tokens | tests",
        )

    def ask_turns(self) -> None:
        """Ask how many of the user's last turns to keep word for word; empty leaves the cut to Hermes."""
        if self._view.cursor.engine is not None:
            self._view.toast(hint(KEPT), "warning")
            return
        expects = f"1 to {MAX_TURNS} of your last turns to keep word for word; empty: Hermes decides"
        if self._work.basis is None and not self._work.reading:
            self._view.toast(self._work.refusal, "warning")
        else:
            self._bar.ask(KEEP, "keep turns", self._work.turns, hint=expects)

    def ask_model(self) -> None:
        """Ask for a model that is not configured; it is offered before anything is sent."""
        self._bar.ask(MODEL, "model", hint="name, provider/name, or name @ https://server/v1")

    def choose_engine(self) -> None:
        """Choose the engine to preview with."""
        if self._work.basis is None and not self._work.reading:
            self._view.toast(self._work.refusal, "warning")
        else:
            self._screens.engines()

    def choose_writer(self) -> None:
        """Choose the summariser."""
        if self._view.cursor.engine is not None:
            self._view.toast(OFFLINE, "warning")
            return
        self._maker.when_read(partial(self._screens.choose_writer, self.ask_model))

    def compare(self, *named: str) -> None:
        """Compare two topics; missing ones are suggested."""
        if self._work.refusal:
            self._view.toast(self._work.refusal, "warning")
        else:
            self._compare(self._work.topics(*named), hint(UNSUGGESTED))

    def take(self, event: PromptBar.Answered) -> None:
        """Act on an answer."""
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
