"""The palette as a way to get anywhere: screens, conversations, themes, found by a few letters of them."""

from __future__ import annotations

import asyncio
import glob
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from textual.command import DiscoveryHit, Hit, Hits, Provider

from core.errors import InspectorError
from core.model.transcript.pages import ListQuery
from core.store.database.locate import Location
from core.store.store import Store
from inspector.base.app_protocol import shell
from inspector.base.named_screens import PAGES, VIEWS
from inspector.terminal.palette import shipped
from inspector.terminal.text import clean_line, content

MOST = 500
"""Conversations of each database that are found, the newest."""

ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")
LEAST, MOST_FILES = 3, 20
"""Letters from which on files of trajectories are looked for, and how many are shown."""


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere to go.

    Attributes:
        text: What it is found by; untrusted for a conversation.
        help: What it is.
        go: Goes there.
    """

    text: str
    help: str
    go: Callable[[], object]


class JumpProvider(Provider):
    """Reads the names of the conversations once, when the palette opens, off the thread that draws."""

    async def startup(self) -> None:
        """Gather what can be gone to."""
        self._places = [*self._screens(), *self._themes()]
        locations = tuple(getattr(self.app, "locations", ()))
        named = await asyncio.to_thread(_named, locations)
        app = shell(self.screen)
        for location, session, title in named:
            go = partial(app.open_conversation, location, session)
            self._places.append(Place(f"{title} {session}", "conversation", go))

    async def search(self, query: str) -> Hits:
        """What fits, each scored; no text of a session is read as markup."""
        matcher = self.matcher(query.lstrip(":"))
        for place in self._places:
            text = clean_line(place.text)
            if (score := matcher.match(text)) > 0:
                yield Hit(score, content(text), place.go, text=text, help=place.help)

        for path in await asyncio.to_thread(_trajectories, query.lstrip(":").strip()):
            go = partial(shell(self.screen).open_trajectories, path)
            yield Hit(1.0, content(clean_line(path)), go, text=clean_line(path), help="trajectories")

    async def discover(self) -> Hits:
        """The screens, before anything was typed."""
        for place in self._screens():
            yield DiscoveryHit(content(place.text), place.go, text=place.text, help=place.help)

    def _screens(self) -> Sequence[Place]:
        """Pages over everything, and the tabs of the conversation in front."""
        from inspector.base.commands import table

        told = {command.action.removeprefix("screen."): command.help for command in table()}
        pages = [
            Place(name, told.get(action, "screen"), partial(self._page, name))
            for name, action in PAGES.items()
        ]
        if not hasattr(self.screen, "action_view"):
            return pages
        tabs = enumerate(VIEWS, 1)
        return [
            *pages,
            *(Place(name, "tab", partial(self._run, f"screen.view({place})")) for place, name in tabs),
        ]

    def _page(self, name: str) -> None:
        """A page over everything is opened from the list."""
        action = PAGES[name]
        if not action.startswith("app."):
            while len(self.app.screen_stack) > 2:
                self.app.pop_screen()
            action = f"screen.{action}"
        self._run(action)

    def _run(self, action: str) -> None:
        self.app.call_later(self.app.run_action, action)

    def _themes(self) -> Sequence[Place]:
        return [Place(f"theme {one.name}", "theme", partial(self._wear, one.name)) for one in shipped()]

    def _wear(self, name: str) -> None:
        self.app.theme = name
        shell(self.screen).remember("theme", name)


def _trajectories(query: str) -> list[str]:
    """Files of trajectories, by the beginning of a path, or letters of a name in this folder."""
    if len(query) < LEAST:
        return []
    here = (name for name in os.listdir() if query.lower() in name.lower())
    typed = glob.iglob(f"{glob.escape(os.path.expanduser(query))}*")
    wanted = (path for path in (*here, *typed) if path.endswith(ENDINGS) and os.path.isfile(path))
    return list(islice(dict.fromkeys(wanted), MOST_FILES))


def _named(locations: Sequence[Location]) -> list[tuple[Location, str, str]]:
    """The newest conversations: database, newest session, title; a database that cannot be read has none."""
    found: list[tuple[Location, str, str]] = []
    for location in locations:
        try:
            with Store(location) as store:
                rows = store.conversations(ListQuery(MOST)).rows
                found += [(location, row.tip.id, row.tip.title or "") for row in rows]
        except InspectorError:  # the list says so already
            continue
    return found
