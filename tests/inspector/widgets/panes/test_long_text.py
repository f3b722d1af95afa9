"""A long text in a pane: whole, masked, wrapped again for another width."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.terminal.line import Line, Palette
from inspector.widgets.panes.text_pane import LongText, TextPane
from tests.inspector.driving import at_sizes, settle, settled
from tests.inspector.screens.conftest import drawn
from tests.inspector.widgets.alone import Alone

SECRET = "sk-ant-api03-" + "Zx9Qw7" * 8
TEXT = "\n".join((*(f"line {number} of a prompt" for number in range(3_000)), f"key {SECRET}"))


async def test_it_is_shown_whole_masked_and_wrapped_for_the_width_there_is() -> None:
    async with (app := Alone(LongText())).run_test(size=(60, 10)) as pilot:
        pane = app.widget
        pane.read(TEXT)
        await settle(pilot)
        assert pane.rows.count == 3_001
        assert "line 2999 of a prompt" in pane.text
        assert SECRET not in pane.text
        pane.action_bottom()
        await pilot.resize_terminal(14, 10)
        await settle(pilot)
        assert pane.rows.count > 6_000
        assert pane.scroll_offset.y > 0


async def test_another_text_begins_at_its_top_unless_the_place_is_kept() -> None:
    async with (app := Alone(LongText())).run_test(size=(60, 10)) as pilot:
        pane = app.widget
        pane.read(TEXT)
        await settle(pilot)
        pane.action_bottom()
        pane.read(TEXT + "\nmore", keep_place=True)
        await settle(pilot)
        assert pane.scroll_offset.y > 0
        pane.read("another")
        await settle(pilot)
        assert (pane.scroll_offset.y, pane.text) == (0, " another")


async def test_text_longer_than_its_pane_is_drawn_anew_where_the_window_gets_another_width() -> None:
    def told(width: int, ink: Palette) -> Iterator[Line]:
        for number in range(200):
            yield Line().add(f"line {number} of {width} cells")

    pane = TextPane()
    async with settled(Alone(pane), 60, 10) as pilot:
        pane.show(told)
        async for width in at_sizes(pilot, (60, 10), (90, 10), (50, 12)):
            text = drawn(pilot)
            assert f"line 1 of {pane.row_width} cells" in text, width
