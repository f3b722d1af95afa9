"""What lies beside a database: a write-ahead log, or what only is called like one."""

from __future__ import annotations

import struct
from pathlib import Path

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
