"""The live transcript of a session: what the release would load when it resumes."""

from __future__ import annotations

from core.model.transcript.message import Message
from core.store.store import Store


def live_rows(store: Store, session_id: str) -> tuple[int, ...]:
    """Ids of the live rows of a session, in the order they load."""
    schema = store.schema
    live = "AND active = 1" if schema.keeps_rows else ""
    query = (
        f"SELECT id FROM messages WHERE session_id = ? {live} "  # noqa: S608 - own terms
        f"ORDER BY {schema.message_order}"
    )
    return tuple(row_id for (row_id,) in store.connection.execute(query, (session_id,)).fetchall())


def live_messages(store: Store, session_id: str) -> tuple[Message, ...]:
    """The live messages of a session."""
    return store.messages(live_rows(store, session_id))
