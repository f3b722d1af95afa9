from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from typing import Any

import pytest
from textual.message import Message
from textual.screen import Screen

from inspector.terminal.line import Line
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.rows import PAGE, PAGES_KEPT, PagedRows
from tests.hostile import HOSTILE, harmful
from tests.inspector.widgets.alone import Alone


class Numbers(RowList[str]):
    HEADER_LINES = 1

    def draw_header(self, width: int) -> list[Line]:
        return [Line().add("header")]

    def is_heading(self, index: int) -> bool:
        return (self.rows.row(index) or "").startswith("=")

    def heading_above(self, index: int) -> int | None:
        return next((place for place in range(index, -1, -1) if self.is_heading(place)), None)


def numbers(total: int) -> ListRows[str]:
    return ListRows([f"row {index}" for index in range(total)])


async def test_of_rows_read_again_only_what_is_another_one_is_drawn() -> None:
    drawn: list[str] = []

    class Drawn(RowList[str]):
        def draw_row(self, row: str, index: int, width: int) -> Line:
            drawn.append(row)
            return super().draw_row(row, index, width)

    app = Alone(Drawn(numbers(30)))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        drawn.clear()
        app.widget.show(ListRows([*(f"row {index}" for index in range(5)), "new", *"abc" * 20]), again=True)
        await pilot.pause()
        assert drawn[:2] == ["row 0", "new"]
        assert not {"row 1", "row 4"}.intersection(drawn)
        app.widget.show(ListRows(["row 0"]), again=True)
        await pilot.pause()
        assert app.lines() == ["row 0", *[""] * 11]


async def test_only_pages_near_the_cursor_are_ever_read() -> None:
    asked: list[int] = []

    def fetch(start: int, size: int) -> Sequence[str]:
        asked.append(start)
        return [f"row {index}" for index in range(start, min(start + size, 1_000_000))]

    app = Alone(RowList(PagedRows(1_000_000, fetch)))
    tracemalloc.start()
    async with app.run_test(size=(60, 20)) as pilot:
        assert app.lines()[0] == "row 0"
        await pilot.press("G")
        await pilot.pause()
        assert app.lines()[-1] == "row 999999"
        app.widget.cursor = 500_000
        await pilot.pause()
        assert "row 500000" in app.lines()
        grown = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(asked) <= 6
    assert grown < 40_000_000


def test_pages_used_longest_ago_are_forgotten() -> None:
    asked: list[int] = []

    def fetch(start: int, size: int) -> Sequence[int]:
        asked.append(start)
        return range(start, start + size)

    last = (PAGES_KEPT + 1) * PAGE
    rows = PagedRows(last, fetch)
    assert [rows.row(index) for index in range(5, last, PAGE)] == list(range(5, last, PAGE))
    assert (rows.row(PAGE), rows.row(0), rows.row(last)) == (PAGE, 0, None)
    assert asked == [*range(0, last, PAGE), 0]


def test_a_page_on_its_way_is_asked_for_once() -> None:
    asked: list[int] = []

    def fetch(start: int, size: int) -> None:
        asked.append(start)

    rows: PagedRows[str] = PagedRows(100, fetch)
    assert rows.row(3) is None
    assert rows.row(4) is None
    assert asked == [0]
    rows.arrived(0, ["x"] * 100)
    assert rows.row(3) == "x"


async def test_vim_keys_and_arrows_move_the_cursor() -> None:
    app = Alone(RowList(numbers(100)))
    async with app.run_test(size=(40, 10)) as pilot:
        for keys, expected in ((["j", "down"], 2), (["k"], 1), (["G"], 99), (["end", "up"], 98), (["g"], 0)):
            await pilot.press(*keys)
            assert app.widget.cursor == expected
        await pilot.press("k")
        assert app.widget.cursor == 0
        await pilot.press("pagedown")
        assert app.widget.cursor == 9


async def test_the_cursor_stays_visible() -> None:
    app = Alone(Numbers(numbers(100)))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("G")
        await pilot.pause()
        assert app.lines() == ["header", *(f"row {index}" for index in range(91, 100))]
        await pilot.press(*["k"] * 12)
        await pilot.pause()
        assert app.lines()[1] == "row 87"
        assert app.widget.cursor == 87


async def test_rows_read_again_stay_where_the_user_scrolled_them() -> None:
    app = Alone(RowList(numbers(60)))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        app.widget.scroll_to(y=30, animate=False)
        await pilot.pause()
        app.widget.show(numbers(62), cursor=2, again=True)
        await pilot.pause()
        assert (app.lines()[0], app.widget.cursor) == ("row 30", 2)
        await pilot.press("down")
        assert app.widget.cursor in app.widget.in_sight


async def test_a_heading_is_passed_over_and_stays_above_its_rows() -> None:
    rows = ListRows(["= head", "a", "b", "= tail", *(f"t{index}" for index in range(30))])
    app = Alone(Numbers(rows))
    async with app.run_test(size=(40, 8)) as pilot:
        app.widget.action_end(-1)
        assert app.widget.cursor == 1
        await pilot.press("j", "j")
        assert app.widget.cursor == 4
        await pilot.press("G", *["k"] * 15)
        await pilot.pause()
        assert app.lines()[1] == "= tail"
        current = app.widget.current
        assert current is not None
        assert current in app.lines()


