"""Rows a branch of 0.22 stores once more after its first compaction, and tails that were lost."""

from __future__ import annotations

import pytest

from core.model.transcript.message import RowState
from core.store.generations.blocks import stored_again, unseen_by
from core.store.generations.row_outline import RowOutline
from tests.core.store.database import LONG_SUMMARY, SUMMARY, SessionDatabase
from tests.core.store.generations.test_split import Make, Opened, filled


def rows(uids: str) -> list[RowOutline]:
    return [RowOutline(at, "user", RowState.LIVE, float(at), ord(uid)) for at, uid in enumerate(uids, 1)]


def test_what_is_known_and_stands_right_after_a_block_was_stored_again() -> None:
    # abcd is compacted to Scd; abc comes once more, then x.
    assert stored_again(rows("abcd" + "Scd" + "abc" + "x"), 7) == (7, 8, 9)


@pytest.mark.parametrize(
    ("tail", "unseen"),
    [("dxy", frozenset({8, 9, 10})), ("dabcxy", frozenset()), ("bcxy", frozenset()), ("xy", None)],
    ids=["it reaches over them", "it holds them", "it begins in them", "it begins behind them"],
)
def test_the_tail_of_the_next_compaction_says_whether_they_were_in_memory(
    tail: str, unseen: frozenset[int] | None
) -> None:
    outlines = rows("abcd" + "Scd" + "abc" + "xy" + "T" + tail)
    assert unseen_by((7, 8, 9), outlines, 4, 12, range(13, 13 + len(tail))) == unseen


def test_rows_stored_again_are_neither_tail_nor_compaction(make: Make, opened: Opened) -> None:
    database = filled(make, "0.22")
    old = database.live("s")
    block = database.compact("s", 0, 6, "one")
    for row in old[:9]:
        database.copy(row)
    later = database.turn("s", "later")
    database.mark(database.live("s"), active=0, compacted=1)
    database.message("s", "user", f"{SUMMARY} two", _compressed_summary=1)
    for row in (*block[-2:], *later):
        database.copy(row)
    first, second, third = opened(database).conversation("s").generations
    assert (first.unseen, third.unseen) == (frozenset(), frozenset())
    assert second.boundary is not None
    assert second.boundary.tail_rows == 6
    assert second.unseen == frozenset(second.row_ids[7:16])


def test_a_compaction_right_after_another_is_one_of_its_own(make: Make, opened: Opened) -> None:
    """Its summary has the identity of a request, which is put once more between the rows it kept."""
    database = filled(make, "0.22")
    block = database.compact("s", 0, 6, "one")
    database.mark(database.live("s"), active=0, compacted=1)
    request = next(row for row in block[1:] if outline_role(database, row) == "user")
    database.mark([database.copy(request)], content=f"{SUMMARY} two", _compressed_summary=1)
    behind = [row for row in block if row > request]
    for row in (behind[0], request, *behind[1:]):
        database.copy(row)
    generations = opened(database).conversation("s").generations
    assert len(generations) == 3
    assert generations[-1].boundary is not None
    assert generations[-1].boundary.tail_rows == len(behind) + 1


def outline_role(database: SessionDatabase, row: int) -> str:
    return str(database.connection.execute("SELECT role FROM messages WHERE id = ?", (row,)).fetchone()[0])


def test_what_a_partial_compression_spared_was_not_given_to_it(make: Make, opened: Opened) -> None:
    database = filled(make, "0.19")
    old = database.live("s")
    database.mark(old, active=0, compacted=1)
    for row in old[:3]:
        database.copy(row)
    database.message("s", "user", f"{LONG_SUMMARY} one")
    for row in old[12:16]:
        database.copy(row)
    first, _ = opened(database).conversation("s").generations
    assert first.unseen == frozenset(old[16:])


def test_an_old_summary_joined_to_the_answer_behind_it_is_still_an_old_one(
    make: Make, opened: Opened
) -> None:
    """Loaded messages may be joined before they are copied, with their old time but another text."""
    database = filled(make, "0.18")
    database.compact("s", 0, 6, "one")
    live = database.live("s")
    database.tick(60)
    database.turn("s", "more")
    every = database.live("s")
    database.mark(every, active=0, compacted=1)
    database.copy(live[0], content=f"{LONG_SUMMARY} one\n\nand an answer")
    database.copy(live[2])
    database.message("s", "user", f"{LONG_SUMMARY} two")
    for row in every[-4:]:
        database.copy(row)
    generations = opened(database).conversation("s").generations
    assert [len(generation.row_ids) for generation in generations] == [24, 11, 7]


def test_copies_an_upgrade_gave_a_uid_of_their_own_are_known_by_their_texts(
    make: Make, opened: Opened
) -> None:
    """0.22 gives each older row a new name, so only the text links a copy to its original."""
    database = filled(make, "0.22")
    database.compact("s", 3, 6, "one")
    database.connection.execute("UPDATE messages SET compacted = 1 WHERE active = 0")
    for row, *_ in database.connection.execute("SELECT id FROM messages").fetchall():
        database.mark([row], message_uid=f"new{row}")
    database.turn("s", "later")
    database.compact("s", 0, 4, "two")
    database.connection.execute("UPDATE messages SET compacted = 1 WHERE active = 0")
    generations = opened(database).conversation("s").generations
    assert [(len(one.row_ids), one.copies) for one in generations] == [(24, 0), (14, 9), (5, 4)]
