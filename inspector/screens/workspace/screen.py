"""One conversation: a title, a tab for each question, and a cursor that all tabs share."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from textual import on
from textual._styles_cache import StylesCache
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.reactive import var
from textual.widget import AwaitMount

from core.errors import InspectorError, NotFoundError
from core.hermes.config.in_force import EngineInCharge, engine_of_home
from core.model.transcript.conversation import Conversation
from core.model.transcript.session import Session
from core.store.database.locate import Location
from core.store.store import Store
from inspector.base.app_protocol import shell
from inspector.base.commands import bindings, key_of
from inspector.base.live import Pulse, in_sight
from inspector.base.workers import cancelled, in_thread, then
from inspector.screens.page import Page
from inspector.screens.workspace.tabs import TABS, warm
from inspector.screens.workspace.views import Cursor, Subject, View
from inspector.widgets.bars.answer_and_keys import KeyBar
from inspector.widgets.bars.status_line import Banner, Notice
from inspector.widgets.bars.title_bar import TitleBar

AGES = 5.0
"""Seconds between updates of ages."""
AHEAD = 0.3
"""Seconds before the other views are imported, so that the first one is not slowed down."""
REST = 1.0
"""Seconds before garbage is collected after a conversation is closed."""


class WorkspaceScreen(Page):
    """Reads the conversation in a worker, then passes it to the view in front.

    `view` names the tab to open, `row` the message to start on, such as a search hit.
    """

    CSS_PATH = "workspace.tcss"
    BINDINGS = bindings("workspace")

    cursor: var[Cursor] = var(Cursor())
    subject: var[Subject | None] = var(None, always_update=True)

    def __init__(
        self, location: Location, session_id: str, *, view: str | None = None, row: int | None = None
    ) -> None:
        super().__init__()
        self.location = location
        self.session_id = session_id
        names = [tab.name for tab in TABS]
        self._active = names.index(view) if view in names else 0
        self._anywhere = view is None and row is None
        self._views: dict[str, View] = {}
        self._engine: EngineInCharge | None = None
        self._missing = ""
        """Why the conversation could not be read again; empty if it could."""
        self.set_reactive(WorkspaceScreen.cursor, Cursor(row=row))

    def compose(self) -> ComposeResult:
        """Title, banner, the view in front, key bar."""
        yield TitleBar()
        yield Banner()
        with Vertical(id="views"):
            yield Notice("Reading the conversation …")
        yield KeyBar()

    def on_mount(self) -> None:
        """Start reading; the frame is already on screen."""
        bar = self.query_one(TitleBar)
        bar.heading = self.session_id
        bar.tabs = tuple(tab.title for tab in TABS)
        if self._anywhere:  # start on the last tab used
            names = [tab.name for tab in TABS]
            last = shell(self).recall("tab")
            self._active = names.index(last) if isinstance(last, str) and last in names else 0
        bar.active = self._active
        self.cursor = replace(self.cursor, engine=shell(self).engine)
        self._pulse = Pulse(self, [self.location], self.load)
        self.load()
        self.set_interval(AGES, self._age)

    def _age(self) -> None:
        if in_sight(self):
            self.watch_cursor(self.cursor)

    @in_thread("conversation")
    def load(self) -> None:
        """Read the conversation on a connection of the worker's own."""
        try:
            with Store(self.location.db, cancelled=cancelled()) as store:
                known = self.subject.conversation.sessions if self.subject else ()
                conversation = _read(store, self.session_id, known)
                store.learn(conversation.tip.id)
        except InspectorError as error:
            then(self, self._explain, error)
        else:
            engine = engine_of_home(self.location.home)
            then(self, self._take, Subject(self.location, conversation), engine)

    def _take(self, subject: Subject, engine: EngineInCharge | None) -> None:
        self._engine, self._missing = engine, ""
        self.subject = subject
        if not self._views:
            self.query_one("#views").remove_children()
            self._show(self._active)
            self.set_timer(AHEAD, self.import_views)

    @in_thread("imports")
    def import_views(self) -> None:
        """Import the views that the user may open next."""
        warm()

    def _explain(self, error: InspectorError) -> None:
        if self.subject is not None:  # keep showing what was read; the file may come back
            self._missing = error.line
            self._headline(self.subject.conversation)
            return
        shell(self).failures.append(error)
        area = self.query_one("#views")
        area.remove_children()
        shell(self).keys.release()
        area.mount(
            Notice(error.what, error.where, error.remedy or f"{key_of('workspace.back')} back", error=True)
        )

    def watch_subject(self, old: Subject | None, subject: Subject | None) -> None:
        """Show the conversation's name, and pass it to the view in front."""
        if subject is None:
            return
        self._headline(subject.conversation)
        if old is None or len(old.conversation.generations) != len(subject.conversation.generations):
            self.refresh_bindings()
        for view in self._views.values():
            view.outdated = not view.display
            if view.display:
                view.subject = subject

    def watch_cursor(self, cursor: Cursor) -> None:
        """Pass the cursor to every view."""
        if self.subject is not None:
            self._headline(self.subject.conversation)
        for view in self._views.values():
            view.cursor = cursor

    def _headline(self, conversation: Conversation) -> None:
        app, bar, tip = shell(self), self.query_one(TitleBar), conversation.tip
        here, total = self.cursor.within(conversation), len(conversation.generations)
        bar.heading = conversation.name
        bar.detail = " · ".join(filter(None, (tip.source, tip.model, app.live.sign(app.now()))))
        several = here is not None and total > 1
        bar.place = f"generation {here.index} of {total}" if here is not None and several else ""
        older = here is not None and here.index < total
        bar.brief_place = f"generation {here.index}" if here is not None and older else ""
        told = self.cursor.engine is not None or (self.view is not None and self.view.BY_GENERATION)
        other = None if told else self._engine
        engine = "" if other is None else other.short_note
        self.query_one(Banner).say(
            " · ".join(filter(None, (self._missing, *conversation.notes))), known=engine
        )

    # Views.

    @on(TitleBar.TabClicked)
    def _clicked(self, event: TitleBar.TabClicked) -> None:
        self.action_view(event.index + 1)

    def action_view(self, number: int) -> None:
        """Show the n-th view, and remember the tab for the next run."""
        self._show(number - 1)
        if self.subject is not None and 0 < number <= len(TABS):
            shell(self).remember("tab", TABS[number - 1].name)

    def _show(self, index: int) -> None:
        if self.subject is None or not 0 <= index < len(TABS):
            return
        self._active = index
        self.query_one(TitleBar).active = index
        tab = TABS[index]
        for name, view in self._views.items():
            view.display = name == tab.name
        self.refresh_bindings()
        if tab.name in self._views:
            view = self._views[tab.name]
            if view.outdated:
                view.subject, view.outdated = self.subject, False
            self._headline(self.subject.conversation)
            view.wake()
            return
        view = tab.build()
        self._views[tab.name] = view
        view.subject, view.cursor = self.subject, self.cursor
        self._headline(self.subject.conversation)
        shell(self).keys.hold()
        self.call_later(self._mounted, self.query_one("#views").mount(view))

    async def _mounted(self, mounted: AwaitMount) -> None:
        """Release the keys typed before the view was mounted."""
        await mounted
        self.call_after_refresh(shell(self).keys.release)

    @on(View.MapRequested)
    def _show_map(self) -> None:
        self._show([tab.name for tab in TABS].index("map"))

    @property
    def view(self) -> View | None:
        """The view in front."""
        return self._views.get(TABS[self._active].name) if TABS else None

    # The shared cursor.

    @on(View.Stale)
    def _changed(self) -> None:
        self.load()

    @on(View.CursorMoved)
    def _follow(self, event: View.CursorMoved) -> None:
        self.cursor = event.cursor

    def action_generation(self, step: int) -> None:
        """Go one generation back or forward."""
        if self.subject is None:
            return
        generation = self.cursor.within(self.subject.conversation)
        if generation is not None:
            place = generation.index + step
            if 1 <= place <= len(self.subject.conversation.generations):
                self.cursor = Cursor(place, engine=self.cursor.engine)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable changing the generation if there is only one, or the view does not show single ones."""
        if action != "generation":
            return True
        if self.subject is None or self.view is None or not self.view.BY_GENERATION:
            return False
        return len(self.subject.conversation.generations) > 1

    # Everything else.

    def action_back(self) -> None:
        """Return to the list."""
        super().action_back()
        self.app.set_timer(REST, _let_go)

    def action_refresh(self) -> None:
        """Read the conversation again, and everything that is shown of it."""
        for view in self._views.values():
            view.anew = True
        self.load()

    def action_copy(self, what: str = "") -> None:
        """Copy what the view in front offers, or the command that resumes the conversation."""
        if what == "resume" and self.subject is not None:
            self.copy(f"hermes --resume {self.subject.conversation.resume_target}")
        elif self.view is not None:
            self.copy(self.view.copy_text())

    def action_dropped(self) -> None:
        """Search what compactions removed from the conversation."""
        from inspector.screens.search.question import search_removed
        from inspector.screens.search.screen import SearchScreen

        if self.subject is not None:
            question = search_removed(self.subject.location, self.subject.conversation.tip.id)
            self.app.push_screen(SearchScreen(question))


def _read(store: Store, session_id: str, known: Sequence[Session]) -> Conversation:
    """Read a conversation, by another of its sessions if an undo removed the one it was opened by."""
    for one in (session_id, *(session.id for session in reversed(known))):
        with suppress(NotFoundError):
            return store.conversation(one)
    return store.conversation(session_id)


def _let_go() -> None:
    """Free the screens that were closed: their widgets refer to each other.

    Textual also caches every line of the last thousand widgets drawn, 1 MB per conversation.
    """
    StylesCache.get_inner_outer.cache_clear()
    gc.collect()
