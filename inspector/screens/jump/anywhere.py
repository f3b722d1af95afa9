"""A palette that goes anywhere: to screens, conversations, findings, settings, themes, by a few letters."""

from __future__ import annotations

import asyncio
import glob
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import nlargest
from itertools import islice
from threading import Event

from textual.command import DiscoveryHit, Hit, Hits, Provider

from core.errors import InspectorError
from core.model.transcript.session import LONG_AGO, ListQuery
from core.model.transcript.storage import SearchHit
from core.store.database.locate import Location
from core.store.store import Store
from core.support.program_files import load_table
from inspector.base.app_protocol import shell
from inspector.base.named_screens import PAGES, VIEWS
from inspector.screens.jump.arguments import EXAMPLES, back_to_list, meant
from inspector.settings.settings import Settings, values
from inspector.terminal.line import shipped
from inspector.terminal.text import clean_line, content

MAX_CONVERSATIONS = 500
"""Newest conversations of each database that can be found."""
MIN_SEARCH_CHARS, PAUSE, MAX_HITS = 4, 0.2, 8
"""Letters before messages are searched, the pause in typing that starts it (seconds), and most hits shown."""
_CERTAIN, _BEGINS, _FILE, _SAID = 3.0, 1.0, 0.2, 0.01
"""Scores as shares of a perfect match: an exactly typed command, the bonus for a name that begins with the
query, a file, and a message."""


ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")
MIN_FILE_CHARS, MAX_FILES = 3, 20
"""Letters before trajectory files are searched, and most files shown."""


@dataclass(frozen=True, slots=True)
class Place:
    """A destination.

    Attributes:
        text: The text it is found by; untrusted for a conversation.
        help: What it is.
        go: Goes there.
    """

    text: str
    help: str
    go: Callable[[], object]


