"""The samples have the shape of what real programs leave: rows, states, counters, log lines and their order.

Each is held against a home that the same release of Hermes left for the same reason.
"""

from __future__ import annotations

import json
import re
import sqlite3
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.shared import shared

pytestmark = pytest.mark.shared


class Likeness(NamedTuple):
    """A sample and the home it is to look like."""

    profile: str
    title: str
    trigger: str
    real: str
    summarised: bool = True


LIKENESSES = (
    Likeness("", "Webhooks are delivered twice", "preflight", "0.19.0/turn_start", summarised=False),
    Likeness("", "Nightly triage", "pre_api", "0.19.0/summary_500"),
    Likeness("", "Refactor the auth module", "manual", "0.19.0/manual_focus"),
    Likeness("", "Sort the photo archive", "overflow", "0.19.0/overflow_400"),
    Likeness("work", "Rename the mail relay", "post_response", "0.22.2/preflight_64k"),
    Likeness("work", "Rename the mail relay", "manual", "0.22.2/manual_focus"),
    Likeness("server", "Compare the two dashboards", "overflow", "0.18.2/provider_error", summarised=False),
    Likeness("laptop", "Import the bank statements", "post_response", "0.16.0/continuation"),
    Likeness("laptop", "Cut the drone film", "overflow", "0.16.0/overflow_400"),
    Likeness("first-year", "Teach it the card game", "preflight", "0.13.0/turn_start", summarised=False),
)
NAMES = [f"{like.real}: {like.title}" for like in LIKENESSES]

_LINE = re.compile(r"^\d{4}-\d\d-\d\d \S+ (\w+)(?: \[(\S+)\])? (\S+): (.*)$")
_ELSEWHERE = (
    "OpenAI client", "Cached context length", "memory trim", "Auxiliary auto-detect", "Vision auto-detect",
    "Stored system prompt", "Session snapshot", "Skipping preflight", "Auxiliary: marking",
    "No auxiliary LLM", "Compression budget",
)  # fmt: skip
"""Lines that depend on the machine or come once in a while, not on the compaction."""
_OPENS = {
    "preflight": "Preflight compression: ",
    "pre_api": "Pre-API compression: ",
    "overflow": "Streaming failed before delivery: ",
    "post_response": "tool ",
}
_VARIES = (
    (re.compile(r"\{.*\}$"), "{}"),
    (re.compile(r"(context summary: ).*(\. Further .*)"), r"\1E\2"),
    (re.compile(r"(before fallback: |: Error code: | summary=HTTP )\w.*"), r"\1"),
    (re.compile(r"\b(session|model|provider|base_url|error_type|MainThread)([=:])\S*"), r"\1\2X"),
    (re.compile(r"using (?!auto)\S+ \("), "using X ("),
    (re.compile(r"\(model [^,]+,"), "(model X,"),
    (re.compile(r"\([^()]*\) at \S+"), "(X) at X"),
    (re.compile(r"focus=(None|'.*')"), "focus=X"),
    (re.compile(r"tool \w+"), "tool X"),
    (re.compile(r"\d[\d,.]*"), "N"),
)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The homes that releases of Hermes left, unpacked."""
    folder = tmp_path_factory.mktemp("truth")
    with tarfile.open(shared("truth/runs.tar.xz")) as archive:
        archive.extractall(folder, filter="data")
    return folder


class Home:
    """A home, or those sessions of it that continue one another."""

    def __init__(self, folder: Path, title: str | None = None) -> None:
        self.folder = folder
        with closing(self.open()) as db:
            where = "1" if title is None else "title = :title OR title LIKE :title || ' #%'"
            order = f"SELECT id FROM sessions WHERE {where} ORDER BY started_at"
            self.ids = [row[0] for row in db.execute(order, {"title": title})]
        assert self.ids

    def open(self) -> sqlite3.Connection:
        db = sqlite3.connect(f"file:{self.folder / 'state.db'}?mode=ro", uri=True)
        db.row_factory = sqlite3.Row
        return db

    def rows(self, table: str = "messages", key: str = "session_id") -> list[dict[str, Any]]:
        marks = ", ".join("?" * len(self.ids))
        query = f"SELECT * FROM {table} WHERE {key} IN ({marks}) ORDER BY rowid"
        with closing(self.open()) as db:
            return [dict(row) for row in db.execute(query, self.ids)]

    def tables(self) -> dict[str, frozenset[str]]:
        with closing(self.open()) as db:
            names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {
                name: frozenset(row[1] for row in db.execute(f"PRAGMA table_info({name})"))
                for name in names
                if "fts" not in name and not name.startswith("sqlite_")
            }

    def log(self) -> Iterator[tuple[str, bool, str, str]]:
        """Level, whether a session is named, logger and text of each line that is not another session's."""
        for line in (self.folder / "logs" / "agent.log").read_text("utf-8", "replace").splitlines():
            if (found := _LINE.match(line)) and found[2] in (None, *self.ids):
                yield found[1], found[2] is not None, found[3], found[4]


def homes(like: Likeness, samples: Path, real: Path) -> tuple[Home, Home]:
    folder = samples / "profiles" / like.profile if like.profile else samples
    return Home(folder, like.title), Home(real / like.real / "home")


def _attempt(home: Home, trigger: str) -> list[tuple[str, bool, str, str]]:
    """The lines of the first compaction with a trigger, from the one that gives its reason to its end."""
    lines = [line for line in home.log() if not line[3].startswith(_ELSEWHERE)]
    for at, line in enumerate(lines):
        text = line[3]
        ours = any(f"session={name} " in text for name in home.ids)
        if ours and text.startswith("context compression started: "):
            opens = _opening(lines, at, trigger)
            if opens is not None:
                return [_general(line) for line in lines[opens : _end(lines, at) + 1]]
    raise AssertionError(f"{home.folder}: nothing compressed by {trigger}")