async def test_enter_and_a_second_click_open() -> None:
    seen: list[Message] = []
    app = Alone(Numbers(numbers(50)))
    async with app.run_test(size=(40, 10), message_hook=seen.append) as pilot:
        await pilot.click(RowList, offset=(3, 4))
        assert app.widget.cursor == 3
        await pilot.click(RowList, offset=(3, 4))
        await pilot.press("j", "enter")
        await pilot.click(RowList, offset=(2, 0))
        await pilot.pause()
    # The hook sees a message once at every stop of its way up.
    sent = [
        event for event in {id(event): event for event in seen}.values() if isinstance(event, RowList.Moved)
    ]
    assert [event.index for event in sent if type(event) is RowList.Opened] == [3, 4]
    assert [event.index for event in sent if type(event) is RowList.HeaderClicked] == [2]


async def test_a_shrinking_list_keeps_the_cursor_on_a_row() -> None:
    app = Alone(RowList(numbers(50)))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("G")
        app.widget.show(numbers(3))
        await pilot.pause()
        assert app.widget.cursor == 2
        assert app.lines()[:3] == ["row 0", "row 1", "row 2"]


async def test_an_empty_list_says_so() -> None:
    app = Alone(RowList[str](ListRows(()), empty="Nothing matches; esc clears the filter"))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("j", "G", "enter")
        assert any("Nothing matches" in line for line in app.lines())


async def test_a_resize_keeps_the_cursor_in_sight_or_else_the_rows_the_user_scrolled_to() -> None:
    app = Alone(RowList(numbers(60)))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("pagedown")
        await pilot.resize_terminal(40, 8)
        await pilot.pause()
        assert app.widget.cursor in app.widget.in_sight
        app.widget.scroll_to(y=30, animate=False)
        await pilot.pause()
        for height in (6, 12):
            await pilot.resize_terminal(40, height)
            await pilot.pause()
            assert app.lines()[0] == "row 30"


async def test_lines_fit_after_a_resize() -> None:
    app = Alone(RowList(ListRows([*HOSTILE.values()])))
    async with app.run_test(size=(120, 40)) as pilot:
        for width in (60, 100, 31):
            await pilot.resize_terminal(width, 20)
            await pilot.pause()
            strips = [app.widget.render_line(y) for y in range(app.widget.size.height)]
            assert {strip.cell_length for strip in strips} == {app.widget.row_width}
            assert not [strip.text for strip in strips if harmful(strip.text)]


@pytest.mark.parametrize("colours", [True, False])
async def test_without_colour_the_cursor_is_one_bar(
    monkeypatch: pytest.MonkeyPatch, *, colours: bool
) -> None:
    class Many(RowList[str]):
        def draw_row(self, row: str, index: int, width: int) -> Line:
            ink = self.palette
            return Line().add(row, ink.style("ink-faint")).gap(2).add(row, ink.style("money", bold=True))

    if not colours:
        monkeypatch.setenv("NO_COLOR", "1")
    app = Alone(Many(numbers(3)))
    async with app.run_test(size=(60, 5)) as pilot:
        app.widget.focus()
        await pilot.pause()
        styles = {segment.style for segment in app.widget.render_line(0) if segment.text.strip()}
        assert (len(styles) == 1) is not colours
        assert any(style is not None and style.reverse for style in styles) is not colours


def test_a_list_that_grew_keeps_its_pages_and_asks_only_for_the_rest() -> None:
    before: PagedRows[int] = PagedRows(PAGE + 1, lambda start, size: None)
    before.arrived(0, range(PAGE))
    before.arrived(PAGE, (PAGE,))
    asked: list[int] = []
    grown: PagedRows[int] = PagedRows(PAGE + 2, lambda start, size: asked.append(start))
    grown.go_on_from(before)
    assert [grown.row(place) for place in range(PAGE + 2)] == [*range(PAGE + 1), None]
    assert asked == [PAGE]
    grown.arrived(PAGE, (PAGE, PAGE + 1))
    assert grown.row(PAGE + 1) == PAGE + 1


async def test_a_long_list_that_grows_does_not_lay_the_screen_out_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Alone(Numbers(numbers(100)))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        laid: list[object] = []
        lay = Screen._refresh_layout

        def counted(self: Screen[object], *words: Any, **more: Any) -> None:
            laid.append(1)
            lay(self, *words, **more)

        monkeypatch.setattr(Screen, "_refresh_layout", counted)
        for _ in range(20):  # what the start still had to lay out is not meant
            laid.clear()
            await pilot.pause(0.05)
            if not laid:
                break
        app.widget.show(numbers(110))
        await pilot.pause()
        assert not laid
        await pilot.press("end")
        await pilot.pause()
        assert app.widget.cursor == 109
        assert app.lines()[-1] == "row 109"
