"""The ledger: every call counts once, whatever it is added up by, and unknown stays unknown."""

from __future__ import annotations

import lzma
import sqlite3
import tarfile
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from core.account.spending.ledger import DIMENSIONS, collect
from core.errors import UsageError
from core.model.accounting.amounts import Buckets
from core.model.accounting.ledger import LedgerRow
from core.store.store import Store
from tests.core.account.homes import NOON, Book, store, tokens
from tests.shared import shared


def plain_sql(path: Path) -> tuple[int, ...]:
    """Totals written independently: all sessions, and what auxiliary tasks spent besides."""
    columns = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        known = {row[1] for row in db.execute("PRAGMA table_info(sessions)")}
        main = [
            db.execute(f"SELECT coalesce(sum({name}), 0) FROM sessions").fetchone()[0] if name in known else 0
            for name in columns
        ]
        split = {row[1] for row in db.execute("PRAGMA table_info(session_model_usage)")}
        extra = [0] * 4
        if "task" in split:
            sums = ", ".join(f"coalesce(sum({name}), 0)" for name in columns)
            extra = list(db.execute(f"SELECT {sums} FROM session_model_usage WHERE task <> ''").fetchone())
    return tuple(a + b for a, b in zip(main, extra, strict=True))


def billed(row: LedgerRow) -> tuple[int, ...]:
    found = row.tokens
    return tuple(value or 0 for value in (found.input, found.cache_read, found.cache_write, found.output))


def check_against_sql(path: Path) -> None:
    with Store(path) as opened_store:
        for by in DIMENSIONS:
            found = collect([opened_store], by=by).ledger()
            assert billed(found.totals) == plain_sql(path), by
            sums = [sum(column) for column in zip(*map(billed, found.rows), strict=True)] or [0] * 4
            assert tuple(sums) == plain_sql(path), by
            assert sum(row.calls or 0 for row in found.rows) == (found.totals.calls or 0)


@pytest.mark.parametrize("name", ["state.db", "profiles/work/state.db"])
def test_the_samples_add_up_to_plain_sql_by_every_dimension(sample_home: Path, name: str) -> None:
    check_against_sql(sample_home / name)


@pytest.mark.shared
def test_every_database_at_hand_adds_up_to_plain_sql(tmp_path: Path) -> None:
    small = tmp_path / "small.db"
    small.write_bytes(lzma.decompress(shared("data/small.db.xz").read_bytes()))
    with lzma.open(shared("data/state-versions.tar.xz")) as stream, tarfile.open(fileobj=stream) as archive:
        archive.extractall(tmp_path, filter="data")
    paths = sorted(tmp_path.rglob("*.db"))
    assert len(paths) > 20
    for path in paths:
        check_against_sql(path)


def test_models_switched_inside_a_session_come_from_the_split(book: Book, opened: ExitStack) -> None:
    book.session("a", model="opus", **tokens(100, 50, 10, 40, 3))
    book.usage("a", "opus", **tokens(60, 50, 10, 30, 2)).usage("a", "mini", **tokens(40, 0, 0, 10, 1))
    rows = {row.key: row.tokens.total for row in collect([store(opened, book)], by="model").ledger().rows}
    assert rows == {"opus": 150, "mini": 50}


def test_auxiliary_calls_are_rows_of_their_own_and_in_the_total_once(book: Book, opened: ExitStack) -> None:
    book.session("a", model="opus", **tokens(100)).usage("a", "opus", **tokens(100))
    book.usage("a", "mini", "compression", **tokens(7, output=2))
    found = collect([store(opened, book)], by="session").ledger()
    assert [(row.key, row.task, row.tokens.total) for row in found.rows] == [
        ("a", "", 100),
        ("a", "compression", 9),
    ]
    assert found.totals.tokens.total == 109
    assert {row.key for row in collect([store(opened, book)], by="task").ledger().rows} == {
        "main",
        "compression",
    }


def test_what_the_split_leaves_over_is_booked_on_the_session(book: Book, opened: ExitStack) -> None:
    book.session("a", model="opus", **tokens(100, calls=5)).usage("a", "mini", **tokens(30, calls=1))
    found = collect([store(opened, book)], by="model").ledger()
    assert {row.key: (row.tokens.input, row.calls) for row in found.rows} == {
        "opus": (70, 4),
        "mini": (30, 1),
    }
    assert any("no model row accounts for" in note for note in found.notes)


def test_a_split_beyond_the_total_is_not_believed(book: Book, opened: ExitStack) -> None:
    book.session("a", model="opus", **tokens(100)).usage("a", "mini", **tokens(130))
    found = collect([store(opened, book)], by="model").ledger()
    assert [(row.key, row.tokens.input) for row in found.rows] == [("opus", 100)]
    assert found.lower_bound
    assert "exceeds" in found.notes[0]


