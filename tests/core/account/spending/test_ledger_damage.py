"""A ledger of rows nobody should have written: what is damaged spoils nothing else."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing

import pytest

from core.account.spending.ledger import collect
from core.account.spending.recorded import UNKNOWN
from tests.core.account.homes import Book, store, tokens


@pytest.mark.parametrize("junk", ["many", b"\xff\xfe", 9 * 10**18, None, -5.5])
def test_a_damaged_number_affects_no_other(book: Book, opened: ExitStack, junk: object) -> None:
    book.session("bad", input_tokens=junk, output_tokens=4).session("bad2", input_tokens=junk).session(
        "good", **tokens(10)
    )
    total = collect([store(opened, book)], by="source").ledger().totals.tokens
    assert (total.input or 0) in (10, 10 + 2 * -5)
    assert total.output == 4


def test_text_that_is_not_utf8_affects_nothing(book: Book, opened: ExitStack) -> None:
    book.session("bad", **tokens(3)).session("good", title="fine", **tokens(10))
    with closing(sqlite3.connect(book.path)) as db:
        db.execute("UPDATE sessions SET title = CAST(x'ff41' AS TEXT) WHERE id = 'bad'")
        db.commit()
    rows = {row.key: row.label for row in collect([store(opened, book)]).ledger().rows}
    assert set(rows) == {"bad", "good"}
    assert rows["good"] == "fine"


@pytest.mark.parametrize("far", [1.76e12, -1e14, 1e300])
def test_a_start_outside_the_calendar_is_an_unknown_day(book: Book, opened: ExitStack, far: float) -> None:
    book.session("a", started_at=far, **tokens(100))
    assert [row.key for row in collect([store(opened, book)], by="day").ledger().rows] == [UNKNOWN]


@pytest.mark.parametrize("by", ["session", "model", "source", "conversation"])
def test_bytes_where_text_belongs_are_read_as_text(book: Book, opened: ExitStack, by: str) -> None:
    book.session("a", title=b"T", model=b"opus", source=b"cli", **tokens(100))
    (row,) = collect([store(opened, book)], by=by).ledger().rows
    assert (row.key, row.tokens.total) == ({"model": "opus", "source": "cli"}.get(by, "a"), 100)
    assert isinstance(row.label, str)
