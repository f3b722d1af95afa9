"""The app follows a Hermes that writes, stops on a key, and continues."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.base.commands import hint
from inspector.base.live import OUTDATED
from inspector.screens.sessions.data.session_line import SessionLine
from inspector.screens.sessions.list_view import SessionsList
from inspector.screens.sessions.pane import SessionsPane
from inspector.screens.sessions.reader import Measured
from inspector.screens.sessions.screen import SessionsScreen
from inspector.screens.workspace.chain.list_view import ChainList
from inspector.screens.workspace.map.view import MapView
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.screens.workspace.why.reading import explain_conversation
from inspector.widgets.bars.title_bar import TitleBar
from tests.core.live.writer import Writer
from tests.inspector.driving import front
from tests.inspector.screens.conftest import drawn


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    found = Writer(tmp_path / "home")
    found.message("the first words")
    return found


def app_on(writer: Writer, session: str | None = None) -> InspectorApp:
    return InspectorApp(
        [Location(writer.home / "state.db", writer.home)], session=session, view="map" if session else None
    )


async def until(pilot: Pilot[None], done: object, seconds: float = 20.0) -> None:
    assert callable(done)
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        await pilot.pause(0.05)
    assert done()


def rows_of(app: InspectorApp) -> int:
    screen = app.screen
    if not isinstance(screen, WorkspaceScreen) or screen.subject is None:
        return 0
    generations = screen.subject.conversation.generations
    return sum(len(generation.row_ids) for generation in generations)


async def test_the_list_shows_a_session_that_begins(writer: Writer) -> None:
    app = app_on(writer)
    async with app.run_test(size=(120, 30)) as pilot:
        listing = app.screen.query_one(SessionsList)
        await until(pilot, lambda: listing.current is not None)
        await pilot.pause(0.8)  # a first look at the files says how things are
        writer.database.session("s2", title="Another")
        writer.database.message("s2", "user", "hi")
        await until(pilot, lambda: listing.rows.count == 2)
        assert "live" in app.live.sign(app.now())


async def test_a_conversation_grows_on_screen_and_stands_still_while_paused(writer: Writer) -> None:
    app = app_on(writer, "s1")
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: rows_of(app) == 1)
        await pilot.pause(1.0)
        writer.message("second")
        await until(pilot, lambda: rows_of(app) == 2)
        await pilot.press("space")
        writer.message("third")
        await pilot.pause(1.5)
        assert rows_of(app) == 2
        assert "paused" in app.live.sign(app.now())
        await pilot.press("space")
        await until(pilot, lambda: rows_of(app) == 3)


async def test_a_file_that_goes_away_leaves_what_was_read_on_screen(writer: Writer) -> None:
    app = app_on(writer, "s1")
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: rows_of(app) == 1)
        await pilot.pause(1.0)
        writer.database.connection.close()
        away = writer.home.rename(writer.home.with_name("away"))
        await pilot.pause(1.5)
        assert rows_of(app) == 1
        away.rename(writer.home)
        with closing(sqlite3.connect(writer.home / "state.db")) as other, other:
            other.execute(
                "INSERT INTO messages (session_id, role, content, timestamp) "
                "VALUES ('s1', 'user', 'x', 1.79e9)"
            )
        await until(pilot, lambda: rows_of(app) == 2)
        assert app.screen.query_one(TitleBar).heading == "Watched"


async def test_following_holds_no_lock_a_writer_would_feel(writer: Writer) -> None:
    app = app_on(writer, "s1")
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: rows_of(app) == 1)
        writer.database.connection.execute("PRAGMA busy_timeout = 0")
        for number in range(40):
            writer.message(f"m{number}")
            await pilot.pause(0.02)
        await until(pilot, lambda: rows_of(app) == 41)


async def test_next_to_a_busy_writer_the_screen_catches_up_within_a_moment(writer: Writer) -> None:
    """A short run of what is measured for ten minutes: twenty rows a second, and the newest figure soon."""
    app = app_on(writer, "s1")
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: rows_of(app) == 1)
        for number in range(60):
            writer.message(f"m{number}", "assistant" if number % 2 else "user")
            if number % 2:
                writer.call()
            await pilot.pause(0.05)
        await until(pilot, lambda: rows_of(app) == 61)
        assert isinstance(app.screen, WorkspaceScreen)
        view = app.screen.view
        assert isinstance(view, MapView)
        await until(pilot, lambda: view.work.reading is not None and len(view.work.reading.messages) == 61)
        assert len(view.listing.ids) == 61


async def test_what_the_list_reads_stops_when_a_conversation_opens_and_continues_behind_it(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    stopped: list[str] = []

    def endless(line: SessionLine, stop: Cancelled, before: object) -> tuple[tuple[int, ...], None]:
        begun.append(line.row.tip.id)
        while not stop():
            time.sleep(0.01)
        stopped.append(line.row.tip.id)
        return (), None

    monkeypatch.setattr("inspector.screens.sessions.data.extras.parts", endless)
    app = app_on(writer)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: begun)
        await pilot.press("enter")
        # It may have begun anew when the whole page had come.
        await until(pilot, lambda: isinstance(app.screen, WorkspaceScreen) and stopped == begun)
        before = len(begun)
        await pilot.press("escape")
        await until(pilot, lambda: len(begun) > before)


async def test_a_figure_that_arrives_when_a_conversation_is_open_starts_no_reading_behind_it(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def noted(line: SessionLine, stop: Cancelled, before: object) -> tuple[tuple[int, ...], None]:
        begun.append(line.row.tip.id)
        return (), None

    monkeypatch.setattr("inspector.screens.sessions.data.extras.parts", noted)
    app = app_on(writer)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: begun)
        pane = app.screen.query_one(SessionsPane)
        key, extra = next(iter(pane.listing.extras.items()))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, WorkspaceScreen))
        before = len(begun)
        pane.listing.parts.clear()  # nothing is known of what fills its window
        pane.post_message(Measured(key, extra))
        await pilot.pause(0.5)
        assert len(begun) == before


async def test_a_preview_stays_and_says_for_as_long_that_hermes_wrote_more(writer: Writer) -> None:
    for number in range(40):
        writer.message(f"m{number} " + "word " * 50, "user" if number % 2 else "assistant")
    app = InspectorApp([Location(writer.home / "state.db", writer.home)], session="s1", view="preview")
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "41 messages" in drawn(pilot))
        await pilot.pause(1.0)
        assert hint(OUTDATED) not in drawn(pilot)
        writer.message("one more")
        await until(pilot, lambda: hint(OUTDATED) in drawn(pilot))
        assert "41 messages" in drawn(pilot)
        await pilot.press("r")
        await until(pilot, lambda: "42 messages" in drawn(pilot) and hint(OUTDATED) not in drawn(pilot))


async def test_a_tab_that_is_not_in_front_is_read_when_it_comes_there(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def counted(*words: Any) -> Any:
        asked.append(1)
        return explain_conversation(*words)

    monkeypatch.setattr("inspector.screens.workspace.why.view.explain_conversation", counted)
    app = app_on(writer, "s1")
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: rows_of(app) == 1)
        await pilot.press("2")
        await until(pilot, lambda: len(asked) == 1)
        await pilot.press("1")
        writer.message("second")
        await until(pilot, lambda: rows_of(app) == 2)
        await pilot.pause(0.3)
        assert len(asked) == 1
        await pilot.press("2")
        await until(pilot, lambda: len(asked) == 2)


async def test_a_list_that_is_covered_reads_nothing_and_catches_up_when_it_is_seen_again(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_on(writer)
    async with app.run_test(size=(120, 30)) as pilot:
        home = front(app, SessionsScreen)
        await until(pilot, lambda: home.listing.current is not None)
        await pilot.press("enter")
        await until(pilot, lambda: rows_of(app) == 1)
        asked: list[object] = []
        read = home.pane.reader.read

        def counted(*words: Any, **more: Any) -> None:
            asked.append(words)
            read(*words, **more)

        monkeypatch.setattr(home.pane.reader, "read", counted)
        writer.message("second")
        await until(pilot, lambda: rows_of(app) == 2)
        await pilot.pause(0.5)
        assert not asked
        await pilot.press("escape")
        await until(pilot, lambda: bool(asked))


async def written(pilot: Pilot[None], writer: Writer) -> None:
    """Hermes writes for a while, and the app catches up."""
    for number in range(12):
        writer.message(f"meanwhile {number}", "assistant" if number % 2 else "user")
        writer.call()
        await pilot.pause(0.1)
    await pilot.pause(1.5)


@pytest.fixture
def continued(writer: Writer) -> Writer:
    """A conversation of two sessions above another; Hermes writes to the other."""
    writer.database.session("a1", title="Continued")
    for number in range(6):
        writer.database.turn("a1", str(number))
    writer.database.rotate("a1", "a2", head=2, tail=4, summary="all that was done")
    writer.message("the newest")
    return writer


def part_of(line: SessionLine | None) -> str | None:
    return line.part.id if line is not None and line.part is not None else None


async def test_what_was_unfolded_and_the_cursor_in_it_stay_while_hermes_writes(continued: Writer) -> None:
    app = app_on(continued)
    async with app.run_test(size=(120, 30)) as pilot:
        screen = front(app, SessionsScreen)
        listing = screen.listing
        await until(pilot, lambda: listing.rows.count == 2)
        while listing.current is None or listing.current.session.id != "a2":
            await pilot.press("down")
        continued.message("while the family is read")
        await pilot.press("space")
        await until(pilot, lambda: listing.rows.count == 4)
        await pilot.press("down")
        before = listing.current
        read = screen.pane._epoch
        await written(pilot, continued)
        assert screen.pane._epoch > read
        assert listing.rows.count == 4
        assert part_of(before) is not None
        assert part_of(listing.current) == part_of(before)
        continued.database.message("a2", "user", "into what is unfolded")
        await pilot.pause(1.5)
        assert part_of(listing.current) == part_of(before)
        await pilot.press("space")
        await written(pilot, continued)
        assert listing.rows.count == 2


async def test_the_chain_keeps_the_line_the_cursor_is_on_while_hermes_writes(continued: Writer) -> None:
    app = app_on(continued, "a2")
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, WorkspaceScreen) and app.screen.view is not None)
        await pilot.press("6")
        await until(pilot, lambda: bool(app.screen.query(ChainList)) and chain(app).rows.count > 1)
        await pilot.press("home")
        before = chain(app).current
        assert before is not None
        continued.database.message("a2", "user", "more")
        await written(pilot, continued)
        now = chain(app).current
        assert now is not None
        assert now is not before
        assert now.node.session.id == before.node.session.id == "a1"


def chain(app: InspectorApp) -> ChainList:
    return app.screen.query_one(ChainList)


async def test_a_filter_being_typed_stays_as_typed_while_hermes_writes(continued: Writer) -> None:
    app = app_on(continued)
    async with app.run_test(size=(120, 30)) as pilot:
        screen = front(app, SessionsScreen)
        await until(pilot, lambda: screen.listing.rows.count == 2)
        await pilot.press("slash", "c", "o", "n")
        await written(pilot, continued)
        await pilot.press("t")
        await until(pilot, lambda: screen.listing.rows.count == 1)
        assert screen.pane.order.text == "cont"
        assert screen.pane.filter_line.has_focus_within


async def test_the_map_keeps_cursor_pair_and_what_is_typed_while_hermes_writes(continued: Writer) -> None:
    app = app_on(continued, "a2")
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: bool(app.screen.query(MapView)))
        view = app.screen.query_one(MapView)
        await until(pilot, lambda: view.work.annotations is not None)
        await pilot.press("home")
        while not view.panes.list.marks.partners:
            await pilot.press("down")
        row, marks, counted = view.listing.row_id, view.panes.list.marks, len(view.listing.ids)
        await pilot.press("slash", "t", "w")
        for number in range(12):
            continued.database.message("a2", "user", f"meanwhile {number}")
            await pilot.pause(0.1)
        await until(pilot, lambda: len(view.listing.ids) == counted + 12)
        await pilot.press("o")
        assert (view.listing.row_id, view.panes.list.marks) == (row, marks)
        assert app.focused is not None
        assert getattr(app.focused, "value", None) == "two"


@pytest.mark.parametrize("screen", ["turns", "results", "spending"])
async def test_a_page_that_does_not_follow_says_so_until_it_is_read_again(
    writer: Writer, screen: str
) -> None:
    place = Location(writer.home / "state.db", writer.home)
    app = InspectorApp([place], session=None if screen == "spending" else "s1", view=screen)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: not isinstance(app.screen, SessionsScreen | WorkspaceScreen))
        await pilot.pause(1.0)
        await until(pilot, lambda: all(worker.is_finished for worker in app.workers))
        assert hint(OUTDATED) not in drawn(pilot)
        writer.message("more")
        await until(pilot, lambda: hint(OUTDATED) in drawn(pilot))
        await pilot.press("r")
        await until(pilot, lambda: hint(OUTDATED) not in drawn(pilot))
