from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.model.finding import Severity
from core.store.database.locate import Location, locate
from inspector.app import InspectorApp
from inspector.screens.sessions import list_view
from inspector.screens.sessions.alert_line import AlertLine, _named, all_well
from inspector.screens.sessions.data.session_line import Extra
from inspector.screens.sessions.list_view import SessionsList
from inspector.terminal.glyphs import SEVERITY
from inspector.widgets.charts.context_bar import ContextUse
from tests.conftest import NOW
from tests.inspector.driving import at_sizes, settled
from tests.inspector.screens.conftest import drawn, press


async def test_the_worst_is_reported_in_full_with_its_fix_at_every_width_and_n_goes_through_all(
    samples: Location,
) -> None:
    app = InspectorApp([samples], now=lambda: NOW)
    async with app.run_test() as pilot:
        async for _ in at_sizes(pilot, (60, 20), (80, 24), (120, 40), (200, 60)):
            text = " ".join(drawn(pilot).split())
            assert "API key was refused (401)" in text
            assert "Fix: " in text
            assert "then run /compress" in text
        line = app.screen.query_one(AlertLine)
        told = []
        for _ in range(len(line.alerts) + 1):
            told.append(line.alerts[line.place % len(line.alerts)][0])
            await press(pilot, "n")
        assert told[0] == told[-1]
        assert len(set(told)) == len(line.alerts)


def test_a_long_name_is_shortened_rather_than_the_answer_cut() -> None:
    told = "Compressed at 20:12 before a model call: " + "the request was refused, " * 5 + "78% was lost."
    name = "Task 0: inspect src/module_0.py and fix the failing test test_0"
    lines = _named(name, told, 76, 16)
    assert lines[0].startswith("Task 0: inspect src/modu")
    assert len(lines[0]) <= 76 - 16
    assert lines[-1].endswith("78% was lost.")
    assert "test_0" not in " ".join(lines)


def test_an_answer_of_one_line_has_no_empty_one_below() -> None:
    assert _named("Short", "It failed.", 70, 12) == ("Short: It failed.",)


async def test_every_marked_row_is_counted(samples: Location) -> None:
    app = InspectorApp([samples], now=lambda: NOW)
    async with settled(app, 120, 60) as pilot:
        listing = app.screen.query_one(SessionsList)
        drawn_rows = [listing.draw_row(line, 99, 118).text for line in listing.conversations]
        marked = [row for row in drawn_rows if row.startswith(tuple(SEVERITY.values()))]
        assert len(marked) > 3
        assert f"1 of {len(marked)} · n next" in drawn(pilot)
        assert [row for row in drawn_rows if "✗" in row or " failed" in row] <= marked
        assert "✗ failed" in drawn(pilot)  # the legend


async def test_which_is_told_first_does_not_depend_on_the_rows_in_sight(samples: Location) -> None:
    app = InspectorApp([samples], now=lambda: NOW)
    async with settled(app, 80, 16) as pilot:
        line = app.screen.query_one(AlertLine)
        before = line.alerts
        await press(pilot, "G")
        assert app.screen.query_one(SessionsList).scroll_offset.y > 0
        assert line.alerts == before


async def test_while_rows_wait_to_be_examined_the_count_is_a_lower_bound(
    samples: Location,
) -> None:
    app = InspectorApp([samples], now=lambda: NOW)
    async with settled(app, 80, 30) as pilot:
        listing, line = app.screen.query_one(SessionsList), app.screen.query_one(AlertLine)
        count = len(line.alerts)
        assert f"1 of {count} · n next" in drawn(pilot)
        well = next(row.key for row in listing.conversations if listing.extras[row.key].mark is None)
        listing.extras[well] = replace(listing.extras[well], state=None)  # an earlier run's
        line.tell(listing)
        await pilot.pause()
        assert f"1 of {count} so far · n next" in drawn(pilot)
        del listing.extras[well]
        line.tell(listing)
        await pilot.pause()
        assert f"1 of {count} so far · n next" in drawn(pilot)


async def test_rows_that_are_never_examined_keep_the_count_a_lower_bound(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_view, "FURTHER", 0)
    app = InspectorApp([samples], now=lambda: NOW)
    async with settled(app, 80, 14) as pilot:
        line = app.screen.query_one(AlertLine)
        assert f"1 of {len(line.alerts)} so far" in drawn(pilot)
        line.alerts = line.alerts[:1]
        await pilot.pause()
        assert "1 so far" in drawn(pilot)
        assert "n next" not in drawn(pilot)


async def test_once_all_rows_of_a_short_list_are_examined_the_count_is_exact(samples: Location) -> None:
    async with settled(app := InspectorApp([samples], now=lambda: NOW), 80, 14) as pilot:
        listing, line = app.screen.query_one(SessionsList), app.screen.query_one(AlertLine)
        assert len(listing.in_sight) < listing.rows.count
        assert f"1 of {len(line.alerts)} · n next" in drawn(pilot)


