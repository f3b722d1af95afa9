"""The messages written since the last look, each once, even if the file is replaced.

Ids only grow, so reading continues after the newest id reported. If the file was restored from a backup, its
ids were assigned again; then reading continues after the newest row that both files share.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from core.store.database.connect import chunks, reading
from core.store.rows.decode import moment
from core.store.store import Store

_REMEMBERED = 2_000
"""How many rows are remembered to recognise a restored file."""
_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class NewRow:
    """A message that was written, without its text."""

    id: int
    session: str
    role: str
    timestamp: float | None
    tool: str | None
    size: int
    marked: bool

    @property
    def mark(self) -> str:
        """Distinguishes the row from another with the same id in a restored file."""
        text = f"{self.session}\n{self.role}\n{self.timestamp!r}\n"
        return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(slots=True)
class RowTail:
    """How far the messages of a store have been read.

    Attributes:
        last: The newest id reported.
        seen: Marks of the newest rows reported, by id.
        newest: The latest timestamp of a reported row.
        file: Device and inode of the file.
    """

    last: int = 0
    seen: dict[int, str] = field(default_factory=dict)
    newest: float = 0.0
    file: str = ""

    def skip(self, store: Store) -> None:
        """Mark everything written so far as read; only the newest rows are read."""
        self.file = _file(store)
        found = reversed(_rows(store, f"id > ? ORDER BY id DESC LIMIT {_REMEMBERED}", (0,)))
        for row in found:
            self._mark_reported(row)

    def fresh(self, store: Store) -> Iterator[NewRow]:
        """Rows written since the last look, oldest first."""
        before, again, after = self.last, False, 0.0
        if not self._goes_on(store):
            again, after = True, self._go_back(store)
        self.file = _file(store)
        while found := _rows(store, f"id > ? ORDER BY id LIMIT {_BATCH}", (self.last,)):
            for row in found:
                known = again and row.id <= before and self.seen.get(row.id) == row.mark
                self._mark_reported(row)
                if not known and (not after or (row.timestamp or 0.0) > after):
                    yield row

    def saved(self) -> dict[str, Any]:
        """The state as JSON values."""
        return {"last": self.last, "seen": list(self.seen.items()), "newest": self.newest, "file": self.file}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> RowTail:
        """Restore a state from `saved`."""
        seen = {int(row): str(mark) for row, mark in state["seen"]}
        return cls(int(state["last"]), seen, float(state["newest"]), str(state["file"]))

    def _mark_reported(self, row: NewRow) -> None:
        self.last = row.id
        self.newest = max(self.newest, row.timestamp or 0.0)
        self.seen.pop(row.id, None)
        self.seen[row.id] = row.mark
        while len(self.seen) > _REMEMBERED:
            del self.seen[next(iter(self.seen))]

    def _goes_on(self, store: Store) -> bool:
        """Whether the ids continue from the newest one reported."""
        if not self.last:
            return True
        found = _rows(store, "id = ?", (self.last,))
        if found:
            return found[0].mark == self.seen.get(self.last)
        return _file(store) == self.file and _given_away(store) >= self.last  # a compaction removed the row

    def _go_back(self, store: Store) -> float:
        """Return to the newest row both files share; if there is none, to a time, which is returned."""
        known: dict[int, str] = {}
        for some in chunks(list(self.seen)):
            marks = ", ".join("?" * len(some))
            known.update((row.id, row.mark) for row in _rows(store, f"id IN ({marks})", tuple(some)))
        shared = [row for row, mark in self.seen.items() if known.get(row) == mark]
        self.last = max(shared, default=0)
        return 0.0 if shared else self.newest


def _rows(store: Store, where: str, values: tuple[int, ...]) -> list[NewRow]:
    names = ("id", "session_id", "role", "timestamp", "tool_name", "_compressed_summary")
    columns = store.schema.select("messages", names)
    query = (
        f"SELECT {columns}, length(CAST(content AS BLOB)) AS size FROM messages "  # noqa: S608 - own names
        f"WHERE typeof(id) = 'integer' AND {where}"
    )
    with reading(store.path):
        return list(map(_row, store.connection.execute(query, values).fetchall()))


def _row(row: sqlite3.Row) -> NewRow:
    at = row["timestamp"]
    return NewRow(
        id=int(row["id"]),
        session=str(row["session_id"]),
        role=str(row["role"]),
        timestamp=None if moment(at) is None else float(at),
        tool=None if row["tool_name"] is None else str(row["tool_name"]),
        size=int(row["size"] or 0),
        marked=bool(row["_compressed_summary"]),
    )


def _file(store: Store) -> str:
    try:
        found = store.path.stat()
    except OSError:
        return ""
    return f"{found.st_dev:x}-{found.st_ino:x}"


def _given_away(store: Store) -> int:
    """The highest id ever assigned to a message; 0 if the database keeps no count."""
    try:
        query = "SELECT seq FROM sqlite_sequence WHERE name = 'messages'"
        found = store.connection.execute(query).fetchone()
    except sqlite3.Error:
        return 0
    return int(found[0]) if found else 0
