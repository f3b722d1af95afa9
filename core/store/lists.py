"""The lists of one session database; what a list does not read, it does not import."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from core.model.pages import ConversationPage, SessionPage
from core.model.session import ConversationRow, Kind
from core.store.counting import count_generations
from core.store.families import families_of
from core.store.listing import (
    Query,
    conversations_of,
    list_conversations,
    list_sessions,
    newest_conversations,
)
from core.store.open_database import OpenDatabase


class Lists(OpenDatabase):
    """Conversations and sessions, ordered, filtered and paged, with what a line of a list says of them."""

    def conversations(
        self,
        *,
        limit: int | None = None,
        offset: int = 0,
        since: datetime | None = None,
        source: str | None = None,
        sort: str = "last_active",
        text: str | None = None,
        kinds: Collection[Kind] | None = None,
    ) -> ConversationPage:
        """One row a conversation, from `sessions` alone.

        Args:
            limit: Most rows wanted; None for all.
            offset: How many to skip.
            since: Only what was active at or after this time.
            source: Only conversations with a session from here.
            sort: One of `core.store.ordering.SORTS`.
            text: Only where this stands in an id, title, model, source or folder.
            kinds: Only conversations whose root is one of these; None for all.
        """
        wanted = frozenset(kinds) if kinds is not None else None
        query = Query(limit, offset, since, source, sort, text, wanted)
        with self._read() as (connection, schema):
            return list_conversations(connection, schema, self.path, query)

    def newest(self, limit: int, kinds: Collection[Kind] | None = None) -> tuple[ConversationRow, ...]:
        """The conversations of the `limit` sessions active last; costs the same on any file."""
        wanted = frozenset(kinds) if kinds is not None else None
        with self._read() as (connection, schema):
            return newest_conversations(connection, schema, self.path, limit, wanted)

    def conversations_of(self, session_ids: Sequence[str]) -> tuple[ConversationRow, ...]:
        """The conversations some sessions are in, each once, in the order of the ids."""
        with self._read() as (connection, schema):
            return conversations_of(connection, schema, self.path, session_ids)

    def sessions(
        self,
        *,
        limit: int | None = None,
        offset: int = 0,
        since: datetime | None = None,
        source: str | None = None,
        sort: str = "last_active",
        text: str | None = None,
    ) -> SessionPage:
        """One row a session with its place in its conversation; arguments as for `conversations`."""
        query = Query(limit, offset, since, source, sort, text)
        with self._read() as (connection, schema):
            return list_sessions(connection, schema, self.path, query)

    def thread_generation_counts(self, session_ids: Sequence[str]) -> tuple[int, ...]:
        """How many generations the conversation of each session holds; looks at messages."""
        with self._read() as (connection, schema):
            lineage = families_of(connection, schema, session_ids)
            counts = count_generations(connection, schema, lineage, session_ids)
        return tuple(sum(counts[part] for part in lineage.path(one)) for one in session_ids)

    def first_words(self, session_ids: Sequence[str], chars: int = 80) -> Mapping[str, str]:
        """What the user of each session said first, by id; sessions in which nobody spoke are left out."""
        if not session_ids:
            return {}
        from core.store.first_words import read_first_words  # reads messages, as lists of titles never do

        with self._read() as (connection, schema):
            return read_first_words(connection, schema, session_ids, chars)
