"""Which engine? Every engine found runs over this conversation; choose one for map, preview and focus lab."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual import getters, on
from textual.app import ComposeResult

from core.compress.engines.host.discovery import EngineSearch
from core.compress.engines.host.install import find_install
from core.compress.engines.run import OtherEngine
from core.model.finding import NO_HEADLINE, shortened
from core.model.transcript.conversation import Generation
from core.preview.foreseen import basis_of
from core.preview.offers import offline
from core.preview.other_engine import ComparedEngine, contenders, engines_headline, run_compared
from core.preview.what_if import Hypothesis
from core.redact.quick_check import masked_line
from core.store.database.locate import Location
from inspector.base.app_protocol import shell
from inspector.base.commands import bindings, key_of
from inspector.base.workers import cancelled, in_thread, then
from inspector.screens.page import CardPage
from inspector.screens.workspace.engines.list_view import EngineList, card, rest
from inspector.screens.workspace.views import NO_MESSAGES, GenerationView, use_engine
from inspector.widgets.bars.status_line import titled
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList

_TOPIC = 20
"""Cells for the focus in the head line."""


@dataclass(frozen=True, slots=True)
class Middle:
    """What the engines run over.

    Attributes:
        focus: The topic given to all of them.
        chosen: The engine chosen now; None for ours.
        python: The Python that runs Hermes, if the user named one.
    """

    location: Location
    generation: Generation
    title: str
    supposed: Hypothesis | None = None
    focus: str | None = None
    chosen: OtherEngine | None = None
    python: Path | None = None


class EnginesScreen(CardPage):
    """Compares engines on a copy of a conversation; offline, each in a separate process.

    Args:
        middle: What they run over.
        choose: Called with the engine the user wants; None for ours.
    """

    BINDINGS = bindings("engines")
    WORK = "engines"

    engines = getters.query_one(EngineList)

    def __init__(self, middle: Middle, choose: Callable[[OtherEngine | None], None]) -> None:
        super().__init__()
        self._middle, self._choose = middle, choose
        self._found: list[ComparedEngine] = []
        self._waiting: list[str] = []

    def compose(self) -> ComposeResult:
        """The engines, in the layout of a card page."""
        return self.laid_out(EngineList(empty="Looking for engines …"))

    def on_mount(self) -> None:
        """Start comparing."""
        chosen, topic = self._middle.chosen, self._middle.focus
        focus = f"focus: {shortened(masked_line(topic, _TOPIC + 1), _TOPIC)} · " if topic else ""
        now = f"{focus}the views use {'builtin' if chosen is None else chosen.name} · offline summary"
        self.head.left, self.head.right = titled("Engines", self._middle.title), (("ink-muted", now),)
        self.engines.focus()
        self.compare()

    @in_thread(WORK)
    def compare(self) -> None:
        """Find the engines and run them one after the other."""
        stop, here = cancelled(), self._middle
        found = contenders(EngineSearch(here.location.home, find_install(here.python)))
        then(self, self._list, found)
        basis = basis_of(here.location, here.generation, stop, here.supposed)
        for one in found:
            if stop():
                return
            ran = run_compared(one, basis, offline(basis).summariser, here.focus, stop)
            then(self, self._take, one.name, ran)

    def _list(self, found: tuple[ComparedEngine, ...]) -> None:
        self._found = list(found)
        self._waiting = [one.name for one in found]
        self._show()

    def _take(self, name: str, ran: ComparedEngine | None) -> None:
        """Take the result of one engine; None means it turned out not to be an engine."""
        self._waiting = self._waiting[1:]
        pairs = ((one, ran if one.name == name else one) for one in self._found)
        self._found = [new for _, new in pairs if new is not None]
        self._show()

    def _show(self) -> None:
        """Update the rows and the progress."""
        bar, done = self.answer, not self._waiting
        bar.answer = engines_headline(self._found) if done else NO_HEADLINE
        left = len(self._waiting)
        cancels = f"{key_of('engines.back')} cancels"
        bar.waiting = "" if done else f"Running {self._waiting[0]}, {left} to go … · {cancels}"
        self.engines.show(ListRows(tuple(self._found)), cursor=self.engines.cursor)
        self._show_card()

    @on(RowList.Moved)
    def _show_card(self) -> None:
        one = self.engines.current
        if one is not None:
            self.card.show(partial(card, one), partial(rest, one))

    @on(RowList.Opened)
    def _opened(self) -> None:
        one = self.engines.current
        if one is not None and one.absent is not None:
            self.toast(f"{one.name} cannot be chosen: its code is not there.", "warning")
        elif one is not None:
            self.action_back()
            self._choose(one.engine)


def open_engines(view: GenerationView, focus: str | None = None) -> None:
    """Open the comparison of engines for the generation in view; the chosen one is used in every view."""
    subject, generation = view.subject, view.generation
    if subject is None or generation is None or not generation.row_ids:
        view.toast(NO_MESSAGES.sentence, "warning")
        return
    middle = Middle(
        subject.location,
        generation,
        subject.conversation.name,
        supposed=view.cursor.supposed,
        focus=focus,
        chosen=view.cursor.engine,
        python=shell(view).hermes_python,
    )
    view.app.push_screen(EnginesScreen(middle, partial(use_engine, view)))
