from __future__ import annotations

from pathlib import Path

from textual.widgets import Input

from core.model.transcript.message import RowState
from inspector.screens.search.screen import HitList, SearchScreen, _near, _pattern, _pieces
from inspector.screens.sessions.screen import SessionsScreen
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.settings.state import RememberedState
from inspector.widgets.bars.status_line import Banner
from inspector.widgets.messages.detail_pane import DetailPane
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import at_sizes, front, settle, settled
from tests.inspector.screens.conftest import drawn, press


def test_matches_are_cut_out_of_the_text() -> None:
    words = _pattern('auth "two words"')
    assert _pieces("the AUTH of two words", words) == [
        ("the ", False), ("AUTH", True), (" of ", False), ("two words", True), ("", False),
    ]  # fmt: skip
    assert _pieces("plain", None) == [("plain", False)]


def test_what_is_typed_is_never_a_pattern() -> None:
    assert _pieces("a.c abc", _pattern("a.c")) == [("", False), ("a.c", True), (" abc", False)]


def test_a_match_far_off_is_brought_into_sight() -> None:
    shown = _near("x" * 200 + " needle", _pattern("needle"), 60)
    assert shown.startswith("…")
    assert shown.index("needle") < 60


def test_what_is_brought_into_sight_begins_with_a_word() -> None:
    assert _near("some words before it " * 9 + "needle", _pattern("needle"), 60).startswith(
        "…words before it"
    )


class Remembering(RememberedState):
    """Keeps what is remembered to itself."""

    def __init__(self) -> None:
        self.kept: dict[str, object] = {}

    def read(self, name: str) -> object:
        return self.kept.get(name)

    def remember(self, name: str, value: str | bool) -> None:
        self.kept[name] = value


async def test_before_anything_is_typed_it_says_what_to_type_and_what_was_searched_before(
    app: MakeApp, home: Path
) -> None:
    state = Remembering()
    state.remember("welcomed", True)
    async with settled(running := app(home, state=state), 80, 24) as pilot:
        await press(pilot, "ctrl+f")
        assert "Type words of a message" in drawn(pilot)
        assert "Earlier searches" not in drawn(pilot)
        await press(pilot, *"answer", "enter", "escape", "ctrl+f")
        assert "Earlier searches" in drawn(pilot)
        await press(pilot, "up")
        assert running.screen.query_one(Input).value == "answer"


