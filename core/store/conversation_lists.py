"""The lists of conversations of one session database; reading what was said takes more to import."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from core.model.pages import ConversationPage, ConversationRow
from core.model.session import Kind
from core.store.conversation_list import (
    conversation_ids,
    conversations_of,
    list_conversations,
    newest_conversations,
)
from core.store.listing import Query
from core.store.lists import Lists


class ConversationLists(Lists):
    """Conversations, ordered, filtered and paged, from `sessions` alone."""

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

    def conversation_ids(
        self, *, text: str | None = None, kinds: Collection[Kind] | None = None
    ) -> tuple[str, ...]:
        """The first session of each conversation, newest first; arguments as for `conversations`."""
        query = Query(text=text, kinds=frozenset(kinds) if kinds is not None else None)
        with self._read() as (connection, schema):
            return tuple(conversation_ids(connection, schema, query))

    def conversations_of(self, session_ids: Sequence[str]) -> tuple[ConversationRow, ...]:
        """The conversations some sessions are in, each once, in the order of the ids."""
        with self._read() as (connection, schema):
            return conversations_of(connection, schema, self.path, session_ids)
