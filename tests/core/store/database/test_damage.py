"""A broken page hides no row of another one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import pytest

from core.store.database.damage import passed_over, piecewise


def test_rows_that_fail_together_are_read_each_on_its_own() -> None:
    def read(rows: Sequence[int]) -> list[int]:
        if 3 in rows:
            raise sqlite3.DatabaseError("database disk image is malformed")
        return list(rows)

    assert [row for _, found in piecewise(range(8), read) for row in found] == [0, 1, 2, 4, 5, 6, 7]


@pytest.mark.parametrize("said", ["interrupted", "database is locked"])
def test_what_is_no_damage_is_not_passed_over(said: str) -> None:
    with pytest.raises(sqlite3.OperationalError), passed_over():
        raise sqlite3.OperationalError(said)