async def test_what_is_wrong_below_the_visible_rows_is_reported_too(samples: Location) -> None:
    async with settled(app := InspectorApp([samples], now=lambda: NOW), 80, 14):
        listing = app.screen.listing  # type: ignore[attr-defined]
        assert len(listing.in_sight) < len(listing.extras)
        assert {extra.severity for extra in listing.extras.values()} >= {None}


@pytest.mark.parametrize(
    ("profile", "told", "sign"),
    [
        ("laptop", "▲ Cut the drone film #2: Compressed because the provider refused the request", "▲"),
        ("server", "• Compare the two dashboards: Compressed because the provider refused the request", "•"),
    ],
)
async def test_a_refused_request_is_told_and_marks_its_row_and_enter_shows_why(
    sample_home: Path, profile: str, told: str, sign: str
) -> None:
    app = InspectorApp([locate(home=sample_home / "profiles" / profile)[0]], now=lambda: NOW)
    async with settled(app, 120, 24) as pilot:
        assert told in drawn(pilot)
        title = told[2:].partition(":")[0]
        row = next(line for line in drawn(pilot).splitlines()[2:] if title in line and told not in line)
        assert row.strip().startswith(sign)
        while app.screen.listing.current.title != title:  # type: ignore[attr-defined]
            await press(pilot, "down")
        await press(pilot, "enter")
        assert "2[Why]" in drawn(pilot)


@pytest.fixture
def healthy(sample_home: Path, tmp_path: Path) -> Path:
    """The profile of work without the conversations whose summaries lost most."""
    shutil.copytree(sample_home / "profiles" / "work", tmp_path / "work")
    with closing(sqlite3.connect(tmp_path / "work" / "state.db")) as connection, connection:
        connection.execute("DELETE FROM sessions WHERE title GLOB 'Rename*' OR title GLOB 'Queue*'")
    return tmp_path / "work"


@pytest.mark.parametrize(
    ("profile", "told"),
    [
        ("lossless", "● No compression failed."),
        ("", "● No compression failed, and no conversation is near its limit."),
    ],
)
async def test_a_healthy_home_is_reported_so_until_escape_takes_the_line_away(
    sample_home: Path, healthy: Path, profile: str, told: str
) -> None:
    home = sample_home / "profiles" / profile if profile else healthy
    app = InspectorApp([locate(home=home)[0]], now=lambda: NOW)
    async with settled(app, 80, 24) as pilot:
        assert told in drawn(pilot)
        await press(pilot, "escape")
        assert told not in drawn(pilot)


def test_what_has_no_known_limit_is_not_called_healthy() -> None:
    known, unknown = Extra(ContextUse(10, 100, 200)), Extra(ContextUse())
    assert all_well([], 0) == all_well([unknown], 1) == ""
    assert all_well([known, unknown], 2).startswith("Of the one looked at, none failed")
    assert all_well([known, known, unknown], 3).startswith("Of the 2 conversations looked at, none failed")


def test_of_more_conversations_than_were_examined_nothing_is_claimed_for_all() -> None:
    known, refused = Extra(ContextUse(10, 100, 200)), Extra(ContextUse(), refused_at="the provider refuses")
    assert all_well([known, known], 2).startswith("No compression failed, and no")
    assert all_well([known, known], 90).startswith("Of the 2 conversations looked at, none failed")
    assert all_well([refused], 1) == "No compression failed."
    assert all_well([refused], 90) == ""


def test_nothing_is_called_healthy_while_conversations_wait_or_one_is_marked() -> None:
    known = Extra(ContextUse(10, 100, 200))
    marked = Extra(ContextUse(99, 100, 200), severity=Severity.WARNING)
    assert all_well([known, None], 2) == all_well([known, marked], 2) == ""


async def test_what_a_filter_shows_is_not_called_all_there_is(healthy: Path) -> None:
    app = InspectorApp([locate(home=healthy)[0]], now=lambda: NOW)
    async with settled(app, 80, 24) as pilot:
        assert app.screen.query_one(AlertLine).calm
        await press(pilot, "slash", "e")
        assert not app.screen.query_one(AlertLine).calm


async def test_a_conversation_without_a_title_has_the_name_it_has_in_the_list(
    sample_home: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(sample_home, home)
    with closing(sqlite3.connect(home / "state.db")) as connection, connection:
        connection.execute("UPDATE sessions SET title = NULL WHERE title = 'Why is the deploy slow'")
    app = InspectorApp([locate(home=home, profile="default")[0]], now=lambda: NOW)
    async with settled(app, 120, 40) as pilot:
        assert "■ The deploy went from 4 to 11 minutes since Monday. Find out why.: Comp" in drawn(pilot)