def test_a_session_without_usage_makes_the_total_a_lower_bound(book: Book, opened: ExitStack) -> None:
    book.session("a", **tokens(100)).session("b", **tokens(0)).session("empty", message_count=0)
    found = collect([store(opened, book)]).ledger()
    assert found.lower_bound
    assert found.notes[0].startswith("1 session with messages but no recorded usage")
    assert {row.key: row.lower_bound for row in found.rows} == {"a": False, "b": True, "empty": False}


def chain(book: Book) -> Book:
    book.session("root", end_reason="compression", ended_at=NOON + 5, title="Long", **tokens(100, 10))
    book.session("next", parent_session_id="root", started_at=NOON + 6, title="Long #2", **tokens(50, 5))
    config = '{"_delegate_from": "next"}'
    book.session("helper", parent_session_id="next", source="tool", model_config=config, **tokens(7))
    branch = '{"_branched_from": "root"}'
    return book.session("branch", parent_session_id="root", model_config=branch, **tokens(3))


def test_a_chain_counts_each_call_once_and_its_delegates_next_to_it(book: Book, opened: ExitStack) -> None:
    rows = {row.key: row for row in collect([store(opened, chain(book))], by="conversation").ledger().rows}
    assert set(rows) == {"root", "helper", "branch"}
    assert (rows["root"].tokens.total, rows["root"].sessions, rows["root"].calls) == (165, 2, 2)
    assert rows["root"].subtree is not None
    assert rows["root"].subtree.total == 172
    assert rows["branch"].subtree is None


def test_a_conversation_is_called_what_its_newest_session_is_called(book: Book, opened: ExitStack) -> None:
    book.session("root", end_reason="compression", ended_at=NOON + 5, title="Long", **tokens(100, 10))
    book.session("aaa", parent_session_id="root", started_at=NOON + 6, title="Long #2", **tokens(900, 5))
    (row,) = collect([store(opened, book)], by="conversation").ledger().rows
    assert (row.key, row.label) == ("root", "Long #2")


def test_one_conversation_can_be_asked_for_by_any_of_its_sessions(book: Book, opened: ExitStack) -> None:
    for session in ("root", "next"):
        found = collect(
            [store(opened, chain(book) if session == "root" else book)], by="session", session=session
        ).ledger()
        assert {row.key for row in found.rows} == {"root", "next"}


def test_a_conversation_that_went_on_in_two_ways_says_that_both_count(book: Book, opened: ExitStack) -> None:
    one = store(opened, chain(book))
    assert not any("continued" in note for note in collect([one], session="next").ledger().notes)
    book.session("other", parent_session_id="root", started_at=NOON + 7, **tokens(5, 1))
    found = collect([store(opened, book)], session="next").ledger()
    assert {row.key for row in found.rows} == {"root", "next", "other"}
    assert "1 session continued more than once; every continuation counts" in found.notes


def test_days_are_days_of_the_users_zone(book: Book, opened: ExitStack) -> None:
    evening = datetime(2026, 3, 1, 23, 30, tzinfo=UTC).timestamp()
    book.session("a", started_at=evening, **tokens(5)).session("b", started_at=evening + 3600, **tokens(6))

    def keys(by: str, zone: str) -> list[str]:
        return [row.key for row in collect([store(opened, book)], by=by, zone=ZoneInfo(zone)).ledger().rows]

    assert keys("day", "UTC") == ["2026-03-01", "2026-03-02"]
    assert keys("day", "Asia/Kathmandu") == ["2026-03-02"]
    assert keys("hour", "Asia/Kathmandu") == ["2026-03-02T05", "2026-03-02T06"]


def test_a_period_takes_what_started_in_it(book: Book, opened: ExitStack) -> None:
    book.session("old", started_at=NOON - 86400, **tokens(1)).session("new", **tokens(2))
    start = datetime.fromtimestamp(NOON, UTC)
    one = store(opened, book)
    assert [row.key for row in collect([one], since=start).ledger().rows] == ["new"]
    assert [row.key for row in collect([one], until=start).ledger().rows] == ["old"]
    assert collect([one], since=start + timedelta(1)).ledger().totals.tokens == Buckets()


def test_one_session_spread_over_several_models_is_one_session(book: Book, opened: ExitStack) -> None:
    book.session("a", **tokens(30)).usage("a", "x", **tokens(10)).usage("a", "y", **tokens(20))
    assert collect([store(opened, book)], by="model").ledger().totals.sessions == 1


@pytest.mark.parametrize("by", ["session", "conversation", "source", "profile", "task"])
def test_a_row_counts_a_session_once_however_many_models_it_called(
    book: Book, opened: ExitStack, by: str
) -> None:
    for name in ("a", "b"):
        book.session(name, model="x", source="cli", **tokens(70))
        book.usage(name, "x", **tokens(10)).usage(name, "y", **tokens(20)).usage(name, "z", **tokens(30))
    one = store(opened, book)
    together = by in ("source", "profile", "task")
    expected = [2] if together else [1, 1]
    assert [row.sessions for row in collect([one], by=by).ledger().rows] == expected
    assert [row.sessions for row in collect([one], by=by, only=[("model", "z")]).ledger().rows] == expected
    models = {row.key: row.sessions for row in collect([one], by="model").ledger().rows}
    assert models == {"x": 2, "y": 2, "z": 2}


