"""The strip is correct at every width."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.model.compaction.plan import Part, Plan, Settings, Span
from inspector.widgets.charts.context_bar import apportion
from inspector.widgets.charts.context_strip_layout import strip_layout

WEIGHTS = st.lists(st.integers(0, 5_000), max_size=40)


def plan_of(
    estimates: list[int],
    head: int,
    middle: int,
    *,
    window: int | None = 200_000,
    threshold: int | None = 150_000,
    compared: int | None = None,
) -> Plan:
    """A plan with the given cut; only what the strip reads is filled in."""
    total = sum(estimates)
    return Plan(
        release="0.19", group="D", settings=Settings(window=window), threshold_percent=0.75,
        threshold_tokens=threshold, estimated_tokens=total, messages=len(estimates), head=Span(0, head),
        middle=Span(head, head + middle), tail=Span(head + middle, len(estimates)),
        compared_tokens=total if compared is None else compared, estimates=tuple(estimates),
    )  # fmt: skip


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    estimates = draw(WEIGHTS)
    head = draw(st.integers(0, len(estimates)))
    middle = draw(st.integers(0, len(estimates) - head))
    window = draw(st.none() | st.integers(1, 100_000))
    threshold = None if window is None else draw(st.integers(1, window))
    compared = draw(st.none() | st.integers(0, 150_000))
    return plan_of(estimates, head, middle, window=window, threshold=threshold, compared=compared)


@given(WEIGHTS, st.integers(0, 200))
@settings(max_examples=150, deadline=None)
def test_apportioned_cells_add_up_and_hide_nothing(weights: list[int], cells: int) -> None:
    shares = apportion(weights, cells)
    assert sum(shares) == (cells if sum(weights) else 0)
    assert all(share == 0 for share, weight in zip(shares, weights, strict=True) if weight == 0)
    if sum(1 for weight in weights if weight) <= cells:
        assert all(share >= 1 for share, weight in zip(shares, weights, strict=True) if weight)


@given(st.lists(st.integers(100, 1_000), min_size=1, max_size=8), st.integers(80, 300))
@settings(max_examples=100, deadline=None)
def test_no_share_is_a_whole_cell_off_when_none_is_starved(weights: list[int], cells: int) -> None:
    total = sum(weights)
    for share, weight in zip(apportion(weights, cells), weights, strict=True):
        assert abs(share - weight * cells / total) < 1


@given(plans(), st.integers(8, 220))
@settings(max_examples=200, deadline=None)
def test_every_cell_has_one_part_and_existing_parts_have_a_cell(plan: Plan, width: int) -> None:
    layout = strip_layout(plan, width)
    assert sum(len(layout.cells(part)) for part in Part) == width
    if plan.compared_tokens >= len(plan.estimates):
        for part, span in ((Part.HEAD, plan.head), (Part.MIDDLE, plan.middle), (Part.TAIL, plan.tail)):
            tokens = sum(plan.estimates[span.start : span.end])
            assert (len(layout.cells(part)) > 0) or tokens * width < layout.scale or not plan.compared_tokens


@given(plans(), st.integers(8, 220))
@settings(max_examples=200, deadline=None)
def test_the_tick_is_in_the_filled_part_exactly_when_the_threshold_is_reached(plan: Plan, width: int) -> None:
    layout = strip_layout(plan, width)
    if layout.threshold is None:
        assert plan.threshold_tokens is None
        return
    assert 0 <= layout.threshold < width
    reached = plan.compared_tokens >= (plan.threshold_tokens or 0)
    filled = layout.part(layout.threshold) not in (Part.ROOM, Part.MARGIN)
    assert filled == reached or layout.threshold == width - 1


@given(plans(), st.integers(8, 220))
@settings(max_examples=200, deadline=None)
def test_a_click_on_a_cell_finds_the_message_that_owns_it(plan: Plan, width: int) -> None:
    layout = strip_layout(plan, width)
    for cell in range(width):
        message = layout.message_at(cell)
        if message is not None:
            assert cell in layout.cells_of(message)
    owners = [m for cell in range(width) if (m := layout.message_at(cell)) is not None]
    assert all(left <= right for left, right in pairwise(owners))


@given(plans(), st.integers(8, 220))
@settings(max_examples=100, deadline=None)
def test_every_message_can_be_found_on_the_strip(plan: Plan, width: int) -> None:
    layout = strip_layout(plan, width)
    for message, tokens in enumerate(plan.estimates):
        cells = layout.cells_of(message)
        if tokens and plan.compared_tokens >= len(plan.estimates):
            part = next(
                p
                for p in Part
                if layout.spans[list(Part).index(p)][0] <= message < layout.spans[list(Part).index(p)][1]
            )
            assert set(cells) <= set(layout.cells(part))


def test_partitions_of_the_sketch_land_where_their_tokens_say() -> None:
    layout = strip_layout(plan_of([20_000, 30_000, 50_000], 1, 1), 100)
    assert [len(layout.cells(part)) for part in Part] == [0, 10, 15, 25, 25, 25]
    assert layout.threshold == 75


def test_tokens_no_message_accounts_for_are_drawn_first() -> None:
    layout = strip_layout(plan_of([10_000], 1, 0, window=100_000, threshold=50_000, compared=20_000), 100)
    assert len(layout.cells(Part.OUTSIDE)) == 10
    assert layout.cells(Part.HEAD) == range(10, 20)


def test_a_request_larger_than_its_window_shows_where_the_window_ends() -> None:
    layout = strip_layout(plan_of([200_000], 1, 0, window=100_000, threshold=50_000), 100)
    assert (layout.threshold, layout.window_end) == (25, 50)


def test_an_unknown_window_has_no_tick_and_the_messages_fill_the_line() -> None:
    layout = strip_layout(plan_of([5, 5], 1, 0, window=None, threshold=None), 40)
    assert layout.threshold is None
    assert [len(layout.cells(part)) for part in Part] == [0, 20, 0, 20, 0, 0]


@pytest.mark.parametrize("width", [0, 1, 3])
def test_a_sliver_of_a_line_is_still_drawn(width: int) -> None:
    layout = strip_layout(plan_of([5, 5, 5, 5], 1, 1), width)
    assert layout.ends[-1] == width
