"""Banding and messages find each other, whatever bands are between."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.model.compaction.plan import Part, Span
from core.model.transcript.message import Message
from inspector.terminal.line import Palette, defaults
from inspector.widgets.messages.message_line import message_row
from inspector.widgets.messages.message_list import Band, Banding, draw_band, middle_band, partition_bands
from tests.inspector.widgets.charts.test_context_strip_layout import plan_of

LOADED_SKILL = (
    '[IMPORTANT: The user has invoked the "tidy" skill, as below.]\n\n'
    + "Never touch main.\n" * 500
    + "\nThe user has provided the following instruction alongside the skill invocation: sort it"
)


@st.composite
def listings(draw: st.DrawFn) -> Banding:
    messages = draw(st.integers(0, 60))
    places = draw(st.lists(st.integers(0, messages), max_size=6)) if messages else []
    return Banding(messages, tuple(Band(place, None, "band", "") for place in sorted(places)))


@given(listings())
@settings(max_examples=150, deadline=None)
def test_each_row_is_one_message_or_one_band_in_order(rows: Banding) -> None:
    found = [rows.at(row) for row in range(rows.count)]
    assert [item for item in found if isinstance(item, int)] == list(range(rows.messages))
    assert tuple(item for item in found if isinstance(item, Band)) == rows.bands
    for message in range(rows.messages):
        assert rows.at(rows.row_of(message)) == message


@given(listings())
@settings(max_examples=60, deadline=None)
def test_a_band_is_directly_above_its_message(rows: Banding) -> None:
    for row in range(rows.count):
        band = rows.at(row)
        if isinstance(band, Band) and band.before < rows.messages:
            assert rows.message_near(row) == band.before


def test_a_row_outside_the_list_is_an_error() -> None:
    with pytest.raises(IndexError):
        Banding(3).at(3)


def test_an_empty_list_has_no_message_near() -> None:
    assert Banding(0).message_near(0) is None


def test_the_bands_of_a_plan_name_what_would_be_lost_and_kept() -> None:
    middle, tail = partition_bands(plan_of([1] * 10, 3, 6))
    assert (middle.before, middle.part, middle.note) == (
        3,
        Part.MIDDLE,
        "6 messages · would become one summary",
    )
    assert (tail.before, tail.part, tail.note) == (9, Part.TAIL, "1 message · kept as they are")


def test_a_narrow_band_says_in_fewer_words_what_becomes_of_its_messages() -> None:
    def drawn(width: int, size: int) -> str:
        return draw_band(middle_band(Span(3, 3 + size), "would become"), width, Palette(defaults())).text

    assert drawn(56, 101).startswith(" ═ middle ═ 101 messages · would become one summary ═")
    for width, size in ((48, 101), (48, 12_345), (38, 101), (38, 1_234)):
        assert drawn(width, size).startswith(f" ═ middle ═ {size:,} messages → summary ═")


def test_a_plan_without_a_middle_says_so() -> None:
    (band,) = partition_bands(plan_of([1, 1], 2, 0))
    assert band.title == "nothing to summarise"
    assert partition_bands(plan_of([], 0, 0)) == ()


def test_a_summary_is_distinguished_from_what_its_user_said() -> None:
    rows = [
        message_row(0, Message({"role": "user", "content": text}), None, 1)
        for text in ("[CONTEXT SUMMARY]: so far", "hello")
    ]
    assert [row.preview.is_summary for row in rows] == [True, False]


def test_a_message_in_memory_shows_what_was_typed_and_not_the_skill_around_it() -> None:
    asked, found = (Message({"role": role, "content": LOADED_SKILL}) for role in ("user", "tool"))
    assert message_row(0, asked, None, 0).preview.text == "/tidy sort it"
    assert message_row(0, found, None, 0).preview.text.startswith("[IMPORTANT")
