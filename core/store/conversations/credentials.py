"""Learns the credentials of a conversation before anything of it is shown.

If one message says `DB_PASSWORD=...`, the bare value may appear in a title, a tool result or a quoted log
line, and only that message tells what it is. So all of a conversation is read before it is shown; for long
lists, only the words of a line that could be a credential at all are looked up.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate, groupby, takewhile
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

from core.redact.known_values import KNOWN, candidates
from core.redact.quick_check import may_hold_credential
from core.redact.spans import BETWEEN, Hit
from core.store.database.connect import chunks, rows_in
from core.store.database.open_database import LABELS, TEXTS, Schema, label
from core.store.lineage.families import family_of
from core.store.lineage.lineage import Lineage
from core.store.rows.sessions import models_of

_STORED = (*TEXTS, "tool_name")
_OF_SESSIONS = ("title", "system_prompt", "cwd", "compression_failure_error", "last_activity_description")
_TOGETHER = 50_000
"""How many characters are searched for credentials at once."""
_NO_DAMAGE = ("interrupted", "locked", "busy")
_WAYS = ("messages", "messages NOT INDEXED")
_ENDS = ("ASC", "DESC")
_Found = TypeVar("_Found")


def learn_conversation(connection: sqlite3.Connection, schema: Schema, path: Path, session_id: str) -> None:
    """Learn the credentials of a session and of all related ones; rows read before are not read again.

    In a damaged file everything readable is learned: an unreadable row hides no other.
    """
    ids = _family(connection, schema, session_id)
    with passed_over():
        _learn_texts(_of_sessions(connection, schema, ids))
    for one in ids:
        for chunk in chunks(_unread(connection, path, one)):
            _learn_rows(connection, schema, chunk)
            KNOWN.mark_rows((path, one), chunk)


def _unread(connection: sqlite3.Connection, path: Path, session_id: str) -> list[int]:
    """The messages of a session not read yet: those after the last, if no earlier one is gone."""
    last, count = KNOWN.read_rows((path, session_id))
    if not count:
        return _readable_ids(connection, session_id)
    with passed_over():
        query = "SELECT count(*) FROM messages WHERE session_id = ? AND id <= ?"
        if connection.execute(query, (session_id, last)).fetchone()[0] == count:
            newer = "SELECT id FROM messages WHERE session_id = ? AND id > ? ORDER BY id"
            return [row for (row,) in connection.execute(newer, (session_id, last)) if isinstance(row, int)]
    KNOWN.forget_rows((path, session_id))
    return _readable_ids(connection, session_id)


def learn_shown(connection: sqlite3.Connection, schema: Schema, path: Path, shown: Mapping[str, str]) -> None:
    """Learn which words of some lines (`shown`, by session) are credentials in their conversations.

    A line without any word that could be one, as most are, costs nothing; otherwise the messages of the
    conversation are searched for these words.
    """
    asked = {one: words for one, text in shown.items() if (words := list(candidates(text)))}
    own = models_of(connection, schema, list(asked))
    fresh = KNOWN.unread((path, one, word) for one in asked for word in asked[one] if word != own.get(one))
    for session, places in groupby(fresh, itemgetter(1)):  # those of a session are adjacent
        try:
            _learn_words(connection, schema, session, [word for _, _, word in places])
        except sqlite3.Error as error:
            if not _is_damage(error):
                raise
            learn_conversation(connection, schema, path, session)  # message by message, as far as readable
    KNOWN.mark_read(fresh)


def _learn_words(connection: sqlite3.Connection, schema: Schema, session: str, words: Iterable[str]) -> None:
    """Learn which of some words are credentials, from what holds them in a session and all related ones."""
    family = _family(connection, schema, session)
    if words := [word for word in words if word not in family]:
        given = [text for text in _of_sessions(connection, schema, family) if _may_reveal(text, words)]
        _learn_texts(given) if given else None
        _learn_rows(connection, schema, list(_holding(connection, schema, family, words)))


def _may_reveal(text: object, words: Iterable[str]) -> bool:
    """Whether a session's text may reveal that one of some words is a credential."""
    return isinstance(text, str) and any(word in text for word in words) and may_hold_credential(text)


def _family(connection: sqlite3.Connection, schema: Schema, session_id: str) -> list[str]:
    """A session and all related ones; only itself if a damaged file does not tell."""
    lineage: Lineage | None = None
    with passed_over():
        lineage = family_of(connection, schema, session_id)
    return list(lineage.links) if lineage else [session_id]


def _holding(
    connection: sqlite3.Connection, schema: Schema, session_ids: Iterable[str], words: Iterable[str]
) -> Iterator[int]:
    """The messages that hold one of some words; searching for many words takes little longer than for one."""
    sought = [word.encode("utf-8", "replace") for word in words]
    for chunk in chunks([row for one in session_ids for row in _readable_ids(connection, one)]):
        stored = _texts(connection, schema, chunk)
        joined = b"\n".join(text for _, text in stored)
        present = [word for word in sought if word in joined]
        if present:
            yield from dict.fromkeys(row for row, text in stored if any(word in text for word in present))


