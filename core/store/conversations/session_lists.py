"""The session lists of one database; modules are imported only when a list needs them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from core.model.transcript.session import (
    EVERYTHING,
    NAME_CHARS,
    ConversationPage,
    ConversationRow,
    Kind,
    ListQuery,
    SessionPage,
    Thread,
)
from core.redact.quick_check import masked_start
from core.store.conversations.conversation_query import (
    conversation_ids,
    conversations_of,
    list_conversations,
    list_sessions,
    newest_conversations,
)
from core.store.conversations.generation_counts import Count, count_generations, together
from core.store.database.open_database import OpenDatabase
from core.store.lineage.families import families_of
from core.store.rows.decode import read_first_words
from core.store.rows.sessions import read_sessions

_READ_AFTER = 200
"""How many characters are read beyond the first words: a credential cut in half is not recognised."""


class SessionLists(OpenDatabase):
    """Sessions, ordered, filtered and paged, with what a list shows of each."""

    def sessions(self, query: ListQuery = EVERYTHING) -> SessionPage:
        """One row for each session, with its place in its conversation."""
        with self._read() as (connection, schema):
            page = list_sessions(connection, schema, self.path, query)
        self.learn_shown({entry.session.id: entry.session.title or "" for entry in page.rows})
        return page

    def learn_shown(self, shown: Mapping[str, str]) -> None:
        """Learn which words of these lines, one for each session, are credentials by their conversations."""
        if not any(shown.values()):
            return
        from core.store.conversations.credentials import learn_shown

        with self._read() as (connection, schema):
            learn_shown(connection, schema, self.path, shown)

    def thread_generation_counts(self, session_ids: Sequence[str]) -> tuple[Count, ...]:
        """How many generations the conversation of each session holds; reads messages."""
        with self._read() as (connection, schema):
            lineage = families_of(connection, schema, session_ids)
            counts = count_generations(connection, schema, lineage, session_ids)
        return tuple(together([counts[part] for part in lineage.path(one)]) for one in session_ids)

    def names(self, session_ids: Sequence[str]) -> Mapping[str, str]:
        """The name of each session: its title, else what its user said first, else its id."""
        ids = list(dict.fromkeys(session_ids))
        with self._read() as (connection, schema):
            found = read_sessions(connection, schema, self.path, ids)
        titles = {one: session.title for one, session in found.items() if session.title}
        self.learn_shown(titles)
        words = self.first_words([one for one in ids if one not in titles])
        return {one: titles.get(one) or words.get(one) or one for one in ids}

    def first_words(self, session_ids: Sequence[str]) -> Mapping[str, str]:
        """What the user of each session said first, by id; sessions without a user message are left out."""
        if not session_ids:
            return {}
        with self._read() as (connection, schema):
            found = read_first_words(connection, schema, session_ids, NAME_CHARS + _READ_AFTER)
        self.learn_shown(found)
        return {one: masked_start(words, NAME_CHARS) for one, words in found.items()}

    def began_with(self, threads: Iterable[Thread]) -> Mapping[str, str]:
        """What the user said first in threads without a title, by first session; else in the newest one."""
        untitled = {one.root.id: one.tip.id for one in threads if not one.title}
        words = self.first_words(list(dict.fromkeys((*untitled, *untitled.values()))))
        found = {root: words.get(root) or words.get(tip) for root, tip in untitled.items()}
        return {root: said for root, said in found.items() if said}


class ConversationLists(SessionLists):
    """Conversations, ordered, filtered and paged, from `sessions` alone."""

    def conversations(self, query: ListQuery = EVERYTHING, *, shown: bool = True) -> ConversationPage:
        """One row for each conversation, from `sessions` alone.

        The credentials in titles are looked up if these are `shown`; otherwise call `learn_titles` for those
        that will be.
        """
        with self._read() as (connection, schema):
            page = list_conversations(connection, schema, self.path, query)
        if shown:
            self.learn_titles(page.rows)
        return page

    def newest(
        self, limit: int, kinds: Collection[Kind] | None = None, *, shown: bool = True
    ) -> tuple[ConversationRow, ...]:
        """The conversations of the `limit` sessions active last; `shown` as for `conversations`."""
        with self._read() as (connection, schema):
            rows = newest_conversations(connection, schema, self.path, limit, kinds)
        if shown:
            self.learn_titles(rows)
        return rows

    def conversation_ids(self, query: ListQuery = EVERYTHING) -> tuple[str, ...]:
        """The first session of each conversation, newest first."""
        with self._read() as (connection, schema):
            return tuple(thread[0] for thread in conversation_ids(connection, schema, query))

    def conversations_of(self, session_ids: Sequence[str]) -> tuple[ConversationRow, ...]:
        """The conversations of some sessions, each once, in the order of the ids."""
        with self._read() as (connection, schema):
            rows = conversations_of(connection, schema, self.path, session_ids)
        self.learn_titles(rows)
        return rows

    def learn_titles(self, rows: Sequence[ConversationRow]) -> None:
        """Learn which words of these titles are credentials."""
        self.learn_shown({one.id: one.title for row in rows for one in row.sessions if one.title})
