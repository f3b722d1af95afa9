"""What a workspace shows: its subject, the cursor all views share, and what a view is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from textual import getters
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import var

from core.compress.engines.run import OtherEngine
from core.model.transcript.conversation import Boundary, BoundaryMode, Conversation, Generation
from core.preview.what_if import Hypothesis
from core.store.database.locate import Location
from core.support.formatting import plural
from inspector.base.app_protocol import FigureQuestion
from inspector.base.workers import Reporting
from inspector.widgets.charts.curve_chart import CurveChart
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.card import Card

HOW = {
    BoundaryMode.IN_PLACE: "compacted in place",
    BoundaryMode.ROTATION: "compacted into a new session",
    BoundaryMode.REWRITE: "compacted by rewriting",
}
"""How a generation began."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The conversation a workspace is about, and where it was read from."""

    location: Location
    conversation: Conversation


def how(boundary: Boundary) -> str:
    """How a generation began, and by whom where it was this program."""
    return HOW[boundary.mode] if boundary.own is None else f"{HOW[boundary.mode]} by Hermes Inspector"


def generation_words(generation: Generation) -> str:
    """How a generation began, and how many messages are new in it."""
    fresh = plural(generation.fresh, "new message")
    if generation.boundary is None:
        return fresh
    copies = f" · {generation.copies:,} carried over" if generation.copies else ""
    return f"{how(generation.boundary)} · {fresh}{copies}"


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the user is, whatever view they look at.

    Attributes:
        generation: 1-based; 0 stands for the newest.
        row: `messages.id` under the cursor; None before one was chosen.
        supposed: What the what-if bar supposes of this generation; None when nothing differs.
        engine: Whose cut is foreseen; None for Hermes' own compressor as this program replays it.
    """

    generation: int = 0
    row: int | None = None
    supposed: Hypothesis | None = None
    engine: OtherEngine | None = None

    def within(self, conversation: Conversation) -> Generation | None:
        """The generation the cursor is in; None in a conversation without messages."""
        generations = conversation.generations
        if not generations:
            return None
        named = 0 < self.generation <= len(generations)
        return generations[self.generation - 1 if named else -1]


class View(Reporting, Vertical):
    """One tab of a workspace. It reads what it needs in a worker of its own once it has a subject.

    `watch_subject` and `watch_cursor` are where a view reacts; `move_to` moves the cursor for every view.
    """

    DEFAULT_CSS = "View { height: 1fr; }"

    BY_GENERATION: ClassVar[bool] = False
    """It shows the generation the cursor is in, so that going to another one changes what is seen."""

    subject: var[Subject | None] = var(None, always_update=True)
    """Set again it is to be read again: settings and the log may have changed where the rows have not."""
    cursor: var[Cursor] = var(Cursor())
    anew = False
    """What is shown is to be thrown away with the next subject, though it be the same conversation."""
    behind = False
    """It was not in front when the conversation was read again, and gets it when it comes there."""

    class CursorMoved(Message):
        """The user chose another message or generation."""

        def __init__(self, cursor: Cursor) -> None:
            self.cursor = cursor
            super().__init__()

    class Wanted(Message):
        """The user wants to see another view."""

        def __init__(self, name: str) -> None:
            self.name = name
            super().__init__()

    class Stale(Message):
        """The database was changed from here: read the conversation again."""

    def move_to(self, *, generation: int | None = None, row: int | None = None) -> None:
        """Move the shared cursor; what is not named stays (another generation forgets the row)."""
        here = self.cursor if generation is None else Cursor(generation, engine=self.cursor.engine)
        self.post_message(self.CursorMoved(here if row is None else replace(here, row=row)))

    def suppose(self, supposed: Hypothesis | None) -> None:
        """Tell every view what is supposed instead of what is true."""
        if supposed != self.cursor.supposed:
            self.post_message(self.CursorMoved(replace(self.cursor, supposed=supposed)))

    def on_mount(self) -> None:
        """Its widgets are there now: take the keys, unless another view came to the front meanwhile."""
        if self.display:
            self.wake()

    def wake(self) -> None:
        """The view came to the front: give its main widget the keys."""
        for widget in self.query("*"):
            if widget.focusable:
                widget.focus()
                return

    def copy_text(self) -> str:
        """What `y` copies here; empty for nothing."""
        return ""


class FigureView(View):
    """A view with figures under the cursor that `=` tells the origin of."""

    def figures(self) -> FigureQuestion | None:
        """The figures; None while there are none."""
        return None

    def action_origins(self) -> None:
        """Say where they come from."""
        from inspector.screens.dialogs.origin import OriginScreen

        if (asked := self.figures()) is not None:
            self.app.push_screen(OriginScreen(asked))


class CurveView(FigureView):
    """A curve of calls, what happened along it as rows, and the card of the row under the cursor."""

    DEFAULT_CSS = """
    CurveView {
        CurveChart { margin: 1 1 0 0; }
        #verdicts { height: 1fr; }
        RowList { height: auto; max-height: 8; min-height: 2; padding: 0 1; border-top: solid $rule; }
    }
    """

    card = getters.query_one(Card)
    chart = getters.query_one(CurveChart)

    def action_event(self, step: int) -> None:
        """Go to the next or previous row."""
        self.query_one(RowList).action_move(step)

    def action_point(self, step: int) -> None:
        """Read out the next or previous call of the curve."""
        self.chart.point(step)

    def action_scroll_card(self, step: int) -> None:
        """Scroll the card."""
        self.card.scroll_face(step)

    def copy_text(self) -> str:
        """The card as plain text."""
        return self.card.text


class GenerationView(View):
    """A view of the generation the cursor is in, entered anew with every other subject or generation."""

    BY_GENERATION = True

    @property
    def generation(self) -> Generation | None:
        """The generation the cursor is in."""
        return self.cursor.within(self.subject.conversation) if self.subject else None

    def on_mount(self) -> None:
        """The subject may have come before the widgets."""
        self.enter()

    def watch_subject(self, old: Subject | None) -> None:
        """Another conversation, or the same one read again while Hermes writes."""
        if not self.is_mounted:
            return
        before = self.cursor.within(old.conversation) if old else None
        here, anew, self.anew = self.generation, self.anew, False
        grew = before is not None and here is not None and before.grew_to(here)
        self.enter(again=grew and not anew)

    def watch_cursor(self, old: Cursor, new: Cursor) -> None:
        """Another generation is another thing to show; within one the view follows."""
        if not self.is_mounted:
            return
        if old.generation != new.generation:
            self.enter()
        else:
            self.follow(old, new)

    def enter(self, *, again: bool = False) -> None:
        """Show the generation; a subclass does.

        Args:
            again: It is shown already, and was added to: what is on screen stays until that was read.
        """

    def follow(self, old: Cursor, new: Cursor) -> None:
        """Follow the cursor within the generation; a subclass does."""


def use_engine(view: View, engine: OtherEngine | None) -> None:
    """Tell every view whose cut is foreseen."""
    if engine != view.cursor.engine:
        view.post_message(View.CursorMoved(replace(view.cursor, engine=engine)))
