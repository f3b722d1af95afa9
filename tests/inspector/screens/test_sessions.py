from __future__ import annotations

import shutil
import sqlite3
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.model.event import Severity
from core.places import cache_directory
from core.store.locate import Location
from inspector.app import InspectorApp
from inspector.screens.sessions import SessionsScreen
from inspector.screens.sessions_card import SessionCard
from inspector.screens.sessions_columns import COLUMNS, Extra, SessionLine
from inspector.screens.sessions_kept import recall, remember
from inspector.screens.sessions_order import SORTS, Order, SourcePage
from inspector.screens.sessions_ranking import Ranker
from inspector.screens.sessions_source import read_first, read_page
from inspector.screens.sessions_standing import measure
from inspector.screens.sessions_words import header, legend
from inspector.screens.workspace import WorkspaceScreen
from inspector.widgets.banner import Banner
from inspector.widgets.key_bar import KeyBar
from inspector.widgets.pressure_bar import Pressure
from inspector.widgets.row_list import RowList
from inspector.widgets.status_line import StatusLine
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import NOW, MakeApp
from tests.inspector.driving import press, settle


def screen(app: InspectorApp) -> SessionsScreen:
    found = app.screen
    assert isinstance(found, SessionsScreen)
    return found


def titles(app: InspectorApp) -> list[str | None]:
    rows = screen(app).listing.rows
    return [row.title if row else None for row in (rows.row(index) for index in range(rows.count))]


def drawn(app: InspectorApp) -> list[str]:
    listing = screen(app).listing
    return [listing.render_line(y).text.rstrip() for y in range(listing.size.height)]


