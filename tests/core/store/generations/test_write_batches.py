"""Which rows of a rotation are copies, told by their times and by the calls they name."""

from __future__ import annotations

import pytest

from core.model.transcript.conversation import Boundary
from core.store.store import Store
from tests.core.store.database import LONG_SUMMARY, SessionDatabase
from tests.core.store.generations.test_split import Make, Opened, filled


def rotated(database: SessionDatabase, summary: str) -> list[int]:
    """End `s` and open `s2` with its first rows and a summary; gives the rows of `s`."""
    old = database.live("s")
    database.connection.execute("UPDATE sessions SET ended_at = ?, end_reason = 'compression'", (0.0,))
    database.session("s2", parent_session_id="s")
    for row in old[:3]:
        database.copy(row, "s2", timestamp=database.tick(0.01))
    database.message("s2", "user", summary)
    return old


def boundary_of(store: Store) -> Boundary:
    boundary = store.conversation("s2").generations[1].boundary
    assert boundary is not None
    return boundary


@pytest.mark.parametrize("slow", range(1, 7))
def test_a_pause_of_the_disk_ends_no_run_of_copies(make: Make, opened: Opened, slow: int) -> None:
    database = filled(make, "0.16")
    for place, row in enumerate(rotated(database, f"{LONG_SUMMARY} x")[-8:]):
        database.copy(row, "s2", timestamp=database.tick(1.5 if place == slow else 0.01))
    database.turn("s2", "later")
    boundary = boundary_of(opened(database))
    assert (boundary.head_rows, boundary.tail_rows) == (3, 8)


def test_an_old_text_said_again_later_is_no_copy(make: Make, opened: Opened) -> None:
    database = filled(make, "0.16")
    database.message("s", "user", "go on")
    database.message("s", "assistant", "done")
    rotated(database, f"{LONG_SUMMARY} x")
    database.tick(5)
    database.message("s2", "user", "go on")
    database.message("s2", "assistant", "done")
    assert boundary_of(opened(database)).tail_rows == 0


def test_a_call_named_again_much_later_is_no_copy(make: Make, opened: Opened) -> None:
    database = filled(make, "0.16")
    old = rotated(database, f"{LONG_SUMMARY} x")
    database.tick(60)
    for row in old[-3:]:
        database.copy(row, "s2", timestamp=database.tick(0.01))
    assert boundary_of(opened(database)).tail_rows == 0


def test_an_older_summary_kept_in_the_tail_does_not_hide_the_new_one(make: Make, opened: Opened) -> None:
    database = filled(make, "0.17", turns=1)
    older = database.message("s", "user", f"{LONG_SUMMARY} the same words")
    asked = database.turn("s", "last")
    new = rotated(database, f"{LONG_SUMMARY} the same words") and database.live("s2")[-1]
    for row in (older, *asked):
        database.copy(row, "s2")
    boundary = boundary_of(opened(database))
    assert (boundary.summary_row, boundary.tail_rows) == (new, 5)
