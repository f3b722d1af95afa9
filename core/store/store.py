"""One open session database: the only way other rooms read one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from core.errors import NotFoundError
from core.model.transcript.conversation import Chain, Conversation, Generation
from core.model.transcript.message import Message
from core.model.transcript.session import Session
from core.model.transcript.storage import (
    Lease,
    Routing,
    RowPreview,
    SearchResult,
    StoreHealth,
    ToolPin,
    UsageRow,
)
from core.store import health, search
from core.store.conversations.chain import read_chain
from core.store.conversations.conversation import read_conversation, read_lost_tail
from core.store.conversations.conversation_lists import ConversationLists
from core.store.conversations.resolve import resolve_id
from core.store.database.connect import stamp
from core.store.rows import leases as live
from core.store.rows import usage as accounts
from core.store.rows.messages import read_messages, read_previews
from core.store.rows.sessions import read_sessions

Found = TypeVar("Found")


class Store(ConversationLists):
    """A read-only view of one session database.

    Holds one connection, so a worker thread needs a Store of its own. Every read is short: rows are fetched
    and the statement closed, so a running Hermes is never held up.
    """

    def session(self, session_id: str) -> Session:
        """The session with exactly this id.

        Raises:
            NotFoundError: There is none.
        """
        with self._read() as (connection, schema):
            found = read_sessions(connection, schema, self.path, [session_id])
        return self._known(found.get(session_id), session_id)

    def resolve(self, text: str) -> Session:
        """The session an id, a unique prefix of one, a title, or `latest` names.

        Raises:
            NotFoundError: Nothing fits; near matches are named.
            UsageError: Several sessions fit; they are named.
        """
        with self._read() as (connection, schema):
            session_id = resolve_id(connection, schema, self.path, text)
        return self.session(session_id)

    def conversation(self, session_id: str) -> Conversation:
        """The whole thread a session belongs to, split into generations.

        Raises:
            NotFoundError: There is no such session.
        """
        with self._read() as (connection, schema):
            found = read_conversation(connection, schema, self.path, session_id)
        return self._known(found, session_id)

    def learn(self, session_id: str) -> None:
        """Know every credential of a conversation: from now on each is masked in whatever is shown of it."""
        from core.store.conversations.credentials import learn_conversation

        with self._read() as (connection, schema):
            learn_conversation(connection, schema, self.path, session_id)

    def lost_tail(self, session_id: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Rows a partial compression was to keep and lost (0.18, 0.19), and the live rows written since."""
        with self._read() as (connection, schema):
            return read_lost_tail(connection, schema, session_id)

    def chain(self, session_id: str) -> Chain:
        """Continuations, branches and delegates around a session, and what /resume opens.

        Raises:
            NotFoundError: There is no such session.
        """
        with self._read() as (connection, schema):
            found = read_chain(connection, schema, self.path, session_id)
        return self._known(found, session_id)

    def messages(self, row_ids: Sequence[int]) -> tuple[Message, ...]:
        """The messages of these rows in the order asked for, each as Hermes would load it."""
        with self._read() as (connection, schema):
            return read_messages(connection, schema, row_ids)

    def generation_messages(self, generation: Generation) -> tuple[Message, ...]:
        """All messages of a generation, as the model saw them."""
        return self.messages(generation.row_ids)

    def previews(self, row_ids: Sequence[int], chars: int = 200) -> tuple[RowPreview, ...]:
        """One line for each of these rows; bodies are never read to their end."""
        with self._read() as (connection, schema):
            return read_previews(connection, schema, row_ids, chars)

    def system_prompt(self, session: Session) -> str | None:
        """The system prompt of a session; None where Hermes did not keep it."""
        with self._read() as (connection, schema):
            return accounts.read_system_prompt(connection, schema, session)

    def tools(self, session: Session) -> ToolPin | None:
        """The tool schemas a session last sent, with the Hermes version (0.22)."""
        with self._read() as (connection, schema):
            return accounts.read_tools(connection, schema, session)

    def search(self, text: str, *, limit: int = 50, session: str | None = None) -> SearchResult:
        """Messages that hold every word of a text, newest first."""
        with self._read() as (connection, schema):
            return search.search(
                connection, schema, text, limit=limit, session=session, learn=self.learn_shown
            )

    def model_usage(self, session_ids: Sequence[str]) -> tuple[UsageRow, ...]:
        """What sessions spent by route and task (0.19 and later)."""
        with self._read() as (connection, schema):
            return accounts.read_usage(connection, schema, session_ids)

    def locks(self) -> tuple[Lease, ...]:
        """Compression locks, expired ones included."""
        with self._read() as (connection, schema):
            return live.read_locks(connection, schema)

    def leases(self) -> tuple[Lease, ...]:
        """Turns that are running (0.22), expired ones included."""
        with self._read() as (connection, schema):
            return live.read_leases(connection, schema)

    def routing(self) -> tuple[Routing, ...]:
        """Gateway chats, their sessions and their last prompt sizes."""
        with self._read() as (connection, schema):
            return live.read_routing(connection, schema)

    def data_version(self) -> tuple[int, ...]:
        """A value that changes when another process has written; cheap enough to ask every second."""
        with self._read() as (connection, _):
            (version,) = connection.execute("PRAGMA data_version").fetchone()
        return (int(version), *stamp(self.path))

    def health(self, *, integrity: bool = False) -> StoreHealth:
        """Sizes, layout, leases, damage; SQLite's own check, which reads everything, only when asked for."""
        with self._read() as (connection, schema):
            return health.examine(connection, schema, self.path, integrity=integrity)

    def _known(self, found: Found | None, session_id: str) -> Found:
        if found is None:
            raise NotFoundError(f"no session {session_id!r}", where=str(self.path))
        return found
