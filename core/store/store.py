"""One open session database; other rooms read databases only through it.

A conversation is named by an id or a title, a unique beginning of one, or `latest`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from core.errors import AmbiguousError, DatabaseError, InspectorError, NotFoundError, UsageError
from core.model.transcript.session import LONG_AGO
from core.store.conversations.conversation import read_conversation, read_lost_tail
from core.store.conversations.conversation_query import newest_tip
from core.store.conversations.session_lists import ConversationLists
from core.store.database.connect import lowered, noting
from core.store.database.locate import LATEST
from core.store.database.open_database import HAS_ID, Schema
from core.store.lineage.families import families_of
from core.store.rows.messages import (
    read_messages,
    read_previews,
    read_system_prompt,
    read_tools,
    rows_after,
)
from core.store.rows.sessions import read_leases, read_locks, read_routing, read_sessions
from core.store.rows.usage import read_usage

if TYPE_CHECKING:
    from core.model.transcript.conversation import Chain, Conversation, Generation
    from core.model.transcript.message import Message
    from core.model.transcript.session import Session
    from core.model.transcript.storage import (
        Lease,
        Routing,
        RowPreview,
        SearchHit,
        SearchResult,
        StoreHealth,
        ToolPin,
        UsageRow,
    )

Found = TypeVar("Found")
_TESTS = (
    "id = :text",
    ":text <> '' AND substr(id, 1, length(:text)) = :text",
    "title = :text",
    f"{lowered('title')} = :lowered",
)
"""How a text may match a session, most certain first; the first test with a single match decides."""
_BEGINS = f":text <> '' AND substr({lowered('title')}, 1, length(:lowered)) = :lowered"
_MAX_LISTED = 5
_COMPARED = 5_000


class Store(ConversationLists):
    """A read-only view of one session database.

    It holds one connection, so a worker thread needs its own Store. Every read is short: rows are fetched and
    the statement is closed, so a running Hermes never has to wait.
    """

    def session(self, session_id: str) -> Session:
        """The session with exactly this id.

        Raises:
            NotFoundError: There is none.
        """
        with self._read() as (connection, schema):
            found = read_sessions(connection, schema, self.path, [session_id])
        return self._existing(found.get(session_id), session_id)

    def resolve(self, text: str) -> Session:
        """The session named by an id, a unique prefix of one, a title, or `latest`.

        Raises:
            NotFoundError: Nothing matches; near matches are named.
            UsageError: Several sessions match; they are named.
        """
        with self._read() as (connection, schema):
            session_id = resolve_id(connection, schema, self.path, text)
        return self.session(session_id)

    def conversation(self, session_id: str) -> Conversation:
        """The whole thread of a session, split into generations.

        Raises:
            NotFoundError: There is no such session.
        """
        with self._read() as (connection, schema):
            found = read_conversation(connection, schema, self.path, session_id)
        return self._existing(found, session_id)

    def learn(self, session_id: str) -> None:
        """Learn every credential of a conversation: from now on each is masked in whatever is shown."""
        from core.store.conversations.credentials import learn_conversation

        with self._read() as (connection, schema):
            learn_conversation(connection, schema, self.path, session_id)

    def lost_tail(self, session_id: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Rows a partial compression should have kept but lost (0.18, 0.19), and live rows written since."""
        with self._read() as (connection, schema):
            return read_lost_tail(connection, schema, session_id)

    def chain(self, session_id: str) -> Chain:
        """Continuations, branches and sub-agents of a session, and what /resume opens.

        Raises:
            NotFoundError: There is no such session.
        """
        from core.store.conversations.generation_counts import read_chain

        with self._read() as (connection, schema):
            found = read_chain(connection, schema, self.path, session_id)
        return self._existing(found, session_id)

    def messages(
        self, row_ids: Sequence[int], *, rewound: Collection[int] | None = None
    ) -> tuple[Message, ...]:
        """The messages of these rows in the order given, each as Hermes would load it."""
        with self._read() as (connection, schema):
            return read_messages(connection, schema, row_ids, rewound)

    def message_and_next(self, row_id: int, following: int) -> tuple[Message, ...]:
        """A message, and those that follow it in its session."""
        with self._read() as (connection, _):
            rows = rows_after(connection, row_id, following)
        return self.messages((row_id, *rows))

    def generation_messages(self, generation: Generation) -> tuple[Message, ...]:
        """All messages of a generation, as the model saw them."""
        return self.messages(generation.row_ids)

    def previews(self, row_ids: Sequence[int], chars: int = 200) -> tuple[RowPreview, ...]:
        """One line for each of these rows, with no text for 0 chars; never reads a whole body."""
        with self._read() as (connection, schema):
            return read_previews(connection, schema, row_ids, chars)

    def system_prompt(self, session: Session) -> str | None:
        """The system prompt of a session; None where Hermes did not store it."""
        with self._read() as (connection, schema):
            return read_system_prompt(connection, schema, session)

    def tools(self, session: Session) -> ToolPin | None:
        """The tool schemas a session last sent, with the Hermes version (0.22)."""
        with self._read() as (connection, schema):
            return read_tools(connection, schema, session)

    def search(self, text: str, *, limit: int = 50, session: str | None = None) -> SearchResult:
        """Messages that hold every word of a text, newest first."""
        from core.store import search

        with self._read() as (connection, schema):
            return search.search(
                connection, schema, text, limit=limit, session=session, learn=self.learn_shown
            )

    def newest_said(self, limit: int) -> tuple[SearchHit, ...]:
        """The newest messages of users, newest first."""
        from core.store import search

        with self._read() as (connection, schema):
            return search.newest_said(connection, schema, limit=limit, learn=self.learn_shown)

    def model_usage(self, session_ids: Sequence[str]) -> tuple[UsageRow, ...]:
        """What sessions spent by route and task (0.19 and later)."""
        with self._read() as (connection, schema):
            return read_usage(connection, schema, session_ids)

    def locks(self) -> tuple[Lease, ...]:
        """Compression locks, including expired ones."""
        with self._read() as (connection, schema):
            return read_locks(connection, schema)

    def leases(self) -> tuple[Lease, ...]:
        """Turns that are running (0.22), including expired ones."""
        with self._read() as (connection, schema):
            return read_leases(connection, schema)

    def routing(self) -> tuple[Routing, ...]:
        """Gateway chats, their sessions and their last prompt sizes."""
        with self._read() as (connection, schema):
            return read_routing(connection, schema)

    def health(self, *, integrity: bool = False) -> StoreHealth:
        """Sizes, layout, leases and damage; SQLite's own check, which reads everything, only on request."""
        from core.store import health

        with self._read() as (connection, schema):
            return health.examine(connection, schema, self.path, integrity=integrity)

    def _existing(self, found: Found | None, session_id: str) -> Found:
        if found is None:
            raise NotFoundError(f"no session {session_id!r}", where=str(self.path))
        return found


