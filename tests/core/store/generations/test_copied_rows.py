"""Which rows of a rotation are copies, by their times and the calls they name."""

from __future__ import annotations

import pytest

from core.model.transcript.conversation import Boundary, BoundaryMode
from core.model.transcript.message import RowState
from core.store.generations.copied_rows import digests
from core.store.generations.row_outline import RowOutline
from core.store.store import Store
from tests.core.store.database import LONG_SUMMARY, SessionDatabase
from tests.core.store.generations.test_split import Make, Opened, filled, shape


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


def test_requests_joined_to_one_within_the_tail_are_of_the_compaction(make: Make, opened: Opened) -> None:
    """Run with 0.17.0: two refused requests and the one that was answered went on as one message."""
    database = filled(make, "0.17")
    asked = database.tick()
    database.message("s", "user", "Go on.", timestamp=asked)
    database.message("s", "user", "Go on, please.")
    tail = [*rotated(database, f"{LONG_SUMMARY} x")[-6:-2], database.message("s", "assistant", "Done.")]
    for row in tail[:-1]:
        database.copy(row, "s2")
    database.message("s2", "user", "Go on.\nGo on, please.", timestamp=asked)
    database.copy(tail[-1], "s2")
    assert boundary_of(opened(database)).tail_rows == 6


def test_an_old_text_said_again_later_is_not_a_copy(make: Make, opened: Opened) -> None:
    database = filled(make, "0.16")
    database.message("s", "user", "go on")
    database.message("s", "assistant", "done")
    rotated(database, f"{LONG_SUMMARY} x")
    database.tick(5)
    database.message("s2", "user", "go on")
    database.message("s2", "assistant", "done")
    assert boundary_of(opened(database)).tail_rows == 0


def test_a_request_stored_again_before_the_head_is_of_the_compaction_that_stamped_it(
    make: Make, opened: Opened
) -> None:
    """Run with 0.19.0: the request was in neither head nor tail, so it was put before both."""
    database = filled(make, "0.19")
    old = database.live("s")
    database.mark(old, active=0, compacted=1)
    written = database.tick()
    database.copy(old[-4], timestamp=written)
    for row in old[:3]:
        database.copy(row)
    database.message("s", "user", f"{LONG_SUMMARY} x", timestamp=written + 4e-6)
    for row in old[-3:]:
        database.copy(row)
    database.turn("s", "more")
    assert shape(opened(database).conversation("s")) == [(24, 0), (12, 7)]
    database.compact("s", 0, 4, "y")
    assert shape(opened(database).conversation("s")) == [(24, 0), (12, 7), (5, 4)]


def test_in_a_branch_copies_have_times_its_own_rows_never_had(make: Make, opened: Opened) -> None:
    database = filled(make, "0.16")
    tail = rotated(database, f"{LONG_SUMMARY} x")[-8:]
    written = database.tick(0)
    for place, row in enumerate(tail):
        database.copy(row, "s2", timestamp=written - 900 + place if place < 4 else written)
    assert boundary_of(opened(database)).tail_rows == 8


def test_a_call_named_again_much_later_is_not_a_copy(make: Make, opened: Opened) -> None:
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


def rows(uids: str, replaced: int, gone: RowState = RowState.ARCHIVED) -> list[RowOutline]:
    states = [gone] * replaced + [RowState.LIVE] * (len(uids) - replaced)
    return [RowOutline(at, "user", states[at], float(at), ord(uid)) for at, uid in enumerate(uids)]


def test_a_new_row_and_all_that_stood_right_before_it_is_a_block() -> None:
    (found,) = digests(rows("abcd" + "D" + "bcd" + "e", replaced=4), ())
    assert (found.row, found.copies) == (4, range(5, 8))


@pytest.mark.parametrize(
    ("uids", "replaced", "inside"),
    [
        ("abcdDbcde", 0, ()),
        ("abcdDdcb", 4, ()),
        ("abcdDbce", 4, ()),
        ("abcdDd", 4, ()),
        ("abcdDbcd", 4, (4,)),
    ],
    ids=["both are live", "another order", "not up to it", "one row may recur", "known already"],
)
def test_less_is_none(uids: str, replaced: int, inside: tuple[int, ...]) -> None:
    assert [*digests(rows(uids, replaced), inside)] == []


def digested(make: Make, release: str, pause: float) -> SessionDatabase:
    """Three rows kept after a digest, each a pause after the one before."""
    database = filled(make, release)
    old = database.live("s")
    database.mark(old, active=0, compacted=1)
    at = database.tick()
    database.message("s", "user", "[digest of many]", timestamp=at)
    for number, row in enumerate(old[-3:], 1):
        database.copy(row, timestamp=at + pause * number)
    database.turn("s", "later")
    return database


@pytest.mark.parametrize(("release", "pause"), [("0.18", 0.0), ("0.22", 0.0), ("0.22", 1.0)])
def test_what_another_engine_wrote_begins_a_generation(
    make: Make, opened: Opened, release: str, pause: float
) -> None:
    _, second = opened(digested(make, release, pause)).conversation("s").generations
    assert second.boundary is not None
    assert (second.boundary.mode, second.boundary.tail_rows) == (BoundaryMode.IN_PLACE, 3)
    assert second.boundary.summary_row == second.row_ids[0]


def test_texts_that_recur_over_time_begin_none(make: Make, opened: Opened) -> None:
    assert len(opened(digested(make, "0.18", 1.0)).conversation("s").generations) == 1
