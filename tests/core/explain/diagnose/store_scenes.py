"""Scenes of the rules about a database as a whole and the files next to it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing
from types import SimpleNamespace

from tests.core.explain.diagnose.scene import Build, Scene, plain
from tests.core.explain.home import Home

MIB = 1024 * 1024


def silent(days: float, **columns: object) -> Build:
    """A session that was last heard of so many days ago."""

    def build(home: Home) -> None:
        home.db.tick(time.time() - days * 86_400 - home.db.tick(0))
        home.db.session("S", **columns)
        home.talk(2)

    return build


def shrunk(kept: int) -> Build:
    """A database most of whose messages were deleted, down to so many."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(60, size=9_000)
        home.db.connection.execute("DELETE FROM messages WHERE id > ?", (kept,))
        home.db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    return build


def nothing_where(rule: str) -> Build:
    """A row that a column's rule, written later, does not allow, or allows."""

    def build(home: Home) -> None:
        plain(home)
        with closing(sqlite3.connect(home.db.path)) as db, db:
            db.execute("CREATE TABLE notes (text)")
            db.execute("INSERT INTO notes VALUES (NULL)")
            db.execute("PRAGMA writable_schema = ON")
            sql = f"CREATE TABLE notes (text {rule})"
            db.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'notes'", (sql,))

    return build


def header(offset: int) -> Build:
    """A number in the file's header that says something else than the file: at 36 how many pages are free."""

    def build(home: Home) -> None:
        plain(home)
        home.db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with home.db.path.open("r+b") as file:
            file.seek(offset)
            file.write((7).to_bytes(4, "big"))

    return build


def log_of(size: int) -> Build:
    """A write-ahead log of a size."""

    def build(home: Home) -> None:
        plain(home)
        home.db.connection.execute("PRAGMA journal_mode = DELETE")
        log = home.path / "state.db-wal"
        log.touch()
        os.truncate(log, size)

    return build


def held_by(mebibytes: int) -> Build:
    """A reader that keeps what was written since from being folded in."""

    def build(home: Home) -> None:
        plain(home)
        reader = sqlite3.connect(home.db.path)
        home.readers.append(reader)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sessions").fetchone()
        home.db.connection.execute("CREATE TABLE notes (text)")
        for _ in range(mebibytes):
            home.db.connection.execute("INSERT INTO notes VALUES (zeroblob(?))", (MIB,))

    return build


def disk(used: float) -> Build:
    def build(home: Home) -> None:
        plain(home)
        usage = SimpleNamespace(total=1_000 * MIB, used=int(used * 1_000) * MIB, free=MIB)
        home.patch(shutil, "disk_usage", lambda _: usage)

    return build


def large(size: int, journal: str = "WAL") -> Build:
    def build(home: Home) -> None:
        plain(home)
        home.db.connection.execute(f"PRAGMA journal_mode = {journal}")
        home.db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        os.truncate(home.db.path, size)

    return build


def modes(database: int, env: int) -> Build:
    def build(home: Home) -> None:
        plain(home)
        (home.path / ".env").write_text("KEY=x\n")
        for path in home.path.glob("state.db*"):
            path.chmod(database)
        (home.path / ".env").chmod(env)

    return build


STORE = (
    Scene("E10", silent(9), silent(9, end_reason="cli_close", ended_at=time.time() - 8 * 86_400)),
    Scene("E10", silent(4, source="cron"), silent(2, source="cron")),
    Scene("H1", plain, silent(9)),
    Scene("H1", shrunk(240), shrunk(200)),
    Scene("H2", shrunk(40), shrunk(240)),
    Scene("H2", shrunk(120), shrunk(220)),
    Scene("H3", header(36), header(72)),
    Scene("H3", nothing_where("NOT NULL"), nothing_where("TEXT")),
    Scene("H4", log_of(65 * MIB), log_of(63 * MIB)),
    Scene("H4", held_by(66), held_by(2)),
    Scene("H5", disk(0.94), disk(0.85)),
    Scene("H5", disk(0.9), disk(0.899)),
    Scene("H6", large(1_025 * MIB), large(1_000 * MIB)),
    Scene("H6", large(1_100 * MIB, "DELETE"), large(900 * MIB, "DELETE")),
    Scene("I2", modes(0o644, 0o600), modes(0o600, 0o600)),
    Scene("I2", modes(0o600, 0o640), modes(0o600, 0o600)),
)
