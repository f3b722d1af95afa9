"""Reads what the recorder inside Hermes stored: requests (parts, row hashes, usage) and compactions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from core.errors import DatabaseError
from core.model.accounting.amounts import Buckets
from core.recordings import FILE_NAME

_WAIT = 2.0


@dataclass(frozen=True, slots=True)
class SentRow:
    """A message of a recorded request.

    Attributes:
        name: A hash of what the provider sees of it.
        letter: The first letter of its role.
        size: Its length in characters.
    """

    name: str
    letter: str
    size: int


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request as Hermes sent it.

    Attributes:
        task: "" for the main loop; `compression`, `title_generation`, ...
        usage: The provider's token counts; None if it gave none.
        kept: How many leading messages equal the previous request's; None if messages were not seen.
        added: The messages after them.
        parts: Characters of system prompt, tools and each role; without parts that were not seen whole.
        system, tools: Hashes; None for a part that was not seen whole.
        key: Hermes' own id of the request.
    """

    id: int
    at: datetime
    session: str
    task: str
    seconds: float | None
    system: str | None
    tools: str | None
    kept: int | None
    added: tuple[SentRow, ...]
    key: str = ""
    parts: dict[str, int] = field(default_factory=dict)
    usage: Buckets | None = None


@dataclass(frozen=True, slots=True)
class RecordedCompaction:
    """What one compaction of our engine kept and lost, measured as it ran."""

    at: datetime
    before: int
    after: int
    score: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Extent:
    """How much was recorded.

    Attributes:
        dropped: Requests that were not recorded.
        size: Size of the file in bytes.
        since: The time of the oldest request.
    """

    requests: int = 0
    compactions: int = 0
    dropped: int = 0
    size: int = 0
    since: datetime | None = None


class Recording:
    """The recorder's file in the folder of our own files, opened read-only."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME

    def extent(self, home: Path | None = None) -> Extent:
        """How much was recorded, of one home or of all; zero if there is no file.

        Raises:
            DatabaseError: The file cannot be read.
        """
        if not self.path.exists():
            return Extent()
        which, values = ("", ()) if home is None else (" WHERE home = ?", (str(home.resolve()),))
        with self._opened() as connection:
            requests, since = connection.execute(
                f"SELECT COUNT(*), MIN(at) FROM requests{which}",  # noqa: S608 - one of two constants
                values,
            ).fetchone()
            compactions = connection.execute(
                f"SELECT COUNT(*) FROM compactions{which}",  # noqa: S608
                values,
            ).fetchone()[0]
            dropped = connection.execute("SELECT value FROM counts WHERE name = 'dropped'").fetchone()
        size = sum(path.stat().st_size for path in self.path.parent.glob(f"{FILE_NAME}*"))
        return Extent(requests, compactions, dropped[0] if dropped else 0, size, _moment(since))

    def requests(self, home: Path, sessions: tuple[str, ...]) -> tuple[RecordedRequest, ...]:
        """The requests of some sessions, oldest first.

        Raises:
            DatabaseError: The file cannot be read.
        """
        return tuple(map(_request, self._of("requests", home, sessions)))

    def compactions(self, home: Path, sessions: tuple[str, ...]) -> tuple[RecordedCompaction, ...]:
        """The compactions of our engine in some sessions, oldest first.

        Raises:
            DatabaseError: The file cannot be read.
        """
        return tuple(map(_compaction, self._of("compactions", home, sessions)))

    def tool_sizes(self, name: str) -> dict[str, int]:
        """Characters of each tool's schema, for the set of tools with this hash."""
        if not self.path.exists():
            return {}
        with self._opened() as connection:
            row = connection.execute("SELECT shape FROM shapes WHERE hash = ?", (name,)).fetchone()
        return {str(tool): int(size) for tool, size in json.loads(row[0])} if row else {}

    def texts(self, home: Path, names: Iterable[str]) -> dict[str, str]:
        """Recorded texts by name; most texts are in Hermes' database instead."""
        if not self.path.exists():
            return {}
        place, query = str(home.resolve()), "SELECT text FROM texts WHERE name = ? AND home = ?"
        with self._opened() as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'texts'").fetchone():
                return {}
            found = ((name, connection.execute(query, (name, place)).fetchone()) for name in names)
            return {name: str(row[0]) for name, row in found if row}

    def _of(self, table: str, home: Path, sessions: tuple[str, ...]) -> list[sqlite3.Row]:
        if not self.path.exists() or not sessions:
            return []
        marks = ", ".join("?" * len(sessions))
        query = f"SELECT * FROM {table} WHERE home = ? AND session IN ({marks}) ORDER BY id"  # noqa: S608
        with self._opened() as connection:
            return connection.execute(query, (str(home.resolve()), *sessions)).fetchall()

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        place = f"{self.path.resolve().as_uri()}?mode=ro"
        try:
            with closing(sqlite3.connect(place, uri=True, timeout=_WAIT)) as connection:
                connection.row_factory = sqlite3.Row
                yield connection
        except sqlite3.Error as error:
            raise DatabaseError(f"cannot be read: {error}", where=str(self.path)) from error


def _request(row: sqlite3.Row) -> RecordedRequest:
    added = json.loads(row["rows"]) if row["rows"] else []
    return RecordedRequest(
        id=row["id"],
        at=datetime.fromtimestamp(row["at"], UTC),
        session=row["session"],
        task=row["task"],
        seconds=row["seconds"],
        system=row["system"],
        tools=row["tools"],
        kept=row["kept"],
        added=tuple(SentRow(str(name), str(letter), int(size)) for name, letter, size in added),
        key=row["request"] or "",
        parts=json.loads(row["parts"]) if row["parts"] else {},
        usage=_usage(row),
    )


def _usage(row: sqlite3.Row) -> Buckets | None:
    if row["input"] is None and row["output"] is None:
        return None
    return Buckets(
        input=row["input"],
        output=row["output"],
        cache_read=row["cache_read"],
        cache_write=row["cache_write"],
        reasoning=row["reasoning"] or None,  # Hermes reports 0 also if the provider gave no count
    )


def _compaction(row: sqlite3.Row) -> RecordedCompaction:
    return RecordedCompaction(
        at=datetime.fromtimestamp(row["at"], UTC),
        before=row["before"],
        after=row["after"],
        score=row["score"],
        seconds=row["seconds"],
    )


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
