"""Both sides of the preview and the way from one to the other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.hermes.policy.policy import load_policy
from core.model.compaction.plan import Settings, Span
from core.model.compaction.preview import Retention
from core.model.transcript.message import Message
from core.preview.comparison import Comparison, begun, kept_of
from inspector.screens.workspace.preview.paired_rows import (
    AfterRows,
    BeforeRows,
    SummaryLine,
    before_banding,
    blocks_of,
    folded,
    linked,
    mask_first_rows,
)
from inspector.terminal.line import Palette, defaults
from inspector.widgets.messages import message_line
from inspector.widgets.messages.message_line import MessageRow
from inspector.widgets.messages.message_list import Band

SUMMARY = "## Goal\nFix the tests\n## Done\n" + "1. READ src/auth.py and found the token check " * 3


def said(index: int, role: str = "user") -> Message:
    return Message({"role": role, "content": f"message {index}"})


def compacted(head: int, middle: int, tail: int, summary: str = SUMMARY) -> Comparison:
    before = tuple(said(index) for index in range(head + middle + tail))
    new = Message({"role": "user", "content": f"[CONTEXT SUMMARY]: handoff words\n{summary}"})
    after = (*before[:head], *((new,) if middle else ()), *before[head + middle :])
    at = head if middle else None
    return Comparison(
        before=before,
        after=after,
        head=Span(0, head),
        middle=Span(head, head + middle),
        tail=Span(head + middle, len(before)),
        kept=kept_of(before, after, at),
        summary_index=at,
        summary=summary,
        before_tokens=1_000,
        after_tokens=400,
        made_by="extractive",
        retention=Retention(facts=(), losses=tuple(0.5 for _ in range(middle))),
    )


SIZES = st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(0, 9))


@given(SIZES, st.integers(10, 90))
@settings(max_examples=80, deadline=None)
def test_the_right_side_holds_every_message_after_once_and_the_summary_in_lines(
    sizes: tuple[int, int, int], width: int
) -> None:
    shown = compacted(*sizes)
    rows = AfterRows(shown, width)
    entries = [rows.row(index) for index in range(rows.count)]
    messages = [entry.index for entry in entries if isinstance(entry, MessageRow)]
    others = [index for index in range(len(shown.after)) if index != shown.summary_index]
    assert messages == others
    assert any(isinstance(entry, SummaryLine) for entry in entries) == bool(sizes[1])
    assert rows.row(rows.count) is None


@given(SIZES, st.integers(10, 90))
@settings(max_examples=80, deadline=None)
def test_scrolling_one_side_moves_the_other_in_order_and_part_by_part(
    sizes: tuple[int, int, int], width: int
) -> None:
    shown = compacted(*sizes)
    banding = before_banding(shown)
    here = blocks_of(banding, shown.head.size, shown.middle.size)
    there = AfterRows(shown, width).blocks
    places = [linked(row, here, there) for row in range(banding.count)]
    assert places == sorted(places)
    assert all(0 <= place <= there[3] for place in places)
    for start, other in zip(here[:3], there[:3], strict=True):
        if start < banding.count and start not in here[:3][: here.index(start)]:
            assert linked(start, here, there) in (other, *there)


def test_the_left_side_shows_how_much_of_each_message_is_lost() -> None:
    rows = BeforeRows(compacted(2, 3, 1))
    assert [row.lost for index in range(6) if (row := rows.row(index))] == [None, None, 0.5, 0.5, 0.5, None]


def test_what_was_drawn_ahead_in_a_worker_is_not_masked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = compacted(2, 300, 60)
    mask_first_rows(shown.before, 302, Palette(defaults()))
    monkeypatch.setattr(message_line, "masked_start", None)
    rows = BeforeRows(shown)
    for index in (0, 40, 302, 361):
        assert rows.row(index) is not None
    with pytest.raises(TypeError):
        rows.row(200)


def test_bands_say_what_would_be_and_what_was() -> None:
    bands = before_banding(compacted(1, 2, 1)).bands
    assert [band.note for band in bands] == [
        "1 message · kept",
        "2 messages · would become one summary",
        "1 message · kept",
    ]


def test_the_summary_is_under_its_band_with_its_handoff_in_one_line() -> None:
    rows = AfterRows(compacted(1, 4, 1), 40)
    entries = [rows.row(index) for index in range(rows.count)]
    at = next(i for i, entry in enumerate(entries) if isinstance(entry, Band) and entry.title == "summary")
    first, second = entries[at + 1], entries[at + 2]
    assert isinstance(first, SummaryLine)
    assert first.aside
    assert first.text.startswith("Hermes' introduction text (32 characters): [CONTEXT SUMMARY]")
    assert second == SummaryLine("## Goal", heading=True)


@given(SIZES.filter(lambda sizes: sizes[1] > 0))
@settings(max_examples=40, deadline=None)
def test_before_there_is_a_summary_both_sides_hold_what_they_will(sizes: tuple[int, int, int]) -> None:
    done = compacted(*sizes)
    measured = measure(done.before, load_policy("0.19"))
    cut = replace(plan(measured, Settings()), head=done.head, middle=done.middle, tail=done.tail)
    early = begun(done.before, cut, "being written …")
    assert (early.summary_index, early.kept) == (done.summary_index, done.kept)
    rows = AfterRows(early, 60)
    lines = [row for index in range(rows.count) if isinstance(row := rows.row(index), SummaryLine)]
    assert [line.text for line in lines] == ["being written …"]


def test_messages_that_repeat_each_other_are_paired_from_the_end() -> None:
    twin = said(1)
    assert kept_of((twin, twin, said(2)), (twin, said(2)), None) == {0: 1, 1: 2}


def test_headings_nothing_is_under_are_named_in_one_line() -> None:
    told, empty = folded(["## Goal", "Ship it", "", "## Blocked", "None.", "", "# Files", "## Read", "a.py"])
    assert told == ["## Goal", "Ship it", "", "# Files", "## Read", "a.py"]
    assert empty == ["Blocked"]


def test_a_summary_without_headings_stays_as_it_is() -> None:
    assert folded(["None.", "Done."]) == (["None.", "Done."], [])


def test_both_sides_say_unchanged_where_every_message_stays() -> None:
    same = tuple(said(index) for index in range(24))
    shown = replace(
        compacted(0, 1, 23), before=same, after=same, kept=kept_of(same, same, None), summary_index=None
    )
    assert [(band.title, band.note) for band in before_banding(shown).bands] == [("unchanged", "24 messages")]
    assert AfterRows(shown, 80).banding.bands == before_banding(shown).bands