Place = tuple[Store, "Session"]
"""A session and the database it is in."""


def resolve_in(stores: Iterable[Store], text: str) -> tuple[list[Place], list[InspectorError]]:
    """The sessions that a text names, the newest first, at most one of each database.

    Also why others have none: those with several come first, those that cannot be read last.
    """
    found: list[Place] = []
    errors: list[InspectorError] = []
    for store in stores:
        with noting(errors):
            found.append((store, store.resolve(text)))
    found.sort(key=lambda place: place[1].last_active or LONG_AGO, reverse=True)
    several = AmbiguousError | UsageError
    errors.sort(key=lambda error: (isinstance(error, DatabaseError), not isinstance(error, several)))
    return found, errors


def resolve_id(connection: sqlite3.Connection, schema: Schema, path: Path, text: str) -> str:
    """The id of the session that a text names.

    Raises:
        NotFoundError: Nothing matches; near matches are named.
        AmbiguousError: Titles of several conversations begin with it; they are named.
        UsageError: A prefix or title matches several sessions; they are named.
    """
    if text == LATEST:
        newest = newest_tip(connection, schema)
        if newest is None:
            raise NotFoundError("there are no sessions yet", where=str(path))
        return newest
    several: list[str] = []
    for test in _TESTS if schema.has("sessions", "title") else _TESTS[:2]:
        found = [str(one) for (one,) in _matching(connection, "id", test, text, _MAX_LISTED + 1)]
        if len(found) == 1 or text in found:
            return found[0]
        several = several or found
    if several:
        raise _ambiguous(text, several, path)
    if schema.has("sessions", "title"):
        titles = _matching(connection, "id, title", _BEGINS, text, _COMPARED)
        if begun := {str(one): str(title) for one, title in titles}:
            return _one_conversation(connection, schema, path, text, begun)
    raise _unknown(connection, schema, path, text)


def _matching(
    connection: sqlite3.Connection, columns: str, test: str, text: str, limit: int
) -> list[sqlite3.Row]:
    query = f"SELECT {columns} FROM sessions WHERE {HAS_ID} AND {test} ORDER BY id LIMIT {limit}"  # noqa: S608 - tests above
    return connection.execute(query, {"text": text, "lowered": text.lower()}).fetchall()


def _one_conversation(
    connection: sqlite3.Connection, schema: Schema, path: Path, text: str, begun: dict[str, str]
) -> str:
    """The newest session of the only conversation with titles that begin so; several are ambiguous."""
    lineage = families_of(connection, schema, list(begun))
    tips = dict.fromkeys(lineage.tip(one) for one in begun)
    if len(tips) == 1:
        return next(iter(tips))
    first = {lineage.tip(one): f"{title} ({one})" for one, title in reversed(begun.items())}
    named = [first[tip] for tip in tips][:_MAX_LISTED]
    more = f" and {len(tips) - _MAX_LISTED} more" if len(tips) > _MAX_LISTED else ""
    raise AmbiguousError(
        f"{text!r} is the beginning of {len(tips)} titles",
        where=str(path),
        remedy=f"Say more, or give an id: {', '.join(named)}{more}",
    )


def _ambiguous(text: str, found: list[str], path: Path) -> UsageError:
    more = ", ..." if len(found) > _MAX_LISTED else ""
    names = ", ".join(found[:_MAX_LISTED]) + more
    return UsageError(f"{text!r} fits several sessions", where=str(path), remedy=f"Choose one of {names}")


def _unknown(connection: sqlite3.Connection, schema: Schema, path: Path, text: str) -> NotFoundError:
    names = schema.select("sessions", ("id", "title"))
    query = f"SELECT {names} FROM sessions WHERE {HAS_ID} ORDER BY rowid DESC LIMIT {_COMPARED}"  # noqa: S608 - schema names
    known = {str(name): str(row[0]) for row in connection.execute(query).fetchall() for name in row if name}
    from difflib import get_close_matches

    near = get_close_matches(text, known, n=_MAX_LISTED, cutoff=0.5)
    holding = [name for name in known if text and text.lower() in name.lower()]
    found = list(dict.fromkeys([*holding, *near]))[:_MAX_LISTED]
    shown = [name if name == known[name] else f"{known[name]} ({name})" for name in found]
    remedy = f"Did you mean {', '.join(shown)}?" if shown else "`hermes-inspector sessions` lists them"
    return NotFoundError(f"no session {text!r}", where=str(path), remedy=remedy)