class JumpProvider(Provider):
    """Reads the names of the conversations once, off the UI thread, when the palette opens."""

    async def startup(self) -> None:
        """Gather the destinations in a task: a key would cancel what is awaited here, for good."""
        self._gathering = asyncio.create_task(self._gather())

    async def _gather(self) -> None:
        self._places = [*self._screens(), *self._first_words(), *self._themes()]
        named = await asyncio.to_thread(_named, self._locations)
        app = shell(self.screen)
        for location, session, title in named:
            go = partial(app.open_conversation, location, session)
            self._places.append(Place(f"{title} {session}", "conversation", go))
        self._places += [*self._findings(), *self._settings()]

    async def search(self, query: str) -> Hits:
        """Matching destinations with scores; no text of a session is read as markup."""
        await asyncio.shield(self._gathering)
        line = query.lstrip(":").strip()
        matcher = self.matcher(line)
        best = matcher.match(line)
        if (go := self._meant(line)) is not None:
            yield Hit(_CERTAIN * best, content(clean_line(line)), go, text=line, help="as typed")
        for place in self._places:
            text = clean_line(place.text)
            if (match := matcher.match(text)) > 0:
                begins = _BEGINS * text.casefold().startswith(line.casefold())
                yield Hit(match + begins * best, content(text), place.go, text=text, help=place.help)
        for path in await asyncio.to_thread(_trajectories, line):
            opens = partial(shell(self.screen).open_trajectories, path)
            text = clean_line(path)
            yield Hit(_FILE * best, content(text), opens, text=text, help="trajectories")
        for place in await self._messages_holding(line) if len(line) >= MIN_SEARCH_CHARS else ():
            text = clean_line(place.text)
            yield Hit(_SAID * best, content(text), place.go, text=text, help=place.help)

    async def _messages_holding(self, words: str) -> Sequence[Place]:
        """Messages that contain the words, once typing pauses."""
        await asyncio.sleep(PAUSE)
        left = Event()
        try:
            found = await asyncio.to_thread(_hits, self._locations, words, left)
        finally:
            left.set()
        go, places = shell(self.screen).open_conversation, list[Place]()
        for location, hit in found:
            opens = partial(go, location, hit.session_id, row=hit.row_id)
            places.append(Place(hit.excerpt, f"{hit.role} message of {hit.session_id}", opens))
        return places

    async def discover(self) -> Hits:
        """Before anything is typed: the screens, and examples of commands."""
        for place in self._screens():
            yield DiscoveryHit(content(place.text), place.go, text=place.text, help=place.help)
        for line in EXAMPLES:
            if (go := self._meant(line)) is not None:
                yield DiscoveryHit(content(line), go, text=line, help="example")

    @property
    def _locations(self) -> tuple[Location, ...]:
        return tuple(getattr(self.app, "locations", ()))

    def _meant(self, line: str) -> Callable[[], object] | None:
        return meant(self.app, self._locations, line)

    def _findings(self) -> Sequence[Place]:
        """The rules of findings by number and name."""
        return [
            Place(f"{rule} {words['name']}", f"{words['severity']} finding", found)
            for rule, words in load_table("core/explain/diagnose/findings.yaml").items()
            if (found := self._meant(f"findings {rule}")) is not None
        ]

    def _settings(self) -> Sequence[Place]:
        """The settings by name."""
        return [
            Place(f"settings {name}", "setting", found)
            for name in (".".join(path) for path, _, _ in values(Settings()))
            if (found := self._meant(f"settings {name}")) is not None
        ]

    def _screens(self) -> Sequence[Place]:
        """Pages over everything, and the tabs of the open conversation."""
        from inspector.base.commands import table

        own = (command for command in table() if command.scope in ("app", "sessions"))
        helps = {command.action.rpartition(".")[2]: command.help for command in own}
        pages = [
            Place(name, helps[action.rpartition(".")[2]], partial(self._page, name))
            for name, action in PAGES.items()
        ]
        if not hasattr(self.screen, "action_view"):
            return pages
        tabs = enumerate(VIEWS, 1)
        return [
            *pages,
            *(Place(name, "tab", partial(self._run, f"screen.view({place})")) for place, name in tabs),
        ]

    def _first_words(self) -> Sequence[Place]:
        """What a single word such as `why` opens from the list: the newest conversation, or all of them."""
        if hasattr(self.screen, "action_view"):
            return []
        newest = [(name, self._meant(f"{name} latest")) for name in VIEWS if name != "usage"]
        return [
            Place("usage", "what all conversations cost", partial(self._page, "spending")),
            *(Place(f"{name} latest", "newest conversation", go) for name, go in newest if go is not None),
        ]

    def _page(self, name: str) -> None:
        """Open a page over everything, from the list."""
        action = PAGES[name]
        if not action.startswith("app."):
            back_to_list(self.app)
            action = f"screen.{action}"
        self._run(action)

    def _run(self, action: str) -> None:
        self.app.call_later(self.app.run_action, action)

    def _themes(self) -> Sequence[Place]:
        return [Place(f"theme {one.name}", "theme", partial(self._use_theme, one.name)) for one in shipped()]

    def _use_theme(self, name: str) -> None:
        self.app.theme = name
        shell(self.screen).remember("theme", name)


def _trajectories(query: str) -> list[str]:
    """Trajectory files by the beginning of a path, or by letters of a name in this folder."""
    if len(query) < MIN_FILE_CHARS:
        return []
    here = (name for name in os.listdir() if query.lower() in name.lower())
    typed = glob.iglob(f"{glob.escape(os.path.expanduser(query))}*")
    wanted = (path for path in (*here, *typed) if path.endswith(ENDINGS) and os.path.isfile(path))
    return list(islice(dict.fromkeys(wanted), MAX_FILES))


def _hits(locations: Sequence[Location], words: str, left: Event) -> list[tuple[Location, SearchHit]]:
    """The newest messages of all databases that contain the words."""
    found: list[tuple[Location, SearchHit]] = []
    for location in locations:
        try:
            with Store(location, cancelled=left.is_set) as store:
                found += [(location, hit) for hit in store.search(words, limit=MAX_HITS).hits]
        except InspectorError:  # the list already shows the error, or the user typed more
            continue
    return nlargest(MAX_HITS, found, key=lambda one: one[1].timestamp or LONG_AGO)


def _named(locations: Sequence[Location]) -> list[tuple[Location, str, str]]:
    """The newest conversations: database, newest session, title; unreadable databases are skipped."""
    found: list[tuple[Location, str, str]] = []
    for location in locations:
        try:
            with Store(location) as store:
                rows = store.conversations(ListQuery(MAX_CONVERSATIONS)).rows
                found += [(location, row.tip.id, row.title or "") for row in rows]
        except InspectorError:  # the list already shows the error
            continue
    return found
