"""Destinations with an argument, typed on one line: `why latest`, `usage today`, `search words`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from textual.app import App
from textual.screen import Screen

from core.errors import InspectorError
from core.store.database.locate import Location
from core.store.database.open_database import chosen
from core.store.store import resolve_in
from inspector.base.app_protocol import shell
from inspector.base.named_screens import VIEWS
from inspector.terminal.text import clean_line

EXAMPLES = ("why latest", "usage today", "search words of a message", "findings critical", "settings theme")


def meant(app: App[Any], locations: Sequence[Location], line: str) -> Callable[[], object] | None:
    """The action for a typed line; None if its first word takes no argument."""
    word, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if not rest:
        return None
    if word == "usage" and rest in _periods():
        return partial(_show, app, partial(_usage, locations, _periods()[rest]))
    if word in VIEWS:
        return lambda: app.run_worker(_open(app, locations, word, rest), exclusive=True)
    page = _PAGES.get(word)
    return partial(_show, app, partial(page, locations, rest)) if page else None


def _show(app: App[Any], page: Callable[[], Screen[None]]) -> None:
    """Show a page over everything, directly above the list."""
    back_to_list(app)
    app.push_screen(page())


def back_to_list(app: App[Any]) -> None:
    """Close every screen above the list."""
    while len(app.screen_stack) > 2:
        app.pop_screen()


def _usage(locations: Sequence[Location], period: int) -> Screen[None]:
    from inspector.screens.workspace.usage.question import Question
    from inspector.screens.workspace.usage.screen import UsageScreen

    return UsageScreen(locations, Question(period=period))


def _search(locations: Sequence[Location], text: str) -> Screen[None]:
    from inspector.screens.search.question import everywhere
    from inspector.screens.search.screen import SearchScreen

    return SearchScreen(everywhere(locations), text=text)


def _findings(locations: Sequence[Location], text: str) -> Screen[None]:
    from inspector.screens.findings.screen import FindingsScreen

    return FindingsScreen(locations, text=text)


def _settings(_: Sequence[Location], name: str) -> Screen[None]:
    from inspector.screens.dialogs.settings import SettingsScreen

    return SettingsScreen(at=name)


_PAGES: Mapping[str, Callable[[Sequence[Location], str], Screen[None]]] = {
    "search": _search,
    "findings": _findings,
    "settings": _settings,
}


def _periods() -> Mapping[str, int]:
    """Usage periods by name; a name of several words is also found by the first."""
    from inspector.screens.workspace.usage.question import PERIODS

    found = {name: place for place, (name, _) in enumerate(PERIODS)}
    return found | {name.partition(" ")[0]: place for name, place in found.items()}


async def _open(app: App[Any], locations: Sequence[Location], view: str, name: str) -> None:
    """Open the conversation a text names: an id, the beginning of one, a title, `latest`."""
    try:
        location, session = await asyncio.to_thread(_resolved, locations, name)
    except InspectorError as error:
        app.notify(clean_line(error.line), severity="warning", markup=False)
    else:
        shell(app.screen).open_conversation(location, session, view=view)


def _resolved(locations: Sequence[Location], name: str) -> tuple[Location, str]:
    """The session that a text names, as the command line finds it.

    Raises:
        InspectorError: No session matches, or several do.
    """
    from inspector.screens.workspace.usage.model import open_stores

    with ExitStack() as stack:
        opened, unreadable = open_stores(stack, locations, None)
        found, errors = resolve_in(opened, name)
        store, session = chosen(found, [*errors, *unreadable], name)
        return store.location, session.id
