"""An open session database: its connection, and what its schema supports."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self, TypeVar

from core.errors import AmbiguousError, DatabaseError, InspectorError, UsageError
from core.model.transcript.session import Session
from core.store.database.connect import Cancelled, open_readonly, reading
from core.store.database.locate import LATEST, Location

_TABLES = (
    "sessions",
    "messages",
    "schema_version",
    "session_model_usage",
    "compression_locks",
    "session_turn_leases",
    "gateway_routing",
    "system_prompts",
    "state_meta",
)

TEXTS = (
    "content",
    "tool_calls",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
    "api_content",
)
"""Columns of `messages` with spoken text, which may be long."""
LABELS = frozenset(
    (
        *("source", "title", "model", "cwd", "end_reason", "profile_name", "cost_status", "cost_source"),
        *("billing_provider", "billing_base_url", "billing_mode", "compression_failure_error"),
    )
)
"""Columns of `sessions` that hold names: a value longer than `LABEL_CHARS` is no name and is cut."""
LABEL_CHARS = 4_096
HAS_ID = "typeof(id) NOT IN ('null', 'blob')"
"""The condition for a usable row of `sessions`: SQLite lets the key be NULL, which cannot be referred to."""
_POOLED = 23
"""The schema of the first release that compresses in a thread pool."""


class FullText(StrEnum):
    """How a full-text table keeps its text."""

    NONE = "none"
    INLINE = "inline"
    EXTERNAL = "external"


@dataclass(frozen=True, slots=True)
class Schema:
    """Tables and columns of one database.

    Every question about how a Hermes release stores things is answered here, from columns, because a database
    can be newer than its `schema_version` says and is upgraded in place.

    Attributes:
        version: `schema_version.version`; None when the table is missing or empty.
        columns: Column names by table, only for tables that exist.
        indexes: Names of all indexes.
        full_text, trigram: Layout of `messages_fts` and `messages_fts_trigram`.
        triggers: Names of all triggers.
    """

    version: int | None
    columns: Mapping[str, frozenset[str]]
    indexes: frozenset[str] = frozenset()
    triggers: frozenset[str] = frozenset()
    full_text: FullText = FullText.NONE
    trigram: FullText = FullText.NONE

    def has(self, table: str, *names: str) -> bool:
        """Whether the table exists and has all these columns."""
        return table in self.columns and self.columns[table].issuperset(names)

    def select(self, table: str, names: Iterable[str], alias: str = "") -> str:
        """A column list in which missing columns read as NULL, and names that are far too long are cut."""
        known = self.columns.get(table, frozenset())
        labels = LABELS if table == "sessions" else frozenset()
        prefix = f"{alias}." if alias else ""

        def column(name: str) -> str:
            if name not in known:
                return f'NULL AS "{name}"'
            value = f'{prefix}"{name}"'
            return f'{label(value)} AS "{name}"' if name in labels else value

        return ", ".join(map(column, names))

    @property
    def keeps_rows(self) -> bool:
        """Whether taken-back and compacted rows stay, marked (0.16 and later)."""
        return self.has("messages", "active")

    @property
    def archives(self) -> bool:
        """Whether in-place compaction is possible (0.18 and later)."""
        return self.has("messages", "active", "compacted")

    @property
    def marks_summaries(self) -> bool:
        """Whether a column says which rows are summaries (0.20.6 and later)."""
        return self.has("messages", "_compressed_summary")

    @property
    def pools_compression(self) -> bool:
        """Whether compression runs in a thread pool, whose log lines carry no tag (0.20 and later)."""
        return self.marks_summaries or (self.version or 0) >= _POOLED

    @property
    def has_uids(self) -> bool:
        """Whether copies of a message share an identity (0.22)."""
        return self.has("messages", "message_uid")

    @property
    def tests_child_start(self) -> bool:
        """Whether a continuation must have started after its parent ended (up to 0.17)."""
        return not self.archives

    @property
    def loads_time(self) -> bool:
        """Whether loaded messages carry their timestamp (0.17 and later).

        0.17 added no column, only an index and schema 16.
        """
        return self.archives or "idx_sessions_source_id" in self.indexes or (self.version or 0) >= 15

    @property
    def orders_by_time(self) -> bool:
        """Whether messages load by timestamp, then id (only 0.17), rather than by id."""
        return self.loads_time and not self.archives

    @property
    def message_order(self) -> str:
        """The ORDER BY terms in which the release loads messages."""
        return "timestamp, id" if self.orders_by_time else "id"


def label(value: str) -> str:
    """SQL for a name, cut if too long to be one: a title of 50 MB would be held in memory many times."""
    long = f"typeof({value}) IN ('text', 'blob') AND length(CAST({value} AS BLOB)) > {4 * LABEL_CHARS}"
    return f"CASE WHEN {long} THEN substr({value}, 1, {LABEL_CHARS}) || '…' ELSE {value} END"


def was_cut(value: object) -> bool:
    """Whether `label` cut the stored value."""
    return isinstance(value, str) and len(value) == LABEL_CHARS + 1 and value.endswith("…")


def read_schema(connection: sqlite3.Connection, path: Path) -> Schema:
    """Read the schema of a database.

    Raises:
        DatabaseError: It has no `sessions` and `messages` as Hermes makes them.
    """
    objects = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    kinds = {name: kind for kind, name, _ in objects if kind in ("table", "view")}
    # A view can be anything, even a query that never ends.
    columns = {table: _columns(connection, table) for table in _TABLES if kinds.get(table) == "table"}
    _require(columns, kinds, path)
    return Schema(
        version=_version(connection, columns),
        columns=columns,
        indexes=frozenset(name for kind, name, _ in objects if kind == "index"),
        triggers=frozenset(name for kind, name, _ in objects if kind == "trigger"),
        full_text=_full_text(objects, "messages_fts"),
        trigram=_full_text(objects, "messages_fts_trigram"),
    )


def _columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
    return frozenset(str(name) for (name,) in rows)


def _require(columns: Mapping[str, frozenset[str]], kinds: Mapping[str, str], path: Path) -> None:
    needed = {"sessions": {"id"}, "messages": {"id", "session_id", "role", "content"}}
    for table, names in needed.items():
        missing = names - columns.get(table, frozenset())
        if missing:
            no_table = f"{table} is a view" if kinds.get(table) == "view" else f"no table {table!r}"
            what = no_table if table not in columns else f"{table}.{min(missing)} is missing"
            raise DatabaseError(
                f"is a SQLite database, but not one of Hermes' ({what})",
                where=str(path),
                remedy="Point --db at a Hermes state.db",
            )


def _version(connection: sqlite3.Connection, columns: Mapping[str, frozenset[str]]) -> int | None:
    if "version" not in columns.get("schema_version", frozenset()):
        return None
    (value,) = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    return value if isinstance(value, int) else None


def _full_text(objects: Iterable[tuple[str, str, str | None]], table: str) -> FullText:
    for kind, name, sql in objects:
        if kind == "table" and name == table and sql and "fts5" in sql.lower():
            return FullText.EXTERNAL if "content=" in sql.replace(" ", "").lower() else FullText.INLINE
    return FullText.NONE


class OpenDatabase:
    """One read-only connection to one session database, with its schema.

    `cancelled` is asked while queries run; once it returns true, they end with `Interrupted`.

    Attributes:
        connection: The read-only connection itself, for diagnoses with their own queries.
    """

    def __init__(self, location: Location | Path, *, cancelled: Cancelled | None = None) -> None:
        self.location = location if isinstance(location, Location) else Location(location)
        self.path = self.location.db
        self.connection = open_readonly(self.path, cancelled=cancelled)
        self.connection.row_factory = sqlite3.Row
        try:
            with reading(self.path):
                self.schema = read_schema(self.connection, self.path)
        except BaseException:
            self.connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the Store is of no use afterwards."""
        self.connection.close()

    def query(self, sql: str, values: Sequence[object] = ()) -> list[sqlite3.Row]:
        """The rows of a caller's own query."""
        with self._read() as (connection, _):
            return connection.execute(sql, values).fetchall()

    @contextmanager
    def _read(self) -> Iterator[tuple[sqlite3.Connection, Schema]]:
        with reading(self.path):
            yield self.connection, self.schema


Opened = TypeVar("Opened", bound=OpenDatabase)


def chosen(
    found: Sequence[tuple[Opened, Session]], errors: Sequence[InspectorError], text: str
) -> tuple[Opened, Session]:
    """The one session that a text names, of those that the store's `resolve_in` found.

    Raises:
        InspectorError: No session matches, or several do.
    """
    if text == LATEST and found:
        return found[0]
    exact = [place for place in found if text in (place[1].id, place[1].title)]
    if errors and (not found or (isinstance(errors[0], AmbiguousError | UsageError) and not exact)):
        raise errors[0]
    exact = [place for place in found if place[1].id == text] or exact or list(found)
    if len(exact) > 1:
        names = ", ".join(store.location.label for store, _ in exact)
        raise UsageError(f"{text!r} is in several profiles: {names}", remedy="Choose one with --profile")
    return exact[0]
