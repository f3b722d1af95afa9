"""Looking for damage in a database, for no longer than one is willing to wait."""

from __future__ import annotations

import time
from pathlib import Path

from core.store.connect import Interrupted, open_readonly, reading


def integrity(path: Path, seconds: float) -> str | None:
    """`ok`, what SQLite complains about first, or None when the time was up before it had read everything."""
    stop = time.monotonic() + seconds
    connection = open_readonly(path, cancelled=lambda: time.monotonic() > stop)
    try:
        with reading(path):
            rows = connection.execute("PRAGMA quick_check(3)").fetchall()
        return "; ".join(str(text) for (text,) in rows)
    except Interrupted:
        return None
    finally:
        connection.close()
