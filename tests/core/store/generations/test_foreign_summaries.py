"""Compactions by another engine, which marks no summary and keeps no head."""

from __future__ import annotations

import pytest

from core.model.transcript.boundary import BoundaryMode
from core.model.transcript.message import RowState
from core.store.generations.foreign_summaries import digests
from core.store.generations.row_outline import RowOutline
from tests.core.store.database import SessionDatabase
from tests.core.store.generations.test_split import Make, Opened, filled


def rows(uids: str, replaced: int, gone: RowState = RowState.ARCHIVED) -> list[RowOutline]:
    states = [gone] * replaced + [RowState.LIVE] * (len(uids) - replaced)
    return [RowOutline(at, "user", states[at], float(at), uid) for at, uid in enumerate(uids)]


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
    """Three rows kept behind a digest, each a pause after the one before."""
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
