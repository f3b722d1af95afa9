"""From what a user types to a session: an id, a unique prefix of one, a title, or `latest`."""

from __future__ import annotations

import difflib
import sqlite3
from pathlib import Path

from core.errors import NotFoundError, UsageError
from core.model.transcript.pages import ListQuery
from core.store.conversations.conversation_query import list_conversations
from core.store.database.schema import HAS_ID, Schema

LATEST = "latest"
_TESTS = (
    "id = ?1",
    "?1 <> '' AND substr(id, 1, length(?1)) = ?1",
    "title = ?1",
    "lower(title) = lower(?1)",
)
"""What a text may be to a session, surest first; the first that fits one alone decides."""
_SHOWN = 5
_COMPARED = 5_000


def resolve_id(connection: sqlite3.Connection, schema: Schema, path: Path, text: str) -> str:
    """The id of the session a text names.

    Raises:
        NotFoundError: Nothing fits; near matches are named.
        UsageError: A prefix or title fits several sessions; they are named.
    """
    if text == LATEST:
        return _latest(connection, schema, path)
    several: list[str] = []
    for test in _TESTS if schema.has("sessions", "title") else _TESTS[:2]:
        found = _ids(connection, test, text)
        if len(found) == 1 or text in found:
            return found[0]
        several = several or found
    if several:
        raise _ambiguous(text, several, path)
    raise _unknown(connection, schema, path, text)


def _latest(connection: sqlite3.Connection, schema: Schema, path: Path) -> str:
    page = list_conversations(connection, schema, path, ListQuery(limit=1))
    if not page.rows:
        raise NotFoundError("there are no sessions yet", where=str(path))
    return page.rows[0].tip.id


def _ids(connection: sqlite3.Connection, test: str, text: str) -> list[str]:
    query = f"SELECT id FROM sessions WHERE {HAS_ID} AND {test} ORDER BY id LIMIT {_SHOWN + 1}"  # noqa: S608 - tests above
    return [str(found) for (found,) in connection.execute(query, (text,)).fetchall()]


def _ambiguous(text: str, found: list[str], path: Path) -> UsageError:
    more = ", ..." if len(found) > _SHOWN else ""
    names = ", ".join(found[:_SHOWN]) + more
    return UsageError(f"{text!r} fits several sessions", where=str(path), remedy=f"Choose one of {names}")


def _unknown(connection: sqlite3.Connection, schema: Schema, path: Path, text: str) -> NotFoundError:
    names = schema.select("sessions", ("id", "title"))
    query = f"SELECT {names} FROM sessions WHERE {HAS_ID} ORDER BY rowid DESC LIMIT {_COMPARED}"  # noqa: S608 - schema names
    known = {str(name): str(row[0]) for row in connection.execute(query).fetchall() for name in row if name}
    near = difflib.get_close_matches(text, known, n=_SHOWN, cutoff=0.5)
    holding = [name for name in known if text and text.lower() in name.lower()]
    found = list(dict.fromkeys([*holding, *near]))[:_SHOWN]
    shown = [name if name == known[name] else f"{known[name]} ({name})" for name in found]
    remedy = f"Did you mean {', '.join(shown)}?" if shown else "`hermes-inspector sessions` lists them"
    return NotFoundError(f"no session {text!r}", where=str(path), remedy=remedy)
