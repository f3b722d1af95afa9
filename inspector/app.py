"""The Textual app. It only wires things up: screens do the work, `core` knows the facts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.command import CommandPalette, Provider
from textual.css.query import QueryError
from textual.events import Event, Key
from textual.screen import Screen
from textual.widget import MountError
from textual.worker import WorkerFailed, get_current_worker

from core.errors import ConfigError, InspectorError
from core.model.finding import Severity
from core.store.database.locate import Location
from core.support import formatting as fmt
from inspector.base.app_protocol import LiveState
from inspector.base.commands import bindings, key_name, keys_of, read_keymap, table, use_keymap
from inspector.base.key_hold import KeyHold, KeyPassed
from inspector.base.live import at_work
from inspector.base.named_screens import FOCUS, HOME, PAGES, place
from inspector.terminal.line import defaults, shipped, textual_theme
from inspector.terminal.text import clean_line
from themes.loader import DEFAULT

if TYPE_CHECKING:
    from core.compress.engines.run import OtherEngine
    from inspector.screens.workspace.views import View
    from inspector.settings.state import RememberedState

GENERAL = ("list", "workspace", "page", "app")
"""Scopes that hold on most screens; help shows them after the screen's own scopes."""

CALM, LOOKS = 0.05, 2
"""Seconds between checks whether a screen still reads, and how many in a row must find it idle."""


def _jump_provider() -> type[Provider]:
    from inspector.screens.jump.anywhere import JumpProvider

    return JumpProvider


