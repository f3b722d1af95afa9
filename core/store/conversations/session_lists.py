"""The lists of sessions of one database; what a list does not read, it does not import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.model.transcript.pages import EVERYTHING, NAME_CHARS, ListQuery, SessionPage
from core.redact.quick_check import masked_start
from core.store.conversations.conversation_query import list_sessions
from core.store.conversations.generation_counts import count_generations
from core.store.database.open_database import OpenDatabase
from core.store.lineage.families import families_of
from core.store.rows.sessions import read_sessions

_READ_ON = 200
"""Characters of first words read beyond those shown: a credential cut in half is not recognised."""


class SessionLists(OpenDatabase):
    """Sessions, ordered, filtered and paged, with what a line of a list says of them."""

    def sessions(self, query: ListQuery = EVERYTHING) -> SessionPage:
        """One row a session with its place in its conversation."""
        with self._read() as (connection, schema):
            page = list_sessions(connection, schema, self.path, query)
        self.learn_shown({entry.session.id: entry.session.title or "" for entry in page.rows})
        return page

    def learn_shown(self, shown: Mapping[str, str]) -> None:
        """Know which words of these lines, each about a session, its conversation tells to be credentials."""
        if not any(shown.values()):
            return
        from core.store.conversations.credentials import learn_shown

        with self._read() as (connection, schema):
            learn_shown(connection, schema, self.path, shown)

    def thread_generation_counts(self, session_ids: Sequence[str]) -> tuple[int, ...]:
        """How many generations the conversation of each session holds; looks at messages."""
        with self._read() as (connection, schema):
            lineage = families_of(connection, schema, session_ids)
            counts = count_generations(connection, schema, lineage, session_ids)
        return tuple(sum(counts[part] for part in lineage.path(one)) for one in session_ids)

    def names(self, session_ids: Sequence[str]) -> Mapping[str, str]:
        """What to call each session: its title, else what its user said first, else its id."""
        ids = list(dict.fromkeys(session_ids))
        with self._read() as (connection, schema):
            found = read_sessions(connection, schema, self.path, ids)
        titles = {one: session.title for one, session in found.items() if session.title}
        self.learn_shown(titles)
        words = self.first_words([one for one in ids if one not in titles])
        return {one: titles.get(one) or words.get(one) or one for one in ids}

    def first_words(self, session_ids: Sequence[str]) -> Mapping[str, str]:
        """What the user of each session said first, by id; sessions in which nobody spoke are left out."""
        if not session_ids:
            return {}
        # Reading messages takes more to import than listing sessions.
        from core.store.rows.first_words import read_first_words

        with self._read() as (connection, schema):
            found = read_first_words(connection, schema, session_ids, NAME_CHARS + _READ_ON)
        self.learn_shown(found)
        return {one: masked_start(words, NAME_CHARS) for one, words in found.items()}