async def test_before_anything_is_typed_the_newest_of_what_was_written_is_there_to_open(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    database.message("plain", "user", "Where did the walrus go?")
    async with settled(running := app(home), 120, 30) as pilot:
        await press(pilot, "ctrl+f")
        screen = front(running, SearchScreen)
        await settle(pilot)
        assert "what you wrote last" in drawn(pilot)
        assert {hit.hit.role for hit in screen.hits.rows.rows} == {"user"}  # type: ignore[attr-defined]
        assert screen.hits.current is not None
        assert screen.hits.current.hit.excerpt == "Where did the walrus go?"
        await press(pilot, *"walrus", "enter")
        assert "Type words of a message" not in drawn(pilot)
        assert "1 message " in drawn(pilot)


async def test_a_search_for_a_credential_is_not_remembered(app: MakeApp, home: Path) -> None:
    state = Remembering()
    state.remember("welcomed", True)
    async with settled(running := app(home, state=state), 80, 24) as pilot:
        await press(pilot, "ctrl+f")
        running.screen.query_one(Input).value = f"sk-ant-api03-{'Ab3xY9' * 12}"
        await press(pilot, "enter")
    assert "searches" not in state.kept


async def test_how_many_there_are_and_where_the_cursor_is_are_below_the_question(
    app: MakeApp, home: Path
) -> None:
    async with settled(running := app(home), 80, 24) as pilot:
        await press(pilot, "ctrl+f", *"answer", "enter", "n")
        second = drawn(pilot).splitlines()[1]
        found = running.screen.query_one(HitList)
        assert second.startswith(f" {found.rows.count} messages · newest first")
        assert second.rstrip().endswith(f"2 of {found.rows.count}")


async def test_a_line_of_an_answer_is_cut_once(app: MakeApp, home: Path, database: SessionDatabase) -> None:
    database.message("plain", "user", "needle " + "and more words " * 20 + "needle and words")
    async with settled(running := app(home), 60, 24) as pilot:
        await press(pilot, "ctrl+f", *"needle", "enter")
        found = running.screen.query_one(HitList)
        line = found.render_line(0).text
        assert "needle" in line
        assert "……" not in line


async def test_a_search_finds_messages_and_enter_goes_there(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        await press(pilot, "ctrl+f", *"answer", "enter")
        assert "messages · newest first" in drawn(pilot)
        screen = front(running, SearchScreen)
        await press(pilot, "n")
        assert screen.hits.cursor == 1
        await press(pilot, "enter")
        opened = front(running, WorkspaceScreen)
        assert opened.cursor.row is not None


async def test_nothing_found_says_what_to_do(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 100, 30) as pilot:
        await press(pilot, "ctrl+f", *"zzzz", "enter")
        assert "No message contains “zzzz”" in drawn(pilot)
        assert "Try another form of the word" in drawn(pilot)
        await press(pilot, "slash", *"zzzz answer", "enter")
        assert "Try fewer words: all must occur in one message." in drawn(pilot)
        await press(pilot, "escape")
        assert isinstance(running.screen, SessionsScreen)


async def test_a_database_that_cannot_be_searched_does_not_hide_the_others(
    app: MakeApp, home: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"text, not a database" * 40)
    async with settled(running := app(home, broken), 100, 30) as pilot:
        await press(pilot, "ctrl+f", *"answer", "enter")
        assert "messages" in drawn(pilot)
        assert "not a SQLite database" in running.screen.query_one(Banner).message


async def test_escape_leaves_a_new_question_before_it_leaves_what_was_found(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 100, 30) as pilot:
        await press(pilot, "ctrl+f", *"answer", "enter", "slash", *"x")
        await press(pilot, "escape")
        found = front(running, SearchScreen)
        assert found.hits.has_focus
        await press(pilot, "escape")
        assert isinstance(running.screen, SessionsScreen)


async def test_what_compactions_copied_is_found_once_as_its_newest_row(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    for text in ("needle twice", "needle twice", "needle alone"):
        database.message("plain", "user", text)
    copied = database.session("copied", title="Compacted again and again")
    for turn in ("needle kept", "b", "c", "d"):
        database.turn(copied, turn)
    for summary in ("first", "second"):
        database.compact(copied, 2, 3, summary)
        database.turn(copied, summary)
    async with settled(running := app(home), 120, 30) as pilot:
        await press(pilot, "ctrl+f", *"needle", "enter")
        hits = running.screen.query_one(HitList).rows
        found = [row for index in range(hits.count) if (row := hits.row(index)) is not None]
        said = sorted((row.hit.excerpt, row.copies, row.hit.state) for row in found)
        assert [one for one in said if "kept" not in one[0]] == [
            ("needle alone", 0, RowState.LIVE),
            ("needle twice", 0, RowState.LIVE),
        ]
        kept = [one for one in said if "kept" in one[0]]
        assert len(kept) == len({text for text, _, _ in kept}) >= 2
        assert ("ask needle kept", 2, RowState.LIVE) in kept
        assert "+2 copies" in drawn(pilot)


async def test_what_was_said_several_times_is_one_row_whose_every_place_can_be_opened(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    rows = [database.message("plain", "user", text) for text in ("needle older", *["needle same"] * 3)]
    async with settled(running := app(home), 80, 24) as pilot:
        await press(pilot, "ctrl+f", *"needle", "enter")
        screen = front(running, SearchScreen)
        assert screen.hits.rows.count == 2
        assert "×3 needle same" in drawn(pilot)
        assert "4 messages" in drawn(pilot)
        visited = []
        for key in ("", "n", "n", "n", "n", "N", "N"):
            await press(pilot, *([key] if key else []))
            assert screen.hits.chosen is not None
            visited.append(rows.index(screen.hits.chosen.row_id))
        assert visited == [3, 2, 1, 0, 0, 1, 2]
        assert drawn(pilot).splitlines()[1].rstrip().endswith("2 of 4")
        await press(pilot, "slash", *" older", "enter")
        assert screen.hits.chosen is not None
        assert screen.hits.chosen.row_id == rows[0]
        await press(pilot, "escape", "ctrl+f", *"needle", "enter", "n", "enter")
        assert front(running, WorkspaceScreen).cursor.row == rows[2]


async def test_what_a_compaction_took_out_is_found_from_the_preview(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        running.open_conversation(running.locations[0], "twice")
        await settle(pilot)
        await press(pilot, "3", "ctrl+f")
        assert "newest first · what you said and compactions removed" in drawn(pilot)
        await press(pilot, "escape")
        assert isinstance(running.screen, WorkspaceScreen), "nothing was searched that escape could return to"
        await press(pilot, "ctrl+f", *"answer")
        await press(pilot, "enter")
        screen = front(running, SearchScreen)
        assert "best match first" in drawn(pilot)
        first = screen.hits.rows.row(0)
        assert first is not None
        assert first.title == "generation 1"
        await press(pilot, "enter")
        assert isinstance(running.screen, WorkspaceScreen)


async def test_a_wide_screen_shows_the_message_under_the_cursor_in_full(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        await press(pilot, "ctrl+f", *"answer", "enter")
        pane = front(running, SearchScreen).query_one(DetailPane)
        assert (pane.display, pane.detail) == (False, None), "a message is read only where it is shown"
        async for _ in at_sizes(pilot, (200, 60)):
            rows = set()
            for key in ("n", "n"):
                found = front(running, SearchScreen).hits.current
                assert found is not None
                assert pane.display
                assert f"row {found.hit.row_id} · " in drawn(pilot)
                rows.add(found.hit.row_id)
                await press(pilot, key)
            assert len(rows) == 2


async def test_a_wide_screen_shows_what_came_after_the_message_in_its_session(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    database.message("plain", "user", "Where is the needle?")
    database.message("silent", "user", "something else")
    database.message("plain", "assistant", "In the haystack.")
    async with settled(running := app(home), 200, 40) as pilot:
        await press(pilot, "ctrl+f", *"needle", "enter")
        front(running, SearchScreen)
        await settle(pilot)
        shown = drawn(pilot)
        assert shown.index("Where is the needle?") < shown.index("In the haystack.")
        assert "something else" not in shown
