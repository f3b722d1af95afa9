"""The help: every command of the screen, and no sentence cut."""

from __future__ import annotations

from pathlib import Path

from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.base.commands import table
from inspector.screens.dialogs.first_run import FirstRunScreen
from inspector.screens.dialogs.help import HelpList
from inspector.screens.sessions.list_view import SessionsList
from inspector.screens.sessions.screen import SessionsScreen
from inspector.screens.workspace.usage.screen import UsageScreen
from inspector.settings.state import RememberedState
from inspector.widgets.charts.curve_chart import CurveChart
from tests.conftest import NOW
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import press, settle, settled
from tests.inspector.screens.conftest import drawn


async def test_help_shows_every_command_of_the_screen_and_leaves_on_any_usual_key(
    app: MakeApp, home: Path
) -> None:
    async with settled(running := app(home), 120, 60) as pilot:
        for key in ("escape", "question_mark", "q"):
            await pilot.press("question_mark")
            await pilot.pause()
            help_list = running.screen.query_one(HelpList)
            shown = {
                row.text
                for row in (help_list.rows.row(index) for index in range(help_list.rows.count))
                if row
            }
            assert {
                one.help for one in table() if one.scope in ("app", "sessions", "list") and one.listed
            } <= shown
            assert not any("…" in line.strip()[:20] for line in drawn(pilot).splitlines())
            await pilot.press(key)
            await pilot.pause()
            assert isinstance(running.screen, SessionsScreen)


async def test_no_sentence_of_the_help_is_cut_where_there_is_little_room(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 60, 24) as pilot:
        await press(pilot, "enter", "question_mark")
        told = running.screen.query_one(HelpList)
        lines = [
            told.draw_row(row, 0, told.row_width) for row in map(told.rows.row, range(told.rows.count)) if row
        ]
        assert max(line.width for line in lines) <= told.row_width
        words = " ".join(" ".join(line.text for line in lines).split())
        assert "protected counts, release or temperature, and see where the cut moves." in words
        assert told.current
        assert told.current.keys
        await pilot.press("j")
        assert told.current.keys  # the rest of a sentence is passed over


async def test_help_names_its_parts_in_words(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 60) as pilot:
        await press(pilot, "enter", "4", "question_mark")
        rows = running.screen.query_one(HelpList).rows
        headings = [row.text for row in map(rows.row, range(rows.count)) if row and row.heading]
        assert headings[0] == "Where did the tokens and the money of this conversation go?"
        assert headings[1:7] == ["Usage", "Words", "Lists", "Conversation", "Every screen", "Everywhere"]
        assert not any("_" in text for text in headings)


async def test_the_first_card_is_closed_by_any_key_and_not_shown_again(
    samples: Location, tmp_path: Path
) -> None:
    state = RememberedState(tmp_path / "app.json")
    async with settled(first := InspectorApp([samples], now=lambda: NOW, state=state), 120, 40) as pilot:
        assert isinstance(first.screen, FirstRunScreen)
        assert len(first.screen.query_one(CurveChart).marks) == 2
        await press(pilot, "q")
        await press(pilot, "T", "s")
    async with settled(second := InspectorApp([samples], now=lambda: NOW, state=state), 120, 40) as pilot:
        assert not isinstance(second.screen, FirstRunScreen)
        assert second.theme == first.theme
        assert second.theme != InspectorApp([samples]).theme
        assert state.read("sort") == "cost"


async def test_the_first_card_names_and_takes_the_users_own_keys(samples: Location, tmp_path: Path) -> None:
    (own := tmp_path / "keys.yaml").write_text("sessions.usage: f5\n")
    state = RememberedState(tmp_path / "app.json")
    async with settled(
        running := InspectorApp([samples], now=lambda: NOW, state=state, keys=own), 120, 40
    ) as pilot:
        assert " f5   what today cost" in drawn(pilot)
        assert " w    why a conversation" in drawn(pilot)
        await press(pilot, "f5")
        assert isinstance(running.screen, UsageScreen)


async def test_the_list_has_the_keys_after_the_card_where_the_terminal_had_no_focus_at_first(
    samples: Location, tmp_path: Path
) -> None:
    app = InspectorApp([samples], now=lambda: NOW, state=RememberedState(tmp_path / "app.json"))
    async with settled(app, 120, 40) as pilot:
        app.screen_stack[-2].set_focus(None)  # as a terminal without focus leaves it
        await pilot.click(offset=(60, 38))
        await settle(pilot)
        assert isinstance(app.focused, SessionsList)


async def test_the_jobs_on_the_card_over_the_list_are_done_by_their_keys(
    samples: Location, tmp_path: Path
) -> None:
    app = InspectorApp([samples], now=lambda: NOW, state=RememberedState(tmp_path / "app.json"))
    async with settled(app, 80, 24) as pilot:
        await press(pilot, "w")
        await settle(pilot)
        assert "Compressed before your message" in drawn(pilot)
