"""The strip as drawn."""

from __future__ import annotations

import pytest
from textual.geometry import Size

from inspector.terminal.line import Palette, defaults
from inspector.widgets.charts.context_strip import BARE_CURSOR, FILL, ContextStrip, draw_cells, legend
from inspector.widgets.charts.context_strip_layout import strip_layout
from tests.inspector.widgets.alone import Alone
from tests.inspector.widgets.charts.test_context_strip_layout import plan_of

INK = Palette(defaults())


def test_each_part_has_a_texture_and_the_tick_is_at_the_threshold() -> None:
    plan = plan_of([20_000, 30_000, 50_000], 1, 1)
    cells = draw_cells(strip_layout(plan, 100), INK, None).strip().text.strip(" ")
    assert cells == "█" * 10 + "▒" * 15 + "▄" * 25 + "·" * 25 + "│"


def test_the_message_under_the_cursor_stands_out() -> None:
    plan = plan_of([50_000, 50_000], 0, 1)
    cells = draw_cells(strip_layout(plan, 80), INK, 1).strip().text
    assert cells.count("█") == 20


def test_the_legend_counts_messages_and_tokens_and_foresees_the_summary() -> None:
    plan = plan_of([1_000, 30_000, 50_000], 1, 1)
    text = legend(plan, strip_layout(plan, 120), INK).strip().text
    assert "█ head 1 · 1.0K   ▒ middle 1 · 30.0K   ▄ tail 1 · 50.0K" in text
    assert text.index("│ threshold 150K") == 1 + 120 * 3 // 4


@pytest.mark.parametrize("width", range(20, 130, 7))
def test_the_legend_never_outgrows_the_strip_where_it_can_help_it(width: int) -> None:
    plan = plan_of([1_000, 30_000, 50_000], 1, 1, compared=90_000)
    line = legend(plan, strip_layout(plan, width), INK)
    assert line.width <= max(width + 2, 70)


async def test_without_colour_the_cursor_has_a_sign_that_no_part_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with (app := Alone(ContextStrip())).run_test(size=(82, 4)):
        strip = app.widget
        strip.show(plan_of([50_000, 30_000], 1, 0))
        strip.cursor = 0
        assert strip.render_line(0).text.count(BARE_CURSOR) == 20
        assert BARE_CURSOR not in FILL.values()


async def test_a_strip_that_is_drawn_before_it_hears_of_its_new_width_fills_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with (app := Alone(ContextStrip())).run_test(size=(120, 4)):
        strip = app.widget
        plan = plan_of([20_000, 30_000, 50_000], 1, 1)
        strip.show(plan)
        assert strip.render_line(0).text.index("│") == 1 + (strip_layout(plan, 118).threshold or 0)
        monkeypatch.setattr(ContextStrip, "size", Size(82, 2))  # the event that says so is still to come
        assert strip.render_line(0).text.index("│") == 1 + (strip_layout(plan, 80).threshold or 0)