def _learn_rows(connection: sqlite3.Connection, schema: Schema, row_ids: Sequence[int]) -> None:
    """Learn the credentials of some messages: a quick check of all, then a reading of those that hold any."""
    if not row_ids:
        return
    # Most lists hold nothing suspicious, so they need not import these.
    from core.redact.message import learn
    from core.store.rows.messages import read_messages

    for chunk in chunks(row_ids):
        for _, stored in piecewise(chunk, lambda part: _texts(connection, schema, part)):
            texts = {text: row for row, text in stored}
            rows = sorted({texts[text] for text in holding(list(texts))})
            for _, messages in piecewise(rows, lambda part: read_messages(connection, schema, part)):
                learn(messages)


def holding(texts: Sequence[bytes]) -> list[bytes]:
    """The stored texts that hold a credential, in order.

    A text found innocent before is searched only for values that other texts revealed since.
    """
    from core.redact.text import find

    known, fresh = list[bytes](), list[bytes]()
    for text in texts:
        (known if KNOWN.is_harmless(text) else fresh).append(text)
    found = set(_texts_with_findings(fresh, find))
    KNOWN.mark_harmless(text for text in fresh if text not in found)
    if KNOWN.count:
        found.update(_texts_with_findings(known, lambda text: list(KNOWN.hits(text))))
    return [text for text in texts if text in found]


def _texts_with_findings(texts: Sequence[bytes], look: Callable[[str], Sequence[Hit]]) -> Iterator[bytes]:
    """The texts in which `look` finds something: searched together, which is cheaper, then one by one."""
    from core.redact.text import find

    plain = [text.decode("utf-8", "replace") for text in texts]
    first = 0
    while first < len(plain):
        ends = takewhile(
            lambda end: end < _TOGETHER, accumulate(len(text) + len(BETWEEN) for text in plain[first:])
        )
        starts = [0, *ends]
        hits = look(BETWEEN.join(plain[first : first + len(starts)]))
        for place in sorted({bisect_right(starts, hit.start) - 1 for hit in hits}):
            if find(plain[first + place]):
                yield texts[first + place]
        first += len(starts)


def _texts(connection: sqlite3.Connection, schema: Schema, chunk: Sequence[int]) -> list[tuple[int, bytes]]:
    """All texts of some rows as bytes: no NUL ends a text, and nothing is decoded needlessly."""
    columns = ", ".join(f"CAST({name} AS BLOB)" for name in _STORED if schema.has("messages", name))
    rows = rows_in(connection, f"SELECT id, {columns} FROM messages WHERE", "id", chunk)  # noqa: S608 - own names
    return [(row[0], text) for row in rows for text in tuple(row)[1:] if text]


def _of_sessions(connection: sqlite3.Connection, schema: Schema, ids: Sequence[str]) -> Iterator[Any]:
    columns = [
        label(name) if name in LABELS else name  # names are cut as when they are shown
        for name in _OF_SESSIONS
        if schema.has("sessions", name)
    ]
    if columns:
        query = f"SELECT {', '.join(columns)} FROM sessions WHERE"  # noqa: S608 - own names
        for row in rows_in(connection, query, "id", ids):
            yield from row


def _learn_texts(values: Iterable[Any]) -> None:
    from core.redact.text import learn_texts

    learn_texts(value for value in values if isinstance(value, str))


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether an error is a fault in the file, not a cancelled query or a concurrent writer."""
    return not any(word in str(error) for word in _NO_DAMAGE)


@contextmanager
def passed_over() -> Iterator[None]:
    """Do as much of the block as the file permits, ignoring damage."""
    try:
        yield
    except sqlite3.Error as error:
        if not _is_damage(error):
            raise


def piecewise(
    row_ids: Sequence[int], read: Callable[[Sequence[int]], _Found]
) -> Iterator[tuple[Sequence[int], _Found]]:
    """Read rows together; if that fails, in halves, down to single rows that cannot be read."""
    if not row_ids:
        return
    try:
        found = read(row_ids)
    except sqlite3.Error as error:
        if not _is_damage(error):
            raise
        middle = len(row_ids) // 2
        if middle:
            yield from piecewise(row_ids[:middle], read)
            yield from piecewise(row_ids[middle:], read)
    else:
        yield row_ids, found


def _readable_ids(connection: sqlite3.Connection, session_id: str) -> list[int]:
    """The messages of a session; in a damaged file those before and after the break, by index or not."""
    found: dict[int, None] = {}
    for way in _WAYS:
        for end in _ENDS:
            query = f"SELECT id FROM {way} WHERE session_id = ? ORDER BY id {end}"  # noqa: S608 - own words
            try:
                for (row,) in connection.execute(query, (session_id,)):
                    if isinstance(row, int):
                        found[row] = None
            except sqlite3.Error as error:
                if not _is_damage(error):
                    raise
            else:
                return sorted(found)
    return sorted(found)