def test_several_databases_add_up_and_the_same_one_counts_once(tmp_path: Path, opened: ExitStack) -> None:
    one, two = (Book(tmp_path / name).session("a", **tokens(10)) for name in ("one.db", "two.db"))
    both = [store(opened, one), store(opened, two), store(opened, one)]
    found = collect(both, by="profile").ledger()
    assert {row.key: row.tokens.total for row in found.rows} == {"one.db": 10, "two.db": 10}
    assert found.totals.sessions == 2


def test_a_store_without_a_split_says_that_summaries_are_missing(tmp_path: Path, opened: ExitStack) -> None:
    book = Book(tmp_path / "old.db", old=True).session("a", model="opus", **tokens(10, calls=0))
    found = collect([store(opened, book)], by="model").ledger()
    assert (found.totals.tokens.total, found.totals.calls) == (10, None), "nobody counted its calls"
    assert "usage of summaries and other side tasks" in found.notes[0]


def test_a_split_from_before_tasks_were_distinguished_is_the_main_loops(
    tmp_path: Path, opened: ExitStack
) -> None:
    book = Book(tmp_path / "s.db").session("a", model="opus", **tokens(100))
    book.usage("a", "opus", **tokens(60)).usage("a", "mini", **tokens(40))
    with closing(sqlite3.connect(book.path)) as db:
        db.executescript(
            "CREATE TABLE old AS SELECT * FROM session_model_usage; ALTER TABLE old DROP COLUMN task;"
            "DROP TABLE session_model_usage; ALTER TABLE old RENAME TO session_model_usage;"
        )
    rows = {row.key: row.tokens.input for row in collect([store(opened, book)], by="model").ledger().rows}
    assert rows == {"opus": 60, "mini": 40}


@pytest.mark.parametrize("by", ["session", "model", "provider", "source", "task"])
def test_the_share_of_a_row_is_what_the_row_says_by_every_other_dimension(sample_home: Path, by: str) -> None:
    with Store(sample_home / "state.db") as opened:
        shares: dict[str, Buckets] = {}
        for row in collect([opened], by=by).ledger().rows:
            shares[row.key] = shares.get(row.key, Buckets()) + row.tokens
        for key, tokens in shares.items():
            for other in DIMENSIONS:
                found = collect([opened], by=other, only=[(by, key)]).ledger()
                assert found.totals.tokens == tokens, (key, other)


def test_shares_of_shares_come_down_to_one_session(book: Book, opened: ExitStack) -> None:
    book.session("a", model="opus", **tokens(100)).session("b", model="opus", source="cron", **tokens(7))
    book.usage("a", "opus", **tokens(60)).usage("a", "mini", **tokens(40))
    book.usage("b", "mini", "compression", **tokens(5))
    one = store(opened, book)
    found = collect([one], only=[("model", "mini"), ("task", "main")]).ledger()
    assert [(row.key, row.tokens.input) for row in found.rows] == [("a", 40)]
    found = collect([one], by="model", only=[("source", "cron")]).ledger()
    assert {(row.key, row.task): row.tokens.input for row in found.rows} == {
        ("opus", ""): 7,
        ("mini", "compression"): 5,
    }
    assert found.totals.sessions == 1
    assert not collect([one], only=[("profile", "elsewhere")]).ledger().rows


def test_a_session_that_continued_past_midnight_is_booked_on_its_first_day_and_counted(
    book: Book, opened: ExitStack
) -> None:
    late = datetime(2026, 6, 9, 23, 50, tzinfo=UTC).timestamp()
    book.session("a", started_at=late, model="opus", **tokens(100)).session("b", started_at=late, **tokens(7))
    book.usage("a", "opus", first_seen=late, last_seen=late + 1200, **tokens(100))
    book.message("b", "assistant", timestamp=late + 300)
    book.session("c", started_at=late).message("c", "user", timestamp=9e300)
    one = store(opened, book)
    found = collect([one], by="day", zone=UTC).ledger()
    assert [(row.key, row.tokens.total) for row in found.rows] == [("2026-06-09", 107)]
    assert any(note.startswith("1 session ran on into a later day") for note in found.notes)
    assert not any(
        "ran on" in note for note in collect([one], by="day", zone=ZoneInfo("Asia/Tokyo")).ledger().notes
    )
    assert not any("ran on" in note for note in collect([one], by="model").ledger().notes)


def test_an_unknown_dimension_names_those_there_are(book: Book, opened: ExitStack) -> None:
    with pytest.raises(UsageError, match="session, conversation, model"):
        collect([store(opened, book)], by="colour").ledger()