async def test_one_row_a_conversation_newest_first(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert titles(running) == [
            "Résumé du journal", "Port the parser #2", "Refactor the auth module", "Rename the CLI flag",
        ]  # fmt: skip


async def test_the_first_frame_does_not_wait_for_the_database(
    app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()

    def slow(*args: Any, **options: Any) -> SourcePage:
        answered.wait(10)
        return read_first(*args, **options)

    monkeypatch.setattr("inspector.screens.sessions_source.read_first", slow)
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        assert any("Reading the sessions" in line for line in drawn(running))
        answered.set()
        await settle(pilot)
        assert len(titles(running)) == 4


async def test_a_first_screenful_comes_before_anybody_counted(
    app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = threading.Event()

    def slow(*args: Any, **options: Any) -> SourcePage:
        counted.wait(10)
        return read_page(*args, **options)

    monkeypatch.setattr("inspector.screens.sessions_source.read_page", slow)
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        while not titles(running):
            await pilot.pause()
        assert titles(running)[0] == "Résumé du journal"
        assert ("ink", "reading …") in running.screen.query_one("#head", StatusLine).left
        counted.set()
        await settle(pilot)
        assert ("ink", "4 conversations") in running.screen.query_one("#head", StatusLine).left


async def test_pressure_and_generations_follow_the_rows(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        refactor = next(line for line in drawn(running) if "Refactor" in line)
        assert "│" in refactor
        assert refactor.split("%")[1].split()[0] == "2"


async def test_unknown_is_never_drawn_as_nought(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        silent = next(line for line in drawn(running) if "journal" in line)
        assert silent.split()[-3:] == ["–", "–", "–"]


async def test_no_bucket_of_an_unreported_session_is_drawn_as_nought(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(200, 30)) as pilot:
        await settle(pilot)
        silent = next(line for line in drawn(running) if "journal" in line)
        assert silent.split()[-7:] == ["–"] * 7


async def test_a_chain_counts_the_messages_it_is_sorted_by(app: MakeApp, home: Path) -> None:
    with closing(sqlite3.connect(home / "state.db")) as connection, connection:
        connection.execute("UPDATE sessions SET message_count = 111")
    running = app(home)
    async with running.run_test(size=(200, 30)) as pilot:
        await settle(pilot)
        chain = next(line for line in drawn(running) if "Port the parser" in line)
        assert " 222 " in chain


async def test_a_title_is_never_cut_for_the_sign_of_the_order(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(200, 30)) as pilot:
        await settle(pilot)
        for _ in SORTS:
            await pilot.press("s")
            await settle(pilot)
            assert "…" not in drawn(running)[0]


async def test_the_name_of_the_app_gives_way_to_what_it_cost(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        head = screen(running).query_one("#head", StatusLine)
        named = any("Hermes Inspector" in text for _, text in head.left)
        assert named or head_right(running).startswith("30 days"), head.left


async def test_s_goes_through_the_orders_and_shift_s_turns_them_round(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        newest = titles(running)
        await pilot.press("S")
        await settle(pilot)
        assert titles(running) == newest[::-1]
        while screen(running).listing.order.sort != "title":
            await pilot.press("s")
            await settle(pilot)
        assert titles(running) == sorted(newest, key=lambda title: (title or "").lower())


async def test_the_filter_is_live_and_escape_clears_it(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"parser")
        await pilot.pause(0.2)
        await settle(pilot)
        assert titles(running) == ["Port the parser #2"]
        await pilot.press("enter", "escape")
        await settle(pilot)
        assert len(titles(running)) == 4


async def test_the_way_out_of_the_filter_is_named_only_while_there_is_one(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)

        def keys() -> str:
            return screen(running).query_one(KeyBar).render_line(0).text

        assert "clear" not in keys()
        await press(pilot, "slash")
        assert "esc clear" in keys()
        await press(pilot, "x", "escape")
        assert "clear" not in keys()


async def test_a_filter_that_finds_nothing_says_what_helps(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"zzz", "enter")
        await pilot.pause(0.2)
        await settle(pilot)
        assert any("esc clears the filter" in line for line in drawn(running))


async def test_space_shows_the_sessions_of_a_chain(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("j", "space")
        await settle(pilot)
        assert titles(running)[1:4] == ["Port the parser #2", "Port the parser", "Port the parser #2"]
        await pilot.press("space")
        await settle(pilot)
        assert len(titles(running)) == 4


async def test_enter_opens_the_conversation_and_escape_returns(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("j", "j", "enter")
        await settle(pilot)
        found = running.screen
        assert isinstance(found, WorkspaceScreen)
        assert found.session_id == "twice"
        await pilot.press("escape")
        assert isinstance(running.screen, SessionsScreen)


async def test_a_click_moves_and_a_second_click_opens(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.click(RowList, offset=(20, 3))
        assert screen(running).listing.cursor == 2
        await pilot.click(RowList, offset=(20, 3))
        await settle(pilot)
        assert isinstance(running.screen, WorkspaceScreen)


async def test_a_click_on_a_column_title_sorts_by_it(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        header = drawn(running)[0]
        await pilot.click(RowList, offset=(header.index("cost") + 2, 0))
        await settle(pilot)
        assert screen(running).listing.order.sort == "cost"


async def test_what_hermes_writes_appears_and_the_cursor_stays(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("j")
        before = screen(running).listing.current
        assert before is not None
        screen(running).poll()
        await settle(pilot)
        with closing(sqlite3.connect(home / "state.db")) as writer, writer:
            writer.execute(
                "INSERT INTO sessions (id, source, started_at, title) VALUES ('n', 'cli', 1780001000, 'New')"
            )
        screen(running).poll()
        await settle(pilot)
        assert titles(running)[0] == "New"
        after = screen(running).listing.current
        assert after is not None
        assert after.title == before.title


async def test_what_was_computed_stays_on_screen_until_something_newer_is_known(
    app: MakeApp, home: Path, database: SessionDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        measured: list[str | None] = []
        original = screen(running).measure

        def measure(lines: Sequence[SessionLine]) -> None:
            measured.extend(line.title for line in lines)
            original(lines)

        monkeypatch.setattr(screen(running), "measure", measure)
        screen(running).poll()
        await settle(pilot)
        database.turn("plain", "three")
        screen(running).poll()
        await settle(pilot)
        assert measured == ["Rename the CLI flag"]
        assert not any("⋯" in line for line in drawn(running))


async def test_the_first_line_follows_a_hermes_that_writes(
    app: MakeApp, home: Path, database: SessionDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.screens.sessions.ADD_UP_SECONDS", 0.01)
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert "≥$0.084" in head_right(running)
        screen(running).poll()
        await settle(pilot)
        database.session("dear", title="Dear", estimated_cost_usd=12.5, input_tokens=10)
        screen(running).poll()
        await settle(pilot)
        await settle(pilot)
        assert "$12.58" in head_right(running)


async def test_a_database_that_cannot_be_read_does_not_hide_the_others(
    app: MakeApp, home: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is not a database, only some text" * 100)
    running = app(home, broken)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert len(titles(running)) == 4
        assert "not a SQLite database" in screen(running).query_one(Banner).message


@pytest.mark.parametrize("content", [b"", b"not a database at all " * 50])
async def test_nothing_but_a_broken_database_is_explained(
    app: MakeApp, tmp_path: Path, content: bytes
) -> None:
    broken = tmp_path / "state.db"
    broken.write_bytes(content)
    running = app(broken)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert str(broken) in screen(running).query_one(Banner).message
        assert any("reason stands above" in line for line in drawn(running))


async def test_an_empty_database_says_so(app: MakeApp, database: object, tmp_path: Path) -> None:
    running = app(tmp_path / "home")
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert any("No sessions yet" in line for line in drawn(running))


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 160, 200])
async def test_lines_fit_every_width_and_cost_is_always_there(app: MakeApp, home: Path, width: int) -> None:
    running = app(home)
    async with running.run_test(size=(width, 24)) as pilot:
        await settle(pilot)
        listing = screen(running).listing
        assert {listing.render_line(y).cell_length for y in range(listing.size.height)} == {listing.row_width}
        if width >= 60:
            assert "cost" in drawn(running)[0]
            assert "$0.042" in "".join(drawn(running))


async def test_an_untitled_conversation_is_shown_by_what_its_user_said_first(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    database.session("nameless")
    database.message("nameless", "user", "Why is the\nbuild slow?")
    database.session("speechless")
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        lines = drawn(running)
        assert sum("Why is the build slow?" in line for line in lines) == 1
        assert sum("speechless" in line for line in lines) == 1
        assert not any("nameless" in line for line in lines)


def head_right(app: InspectorApp) -> str:
    return "".join(text for _, text in screen(app).query_one("#head", StatusLine).right)


async def test_the_first_line_sums_up_the_last_days(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        # Two conversations carry a price; the chain and the silent one carry none.
        assert head_right(running) == "30 days  ≥$0.084 · hit 85%"


async def test_findings_are_counted_once_somebody_looked(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        key = screen(running).listing.current
        assert key is not None
        running.diagnosed[key.key] = Counter({Severity.WARNING: 2, Severity.INFO: 1})
        screen(running).on_screen_resume()
        assert head_right(running).endswith(" · 3 findings")


async def test_where_there_is_little_room_the_place_stays_and_the_sums_give_way(
    app: MakeApp, home: Path
) -> None:
    running = app(home)
    async with running.run_test(size=(60, 24)) as pilot:
        await settle(pilot)
        head = screen(running).query_one("#head", StatusLine)
        assert "4 conversations" in head.render_line(0).text
        assert sum(len(text) for _, text in (*head.left, *head.right)) <= 56 or not head.right


async def test_sessions_older_than_the_days_summed_up_cost_nothing_now(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    database.connection.execute("UPDATE sessions SET started_at = started_at - 31 * 86400")
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert head_right(running) == "30 days  – · hit –"


def pages_by(home: Path, sort: str, *, natural: bool = True) -> list[str | None]:
    """The titles a list in this order ends up with."""
    order = Order(sort=sort, natural=natural)
    place = Location(home / "state.db", home)
    *_, last = Ranker().pages([place], order, 200, NOW, lambda: False)
    assert last.settled
    assert last.total == len(last.rows)
    return [line.title for line in last.rows]


async def test_a_high_screen_tells_the_row_under_the_cursor_in_full(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "G")
        card = screen(running).query_one(SessionCard)
        text = [line.render_line(0).text.strip() for line in card.query(StatusLine)]
        assert text[0].startswith("Rename the CLI flag · plain · anthropic/claude-opus-4-5")
        assert " of 64,000 tokens (" in text[1]
        assert "1 generation" in text[1]
        assert text[2].startswith("$0.042 estimated · 36,000 tokens · 1,200 fresh · 30,000 cache read")


async def test_a_low_screen_has_no_lines_for_that(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 24)) as pilot:
        await settle(pilot)
        assert not screen(running).query_one(SessionCard).display


async def test_pressure_is_there_at_once_where_an_earlier_run_computed_it(
    app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app(home).run_test(size=(120, 30)) as pilot:
        await settle(pilot)

    def nothing(*_args: Any) -> Any:
        yield from ()

    monkeypatch.setattr("inspector.screens.sessions_standing.measure", nothing)
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        rows = drawn(running)[1:5]
        assert not any("⋯" in row for row in rows)
        assert sum("│" in row for row in rows) == 4


async def test_what_an_earlier_run_computed_of_another_state_is_not_shown(
    app: MakeApp, home: Path, database: SessionDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app(home).run_test(size=(120, 30)) as pilot:
        await settle(pilot)
    database.turn("plain", "three")
    monkeypatch.setattr("inspector.screens.sessions_standing.measure", lambda *_args: iter(()))
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
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
    extra = Extra(Pressure(1, 2, 3), 1)
    remember([line], {line.key: extra})
    (file,) = (cache_directory() / "standing").iterdir()
    assert recall([place])[line.key][1:] == (1, 2, 3, 1)
    file.write_text(kept)
    assert recall([place]) == {}


async def test_rows_of_several_profiles_are_sorted_by_them(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "another"
    shutil.copytree(home, other)
    places = [Location(home / "state.db", home), Location(other / "state.db", other, "work")]
    running = InspectorApp(places, now=lambda: NOW)
    async with running.run_test(size=(160, 30)) as pilot:
        await settle(pilot)
        at = drawn(running)[0].index("profile")

        def order() -> list[str]:
            return [row[at:].split()[0] for row in drawn(running)[1:9]]

        assert order() == ["default", "work"] * 4
        await pilot.click(RowList, offset=(at + 2, 0))
        await settle(pilot)
        forwards = order()
        assert forwards == sorted(forwards)
        await pilot.click(RowList, offset=(at + 2, 0))
        await settle(pilot)
        assert order() == forwards[::-1]


async def test_s_goes_through_the_columns_in_sight(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        seen = set()
        for _ in SORTS:
            await press(pilot, "s")
            seen.add(screen(running)._order.sort)
        assert seen == {
            "last_active",
            "title",
            "source",
            "model",
            "pressure",
            "generations",
            "tokens",
            "hit",
            "cost",
        }


@pytest.mark.parametrize("room", range(0, 90, 7))
def test_no_sign_of_the_legend_stands_without_its_word(room: int) -> None:
    for examined in (False, True):
        words = [text.strip() for _, text in legend(room, examined=examined)]
        assert all(word for word in words[1::3])
        assert sum(len(text) for _, text in legend(room, examined=examined)) <= room + 2


def test_where_there_is_little_room_the_home_is_called_by_its_last_folder() -> None:
    place = Location(Path("/somewhere/deep/below/hermes/state.db"), Path("/somewhere/deep/below/hermes"))
    wide, narrow = ("".join(text for _, text in header([place], 12, width)) for width in (140, 66))
    assert "/somewhere/deep/below/hermes · 12 conversations" in wide
    assert narrow == "…/hermes · 12 conversations"


def test_every_column_with_a_figure_can_be_sorted_by() -> None:
    shown = [column for column in COLUMNS if column.title]
    assert {column.sort for column in shown} <= set(SORTS)


def test_conversations_are_ranked_by_how_full_their_window_is(home: Path, database: SessionDatabase) -> None:
    database.session("big", title="Big", model="gpt-5.2")
    database.message("big", "user", "a very long question " * 4_000)
    assert pages_by(home, "pressure")[0] == "Big"
    assert pages_by(home, "pressure", natural=False)[-1] == "Big"


def test_conversations_are_ranked_by_their_generations(home: Path) -> None:
    ranked = pages_by(home, "generations")
    assert sorted(ranked[:2], key=str) == ["Port the parser #2", "Refactor the auth module"]


def test_what_did_not_change_is_not_measured_again(
    home: Path, database: SessionDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[str | None] = []

    def counting(lines: Sequence[SessionLine], *rest: Any) -> Any:
        measured.extend(line.title for line in lines)
        return measure(lines, *rest)

    monkeypatch.setattr("inspector.screens.sessions_ranking.measure", counting)
    ranker, place = Ranker(), Location(home / "state.db", home)

    def rank(sort: str) -> None:
        for _ in ranker.pages([place], Order(sort=sort), 200, NOW, lambda: False):
            pass

    rank("pressure")
    assert len(measured) == 4
    rank("generations")
    assert len(measured) == 4
    database.turn("plain", "three")
    rank("generations")
    assert measured[4:] == ["Rename the CLI flag"]


def test_what_is_not_measured_yet_stands_below_and_the_list_says_so(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.screens.sessions_ranking.PATIENCE", 0.0)
    pages = list(
        Ranker().pages(
            [Location(home / "state.db", home)], Order(sort="generations"), 200, NOW, lambda: False
        )
    )
    assert [page.measured for page in pages] == [1, 2, 3, 4, 4]
    assert {page.total for page in pages} == {4}
    assert [page.settled for page in pages] == [False] * 3 + [True] * 2


def test_a_ranking_that_is_told_to_stop_remembers_nothing_wrong(home: Path) -> None:
    ranker, place = Ranker(), Location(home / "state.db", home)
    assert list(ranker.pages([place], Order(sort="pressure"), 200, NOW, lambda: bool(ranker._known))) == []
    *_, last = ranker.pages([place], Order(sort="pressure"), 200, NOW, lambda: False)
    assert last.measured == 4


async def test_the_list_is_ranked_in_the_app(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(200, 30)) as pilot:
        await settle(pilot)
        header = drawn(running)[0]
        await pilot.click(RowList, offset=(header.index("gen") + 1, 0))
        await settle(pilot)
        assert sorted(titles(running)[:2], key=str) == ["Port the parser #2", "Refactor the auth module"]
        await pilot.click(RowList, offset=(header.index("hit") + 1, 0))
        await settle(pilot)
        assert titles(running)[-1] == "Résumé du journal"
