"""What the list shows before, while and after the database is read, and when it cannot be."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key

from core.errors import DatabaseError
from core.model.finding import Severity
from core.store.database.locate import Location
from core.support.own_files import cache_directory
from inspector.screens.sessions.data.order import SourcePage
from inspector.screens.sessions.data.session_line import Extra, SessionLine, recall, remember
from inspector.screens.sessions.data.source import read_first, read_page
from inspector.screens.sessions.screen import SessionsScreen
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.widgets.bars.status_line import Banner, StatusLine
from inspector.widgets.charts.context_bar import ContextUse
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import press, settle, settled
from tests.inspector.screens.session_list import drawn, head_right, screen, titles


async def test_the_first_frame_does_not_wait_for_the_database(
    app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()

    def slow(*args: Any, **options: Any) -> SourcePage:
        answered.wait(10)
        return read_first(*args, **options)

    monkeypatch.setattr("inspector.screens.sessions.data.source.read_first", slow)
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        assert any("Reading the sessions" in line for line in drawn(running))
        answered.set()
        await settle(pilot)
        assert len(titles(running)) == 4


async def test_a_key_typed_before_the_first_rows_waits_for_them(
    app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = threading.Event()

    def wait(*args: Any, **options: Any) -> SourcePage:
        here.wait(10)
        return read_first(*args, **options)

    monkeypatch.setattr("inspector.screens.sessions.data.source.read_first", wait)
    async with (running := app(home)).run_test(size=(120, 40)) as pilot:
        running.post_message(Key("w", "w"))
        await pilot.pause()
        assert isinstance(running.screen, SessionsScreen)
        here.set()
        await settle(pilot)
        assert isinstance(running.screen, WorkspaceScreen)


async def test_a_first_screenful_comes_before_anybody_counted(
    app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = threading.Event()

    def slow(*args: Any, **options: Any) -> SourcePage:
        counted.wait(10)
        return read_page(*args, **options)

    monkeypatch.setattr("inspector.screens.sessions.data.source.read_page", slow)
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        while not titles(running):
            await pilot.pause()
        assert titles(running)[0] == "Résumé du journal"
        assert ("ink", "reading …") in running.screen.query_one("#head", StatusLine).left
        counted.set()
        await settle(pilot)
        assert ("ink", "4 conversations") in running.screen.query_one("#head", StatusLine).left


async def test_context_used_and_compressions_follow_the_rows(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30):
        refactor = next(line for line in drawn(running) if "Refactor" in line)
        assert "│" in refactor
        assert refactor.split()[-1] == "1"


async def test_below_a_conversation_named_at_the_start_nothing_is_measured_until_it_is_seen(
    app: MakeApp, home: Path
) -> None:
    async with settled(running := app(home, session="plain"), 120, 30) as pilot:
        (below,) = (one for one in running.screen_stack if isinstance(one, SessionsScreen))
        assert below.pane.page is not None
        assert not below.listing.extras
        assert not any("today" in text for _, text in below.query_one("#head", StatusLine).right)
        await press(pilot, "escape")
        assert running.screen is below
        assert len(below.listing.extras) == 4
        assert "today" in head_right(running)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written is read when it is looked for, however short a time ago it was read before."""
    monkeypatch.setattr("inspector.base.live.MIN_PAUSE", 0.0)
    monkeypatch.setattr("inspector.base.live.SHARE", 0.0)


