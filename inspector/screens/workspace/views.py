"""What a workspace shares: its subject, a cursor, and the base classes of its views."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from textual import getters
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import var

from core.compress.engines.run import OtherEngine
from core.model.finding import Headline, Severity
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

NO_MESSAGES = Headline("No messages here, so there is nothing to compress.", None, Severity.INFO)
"""The answer about a generation without messages."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The conversation of a workspace, and its database."""

    location: Location
    conversation: Conversation


def how(boundary: Boundary) -> str:
    """How a generation began, and whether this program wrote it."""
    if boundary.same_size and boundary.mode is BoundaryMode.IN_PLACE:
        return "rewritten in place"
    return HOW[boundary.mode] if boundary.own is None else f"{HOW[boundary.mode]} by Hermes Inspector"


def generation_words(generation: Generation) -> str:
    """How a generation began, and how many of its messages are new."""
    fresh = plural(generation.fresh, "new message")
    if generation.boundary is None:
        return fresh
    copies = f" · {generation.copies:,} carried over" if generation.copies else ""
    return f"{how(generation.boundary)} · {fresh}{copies}"


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the user is; shared by all views.

    Attributes:
        generation: Counted from 1; 0 means the newest.
        row: `messages.id` under the cursor; None if none was chosen.
        supposed: The what-if values for this generation; None if nothing is changed.
        engine: The engine used for previews; None for Hermes' own compressor as this program replays it.
    """

    generation: int = 0
    row: int | None = None
    supposed: Hypothesis | None = None
    engine: OtherEngine | None = None

    def within(self, conversation: Conversation) -> Generation | None:
        """The generation of the cursor; None in a conversation without messages."""
        generations = conversation.generations
        if not generations:
            return None
        named = 0 < self.generation <= len(generations)
        return generations[self.generation - 1 if named else -1]


class View(Reporting, Vertical):
    """A tab of a workspace. It reads what it needs in its own worker once it has a subject.

    A view reacts in `watch_subject` and `watch_cursor`; `move_to` moves the cursor for every view.
    """

    DEFAULT_CSS = "View { height: 1fr; }"

    BY_GENERATION: ClassVar[bool] = False
    """The view shows the cursor's generation, so changing the generation changes the view.

    It also says itself whose rules its figures follow where another engine decides.
    """

    subject: var[Subject | None] = var(None, always_update=True)
    """Setting it again makes the view read again: settings and log may change even if rows do not."""
    cursor: var[Cursor] = var(Cursor())
    anew = False
    """The next subject replaces everything shown, even if it is the same conversation."""
    outdated = False
    """The conversation was read again while the view was hidden; it gets the subject when it is shown."""

    class CursorMoved(Message):
        """The user chose another message, generation, what-if value or engine."""

        def __init__(self, cursor: Cursor) -> None:
            self.cursor = cursor
            super().__init__()

    class MapRequested(Message):
        """The user wants to see where the cursor is on the map."""

    class Stale(Message):
        """This program changed the database: read the conversation again."""

    def move_to(self, *, generation: int | None = None, row: int | None = None) -> None:
        """Move the shared cursor; omitted parts stay, except that another generation resets the row."""
        here = self.cursor if generation is None else Cursor(generation, engine=self.cursor.engine)
        self.post_message(self.CursorMoved(here if row is None else replace(here, row=row)))

    def suppose(self, supposed: Hypothesis | None) -> None:
        """Set the what-if values of every view."""
        if supposed != self.cursor.supposed:
            self.post_message(self.CursorMoved(replace(self.cursor, supposed=supposed)))

    def on_mount(self) -> None:
        """Focus the view, unless another one came to the front meanwhile."""
        if self.display:
            self.wake()

    def wake(self) -> None:
        """Focus the main widget when the view comes to the front."""
        for widget in self.query("*"):
            if widget.focusable:
                widget.focus()
                return

    def copy_text(self) -> str:
        """The text that `y` copies; empty if there is none."""
        return ""


class FigureView(View):
    """A view whose figures under the cursor can show their origin with `=`."""

    def figures(self) -> FigureQuestion | None:
        """The figures; None if there are none."""
        return None

    def action_origins(self) -> None:
        """Show where the figures come from."""
        from inspector.screens.dialogs.origin import OriginScreen

        if (asked := self.figures()) is not None:
            self.app.push_screen(OriginScreen(asked))


class CurveView(FigureView):
    """A curve of calls, a list of events on it, and a card about the event under the cursor."""

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
    """A view of the cursor's generation; it is entered again for another subject or generation."""

    BY_GENERATION = True

    @property
    def generation(self) -> Generation | None:
        """The generation of the cursor."""
        return self.cursor.within(self.subject.conversation) if self.subject else None

    def on_mount(self) -> None:
        """Enter now: the subject may have been set before the widgets were mounted."""
        self.enter()

    def watch_subject(self, old: Subject | None) -> None:
        """Enter another conversation, or the same one read again while Hermes writes."""
        if not self.is_mounted:
            return
        before = self.cursor.within(old.conversation) if old else None
        here, anew, self.anew = self.generation, self.anew, False
        grew = before is not None and here is not None and before.grew_to(here)
        self.enter(again=grew and not anew)

    def watch_cursor(self, old: Cursor, new: Cursor) -> None:
        """Enter another generation, or follow the cursor within the same one."""
        if not self.is_mounted:
            return
        if old.generation != new.generation:
            self.enter()
        else:
            self.follow(old, new)

    def enter(self, *, again: bool = False) -> None:
        """Show the generation; implemented by subclasses. `again` if it is already shown and has grown."""

    def follow(self, old: Cursor, new: Cursor) -> None:
        """Follow the cursor within the generation; implemented by subclasses."""


def use_engine(view: View, engine: OtherEngine | None) -> None:
    """Set the engine that every view previews with."""
    if engine != view.cursor.engine:
        view.post_message(View.CursorMoved(replace(view.cursor, engine=engine)))