def _opening(lines: list[tuple[str, bool, str, str]], started: int, trigger: str) -> int | None:
    """The place of the line with the reason of what started; None for another reason."""
    if trigger == "manual":
        alone = lines[started - 1][3].startswith(("Turn ended", "Plugin"))
        return started if alone or "focus='" in lines[started][3] else None
    before = range(started - 1, max(-1, started - 4), -1)
    return next((at for at in before if lines[at][3].startswith(_OPENS[trigger])), None)


def _end(lines: list[tuple[str, bool, str, str]], started: int) -> int:
    done = next(
        at for at in range(started, len(lines)) if lines[at][3].startswith("context compression done")
    )
    return done + (done + 1 < len(lines) and "telemetry" in lines[done + 1][3])


def _general(line: tuple[str, bool, str, str]) -> tuple[str, bool, str, str]:
    text = line[3]
    for pattern, general in _VARIES:
        text = pattern.sub(general, text)
    return *line[:3], text


@pytest.mark.parametrize("like", LIKENESSES, ids=NAMES)
def test_the_log_says_it_in_the_same_lines_and_order(like: Likeness, sample_home: Path, real: Path) -> None:
    sample, home = homes(like, sample_home, real)
    told, expected = _attempt(sample, like.trigger), _attempt(home, like.trigger)
    if not like.summarised:  # the home's summary came from the test's own summariser
        told = [line for line in told if not line[3].startswith("Auxiliary compression")]
    assert told == expected


@pytest.mark.parametrize("like", LIKENESSES, ids=NAMES)
def test_the_database_has_the_same_tables_columns_and_version(
    like: Likeness, sample_home: Path, real: Path
) -> None:
    sample, home = homes(like, sample_home, real)
    expected = home.tables()
    for table, columns in sample.tables().items():
        assert columns == expected[table], table
    assert [tuple(row) for row in versions(sample)] == [tuple(row) for row in versions(home)]
    assert indexes(sample) <= indexes(home)


def versions(home: Home) -> list[Any]:
    with closing(home.open()) as db:
        return db.execute("SELECT version FROM schema_version").fetchall()


def indexes(home: Home) -> set[str]:
    """Those somebody named: a release is known by them too."""
    with closing(home.open()) as db:
        named = db.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'idx%'")
        return {name for (name,) in named}


@pytest.mark.parametrize("like", LIKENESSES, ids=NAMES)
def test_rows_are_filled_in_the_same_columns(like: Likeness, sample_home: Path, real: Path) -> None:
    sample, home = homes(like, sample_home, real)
    told, expected = _filled(sample), _filled(home)
    for role in told.keys() & expected.keys():
        optional = {"reasoning", "tool_calls", "finish_reason", "tool_call_id", "tool_name"}
        assert told[role] - optional == expected[role] - optional, role


def _filled(home: Home) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for row in home.rows():
        found[row["role"]] |= {name for name, value in row.items() if value is not None}
    return found


@pytest.mark.parametrize("like", LIKENESSES, ids=NAMES)
def test_rows_are_in_the_same_states_and_order(like: Likeness, sample_home: Path, real: Path) -> None:
    sample, home = homes(like, sample_home, real)
    assert _states(sample) == _states(home)


def _states(home: Home) -> tuple[set[tuple[int | None, int | None]], bool]:
    """Which states there are, and whether in each session all live rows come after the others."""
    rows = home.rows()
    live = [row["id"] for row in rows if _live(row)]
    others = [row["id"] for row in rows if not _live(row)]
    return {(row.get("active"), row.get("compacted")) for row in rows}, not others or max(others) < min(live)


@pytest.mark.parametrize("like", LIKENESSES, ids=NAMES)
def test_the_counters_count_the_same_things(like: Likeness, sample_home: Path, real: Path) -> None:
    for home in homes(like, sample_home, real):
        rows, log = home.rows(), list(home.log())
        for session in home.rows("sessions", "id"):
            live = [row for row in rows if row["session_id"] == session["id"] and _live(row)]
            calls = sum(len(json.loads(row["tool_calls"] or "[]")) for row in live)
            assert (session["message_count"], session["tool_call_count"]) == (len(live), calls)
        asked = sum(session["api_call_count"] for session in home.rows("sessions", "id"))
        logged = sum(text.startswith("API call #") for *_, text in log)
        assert asked == logged or (home.folder.name != "home" and asked < logged)


def _live(row: dict[str, Any]) -> bool:
    return bool(row.get("active", 1))


@pytest.mark.parametrize("like", LIKENESSES, ids=NAMES)
def test_sessions_continue_one_another_alike(like: Likeness, sample_home: Path, real: Path) -> None:
    sample, home = homes(like, sample_home, real)
    assert _rotates(sample) == _rotates(home)
    assert _ledger(sample, like) == _ledger(home, like)


def _rotates(home: Home) -> bool:
    sessions = home.rows("sessions", "id")
    reasons = [session["end_reason"] for session in sessions]
    parents = [session["parent_session_id"] for session in sessions]
    assert parents[1:] == [session["id"] for session in sessions][:-1]
    return "compression" in reasons[:-1]


def _ledger(home: Home, like: Likeness) -> set[tuple[str, str | None]]:
    """What the accounts say of the summariser: under which provider, with what certainty of its cost."""
    if "session_model_usage" not in home.tables() or not like.summarised:
        return set()
    rows = [row for row in home.rows("session_model_usage") if row["task"] == "compression"]
    return {("auto" if row["billing_provider"] == "auto" else "named", row["cost_status"]) for row in rows}