@pytest.mark.usefixtures("at_once")
async def test_what_hermes_writes_appears_and_the_cursor_stays(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        await pilot.press("j")
        before = screen(running).listing.current
        assert before is not None
        screen(running).pane.pulse.look()
        await settle(pilot)
        with closing(sqlite3.connect(home / "state.db")) as writer, writer:
            writer.execute(
                "INSERT INTO sessions (id, source, started_at, title) VALUES ('n', 'cli', 1780001000, 'New')"
            )
        screen(running).pane.pulse.look()
        await settle(pilot)
        assert titles(running)[0] == "New"
        after = screen(running).listing.current
        assert after is not None
        assert after.title == before.title


@pytest.mark.usefixtures("at_once")
async def test_what_was_computed_stays_on_screen_until_something_newer_is_known(
    app: MakeApp, home: Path, database: SessionDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        measured: list[str | None] = []
        original = screen(running).pane.reader.measure

        def measure(lines: Sequence[SessionLine]) -> None:
            measured.extend(line.title for line in lines)
            original(lines)

        monkeypatch.setattr(screen(running).pane.reader, "measure", measure)
        screen(running).pane.pulse.look()
        await settle(pilot)
        database.turn("plain", "three")
        screen(running).pane.pulse.look()
        await settle(pilot)
        assert set(measured) == {"Rename the CLI flag"}
        assert not any("⋯" in line for line in drawn(running))


@pytest.mark.usefixtures("at_once")
async def test_the_first_line_follows_a_hermes_that_writes(
    app: MakeApp, home: Path, database: SessionDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.screens.sessions.screen.ADD_UP_SECONDS", 0.01)
    async with settled(running := app(home), 120, 30) as pilot:
        assert "$12" not in head_right(running)
        screen(running).pane.pulse.look()
        await settle(pilot)
        at = running.now().timestamp() - 60
        database.session("dear", title="Dear", estimated_cost_usd=12.5, input_tokens=10, started_at=at)
        screen(running).pane.pulse.look()
        await settle(pilot)
        await settle(pilot)
        assert "$12.5" in head_right(running)
        assert "largest: Dear $12.50" in head_right(running)


async def test_a_database_that_cannot_be_read_does_not_hide_the_others(
    app: MakeApp, home: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is not a database, only some text" * 100)
    async with settled(running := app(home, broken), 120, 30):
        assert len(titles(running)) == 4
        assert "not a SQLite database" in screen(running).query_one(Banner).message


@pytest.mark.parametrize("content", [b"", b"not a database at all " * 50])
async def test_nothing_but_a_broken_database_is_explained(
    app: MakeApp, tmp_path: Path, content: bytes
) -> None:
    broken = tmp_path / "state.db"
    broken.write_bytes(content)
    async with settled(running := app(broken), 80, 24):
        assert str(broken) in screen(running).query_one(Banner).message
        assert any("the reason is above" in line for line in drawn(running))


async def test_an_empty_database_says_so(app: MakeApp, database: object, tmp_path: Path) -> None:
    async with settled(running := app(tmp_path / "home"), 80, 24):
        assert any("No sessions yet" in line for line in drawn(running))


async def test_pressure_is_there_at_once_where_an_earlier_run_computed_it(
    app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with settled(app(home), 120, 30) as pilot:
        for _ in range(100):
            if len(recall([Location(home / "state.db", home)])) == 4:
                break
            await settle(pilot)

    def nothing(*_args: Any) -> Any:
        yield from ()

    monkeypatch.setattr("inspector.screens.sessions.data.extras.measure", nothing)
    async with settled(running := app(home), 120, 30):
        rows = drawn(running)[1:5]
        assert not any("⋯" in row for row in rows)
        assert sum("│" in row for row in rows) == 4


async def test_what_an_earlier_run_computed_of_another_state_is_not_shown(
    app: MakeApp, home: Path, database: SessionDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with settled(app(home), 120, 30):
        pass  # only to remember
    database.turn("plain", "three")
    monkeypatch.setattr("inspector.screens.sessions.data.extras.measure", lambda *_args: iter(()))
    async with settled(running := app(home), 120, 30):
        assert ["⋯" in row for row in drawn(running)[1:5]].count(True) == 1


@pytest.mark.parametrize(
    "kept", ["", "[]", "{", '{"plain": 3}', '{"plain": [1, 2]}', '{"plain": ["a", 1, 1, 1, 1]}']
)
def test_a_damaged_memory_of_an_earlier_run_is_none(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    place = Location(home / "state.db", home)
    line = read_first([place]).rows[0]
    extra = Extra(ContextUse(1, 2, 3), 1, 2, Severity.CRITICAL)
    remember([line], {line.key: extra})
    (file,) = (cache_directory() / "standing").iterdir()
    assert recall([place])[line.key][1:] == (1, 2, 3, 1, 2, 0)
    file.write_text(kept)
    assert recall([place]) == {}


async def test_an_error_above_the_list_is_not_told_again_by_a_toast(app: MakeApp, tmp_path: Path) -> None:
    broken = tmp_path / "state.db"
    broken.write_bytes(b"not a database at all " * 50)
    async with settled(running := app(broken), 80, 24) as pilot:
        error = running.failures[0]
        assert not running._notifications, "the list was read, and today's cost added up"
        screen(running).report(error)
        await settle(pilot)
        assert not running._notifications
        screen(running).report(DatabaseError("is locked", where=str(broken)))
        await settle(pilot)
        assert [one.message for one in running._notifications] == [f"{broken}: is locked"]
