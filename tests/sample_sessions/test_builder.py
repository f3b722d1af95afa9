"""The sample home: all its parts agree."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from core.hermes.markers.markers import find_summary
from sample_sessions.builder import build
from sample_sessions.scenario import parse, scenarios
from tests.conftest import NOW
from tests.sample_sessions.playing import made

BUCKETS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")
CALL = re.compile(
    r"\[(\S+)\] \S+: API call #\d+: model=(\S+) provider=\S+ in=(\d+) out=(\d+) .*?(?:cache=(\d+)/\d+)?"
)
STARTED = re.compile(r"context compression started: session=(\S+) messages=(\d+) tokens=~([\d,]+)")
DONE = re.compile(
    r"context compression done: session=(\S+) messages=(\d+)->(\d+) (?:rough_)?tokens=~([\d,]+)"
)


def log_of(home: Path) -> str:
    return "".join(path.read_text("utf-8") for path in sorted(home.rglob("agent.log")))


def test_every_kind_of_conversation_is_there() -> None:
    about = " ".join(scenario.about.lower() for scenario in scenarios())
    for kind in (
        "fresh chat", "will compress", "two compactions in place", "three sessions", "branch", "delegate",
        "fallback", "aborted", "without a call", "screenshots", "chinese", "three models", "price",
        "larger than everything", "attacks the terminal", "0.22",
    ):  # fmt: skip
        assert kind in about, kind


def test_the_samples_weigh_the_same_whenever_they_are_built(tmp_path: Path) -> None:
    some = [one for one in scenarios() if "two compactions in place" in one.about.lower()]
    homes = [
        build(tmp_path / str(part), now=NOW + timedelta(days=7, microseconds=part), only=some)
        for part in (0, 123_457)
    ]
    sizes = [re.findall(r"tokens=~[\d,]+|~[\d,]+ tokens", log_of(home)) for home in homes]
    assert sizes[0] == sizes[1] != []


def test_nobody_else_may_read_the_databases(home: Path) -> None:
    modes = {path.stat().st_mode & 0o777 for path in home.rglob("state.db*")}
    assert modes == {0o600}


def test_the_databases_are_sound(database: sqlite3.Connection) -> None:
    assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert database.execute("PRAGMA foreign_key_check").fetchall() == []


def test_sessions_equal_the_sum_of_their_model_usage(database: sqlite3.Connection) -> None:
    sums = ", ".join(f"sum(u.{bucket})" for bucket in BUCKETS)
    own = ", ".join(f"s.{bucket}" for bucket in BUCKETS)
    rows = database.execute(
        f"SELECT s.id, s.api_call_count, {own}, sum(u.api_call_count), {sums} "
        "FROM sessions s JOIN session_model_usage u ON u.session_id = s.id AND u.task = '' GROUP BY s.id"
    ).fetchall()
    assert rows
    for row in rows:
        half = len(BUCKETS) + 1
        assert tuple(row)[1 : 1 + half] == tuple(row)[1 + half :], row["id"]


def test_the_log_counts_the_same_tokens_as_the_rows(home: Path, database: sqlite3.Connection) -> None:
    logged: Counter[str] = Counter()
    for session, _, prompt, output, _ in CALL.findall(log_of(home)):
        logged[session] += int(prompt) + int(output)
    for row in database.execute("SELECT * FROM sessions"):
        total = (
            row["input_tokens"] + row["cache_read_tokens"] + row["cache_write_tokens"] + row["output_tokens"]
        )
        assert logged[row["id"]] == total


def test_every_completed_compaction_left_a_summary_that_is_recognised(
    home: Path, database: sqlite3.Connection
) -> None:
    texts = [
        row[0]
        for row in database.execute("SELECT content FROM messages WHERE instr(content, '[CONTEXT') > 0")
    ]
    assert texts
    for text in texts:
        match = find_summary(text)
        assert match is not None
        assert "## Historical Task Snapshot" in match.body


def test_the_log_and_the_rows_agree_on_every_compaction(home: Path, state: sqlite3.Connection) -> None:
    log = log_of(home)
    done = DONE.findall(log)
    played = [spec for scenario in scenarios() for script in scenario.sessions for spec in made(script.steps)]
    assert len(STARTED.findall(log)) == len(played)
    assert len(done) == sum(spec.status != "aborted" for spec in played) < len(played)
    archived = {row[0]: row[1] for row in state.execute(
        "SELECT session_id, count(*) FROM messages WHERE compacted = 1 GROUP BY 1"
    )}  # fmt: skip
    for session, rows in archived.items():
        before = [int(count) for name, count, _, _ in done if name == session]
        # The row of the turn that began with a preflight compaction reaches the disk after it.
        assert sum(before) - rows in (0, 1)


def test_tool_calls_and_results_pair_except_where_a_crash_is_reported(state: sqlite3.Connection) -> None:
    broken = set()
    for (session,) in state.execute("SELECT id FROM sessions").fetchall():
        rows = state.execute(
            "SELECT * FROM messages WHERE session_id = ? AND active = 1", [session]
        ).fetchall()
        calls = [call["id"] for row in rows if row["tool_calls"] for call in json.loads(row["tool_calls"])]
        results = [row["tool_call_id"] for row in rows if row["role"] == "tool"]
        if sorted(calls) != sorted(results):
            broken.add(state.execute("SELECT title FROM sessions WHERE id = ?", [session]).fetchone()[0])
    assert broken == {"Check the backups"}


def test_the_three_parts_of_the_chain_follow_one_another(state: sqlite3.Connection) -> None:
    rows = state.execute(
        "SELECT * FROM sessions WHERE title LIKE 'Port the parser%' ORDER BY started_at"
    ).fetchall()
    assert [row["end_reason"] for row in rows] == ["compression", "compression", None]
    assert [row["parent_session_id"] for row in rows] == [None, rows[0]["id"], rows[1]["id"]]
    assert [row["title"].rpartition("#")[2] for row in rows[1:]] == ["2", "3"]


def test_a_copy_keeps_its_uid_where_the_store_has_uids(home: Path) -> None:
    with closing(sqlite3.connect(home / "profiles/work/state.db")) as db:
        copies = db.execute(
            "SELECT count(DISTINCT o.id) FROM messages m JOIN messages o "
            "ON o.message_uid = m.message_uid AND o.id < m.id "
            "WHERE m.session_id NOT IN (SELECT id FROM sessions WHERE title = 'Number the survey maps')"
        ).fetchone()[0]
        summaries = db.execute("SELECT count(*) FROM messages WHERE _compressed_summary = 1").fetchone()[0]
        superseded = db.execute(
            "SELECT count(*) FROM messages WHERE active = 0 AND compacted = 0 AND session_id NOT IN "
            "(SELECT id FROM sessions WHERE title = 'Number the survey maps')"
        ).fetchone()[0]
    assert summaries > 1
    assert copies == superseded > 5


def test_full_text_search_finds_words_and_parts_of_words(database: sqlite3.Connection) -> None:
    for table, query in (
        ("messages_fts", "jobsctl OR argparse"),
        ("messages_fts_trigram", "orkers OR rgpars"),
    ):
        assert database.execute(f"SELECT count(*) FROM {table} WHERE {table} MATCH ?", [query]).fetchone()[0]


def test_hostile_text_reaches_the_database_unharmed(state: sqlite3.Connection) -> None:
    row = state.execute("SELECT id, title FROM sessions WHERE title LIKE '[/nope]%'").fetchone()
    texts = "".join(
        str(text[0])
        for text in state.execute("SELECT content FROM messages WHERE session_id = ?", [row["id"]])
    )
    assert "\x1b]0;owned\x07" in row["title"]
    for part in (
        "\x1b[2J",
        "\x9b31m",
        "\x00",
        "\u202e",
        "\u2066",
        "\U000e0041",
        "[bold]",
        "\\ud83d",
        "\x1b]52;",
    ):
        assert part in texts + row["title"], ascii(part)


def test_an_unpriced_model_costs_an_unknown_amount(state: sqlite3.Connection) -> None:
    row = state.execute("SELECT * FROM sessions WHERE model = 'nous/hermes-5-preview'").fetchone()
    assert (row["cost_status"], row["cost_source"]) == ("unknown", "none")
    assert row["input_tokens"] > 0


def test_the_same_moment_gives_the_same_home(tmp_path: Path, home: Path) -> None:
    again = build(tmp_path, now=NOW)
    for name in ("logs/agent.log", "config.yaml", "profiles/work/logs/agent.log"):
        assert (again / name).read_bytes() == (home / name).read_bytes()
    dumps = []
    for folder in (again, home):
        with closing(sqlite3.connect(f"file:{folder / 'state.db'}?mode=ro", uri=True)) as db:
            dumps.append(db.execute("SELECT * FROM messages ORDER BY id").fetchall())
    assert dumps[0] == dumps[1]


def test_another_moment_shifts_the_clock_and_nothing_else(tmp_path: Path, state: sqlite3.Connection) -> None:
    only = [scenario for scenario in scenarios() if scenario.name == "01-fresh-chat"]
    later = build(tmp_path, now=NOW + timedelta(days=3), only=only)
    with closing(sqlite3.connect(later / "state.db")) as db:
        began, total = db.execute(
            "SELECT started_at, input_tokens + cache_write_tokens FROM sessions"
        ).fetchone()
    where = "WHERE title = 'Rename the CLI flag'"
    first, expected = state.execute(
        f"SELECT started_at, input_tokens + cache_write_tokens FROM sessions {where}"
    ).fetchone()
    assert (round(began - first), total) == (3 * 86400, expected)


@pytest.mark.parametrize(
    ("trigger", "complaint"),
    [("pre_api", "cannot fire at"), ("manual", "nothing to compress: only 2 messages")],
)
def test_a_scenario_cannot_claim_what_the_release_would_not_do(
    tmp_path: Path, trigger: str, complaint: str
) -> None:
    steps = [{"user": "hi"}, {"say": "hi"}, {"compact": {"trigger": trigger}}]
    session = {"key": "a", "title": None, "model": "claude-opus-4-5", "began": "1h", "steps": steps}
    impossible = parse("impossible", {"about": "impossible", "sessions": [session]})
    with pytest.raises(ValueError, match=complaint):
        build(tmp_path, now=NOW, only=[impossible])
