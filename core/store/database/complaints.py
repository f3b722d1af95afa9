"""What SQLite complains about, in words that say what to do."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

_RESTORE = "Restore a backup, or ask `hermes doctor`; nothing was changed here"
_MEANINGS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("not a database", "file is encrypted"),
        "is not a SQLite database, or is encrypted",
        "Point --db at a Hermes state.db",
    ),
    (("malformed",), "is damaged or cut short", _RESTORE),
    (("too big",), "holds a value of more than 100 MiB, which is not read", _RESTORE),
    (("locked", "busy"), "is locked by another program", "Try again in a moment"),
    (
        ("unable to open", "readonly"),
        "cannot be opened: its write-ahead log needs side files that may not be made in this folder",
        "Copy state.db and state.db-wal to a folder you can write to and use --db",
    ),
    (
        ("disk i/o",),
        "could not be read (disk I/O error)",
        "Check the disk, and that the file is not on a network share",
    ),
)


def meaning(path: Path, text: str) -> tuple[str, str]:
    """What a complaint about a database means, and what helps.

    Args:
        path: The database.
        text: The complaint; one nobody foresaw is passed on.
    """
    for fragments, what, remedy in (*_in_the_way(path), *_MEANINGS):
        if any(fragment in text.lower() for fragment in fragments):
            return what, remedy
    return f"SQLite says: {' '.join(text.split())}", ""


def _in_the_way(path: Path) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """What the same complaints mean where something lies beside the database that is in the way."""
    journal, log = (path.with_name(f"{path.name}-{end}") for end in ("journal", "wal"))
    if journal.is_file():
        what = "cannot be read: a write to it was cut off, and only a program that may write can take it back"
        remedy = f"Open it once with Hermes, or copy it with {journal.name} and open the copy with sqlite3"
        yield ("readonly", "unable to open"), what, remedy
    elif os.path.lexists(log) and not log.is_file():
        what = f"cannot be opened: {log.name} beside it is no file"
        yield ("unable to open",), what, f"Move {log.name} away if no Hermes is running"


_LOG_HEAD = 32
"""Bytes of the header of a write-ahead log."""
_LOG_ORDERS = {b"\x37\x7f\x06\x82": "<II", b"\x37\x7f\x06\x83": ">II"}
"""What it begins with, and in which order of bytes its sums are made."""


def is_log(path: Path) -> bool:
    """Whether a file is a write-ahead log; SQLite reads nothing of one whose header does not add up."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        head = stream.read(_LOG_HEAD)
    if len(head) < _LOG_HEAD or head[:4] not in _LOG_ORDERS:
        return False
    one = two = 0
    for even, odd in struct.iter_unpack(_LOG_ORDERS[head[:4]], head[:24]):
        one = (one + even + two) & 0xFFFFFFFF
        two = (two + odd + one) & 0xFFFFFFFF
    return struct.pack(">II", one, two) == head[24:]
