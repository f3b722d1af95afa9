"""The messages that were written since the last look, each once, also when the file became another.

Ids only grow, so the newest one told is where to go on. When the file was put back from a backup its ids were
given away again; then the newest row both files share is where to go on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from core.store.database.connect import reading
from core.store.store import Store

_REMEMBERED = 2_000
"""Rows by which a file that was put back is known."""
_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class NewRow:
    """A message that was written, without what it says."""

    id: int
    session: str
    role: str
    timestamp: float | None
    tool: str | None
    size: int
    marked: bool

    @property
    def mark(self) -> str:
        """Tells it from another row of the same id, in a file that was put back."""
        text = f"{self.session}\n{self.role}\n{self.timestamp!r}\n"
        return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(slots=True)
class RowTail:
    """How far the messages of a store were read.

    Attributes:
        last: The newest id told.
        seen: Marks of the newest rows told, by id.
        newest: The latest time of a row told.
        file: Device and number of the file.
    """

    last: int = 0
    seen: dict[int, str] = field(default_factory=dict)
    newest: float = 0.0
    file: str = ""

    def skip(self, store: Store) -> None:
        """Take everything written so far as read; only the newest rows are looked at."""
        self.file = _file(store)
        found = reversed(_rows(store, f"WHERE id > ? ORDER BY id DESC LIMIT {_REMEMBERED}", (0,)))
        for row in found:
            self._mark_told(row)

    def fresh(self, store: Store) -> Iterator[NewRow]:
        """What was written since the last look, oldest first."""
        before, again, after = self.last, False, 0.0
        if not self._goes_on(store):
            again, after = True, self._go_back(store)
        self.file = _file(store)
        while found := _rows(store, f"WHERE id > ? ORDER BY id LIMIT {_AT_ONCE}", (self.last,)):
            for row in found:
                known = again and row.id <= before and self.seen.get(row.id) == row.mark
                self._mark_told(row)
                if not known and (not after or (row.timestamp or 0.0) > after):
                    yield row

    def saved(self) -> dict[str, Any]:
        """The state as JSON holds it."""
        return {"last": self.last, "seen": list(self.seen.items()), "newest": self.newest, "file": self.file}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> RowTail:
        """The state that `saved` gave."""
        seen = {int(row): str(mark) for row, mark in state["seen"]}
        return cls(int(state["last"]), seen, float(state["newest"]), str(state["file"]))

    def _mark_told(self, row: NewRow) -> None:
        self.last = row.id
        self.newest = max(self.newest, row.timestamp or 0.0)
        self.seen.pop(row.id, None)
        self.seen[row.id] = row.mark
        while len(self.seen) > _REMEMBERED:
            del self.seen[next(iter(self.seen))]

    def _goes_on(self, store: Store) -> bool:
        """Whether the ids go on from the newest one told."""
        if not self.last:
            return True
        found = _rows(store, "WHERE id = ?", (self.last,))
        if found:
            return found[0].mark == self.seen.get(self.last)
        return _file(store) == self.file and _given_away(store) >= self.last  # a compaction removed the row

    def _go_back(self, store: Store) -> float:
        """Go on from the newest row both files share; where they share none, from a moment, which is told."""
        held: dict[int, str] = {}
        ids = sorted(self.seen)
        for start in range(0, len(ids), 500):
            some = ids[start : start + 500]
            marks = ", ".join("?" * len(some))
            held.update((row.id, row.mark) for row in _rows(store, f"WHERE id IN ({marks})", tuple(some)))
        shared = [row for row in ids if held.get(row) == self.seen[row]]
        self.last = max(shared, default=0)
        return 0.0 if shared else self.newest


def _rows(store: Store, where: str, values: tuple[int, ...]) -> list[NewRow]:
    names = ("id", "session_id", "role", "timestamp", "tool_name", "_compressed_summary")
    columns = store.schema.select("messages", names)
    query = f"SELECT {columns}, length(CAST(content AS BLOB)) AS size FROM messages {where}"  # noqa: S608
    with reading(store.path):
        return list(map(_row, store.connection.execute(query, values).fetchall()))


def _row(row: sqlite3.Row) -> NewRow:
    at = row["timestamp"]
    return NewRow(
        id=int(row["id"]),
        session=str(row["session_id"]),
        role=str(row["role"]),
        timestamp=float(at) if isinstance(at, int | float) else None,
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
    """The highest id ever given to a message; 0 where the database does not keep count."""
    try:
        query = "SELECT seq FROM sqlite_sequence WHERE name = 'messages'"
        found = store.connection.execute(query).fetchone()
    except sqlite3.Error:
        return 0
    return int(found[0]) if found else 0
