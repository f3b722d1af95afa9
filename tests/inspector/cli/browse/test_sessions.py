"""The list: one object a session with its place in its conversation, equal to what plain SQL says."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import run
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli, Json, Text


def _rows(home: Path, query: str) -> Iterator[tuple[Any, ...]]:
    for path in home.rglob("state.db"):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            yield from db.execute(query).fetchall()


def test_every_session_of_every_profile_is_listed_once(home: Path, as_json: Json) -> None:
    listed = as_json("sessions")
    ids = [session["id"] for session in listed["sessions"]]
    assert sorted(ids) == sorted(one for (one,) in _rows(home, "SELECT id FROM sessions"))
    assert listed["total"] == len(ids)


def test_the_keys_are_those_promised(as_json: Json) -> None:
    for session in as_json("sessions")["sessions"]:
        assert set(session) >= {
            "id", "title", "source", "model", "started_at", "ended_at", "end_reason", "messages", "tokens",
            "cost", "conversation", "kind",
        }  # fmt: skip
        assert set(session["tokens"]) >= {
            "input",
            "cache_read",
            "cache_write",
            "output",
            "reasoning",
            "prompt",
        }
        assert set(session["cost"]) >= {"usd", "status", "source"}
        assert set(session["conversation"]) >= {"root", "tip", "position", "sessions", "generations"}
        assert session["kind"] in {"main", "continuation", "branch", "delegate"}


def test_buckets_equal_plain_sql(home: Path, as_json: Json) -> None:
    listed = {session["id"]: session["tokens"] for session in as_json("sessions")["sessions"]}
    columns = "id, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens"
    for one, fresh, read, written, output in _rows(home, f"SELECT {columns} FROM sessions"):
        tokens = listed[one]
        assert (tokens["input"], tokens["cache_read"], tokens["cache_write"]) == (fresh, read, written)
        assert tokens["output"] == output
        assert tokens["prompt"] == fresh + read + written


def test_times_are_utc_and_money_is_a_decimal_or_null(as_json: Json) -> None:
    sessions = as_json("sessions")["sessions"]
    assert all(
        datetime.fromisoformat(session["started_at"]).utcoffset() == timedelta() for session in sessions
    )
    known = [session["cost"]["usd"] for session in sessions if session["cost"]["usd"] is not None]
    assert known
    assert all(Decimal(usd) >= 0 and "E" not in usd for usd in known)


def test_an_unpriced_model_costs_null_and_never_zero(as_json: Json) -> None:
    unpriced = [s for s in as_json("sessions")["sessions"] if s["model"] == "nous/hermes-5-preview"]
    assert unpriced
    assert [session["cost"]["usd"] for session in unpriced] == [None] * len(unpriced)


def test_a_chain_is_one_conversation_in_order(as_json: Json) -> None:
    sessions = as_json("sessions")["sessions"]
    chain = sorted(
        (s for s in sessions if s["conversation"]["sessions"] == 3),
        key=lambda s: s["conversation"]["position"],
    )
    assert [session["conversation"]["position"] for session in chain] == [0, 1, 2]
    assert len({session["conversation"]["root"] for session in chain}) == 1
    assert chain[0]["id"] == chain[0]["conversation"]["root"]
    assert chain[-1]["id"] == chain[-1]["conversation"]["tip"]
    assert [session["kind"] for session in chain] == ["main", "continuation", "continuation"]
    assert {session["conversation"]["generations"] for session in chain} == {3}


def test_limit_keeps_the_newest_and_the_total(as_json: Json) -> None:
    every = as_json("sessions")
    few = as_json("sessions", "--limit", "3")
    assert few["sessions"] == every["sessions"][:3]
    assert few["total"] == every["total"]
    assert as_json("sessions", "--limit", "0")["sessions"] == []


@pytest.mark.parametrize("sort", ["last_active", "started", "messages", "tokens", "cost", "title"])
def test_profiles_are_merged_in_the_order_asked_for(as_json: Json, sort: str) -> None:
    sessions = as_json("sessions", "--sort", sort)["sessions"]
    keys: dict[str, Any] = {
        "last_active": lambda s: s["last_active"],
        "started": lambda s: s["started_at"],
        "messages": lambda s: s["messages"],
        "tokens": lambda s: s["tokens"]["prompt"] + s["tokens"]["output"],
        "cost": lambda s: float(s["cost"]["usd"]) if s["cost"]["usd"] else None,
        "title": lambda s: (s["title"] or "").lower() or None,
    }
    values = [keys[sort](session) for session in sessions]
    known = [value for value in values if value is not None]
    assert known == sorted(known, reverse=sort != "title")
    assert values[: len(known)] == known


def test_filters_narrow_the_list(as_json: Json) -> None:
    cron = as_json("sessions", "--source", "cron")
    assert {session["source"] for session in cron["sessions"]} == {"cron"}
    assert cron["total"] == len(cron["sessions"])
    assert [s["title"] for s in as_json("sessions", "--filter", "auth module")["sessions"]] == [
        "Refactor the auth module"
    ]
    assert as_json("sessions", "--since", "2200-01-01") == {"sessions": [], "total": 0}


def test_the_table_folds_a_chain_and_all_unfolds_it(as_text: Text) -> None:
    folded = as_text("sessions")
    assert "Port the parser to Rust #3 ▸3" in folded
    assert "▸ sessions that compression continued · ├ branch · ↳ sub-agent" in folded
    assert as_text("sessions", "--all").count("Port the parser to Rust") == 3


def test_the_table_shows_hostile_titles_without_obeying_them(as_text: Text) -> None:
    shown = as_text("sessions")
    assert "owned" in shown
    assert not set(shown) & {"\x1b", "\x07", "\u202e"}


def test_one_profile_can_be_asked_for(home: Path, cli: Cli) -> None:
    assert "Queue incident of Tuesday" in cli("sessions", "--home", home, "--profile", "work").out
    assert run(["sessions", "--home", str(home), "--profile", "nobody"]) == 3


def test_a_broken_profile_never_hides_the_others(home: Path, tmp_path: Path, cli: Cli) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(home, copy)
    (copy / "profiles" / "work" / "state.db").write_bytes(b"SQLite format 3\x00 and then nothing")
    shown = cli("sessions", "--home", copy)
    assert "Refactor the auth module" in shown.out
    assert shown.err.count("\n") == 1
    assert "skipped" in shown.err


@pytest.fixture(scope="module")
def partly_damaged(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a profile that opens, and whose sessions cannot be read."""
    copy = tmp_path_factory.mktemp("damaged") / "copy"
    shutil.copytree(home, copy)
    database = copy / "profiles" / "work" / "state.db"
    with closing(sqlite3.connect(database)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sessions'").fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    with database.open("r+b") as stream:
        stream.seek((page - 1) * size)
        stream.write(b"\xff" * size)
    return copy


@pytest.mark.parametrize(
    "words",
    [("show", "latest"), ("why", "Refactor the auth module"), ("status", "--format", "{title}{share}")],
)
def test_a_session_is_found_beside_a_profile_whose_sessions_cannot_be_read(
    words: tuple[str, ...], partly_damaged: Path, home: Path, cli: Cli
) -> None:
    shown = cli(*words, "--home", partly_damaged)
    assert shown.out == cli(*words, "--home", home, "--profile", "default").out
    assert "skipped" in shown.err
    assert cli(*words, "--home", partly_damaged) == shown
    assert "is damaged" in cli(*words, "--home", partly_damaged, "--profile", "work", code=5).err


def test_what_was_spent_is_added_up_without_a_profile_that_cannot_be_read(
    partly_damaged: Path, home: Path, cli: Cli
) -> None:
    found = cli("usage", "--by", "profile", "--json", "--home", partly_damaged).json
    sound = cli("usage", "--by", "profile", "--json", "--home", home).json
    assert found["rows"] == [row for row in sound["rows"] if row["key"] != "work"]
    assert found["lower_bound"]
    assert any("is damaged" in note for note in found["notes"])


def test_what_has_no_title_is_known_by_its_first_words(tmp_path: Path, cli: Cli) -> None:
    with SessionDatabase(tmp_path / "state.db") as database:
        database.session("nameless")
        database.message("nameless", "user", "Why is the\nbuild slow?")
        database.session("named", title="Build times")
        database.message("named", "user", "Look at the build")
    place = ["--db", str(tmp_path / "state.db")]
    listed = cli("sessions", "--json", *place).json["sessions"]
    assert {one["id"]: (one["title"], one["preview"]) for one in listed} == {
        "nameless": (None, "Why is the build slow?"),
        "named": ("Build times", None),
    }
    assert "“Why is the build slow?”" in cli("sessions", *place).out


def test_the_list_says_that_its_tokens_are_without_side_tasks_where_there_are_any(
    tmp_path: Path, cli: Cli
) -> None:
    note = "tokens without summaries and other side tasks: `usage` adds them"
    with SessionDatabase(tmp_path / "state.db", "0.22") as database:
        database.session("s")
        assert note not in cli("sessions", "--home", tmp_path).out
        database.connection.execute(
            "INSERT INTO session_model_usage (session_id, model, task, estimated_cost_usd)"
            " VALUES ('s', 'm', 'compression', 0)"
        )
        database.connection.commit()
        assert note in cli("sessions", "--home", tmp_path).out


def test_a_search_that_finds_nothing_says_what_to_try(as_text: Text) -> None:
    assert "Try another form of the word" in as_text("search", "zzzz")
    assert "Try fewer words: all must occur in one message." in as_text("search", "zzzz", "answer")


def test_words_of_the_newest_session_name_a_conversation_whose_first_holds_none(
    tmp_path: Path, cli: Cli
) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.16") as database:
        database.session("first", end_reason="compression", ended_at=2.0)
        database.session("second", parent_session_id="first", started_at=3.0)
        database.message("second", "user", "Why is the build slow?")
    place = ["--db", str(tmp_path / "state.db")]
    assert "“Why is the build slow?”" in cli("sessions", *place).out
    assert cli("why", "second", *place).out.startswith("Why is the build slow?")


def test_figures_that_are_partial_say_where_the_rest_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A compaction whose summary nobody booked."""
    with SessionDatabase(tmp_path / "state.db", "0.22") as database:
        database.session("s")
        for number in range(4):
            database.turn("s", str(number))
        database.compact("s", 2, 2, "what was done")
        database.connection.execute("UPDATE sessions SET input_tokens = 900, output_tokens = 90")
    assert run(["sessions", "--home", str(tmp_path)]) == 0
    *_, last = capsys.readouterr().out.splitlines()
    assert last == "≥ not all calls are on record: `usage` says which are missing"


def test_a_conversation_whose_compression_fails_is_marked(as_text: Text) -> None:
    shown = as_text("sessions").splitlines()
    marked = [line for line in shown if " ✗ " in line]
    assert [title for title in ("Why is the deploy slow", "Nightly triage") if title in "".join(marked)]
    assert not any("Refactor the auth module" in line for line in marked)
    assert "✗ the last summary attempt failed: `why` says what helps" in shown
