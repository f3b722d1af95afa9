"""The follow screen: whichever session is written to, what happens there, and a call when it matters."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from pathlib import Path

import pytest

from core.explain.events import explain
from core.store.database.locate import Location
from core.store.store import Store
from core.support.own_files import OWN_SETTINGS, config_directory
from inspector.app import InspectorApp
from inspector.screens.following import FollowingScreen, _earlier
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.widgets.bars.status_line import Banner, StatusLine
from inspector.widgets.charts.curve_chart import CurveChart
from tests.core.live.writer import FIRST, Writer
from tests.inspector.screens.test_live import until


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    found = Writer(tmp_path / "home")
    found.message("the first words")
    found.call()
    return found


def screen_of(app: InspectorApp) -> FollowingScreen:
    assert isinstance(app.screen, FollowingScreen)
    return app.screen


def test_what_was_before_is_told_by_the_clock_of_its_log(writer: Writer) -> None:
    there = FIRST.replace(tzinfo=timezone(timedelta(hours=-9, minutes=-30)))
    for _ in range(3):
        writer.database.message("s1", "user", "hello", timestamp=there.timestamp())
        writer.call()
    with Store(Location(writer.home / "state.db", writer.home)) as store:
        found = _earlier(explain(store, "s1"))
    assert {one.at and one.at.hour for one in found} == {there.astimezone(UTC).hour}


async def test_a_key_follows_the_newest_session_and_enter_opens_it(writer: Writer) -> None:
    app = InspectorApp([Location(writer.home / "state.db", writer.home)])
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("L")
        await until(
            pilot, lambda: isinstance(app.screen, FollowingScreen) and screen_of(app).answer.answer.sentence
        )
        text = screen_of(app).pane.text
        assert text.startswith("Calls and compactions appear here as Hermes writes them.")
        assert text.count(" call ") == text.partition("Before that, newest first:")[2].count(" call ") == 1
        assert (found := screen_of(app)._found) is not None
        assert (own := found.pace.session) not in text
        writer.message("second")
        writer.call()
        writer.line("Failed to generate context summary: <b>down</b>. No auxiliary model left.", "WARNING")
        writer.call()
        await until(pilot, lambda: screen_of(app).pane.text.count(" call ") == 3)
        assert " message " in screen_of(app).pane.text
        await until(pilot, lambda: len(screen_of(app).query_one(CurveChart).values) == 3)
        writer.database.session("s2", title="Begun meanwhile", started_at=1.9e9)
        writer.database.message("s2", "user", "hi")
        await until(
            pilot, lambda: "Begun meanwhile" in str(screen_of(app).query_one("#head", StatusLine).left)
        )
        assert f" {own} " in screen_of(app).pane.text
        assert " s2 " not in screen_of(app).pane.text
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, WorkspaceScreen))
        await pilot.press("L", "escape")
        await until(pilot, lambda: isinstance(app.screen, WorkspaceScreen))


async def test_a_database_that_cannot_be_read_hides_no_other(writer: Writer, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged" / "state.db"
    damaged.parent.mkdir()
    damaged.write_bytes(b"damaged" * 2_000)
    app = InspectorApp([Location(damaged), Location(writer.home / "state.db", writer.home)], view="follow")
    async with app.run_test(size=(120, 30)) as pilot:
        await until(
            pilot, lambda: isinstance(app.screen, FollowingScreen) and screen_of(app).answer.answer.sentence
        )
        assert str(damaged) in screen_of(app).query_one(Banner).message
        await until(pilot, lambda: len(screen_of(app).query_one(CurveChart).values) == 1)
        writer.message("second")
        writer.call()
        await until(pilot, lambda: len(screen_of(app).query_one(CurveChart).values) == 2)


async def test_a_narrow_screen_has_a_call_on_one_line(samples: Location) -> None:
    app = InspectorApp([samples], view="follow")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(
            pilot, lambda: isinstance(app.screen, FollowingScreen) and screen_of(app).answer.answer.sentence
        )
        calls = screen_of(app).pane.text.partition("newest first:")[2].strip().splitlines()
        assert len(calls) > 10
        assert all("  call " in line for line in calls), calls[:4]


async def test_the_bell_rings_when_a_budget_is_passed_and_not_for_messages(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.live.alerts.PAUSE", 0.0)
    own = config_directory() / OWN_SETTINGS
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("alerts:\n  context: 0.5\n")
    app = InspectorApp([Location(writer.home / "state.db", writer.home)], view="follow")
    rung: list[int] = []
    monkeypatch.setattr(app, "bell", lambda: rung.append(1))
    async with app.run_test(size=(120, 30)) as pilot:
        await until(
            pilot, lambda: isinstance(app.screen, FollowingScreen) and screen_of(app).answer.answer.sentence
        )
        writer.message("small")
        await until(pilot, lambda: " message " in screen_of(app).pane.text)
        assert not rung
        writer.call(prompt=390_000)
        writer.message("large")
        await until(pilot, lambda: " alert " in screen_of(app).pane.text)
        assert rung == [1]


async def test_paused_it_tells_nothing_and_afterwards_everything(writer: Writer) -> None:
    app = InspectorApp([Location(writer.home / "state.db", writer.home)], view="follow")
    async with app.run_test(size=(120, 30)) as pilot:
        await until(
            pilot, lambda: isinstance(app.screen, FollowingScreen) and screen_of(app).answer.answer.sentence
        )
        await pilot.press("space")
        for _ in range(3):
            writer.message("more")
        await pilot.pause(1.2)
        assert " message " not in screen_of(app).pane.text
        await pilot.press("space")
        await until(pilot, lambda: screen_of(app).pane.text.count(" message ") == 3)
