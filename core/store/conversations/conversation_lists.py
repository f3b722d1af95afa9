"""The lists of conversations of one database; reading what was said takes more to import."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.model.transcript.pages import EVERYTHING, ConversationPage, ConversationRow, ListQuery
from core.model.transcript.session import Kind
from core.store.conversations.conversation_query import (
    conversation_ids,
    conversations_of,
    list_conversations,
    newest_conversations,
)
from core.store.conversations.session_lists import SessionLists


class ConversationLists(SessionLists):
    """Conversations, ordered, filtered and paged, from `sessions` alone."""

    def conversations(self, query: ListQuery = EVERYTHING, *, shown: bool = True) -> ConversationPage:
        """One row a conversation, from `sessions` alone.

        Args:
            query: Which, and in what order.
            shown: Titles will be shown, so what is a credential in them is looked up; False where most of
                many rows will not be, and `learn_titles` follows for those that are.
        """
        with self._read() as (connection, schema):
            page = list_conversations(connection, schema, self.path, query)
        if shown:
            self.learn_titles(page.rows)
        return page

    def newest(self, limit: int, kinds: Collection[Kind] | None = None) -> tuple[ConversationRow, ...]:
        """The conversations of the `limit` sessions active last; costs the same on any file."""
        with self._read() as (connection, schema):
            rows = newest_conversations(connection, schema, self.path, limit, kinds)
        self.learn_titles(rows)
        return rows

    def conversation_ids(self, query: ListQuery = EVERYTHING) -> tuple[str, ...]:
        """The first session of each conversation, newest first."""
        with self._read() as (connection, schema):
            return tuple(conversation_ids(connection, schema, query))

    def conversations_of(self, session_ids: Sequence[str]) -> tuple[ConversationRow, ...]:
        """The conversations some sessions are in, each once, in the order of the ids."""
        with self._read() as (connection, schema):
            rows = conversations_of(connection, schema, self.path, session_ids)
        self.learn_titles(rows)
        return rows

    def learn_titles(self, rows: Sequence[ConversationRow]) -> None:
        """Know which words of these titles are credentials."""
        self.learn_shown({one.id: one.title for row in rows for one in row.sessions if one.title})
