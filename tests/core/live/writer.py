"""A Hermes that writes: rows, log lines, compactions, and everything that may happen to the files."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from tests.core.store.database import SessionDatabase

FIRST = datetime(2026, 11, 21, 9, 0, 0)


class Writer:
    """Writes one conversation of a home, and knows what it wrote.

    Attributes:
        wrote: Ids of the messages, in order.
        called: Prompt sizes of the calls, in order.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        (home / "logs").mkdir(parents=True)
        self.database = SessionDatabase(home / "state.db")
        self.database.session("s1", title="Watched", model="gpt-5.2")
        self.wrote: list[int] = []
        self.called: list[int] = []
        self._now = FIRST

    @property
    def log(self) -> Path:
        return self.home / "logs" / "agent.log"

    def message(self, text: str = "hello", role: str = "user") -> None:
        self.wrote.append(self.database.message("s1", role, text))

    def call(self, prompt: int | None = None, cached: int | None = None) -> None:
        number = len(self.called) + 1
        prompt = prompt if prompt is not None else 10_000 + number
        self.called.append(prompt)
        cache = "" if cached is None else f" cache={cached}/{prompt} ({100 * cached // prompt}%)"
        self.line(
            f"agent.conversation_loop: API call #{number}: model=gpt-5.2 provider=openai in={prompt} out=5 "
            f"total={prompt + 5} latency=1.0s{cache}"
        )

    def line(self, text: str, level: str = "INFO", log: Path | None = None) -> None:
        self._now += timedelta(milliseconds=7)
        stamp = self._now.strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
        with (log or self.log).open("a") as stream:
            stream.write(f"{stamp} {level} [s1] {text}\n")

    def rotate(self) -> None:
        """As a rotating log handler does: the files are renamed."""
        for number in (2, 1):
            older = self.log.with_name(f"agent.log.{number}")
            if older.exists():
                older.rename(self.log.with_name(f"agent.log.{number + 1}"))
        self.log.rename(self.log.with_name("agent.log.1"))

    def rotate_by_copy(self) -> None:
        """As logrotate's copytruncate does."""
        shutil.copy(self.log, self.log.with_name("agent.log.1"))
        os.truncate(self.log, 0)

    def checkpoint(self) -> None:
        self.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def vacuum(self) -> None:
        self.database.connection.execute("VACUUM")

    def replace(self) -> None:
        """The same rows in another file of the same name."""
        fresh = self.home / "fresh.db"
        self.database.connection.execute("VACUUM INTO ?", (str(fresh),))
        self._put_in_place(fresh)

    def back_up(self) -> Path:
        copy = self.home / "backup.db"
        with closing(sqlite3.connect(copy)) as target:
            self.database.connection.backup(target)
        return copy

    def restore(self, copy: Path) -> None:
        """What was written since the backup is gone, and its ids are given away again."""
        self._put_in_place(copy)

    def _put_in_place(self, copy: Path) -> None:
        self.database.connection.close()
        for name in ("state.db-wal", "state.db-shm"):
            (self.home / name).unlink(missing_ok=True)
        os.replace(copy, self.home / "state.db")
        self.database.connection = sqlite3.connect(self.home / "state.db", isolation_level=None)
        self.database.connection.execute("PRAGMA journal_mode = WAL")
