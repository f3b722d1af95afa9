"""Looking for damage in a database, for no longer than one is willing to wait."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread

from core.store.database.connect import Interrupted, open_readonly, reading

BLOCKING_SECONDS = 0.5
"""The most where a reader keeps writers waiting: a database without a write-ahead log."""
_TICK_SECONDS = 0.25


def integrity(
    path: Path, seconds: float, progress: Callable[[float, float], None] = lambda spent, of: None
) -> str | None:
    """Let SQLite look for damage.

    Args:
        path: The database file.
        seconds: How long to wait.
        progress: Told the seconds spent and the seconds allowed, while it lasts.

    Returns:
        `ok`, what SQLite complains about first, or None when the time was up before it had read everything.
    """
    with reading(path), closing(open_readonly(path)) as connection:
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        allowed = seconds if mode in ("wal", "memory") else min(seconds, BLOCKING_SECONDS)
        if allowed <= 0:
            return None
        try:
            with _stopped_after(connection, allowed, progress), reading(path):
                rows = connection.execute("PRAGMA quick_check(3)").fetchall()
        except Interrupted:
            return None
        return "; ".join(str(text) for (text,) in rows)


@contextmanager
def _stopped_after(
    connection: sqlite3.Connection, seconds: float, progress: Callable[[float, float], None]
) -> Iterator[None]:
    """Interrupt whatever runs inside once the time is up.

    A progress handler would not do: SQLite asks none while it walks through a table, however long that takes.
    """
    done, began = Event(), time.monotonic()

    def watch() -> None:
        while (spent := time.monotonic() - began) < seconds:
            progress(spent, seconds)
            if done.wait(min(_TICK_SECONDS, seconds - spent)):
                return
        # Again and again: an interrupt that comes before the query has begun is lost.
        while not done.wait(0.01):
            connection.interrupt()

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
