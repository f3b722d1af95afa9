"""Messages of a request find the rows they are stored in."""

from __future__ import annotations

from core.recordings.read import SentRow
from core.recordings.sent_lists import Placed, StoredRow, placed


def sent(*names: str) -> list[SentRow]:
    return [SentRow(name, "u", 1) for name in names]


def stored(first: int, *names: str, letter: str = "u") -> list[StoredRow]:
    return [StoredRow(first + at, name, letter) for at, name in enumerate(names)]


def test_the_generation_that_fits_best_says_the_rows() -> None:
    found = placed(sent("s", "b", "c"), [stored(1, "a", "b"), stored(11, "b", "c")])
    assert found == [Placed(), Placed(11, same=True), Placed(12, same=True)]


def test_of_copies_the_newest_are_meant() -> None:
    assert placed(sent("a"), [stored(1, "a"), stored(9, "a")]) == [Placed(9, same=True)]


def test_a_message_that_was_sent_otherwise_is_found_by_its_place() -> None:
    found = placed(sent("a", "x", "c"), [stored(1, "a", "b", "c")])
    assert found == [Placed(1, same=True), Placed(2), Placed(3, same=True)]


def test_another_role_in_the_place_is_not_a_match() -> None:
    rows = [*stored(1, "a"), *stored(2, "b", letter="t"), *stored(3, "c")]
    assert placed(sent("a", "x", "c"), [rows])[1] == Placed()
