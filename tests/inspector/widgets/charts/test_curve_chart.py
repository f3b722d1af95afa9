from __future__ import annotations

import pytest

from inspector.terminal.line import Palette, defaults
from inspector.widgets.charts.context_bar import ContextUse, draw_context_use
from inspector.widgets.charts.curve import Mark
from inspector.widgets.charts.curve_chart import CurveChart
from inspector.widgets.charts.stack import prompt_layers
from tests.inspector.widgets.alone import Alone


async def test_values_rise_to_the_threshold_and_fall_at_a_mark() -> None:
    async with (app := Alone(CurveChart())).run_test(size=(25, 10)) as pilot:
        chart = app.widget
        chart.styles.height = 6
        chart.values = (20_000, 40_000, 60_000, 80_000, 100_000, 120_000, 20_000, 40_000)
        chart.threshold = 100_000
        chart.marks = (Mark(6, "part-middle"),)
        chart.caption = "8 calls"
        await pilot.pause()
        assert app.lines() == [
            "   100K ────────▃▃██────",
            "              ▅▅████",
            "          ▃▃████████  ▃▃",
            "        ▅▅██████████▅▅██",
            "      0 ────────────①───",
            "        8 calls",
        ]


async def test_bars_fill_the_width_of_a_screen_that_became_wider() -> None:
    async with (app := Alone(CurveChart())).run_test(size=(25, 10)) as pilot:
        app.widget.values = (3, 3, 3)
        await pilot.pause()
        await pilot.resize_terminal(60, 10)
        assert app.lines()[3].endswith("█" * 51)


async def test_what_stays_below_the_threshold_does_not_break_its_line() -> None:
    async with (app := Alone(CurveChart())).run_test(size=(40, 10)) as pilot:
        chart = app.widget
        chart.values, chart.threshold, chart.ends = (10, 99, 100), 100, ("14:05", "15:17")
        chart.caption = "3 calls"
        await pilot.pause()
        assert app.lines()[0] == "    100 ─────────────────────▄▄▄▄▄▄▄▄▄▄"
        assert app.lines()[-1] == "        14:05   3 calls           15:17"


async def test_a_high_chart_has_a_fine_line_through_its_columns_at_every_number_of_its_scale() -> None:
    async with (app := Alone(CurveChart())).run_test(size=(40, 24)) as pilot:
        chart = app.widget
        chart.styles.height, chart.unit = 22, "%"
        chart.values = (100, 100, 10, 100)
        await pilot.pause()
        lines = app.lines()
        for number in ("80%", "60%", "40%", "20%"):
            (row,) = (line for line in lines if line.strip().startswith(number))
            assert set(row.split()[1]) == {"▇"}
        assert "▇" not in lines[0]
        chart.styles.height = 10
        await pilot.pause()
        assert not any("▇" in line for line in app.lines())


async def test_a_fine_line_replaces_no_texture_where_there_is_no_colour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with (app := Alone(CurveChart())).run_test(size=(40, 24)) as pilot:
        app.widget.styles.height = 22
        app.widget.values, app.widget.made_of = (100, 100), prompt_layers([(100, 0, 0), (100, 50, 0)])
        await pilot.pause()
        assert "▒" in app.lines()[0]
        assert not any("▇" in line for line in app.lines())


async def test_the_colours_near_and_past_the_threshold_are_named() -> None:
    async with (app := Alone(CurveChart())).run_test(size=(90, 10)) as pilot:
        chart = app.widget
        chart.values, chart.threshold, chart.ends = (10, 60, 90, 110), 100, ("14:05", "15:17")
        await pilot.pause()
        assert "■ from 85% of the limit  ■ past the limit" in app.lines()[-1]
        chart.values = (10, 60)
        await pilot.pause()
        assert "limit" not in app.lines()[-1]
        chart.values, chart.ends, chart.caption = (10, 90), ("", ""), "2 calls"
        await pilot.pause()
        assert app.lines()[-1] == "        2 calls  ■ from 85% of the limit"


async def test_a_column_past_the_threshold_has_no_hole_where_two_parts_meet() -> None:
    async with (app := Alone(CurveChart())).run_test(size=(20, 10)) as pilot:
        chart = app.widget
        chart.styles.height = 6
        chart.made_of = prompt_layers([(120, 78, None)])
        chart.values, chart.threshold = (120,), 80
        await pilot.pause()
        filled = [line[9:].strip(" ─") for line in app.lines() if line[9:].strip(" ─")]
        assert filled[:4] == ["█" * 10] * 4, app.lines()


async def test_asides_are_where_they_fell_and_before_a_number_that_fell_there() -> None:
    async with (app := Alone(CurveChart())).run_test(size=(25, 10)) as pilot:
        chart = app.widget
        chart.values = (1, 2, 3, 4, 5, 6, 7, 8)
        chart.marks = (Mark(6, "part-middle"),)
        chart.asides = (Mark(2, "severity-info", "⇄"), Mark(6, "severity-critical", "×"))
        await pilot.pause()
        assert "      0 ────⇄──────×①───" in app.lines()


async def test_a_chart_without_values_is_only_its_axes() -> None:
    async with (app := Alone(CurveChart())).run_test(size=(30, 10)):
        assert all("█" not in line for line in app.lines())


def bar(use: ContextUse, width: int = 20) -> str:
    return draw_context_use(use, width, Palette(defaults())).text


def test_a_gauge_has_its_size_and_its_limit_if_one_is_known() -> None:
    assert bar(ContextUse(50_000, 150_000, 200_000)) == "━━────│─    50K/150K"
    assert bar(ContextUse(199_000, 150_000, 200_000)) == "━━━━━━│━   199K/150K"
    assert bar(ContextUse(300_000, None, 200_000)).endswith("━      300K/–")
    assert bar(ContextUse(16_300, 54_400, 64_000)).endswith("─ 16.3K/54.4K")


def test_an_unknown_window_is_stated_in_words_where_there_is_room() -> None:
    assert bar(ContextUse(50_000, None, None)).strip() == "– window unknown"
    assert bar(ContextUse(50_000, None, None), 12).strip() == "–"


def test_the_colour_follows_the_threshold_not_the_window() -> None:
    tokens = [ContextUse(size, 50_000, 200_000).token for size in (10_000, 45_000, 50_000)]
    assert tokens == ["severity-info", "severity-warning", "severity-critical"]
