from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from inspector.terminal.line import Palette, defaults
from inspector.widgets.charts.stack import (
    Layer,
    cell_of,
    drawn,
    ends_of,
    even_top,
    legend,
    prompt_layers,
    round_marks,
)

ROWS = 6


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=4), st.floats(1, 4000))
def test_a_column_is_as_high_as_its_parts_together_and_never_higher_than_the_chart(
    parts: list[float], top: float
) -> None:
    ends = ends_of(parts, top, ROWS)
    levels = [8 if (cell := cell_of(ends, row)).above is not None else cell.level for row in range(ROWS)]
    assert sum(levels) == ends[-1] == min(ROWS * 8, round(sum(parts) / top * ROWS * 8))
    assert sorted(levels, reverse=True) == levels


@given(st.lists(st.integers(0, 100), min_size=2, max_size=2))
def test_two_layers_show_to_the_eighth_how_large_each_is(parts: list[int]) -> None:
    ends = ends_of(parts, 200, ROWS)
    shown: Counter[int] = Counter()
    for row in range(ROWS):
        cell = cell_of(ends, row)
        shown[cell.layer] += cell.level
        if cell.above is not None:
            shown[cell.above] += 8 - cell.level
    crowded = any(0 < end - start < 8 and end % 8 for start, end in zip((0, *ends), ends, strict=False))
    if not crowded and ends[-1] % 8 == 0:
        assert [shown[0], shown[1]] == [ends[0], ends[1] - ends[0]]


def test_without_colour_layers_differ_by_their_texture() -> None:
    layers = [Layer("read", "bucket-read", "█", (8,)), Layer("new", "bucket-fresh", "▒", (8,))]
    ends, ink = ends_of([8, 8], 16, 2), Palette(defaults())
    assert [drawn(cell_of(ends, row), layers, ink, plain=True)[0] for row in (0, 1)] == ["█", "▒"]


def test_where_two_layers_meet_in_a_cell_both_colours_show() -> None:
    layers = [Layer("read", "bucket-read", "█", (4,)), Layer("new", "bucket-fresh", "▒", (4,))]
    sign, style = drawn(cell_of(ends_of([4, 4], 8, 1), 0), layers, ink := Palette(defaults()))
    assert (sign, style) == ("▄", ink.style("bucket-read", on="bucket-fresh"))


def test_the_parts_of_a_prompt_sum_up_to_it_whatever_the_log_says() -> None:
    calls = [(100, 80, 15), (100, None, None), (100, 120, 40), (100, 0, None)]
    layers = prompt_layers(calls)
    assert [sum(layer.values[place] for layer in layers) for place in range(4)] == [100] * 4
    assert [layer.values[0] for layer in layers] == [80, 15, 5, 0]
    assert layers[-1].values[1] == 100


def test_prompts_of_which_nothing_is_known_are_not_split() -> None:
    assert prompt_layers([(100, None, None)]) == ()


def test_a_scale_has_round_numbers_where_they_leave_room_for_what_is_there_already() -> None:
    assert round_marks(162_000, 6) == {3: 100_000}
    assert round_marks(100, 4) == {1: 50, 3: 100}
    assert round_marks(25.0, 10, used={8: 23.0}) == {1: 5, 3: 10, 5: 15}
    assert round_marks(100_000, 5, used={4: 99_000, 2: 55_000}) == {}


@given(st.floats(1e-6, 1e12), st.integers(1, 60))
def test_a_number_of_a_scale_is_half_a_row_from_its_place_at_most(top: float, rows: int) -> None:
    for row, mark in round_marks(top, rows).items():
        assert 0 < mark <= top * (1 + 1e-9)
        assert abs(mark / top * rows - (row + 1)) <= 0.5 + 1e-6


@given(st.floats(1e-6, 1e12), st.integers(1, 60), st.integers(0, 59))
def test_the_numbers_of_a_scale_stand_in_even_rows(top: float, rows: int, used: int) -> None:
    marks = sorted(round_marks(top, rows, {used: (used + 1) / rows * top}).items())
    a_row = [(row + 1) * marks[0][1] / mark for row, mark in marks]
    assert not marks or max(a_row) - min(a_row) <= 0.5 + 0.2 * max(a_row)
    assert round_marks(23.0, 10, used={9: 23.0}) == {3: 10}, "not 5, 10 and 15 after two, two and three rows"


def test_a_number_that_would_seem_halfway_to_the_limit_is_left_out() -> None:
    assert round_marks(162_000, 4, used={3: 150_000}) == {}
    assert round_marks(162_000, 9, used={8: 150_000}) == {2: 50_000, 5: 100_000}
    assert round_marks(58_752, 9, used={8: 54_400}) == {2: 20_000, 5: 40_000}
    assert all(round_marks(58_752, rows, used={rows - 1: 54_400}) for rows in range(6, 14))


@given(st.floats(1e-6, 1e12), st.integers(1, 60))
def test_a_chart_leaves_little_room_above_its_highest_bar(top: float, rows: int) -> None:
    assert top <= even_top(top, rows) <= 1.1 * top
    assert even_top(23.0, 10) == 25.0


def test_a_legend_names_only_the_parts_that_can_be_seen() -> None:
    layers = prompt_layers([(100, 90, None), (100, 100, None)])
    columns = [ends_of(parts, 100, ROWS) for parts in ([90, 0, 10, 0], [100, 0, 0, 0])]
    assert [words for _, words in legend(layers, columns)] == ["■ from the cache", "■ new"]
    assert [words for _, words in legend(layers, [ends_of([999, 0, 1, 0], 1000, ROWS)])] == [
        "■ from the cache"
    ]


def test_without_colour_a_legend_names_only_textures_that_are_drawn() -> None:
    layers = prompt_layers([(100, 96, None)])
    thin, thick = ends_of([93, 0, 3, 0], 100, ROWS), ends_of([50, 0, 50, 0], 100, ROWS)
    assert [words for _, words in legend(layers, [thin], plain=True)] == ["█ from the cache"]
    assert [words for _, words in legend(layers, [thick], plain=True)] == ["█ from the cache", "▒ new"]
