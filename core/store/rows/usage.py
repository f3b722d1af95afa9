"""What sessions spent by route and task as Hermes booked it, and where it booked too little.

Hermes books the summary calls of a turn, but not those of a `/compress` typed between turns or of one that
broke off or was stopped; before 0.19 it booked none at all. A summary made by rule because the call was
refused, or by this program without a model, cost nothing. No release books an answer that was cut off or
interrupted, nor the last answer of a turn that may make no further call, nor what describes a picture before
a turn.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.hermes.log.index import may_be_open
from core.hermes.markers.markers import DESCRIBED, INTERRUPTED, PREFILTERS, UNBOOKED, find_summary
from core.store.database.connect import chunks, rows_in
from core.store.database.locate import DATABASE_NAME
from core.store.database.open_database import HAS_ID, Schema
from core.store.rows.decode import HOLDS_SUMMARY, Cells
from core.store.rows.sessions import SPENT_COLUMNS, buckets, cost
from core.support.own_files import cache_directory

if TYPE_CHECKING:
    from core.model.transcript.storage import UsageRow

_USAGE_COLUMNS = (
    "session_id",
    "model",
    "billing_provider",
    "billing_base_url",
    "task",
    "api_call_count",
    *SPENT_COLUMNS,
    "first_seen",
    "last_seen",
)
_BROKE_OFF = (
    *("timed out", "timeout", "peer closed", "incomplete", "disconnected", "no progress"),
    *("stream ended", "stream closed", "did not emit a terminal", "did not return a final"),
)
"""Words of errors with which a call failed after its text had been sent."""


def read_usage(
    connection: sqlite3.Connection, schema: Schema, session_ids: Sequence[str]
) -> tuple[UsageRow, ...]:
    """Usage by route and task (0.19 and later); empty where Hermes stored none."""
    if not schema.has("session_model_usage", "session_id"):
        return ()
    columns = schema.select("session_model_usage", _USAGE_COLUMNS)
    query = f"SELECT {columns} FROM session_model_usage WHERE"  # noqa: S608 - names from the schema
    found = map(_usage, rows_in(connection, query, "session_id", session_ids))
    return tuple(sorted(found, key=lambda row: (row.session_id, row.task, row.model)))


def _usage(row: sqlite3.Row) -> UsageRow:
    from core.model.transcript.storage import UsageRow

    cells = Cells(row)
    return UsageRow(
        session_id=str(row["session_id"]),
        model=cells.text("model") or "",
        provider=cells.text("billing_provider") or "",
        base_url=cells.text("billing_base_url") or "",
        task=cells.text("task") or "",
        calls=cells.integer("api_call_count"),
        tokens=buckets(cells),
        estimated_cost=cost(cells, "estimated_cost_usd"),
        actual_cost=cost(cells, "actual_cost_usd"),
        first_seen=cells.time("first_seen"),
        last_seen=cells.time("last_seen"),
    )


class _Compacted(NamedTuple):
    """A session that was compacted, or may have been.

    Attributes:
        rotated: By a continuation, whose rows hold the summary.
        booked: Summary calls on record.
        failed: The error of its last summary call, as long as none has succeeded since.
    """

    id: str
    rotated: bool
    booked: int
    failed: object


def unbooked_calls(
    connection: sqlite3.Connection,
    schema: Schema,
    path: Path,
    ids: Sequence[str] | None = None,
    *,
    listed: bool = False,
) -> frozenset[str]:
    """The sessions, of some or of all, whose rows or the log beside the file show a call Hermes did not book.

    If they are `listed`, they are many conversations, whose log nobody has read yet.
    """
    search = listed or ids is None
    short = set(_with_unbooked_answers(connection, schema, ids))
    short.update(_stopped(connection, schema, path, ids, search=search))
    found = [one for one in _compacted(connection, schema, ids) if one.id not in short]
    written = _written(connection, schema, path, found) if found else Counter[str]()
    # Those that hold more summaries by a model than calls booked for them.
    short.update(one.id for one in found if written[one.id] + _broke_off(one.failed) > one.booked)
    return frozenset(short)


def _stopped(
    connection: sqlite3.Connection, schema: Schema, path: Path, ids: Sequence[str] | None, *, search: bool
) -> Iterator[str]:
    """Sessions whose process was stopped over a summary: it left its lock, or the log tells no end.

    With `search` the lines of the log are read only if its bytes tell of an attempt without an end.
    """
    wanted = None if ids is None else set(ids)
    found = set[str]()
    if path.name == DATABASE_NAME and not (search and not may_be_open(path.parent)):
        from core.hermes.log.stopped import stopped_summaries  # takes long to load, and most homes do without

        found |= stopped_summaries(path.parent, cache_directory() / "logs")
    if schema.has("compression_locks", "session_id"):
        locks = connection.execute("SELECT session_id FROM compression_locks").fetchall()
        found.update(str(one) for (one,) in locks)
    yield from (one for one in found if wanted is None or one in wanted)


def _with_unbooked_answers(
    connection: sqlite3.Connection, schema: Schema, ids: Sequence[str] | None
) -> Iterator[str]:
    """Sessions with an answer cut off, interrupted or past a turn's last call, or a picture described."""
    signs = [*UNBOOKED, *DESCRIBED]
    tests = [
        f"(role = 'user' AND substr(content, 1, {len(alike[0])}) IN ({', '.join('?' * len(alike))}))"
        for alike in (UNBOOKED, DESCRIBED)
    ]
    if schema.has("messages", "finish_reason"):
        alike = f"finish_reason IS NULL AND substr(content, 1, {len(INTERRUPTED)}) = ?"
        tests.append(f"(role = 'assistant' AND {alike})")
        signs.append(INTERRUPTED)
        tests.append("(role = 'assistant' AND finish_reason = 'length')")
    query = f"SELECT DISTINCT session_id FROM messages WHERE ({' OR '.join(tests)})"  # noqa: S608 - own names
    yield from (str(one) for (one,) in _rows_of(connection, query, signs, "session_id", ids))


