"""From what a user types to a session: an id or a title, a unique beginning of one, or `latest`."""

from __future__ import annotations

import difflib
import sqlite3
from pathlib import Path

from core.errors import AmbiguousError, NotFoundError, UsageError
from core.model.transcript.pages import ListQuery
from core.store.conversations.conversation_query import list_conversations
from core.store.database.schema import HAS_ID, Schema
from core.store.lineage.families import families_of

LATEST = "latest"
_TESTS = (
    "id = ?1",
    "?1 <> '' AND substr(id, 1, length(?1)) = ?1",
    "title = ?1",
    "lower(title) = lower(?1)",
)
"""What a text may be to a session, surest first; the first that fits one alone decides."""
_BEGINS = "?1 <> '' AND lower(substr(title, 1, length(?1))) = lower(?1)"
_SHOWN = 5
_COMPARED = 5_000


def resolve_id(connection: sqlite3.Connection, schema: Schema, path: Path, text: str) -> str:
    """The id of the session a text names.

    Raises:
        NotFoundError: Nothing fits; near matches are named.
        AmbiguousError: Titles of several conversations begin so; they are named.
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
    if schema.has("sessions", "title") and (begun := _begun(connection, text)):
        return _one_conversation(connection, schema, path, text, begun)
    raise _unknown(connection, schema, path, text)


def _begun(connection: sqlite3.Connection, text: str) -> dict[str, str]:
    """The title of each session whose title begins with a text, by the session's id."""
    query = f"SELECT id, title FROM sessions WHERE {HAS_ID} AND {_BEGINS} ORDER BY id LIMIT {_COMPARED}"  # noqa: S608 - tests above
    return {str(one): str(title) for one, title in connection.execute(query, (text,)).fetchall()}


def _one_conversation(
    connection: sqlite3.Connection, schema: Schema, path: Path, text: str, begun: dict[str, str]
) -> str:
    """The newest session of the only conversation whose titles begin so.

    Raises:
        AmbiguousError: There are several.
    """
    lineage = families_of(connection, schema, list(begun))
    tips = dict.fromkeys(lineage.tip(one) for one in begun)
    if len(tips) == 1:
        return next(iter(tips))
    first = {lineage.tip(one): f"{title} ({one})" for one, title in reversed(begun.items())}
    named = [first[tip] for tip in tips][:_SHOWN]
    more = f" and {len(tips) - _SHOWN} more" if len(tips) > _SHOWN else ""
    raise AmbiguousError(
        f"{text!r} is the beginning of {len(tips)} titles",
        where=str(path),
        remedy=f"Say more, or give an id: {', '.join(named)}{more}",
    )


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