class InspectorApp(App[None]):
    """Reads session databases and shows what compression did, would do, and cost.

    Args:
        locations: The databases to show; never written to.
        session: Open this conversation at once instead of the list.
        view: The screen to start on, from `named_screens.NAMES`; with `sessions`, the list selects `session`.
        focuses: Topics for the focus lab when it is the view; with fewer than two, it suggests some.
        keys: The user's keymap file, which may be missing.
        own_keys: Keys from the user's settings; the keymap file overrides them.
        theme: Name of a shipped theme.
        colours: How many colours the terminal shows, one of `themes.loader.DEPTHS`; None for all.
        state: What earlier runs remembered; this run adds to it. None remembers nothing.
        now: The clock; tests pass one that stands still.
        engine: The context engine used for plans and previews; None for Hermes' own.
        hermes_python: The Python that runs Hermes; None for the one behind the `hermes` command.
        home: Makes the first screen; the session list by default.
    """

    TITLE = "Hermes Inspector"
    COMMANDS = App.COMMANDS | {_jump_provider}
    CSS_PATH: ClassVar = ["app.tcss", "screens/sessions/sessions.tcss"]
    """Includes the home screen's styles: loaded later, they would make Textual parse all styles again."""
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = bindings("app")

    def __init__(
        self,
        locations: Iterable[Location],
        *,
        session: str | None = None,
        view: str | None = None,
        focuses: Sequence[str] = (),
        keys: Path | None = None,
        own_keys: Mapping[str, str] | None = None,
        theme: str = DEFAULT,
        colours: int | None = None,
        state: RememberedState | None = None,
        now: Callable[[], datetime] = fmt.utc_now,
        engine: OtherEngine | None = None,
        hermes_python: Path | None = None,
        home: Callable[[], Screen[None]] | None = None,
    ) -> None:
        super().__init__()
        self.locations = tuple(locations)
        self.now = now
        self._session, self._view, self._keys_file = session, view, keys
        self._focuses, self._state = tuple(focuses), state
        self._first, self.engine, self.hermes_python = home, engine, hermes_python
        self._own_keys = dict(own_keys or {})
        self.diagnosed: dict[tuple[Location, str | None], Counter[Severity]] = {}
        """Findings by severity for each conversation that has been examined."""
        self.failures: list[InspectorError] = []
        """Read errors, oldest first."""
        self.is_placed = False
        """Whether the screen to start on is there."""
        self.keys = KeyHold(self, super().on_event)
        self.live = LiveState()
        """Whether screens follow new writes, and when the last one was seen."""
        for found in shipped():
            self.register_theme(textual_theme(found.at(colours)))
        last = self.recall("theme") if theme == DEFAULT else None  # an explicit theme wins
        self._begin_with(last if isinstance(last, str) and last in self.available_themes else theme)

    def _begin_with(self, theme: str) -> None:
        """Set the theme before any stylesheet is parsed; a later change would parse them all again."""
        self.set_reactive(App.theme, theme)
        dark = self.current_theme.dark
        self.update_classes({"-dark-mode": dark, "-light-mode": not dark}, update=False)
        self.stylesheet.set_variables(self.get_css_variables())

    async def on_event(self, event: Event) -> None:
        """Hold each key until the one before it is handled and the screen it opened is ready."""
        if isinstance(event, Key) and not event.is_forwarded:
            await self.keys.take(event)
        else:
            await super().on_event(event)

    @on(KeyPassed)
    async def _key_passed(self, event: KeyPassed) -> None:
        await self.keys.passed(event)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give our colour tokens a value in themes that do not define them."""
        return defaults()

    def on_mount(self) -> None:
        """Load the user's keys, then show the list and, on top of it, the requested screen."""
        self._take_keys()
        self.push_screen(self._home())
        if self._state is not None and self._view is None and not self.recall("welcomed"):
            self.call_after_refresh(self._welcome)
        tab, then = place(self._view, session=self._session)
        self.is_placed = tab not in PAGES
        if tab in PAGES:
            self.call_after_refresh(self._start_page, tab)
        elif self._session is not None and self.locations and tab != HOME:
            self.open_conversation(self.locations[0], self._session, view=tab)
            if then:
                topics = ", ".join(map(repr, self._focuses))  # no tuple: a single one would end in a comma
                self._lead_on(f"{then}({topics})" if self._view == FOCUS else then)

    def recall(self, name: str) -> object:
        """Return what an earlier run remembered under a name."""
        return self._state.read(name) if self._state is not None else None

    def remember(self, name: str, value: str | bool) -> None:
        """Keep a value for the next run."""
        if self._state is not None:
            self._state.remember(name, value)

    def _welcome(self) -> None:
        from inspector.screens.dialogs.first_run import FirstRunScreen

        def go_on(key: str | None) -> None:
            self.remember("welcomed", True)
            if key:
                self.simulate_key(key)

        self.push_screen(FirstRunScreen(), go_on)

    def _home(self) -> Screen[None]:
        if self._first is not None:
            return self._first()
        from inspector.screens.sessions.screen import SessionsScreen

        return SessionsScreen(self.locations, at=self._session)

    async def _start_page(self, name: str) -> None:
        await self.screen.run_action(PAGES[name])
        self.is_placed = True

    @work
    async def _lead_on(self, action: str) -> None:
        """Run an action of the tab in front, once the tab has loaded everything it shows."""
        calm = 0
        while calm < LOOKS and self.is_running and not (self._front is None and self.failures):
            await asyncio.sleep(CALM)
            calm = 0 if self._front is None or at_work(self.screen) else calm + 1
        if self._front is not None:
            await self.run_action(action, self._front)

    @property
    def _front(self) -> View | None:
        """The view in front; None until it is mounted."""
        from inspector.screens.workspace.screen import WorkspaceScreen

        view = self.screen.view if isinstance(self.screen, WorkspaceScreen) else None
        return view if view is not None and view.is_mounted else None

    def open_conversation(
        self, location: Location, session_id: str, *, view: str | None = None, row: int | None = None
    ) -> None:
        """Open the workspace of a conversation, at the given message row if there is one."""
        from inspector.screens.workspace.screen import WorkspaceScreen

        self.keys.hold()
        self.push_screen(WorkspaceScreen(location, session_id, view=view, row=row))

    def open_trajectories(self, path: str) -> None:
        """Preview a trajectory file as the newest release would compress it; nothing is written."""
        from core.hermes.policy.policy import newest_release
        from core.trajectory.compress.plan import Settings
        from core.trajectory.input.sources import find_input
        from core.trajectory.shards.job import Job
        from core.trajectory.summaries.base import SummarySpec
        from inspector.screens.trajectories.screen import TrajectoriesScreen

        try:
            sources = find_input(path).sources
        except InspectorError as error:
            self.notify(clean_line(str(error)), severity="error", markup=False)
            return
        settings = Settings(release=newest_release())
        self.push_screen(TrajectoriesScreen(Job(sources, settings, SummarySpec(), "", dry=True)))

    def _handle_exception(self, error: Exception) -> None:
        """Ignore missing widgets while something closes: the whole app, or Textual's command palette."""
        failed = isinstance(error, WorkerFailed)
        closing = self._exit or (failed and isinstance(get_current_worker().node, CommandPalette))
        cause = error.error if isinstance(error, WorkerFailed) else error
        if not (closing and isinstance(cause, (QueryError, MountError))):
            super()._handle_exception(error)

    def _take_keys(self) -> None:
        try:
            if self._keys_file is not None:
                self._own_keys |= read_keymap(self._keys_file)
        except ConfigError as error:
            self.notify(clean_line(str(error)), severity="warning", markup=False)
        use_keymap(self._own_keys)
        if self._own_keys:
            self.set_keymap(self._own_keys)

    def action_help(self) -> None:
        """Show every key that works on the current screen."""
        from inspector.screens.dialogs.help import HelpScreen

        self.push_screen(HelpScreen(self._scopes()))

    def _scopes(self) -> list[str]:
        """The active scopes, most specific first."""
        scope_of = {command.id: command.scope for command in table()}
        found = [scope_of.get(entry.binding.id or "") for entry in self.screen.active_bindings.values()]
        own = {scope for scope in found if scope}
        order = {scope: place for place, scope in enumerate(dict.fromkeys(scope_of.values()))}
        return sorted(own, key=lambda scope: (GENERAL.index(scope) if scope in GENERAL else -1, order[scope]))

    def action_follow(self) -> None:
        """Follow the session Hermes is writing to."""
        from inspector.screens.following import FollowingScreen

        if not isinstance(self.screen, FollowingScreen):
            self.push_screen(FollowingScreen(self.locations))

    def action_command_palette(self) -> None:
        """Open the palette that jumps anywhere by a few letters of a name."""
        from inspector.screens.jump.palette import JumpPalette

        if not isinstance(self.screen, CommandPalette):
            self.push_screen(JumpPalette())

    def action_settings(self) -> None:
        """Show every setting, and try out themes."""
        from inspector.screens.dialogs.settings import SettingsScreen

        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(SettingsScreen())

    def action_next_theme(self) -> None:
        """Switch to the next shipped theme."""
        names = [theme.name for theme in shipped()]
        place = names.index(self.theme) if self.theme in names else -1
        self.theme = names[(place + 1) % len(names)]
        self.remember("theme", self.theme)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer the commands marked for the palette that work on this screen."""
        active = {entry.binding.id: entry for entry in screen.active_bindings.values()}
        for command in table():
            entry = active.get(command.id)
            if command.palette and entry is not None:
                go = partial(self.call_later, self.run_action, command.action, entry.node)
                keys = ", ".join(map(key_name, keys_of(command)))
                yield SystemCommand(command.help.rstrip("."), f"Key: {keys}", go)
