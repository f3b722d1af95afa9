"""The help: every command of the screen, and no sentence cut."""

from __future__ import annotations

from pathlib import Path

from inspector.base.commands import table
from inspector.screens.dialogs.help import HelpList
from inspector.screens.sessions.screen import SessionsScreen
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import press, settled


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
