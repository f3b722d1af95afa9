"""Token counts kept between runs, by encoding and content, in a file of the user's cache directory.

The cache can only save time. Whatever is wrong with its file, counting goes on: a damaged file is replaced,
one that cannot be written is done without.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

from core.support.file_cache import cache_directory

_BATCH = 500
_TRIES, _PAUSE = 40, 0.05


def digest(text: str) -> bytes:
    """The key of a text; lone surrogates have one too."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class TokenCache:
    """Counts by (encoding, digest); use as a context manager.

    Several processes may share the file. A cache belongs to the thread that opened it.

    Args:
        path: The file; `token-counts.db` in the user's cache directory by default.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or cache_directory() / "token-counts.db"
        self._db: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        """Opens the file, replacing it when it is damaged."""
        try:
            self._db = self._open()
        except sqlite3.DatabaseError as error:
            if not _damaged(error):
                return self
            with contextlib.suppress(OSError, sqlite3.Error):
                self._discard()
                self._db = self._open()
        except OSError:
            self._db = None
        return self

    def __exit__(self, *exception: object) -> None:
        """Closes the file."""
        db, self._db = self._db, None
        if db is not None:
            db.close()

    def get(self, encoding: str, digests: Iterable[bytes]) -> dict[bytes, int]:
        """The counts known of these digests."""
        found: dict[bytes, int] = {}
        wanted = list(dict.fromkeys(digests))
        for start in range(0, len(wanted), _BATCH):
            found |= self._page(encoding, wanted[start : start + _BATCH])
        return found

    def put(self, encoding: str, counts: Mapping[bytes, int]) -> None:
        """Keeps counts; a file that is busy or full loses them without a word."""
        if self._db is None or not counts:
            return
        rows = [(encoding, key, count) for key, count in counts.items()]
        with contextlib.suppress(sqlite3.Error), self._db:
            self._db.executemany("INSERT OR IGNORE INTO counts VALUES (?, ?, ?)", rows)

    def _page(self, encoding: str, digests: list[bytes]) -> dict[bytes, int]:
        if self._db is None:
            return {}
        marks = ", ".join("?" * len(digests))
        query = f"SELECT digest, tokens FROM counts WHERE encoding = ? AND digest IN ({marks})"  # noqa: S608 - marks only
        try:
            return dict(self._db.execute(query, [encoding, *digests]).fetchall())
        except sqlite3.Error:
            return {}

    def _open(self) -> sqlite3.Connection:
        """Opens the file, in several tries: processes that make it at once lock each other out.

        SQLite does not wait for a lock while it changes the journal mode, whatever the timeout.
        """
        for _ in range(_TRIES):
            try:
                return self._connect()
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise
            time.sleep(_PAUSE)
        return self._connect()

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=10.0)
        try:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'counts'").fetchone():
                _make(connection)
            connection.execute("SELECT digest, tokens FROM counts WHERE encoding = ''").fetchone()
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _discard(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)


def _make(connection: sqlite3.Connection) -> None:
    """Makes the table in a new file; only then is the library loaded that does it."""
    import sqlite_utils

    db = sqlite_utils.Database(connection)
    db.enable_wal()
    columns = {"encoding": str, "digest": bytes, "tokens": int}
    db.table("counts").create(columns, pk=("encoding", "digest"), if_not_exists=True)


def _damaged(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is bad, rather than busy, full or out of reach."""
    text = str(error)
    return not isinstance(error, sqlite3.OperationalError) or "no such column" in text or "malformed" in text
