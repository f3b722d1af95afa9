"""Files that are not a complete database: cut, overwritten, of another kind, with side files nobody wrote."""

from __future__ import annotations

import os
import random
from pathlib import Path

from tests.damaged_homes.common import run

_PAGE = 4_096


def _cut(home: Path, dice: random.Random) -> None:
    path = home / "state.db"
    os.truncate(path, dice.randrange(1, path.stat().st_size))


def _pages(home: Path, dice: random.Random) -> None:
    with (home / "state.db").open("r+b") as stream:
        size = stream.seek(0, os.SEEK_END)
        for _ in range(3):
            stream.seek(dice.randrange(_PAGE, max(_PAGE + 1, size - 600)))
            stream.write(dice.randbytes(512))


def _header(home: Path, dice: random.Random) -> None:
    with (home / "state.db").open("r+b") as stream:
        stream.seek(dice.choice((0, 16, 18, 20, 24, 28, 44, 56, 96)))
        stream.write(dice.randbytes(4))


def _first_page(home: Path, dice: random.Random) -> None:
    with (home / "state.db").open("r+b") as stream:
        stream.seek(dice.randrange(100, _PAGE - 64))
        stream.write(dice.randbytes(64))


def _no_database(home: Path, dice: random.Random) -> None:
    texts = (b"", b"\x00" * 9_000, dice.randbytes(9_000), b"SQLite format 3\x00", b"just a note\n")
    (home / "state.db").write_bytes(dice.choice(texts))


def _page_size(home: Path, dice: random.Random) -> None:
    run(home, ("PRAGMA journal_mode = DELETE", ()), (f"PRAGMA page_size = {dice.choice((512, 65536))}", ()))
    run(home, ("PRAGMA auto_vacuum = FULL", ()))
    _pages(home, dice)


def _side_files(home: Path, dice: random.Random) -> None:
    (home / "state.db-wal").write_bytes(dice.randbytes(dice.choice((0, 32, 5_000))))
    (home / "state.db-shm").write_bytes(dice.randbytes(dice.choice((0, 32_768))))


def _write_ahead(home: Path, dice: random.Random) -> None:
    """A write-ahead log that is none, and nothing else."""
    path = home / "state.db-wal"
    kind = dice.randrange(4)
    if kind == 0:
        os.mkfifo(path)
    elif kind == 1:
        path.mkdir()
    else:
        magic = bytes.fromhex("377f0682002de218") if kind == 2 else b""
        path.write_bytes(magic + dice.randbytes(6_000))


def _rollback(home: Path, dice: random.Random) -> None:
    """A rollback journal, hot or of nothing."""
    run(home, ("PRAGMA journal_mode = DELETE", ()))
    magic = bytes.fromhex("d9d505f920a163d7") if dice.randrange(2) else b""
    (home / "state.db-journal").write_bytes(magic + dice.randbytes(5_000))


DAMAGES = (
    _cut, _pages, _header, _first_page, _no_database, _page_size, _side_files, _write_ahead, _rollback,
)  # fmt: skip
