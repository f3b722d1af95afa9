"""A connection whose every query ends: a damaged file can send SQLite round in circles for ever."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import Any

STEPS_BETWEEN_CHECKS = 20_000
"""Steps of SQLite's machine between two looks at whether a query may go on: less than a millisecond."""
_LEAST, _MOST = 40_000_000, 20_000_000_000
_STEPS_PER_BYTE = 400
"""What a query over a whole database was seen to take is a hundredth of this."""

_overrun = threading.local()


class BoundedConnection(sqlite3.Connection):
    """Counts the steps of each query; `bound` says how many it may take.

    Attributes:
        makes_files: Reading left side files beside the database that were not there.
    """

    makes_files = False
    _steps = 0

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Begin a query, and its count."""
        self._steps = 0
        return super().execute(sql, parameters)

    def bound(self, size: int, cancelled: Callable[[], bool] | None = None) -> None:
        """End queries that are told to stop, or take more steps than a file can need.

        Args:
            size: Bytes of the database.
            cancelled: Says that the query is no longer wanted.
        """
        most = min(_LEAST + _STEPS_PER_BYTE * size, _MOST)

        def check() -> int:
            self._steps += STEPS_BETWEEN_CHECKS
            if self._steps > most:
                _overrun.passed = True
                return 1
            return int(cancelled is not None and cancelled())

        self.set_progress_handler(check, STEPS_BETWEEN_CHECKS)


def take_overrun() -> bool:
    """Whether the query this thread was just stopped in had passed its bound; asked once."""
    passed: bool = getattr(_overrun, "passed", False)
    _overrun.passed = False
    return passed