def _rows_of(
    connection: sqlite3.Connection, query: str, values: Sequence[str], key: str, ids: Sequence[str] | None
) -> Iterable[sqlite3.Row]:
    """The rows that a query finds for some sessions, which `key` names, or for all."""
    if ids is None:
        return connection.execute(query, values).fetchall()
    return rows_in(connection, f"{query} AND", key, ids, values)


def _broke_off(reason: object) -> bool:
    """The provider took the text, and nobody knows what it billed."""
    return isinstance(reason, str) and any(sign in reason.lower() for sign in _BROKE_OFF)


def _compacted(
    connection: sqlite3.Connection, schema: Schema, ids: Sequence[str] | None
) -> Iterator[_Compacted]:
    rotated = "(end_reason IS 'compression')" if schema.has("sessions", "end_reason") else "0"
    archived = booked = "0"
    failed = "compression_failure_error" if schema.has("sessions", "compression_failure_error") else "NULL"
    if (
        schema.archives and "idx_messages_session_active" in schema.indexes
    ):  # without it each would cost a scan
        archived = (
            "EXISTS (SELECT 1 FROM messages WHERE session_id = sessions.id AND active = 0 AND compacted <> 0)"
        )
    if schema.has("session_model_usage", "session_id", "task", "api_call_count"):
        test = "session_id = sessions.id AND task = 'compression'"
        booked = f"(SELECT total(api_call_count) FROM session_model_usage WHERE {test})"  # noqa: S608
    # Until 0.18 a gateway deletes what it compacts: only the summary in the rows tells of it.
    any_of = f"({rotated} OR {archived} OR {failed} IS NOT NULL)" if booked != "0" else "1"
    query = f"SELECT id, {rotated}, {booked}, {failed} FROM sessions WHERE {HAS_ID} AND {any_of}"  # noqa: S608
    yield from map(_Compacted._make, _rows_of(connection, query, (), "id", ids))


def _written(
    connection: sqlite3.Connection, schema: Schema, path: Path, found: Sequence[_Compacted]
) -> Counter[str]:
    """How many different summaries by a model came of each session, in its own rows or its continuation's."""
    from core.store.database.own_changes import own_compactions

    ours = {row for one in own_compactions(connection, path) if one.model is None for row in one.rows}
    rotated = {one.id for one in found if one.rotated}
    parents = dict(_parents(connection, schema, [one.id for one in found]))
    written, bodies = Counter[str](), defaultdict[str, set[str]](set)
    for session, row, content in _candidates(connection, list({one.id: None for one in found} | parents)):
        summary = find_summary(content) if isinstance(content, str) else None
        if summary is None:
            continue
        parent = parents.get(session, "")
        opens = parent in rotated and not bodies[session]
        again = summary.body in bodies[session] or (not opens and summary.body in bodies[parent])
        bodies[session].add(summary.body)
        asked = not summary.fallback or _broke_off(summary.reason)
        if asked and not again and row not in ours:
            written[parent if opens else session] += 1
    return written


def _parents(connection: sqlite3.Connection, schema: Schema, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What some sessions came from, and what came from them."""
    if not schema.has("sessions", "parent_session_id"):
        return
    for chunk in chunks(ids):
        marks = ", ".join("?" * len(chunk))
        query = (
            "SELECT id, parent_session_id FROM sessions WHERE parent_session_id IS NOT NULL "  # noqa: S608
            f"AND (id IN ({marks}) OR parent_session_id IN ({marks}))"
        )
        yield from ((str(one), str(parent)) for one, parent in connection.execute(query, (*chunk, *chunk)))


def _candidates(connection: sqlite3.Connection, ids: Sequence[str]) -> Iterator[tuple[str, int, object]]:
    for chunk in chunks(ids):
        marks = ", ".join("?" * len(chunk))
        query = (
            f"SELECT session_id, id, content FROM messages WHERE session_id IN ({marks}) "  # noqa: S608
            f"AND role IN ('user', 'assistant') AND ({HOLDS_SUMMARY}) ORDER BY id"
        )
        yield from map(tuple, connection.execute(query, (*chunk, *PREFILTERS)).fetchall())
