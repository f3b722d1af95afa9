"""The preview: what a compaction would lose, what one did lose, and who writes the summary."""

from __future__ import annotations

from dataclasses import replace
from threading import Thread, current_thread, main_thread

import pytest
from textual.events import MouseScrollDown

from core.model.compaction.preview import Retention, Unsupported
from core.model.finding import Headline
from core.preview.comparison import Comparison
from core.preview.headline import comparison_headline
from core.store.database.locate import Location
from inspector.screens.workspace.map.view import MapView
from inspector.screens.workspace.preview.after_list import FactList
from inspector.screens.workspace.preview.header import words_of
from inspector.screens.workspace.preview.paired_rows import AfterRows, before_banding, blocks_of, linked
from inspector.screens.workspace.preview.panes import DIFF, LOST, SIDES, PreviewPanes
from inspector.screens.workspace.preview.summariser_choice import WriterChoice
from inspector.screens.workspace.preview.view import PreviewView
from inspector.widgets.charts.retention import PENDING
from inspector.widgets.messages.diff_view import DiffView
from tests.hostile import harmful
from tests.inspector.driving import at_sizes, settled
from tests.inspector.screens.conftest import answer, drawn, open_app, press, settle
from tests.inspector.screens.previewing import AUTH, FULL, SMALL, basis_of, shown, view


async def test_the_header_says_how_much_smaller_by_whom_and_for_how_much_and_what_is_lacking(
    samples: Location,
) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        words = " ".join(drawn(pilot).split())
        found = shown(pilot)
        assert f"{found.middle.size} of {len(found.before)} messages become one summary" in words
        assert ", saves ~$" in words
        assert "no focus summariser: offline summary $0" in words
        printed = f"Compressed: {len(found.before)} → {len(found.after)} messages"
        assert f"would print: “{printed}" in words
        assert comparison_headline(found).sentence in words
        *lines, note = words_of(replace(found, notes=("The old summary stays.",)), 200)
        assert all(quoted for quoted, _ in lines)
        assert note == (False, "The old summary stays.")


async def test_where_nothing_would_change_no_summary_is_waited_for(samples: Location) -> None:
    async with settled(open_app(samples, "Rename the CLI flag", "preview"), 120, 40) as pilot:
        text = drawn(pilot)
        assert "Nothing would change" in text
        assert "Nothing is removed or lost." in text
        assert "once there is a summary" not in text
        assert "summariser: " not in text
        await pilot.press("x")
        assert drawn(pilot).count("Nothing is removed or lost.") == 1


async def test_where_nothing_would_change_no_key_that_needs_a_summary_is_offered(samples: Location) -> None:
    needing = ("f focus", "F compare", "A apply", "m summariser", "E edit", "p prompt")
    async with settled(open_app(samples, "Rename the CLI flag", "preview"), 200, 60) as pilot:
        assert "t keep turns" in drawn(pilot)  # another cut may summarise something
        assert not [key for key in needing if key in drawn(pilot)]
    async with settled(open_app(samples, AUTH, "preview"), 200, 60) as pilot:
        assert [key for key in needing if key in drawn(pilot)] == [*needing]


@pytest.mark.parametrize("key", ["A", "E"])
async def test_a_past_compaction_is_not_written_again_and_the_way_to_the_next_is_told(
    samples: Location, key: str
) -> None:
    async with settled(open_app(samples, AUTH, "preview"), 120, 40, notifications=True) as pilot:
        await press(pilot, "left_square_bracket", key)
        assert "This compaction already happened." in drawn(pilot)


async def test_while_a_key_is_refused_it_is_mended_before_anything_is_compressed(samples: Location) -> None:
    async with settled(open_app(samples, "Why is the deploy slow", "preview"), 120, 40) as pilot:
        told = comparison_headline(shown(pilot))
        assert str(told.remedy).startswith("Set the API key of its provider")
        assert "Fix: Set the API key of its provider" in drawn(pilot)


async def test_the_answer_is_complete_at_every_width(samples: Location) -> None:
    async with open_app(samples, FULL, "preview").run_test() as pilot:
        async for _ in at_sizes(pilot, (60, 24), (80, 24), (100, 24)):
            assert comparison_headline(shown(pilot)).sentence in " ".join(drawn(pilot).split())


async def test_head_and_tail_are_kept_on_both_sides(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        text = drawn(pilot)
        assert text.count("═ head ═") == 2
        assert "would become one summary" in text
        found = shown(pilot)
        assert sorted(found.kept.values()) == [
            *range(found.head.end),
            *range(found.tail.start, found.tail.end),
        ]


async def test_scrolling_one_side_takes_the_other_to_the_same_part(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        await press(pilot, "G")
        after = view(pilot).panes.after
        assert after.scroll_offset.y > 0
        assert "═ tail ═" in drawn(pilot)
        await press(pilot, "g")
        assert after.scroll_offset.y == 0
        after.scroll_to(y=after.max_scroll_y, animate=False)
        await settle(pilot)
        assert view(pilot).panes.before.scroll_offset.y > 0


async def test_a_focus_is_asked_for_and_counted_apart(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        await press(pilot, "f")
        await answer(pilot, "reader")
        retention = shown(pilot).retention
        assert shown(pilot).focus == "reader"
        assert retention is not None
        assert retention.focus is not None
        assert "facts of “reader”" in " ".join(drawn(pilot).split())
        await press(pilot, "f")
        await answer(pilot, "")
        assert shown(pilot).focus is None


async def test_the_diff_has_a_section_for_each_part(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        await press(pilot, "d")
        assert view(pilot).panes.mode == DIFF
        lines = [row for index in range(pilot.app.screen.query_one(DiffView).rows.count)
                 if (row := pilot.app.screen.query_one(DiffView).rows.row(index))]  # fmt: skip
        assert [line.text.split(" ")[0] for line in lines if line.kind == "@"] == ["head", "middle", "tail"]
        removed = {line.message for line in lines if line.kind == "-"}
        assert set(range(*shown(pilot).middle)) <= removed
        await press(pilot, "d")
        assert view(pilot).panes.mode == SIDES


async def test_a_fact_leads_to_its_message(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        await press(pilot, "x")
        assert view(pilot).panes.mode == LOST
        fact = pilot.app.screen.query_one(FactList).current
        assert fact is not None
        await press(pilot, "enter")
        assert view(pilot).panes.mode == SIDES
        assert view(pilot).panes.before.message == fact.messages[-1]


async def test_enter_shows_the_message_on_the_map(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        place = view(pilot).panes.before.message
        await press(pilot, "enter")
        there = pilot.app.screen.query_one(MapView)
        assert there.display
        assert there.panes.list.message == place


async def test_an_older_generation_shows_what_really_happened(samples: Location) -> None:
    async with settled(open_app(samples, AUTH, "preview"), 140, 40) as pilot:
        assert not shown(pilot).real
        await press(pilot, "left_square_bracket")
        found = shown(pilot)
        assert found.real
        assert "became one summary" in drawn(pilot)
        assert "It happened 2026-11-21" in drawn(pilot)
        assert found.focus
        assert found.retention is not None
        for place, origin in found.kept.items():
            assert found.after[place].role == found.before[origin].role


async def test_nothing_to_summarise_is_stated_in_hermes_words(samples: Location) -> None:
    async with settled(open_app(samples, SMALL, "preview"), 140, 30, notifications=True) as pilot:
        assert "No changes from compression" in drawn(pilot)
        assert len(shown(pilot).after) == len(shown(pilot).before)
        await press(pilot, "m")
        assert not isinstance(pilot.app.screen, WriterChoice)


async def test_hostile_text_reaches_no_terminal_at_any_size(samples: Location) -> None:
    async with open_app(samples, "20261112", "preview").run_test() as pilot:
        async for _ in at_sizes(pilot, (60, 18), (80, 24), (200, 60)):
            for key in ("g", "G", "d", "x", "p", "escape"):
                await press(pilot, key)
                assert not harmful(drawn(pilot))


async def test_the_boundary_moves_to_the_turns_the_user_keeps(samples: Location) -> None:
    async with settled(open_app(samples, AUTH, "preview"), 170, 40) as pilot:
        view = pilot.app.screen.query_one(PreviewView)
        assert view.work.shown is not None
        by_itself = view.work.shown.tail
        await press(pilot, "t")
        await answer(pilot, "3")
        asked = [i for i, message in enumerate(view.work.shown.before) if message.role == "user"]
        moved = view.work.shown.tail
        assert view.work.shown.made is not None
        assert view.work.shown.made.plan.kept_from == asked[-3]
        assert moved != by_itself
        assert "boundary moved by you" in drawn(pilot)
        await press(pilot, "t")
        await answer(pilot, "many")
        assert view.work.shown.tail == moved
        await press(pilot, "f")
        await answer(pilot, "tokens")
        assert view.work.shown.tail == by_itself
        assert view.work.shown.made.focus == "tokens"
        await press(pilot, "t")
        await answer(pilot, "3")
        assert view.work.shown.tail == moved
        assert not view.work.focus
        await press(pilot, "t")
        await answer(pilot, "")
        assert view.work.shown.tail == by_itself


async def test_what_the_map_supposes_is_previewed_and_said_until_it_is_reset(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "map"), 150, 40) as pilot:
        await press(pilot, "3")
        true = shown(pilot).middle
        await press(pilot, "1", "w", "tab", "tab", "enter")
        await answer(pilot, "0.8")
        await press(pilot, "3")
        assert "what if: tail 0.80" in drawn(pilot)
        assert shown(pilot).made is not None
        assert basis_of(pilot).plan.settings.target_ratio == 0.8
        assert shown(pilot).middle != true
        await press(pilot, "r")
        assert "what if" not in drawn(pilot)
        assert shown(pilot).middle == true
        await press(pilot, "1")
        state = pilot.app.screen.query_one(MapView).widgets.bar.state
        assert state is not None
        assert not state.changed


async def test_another_release_can_be_supposed_for_the_preview(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "map"), 150, 40) as pilot:
        bar = pilot.app.screen.query_one(MapView).widgets.bar
        bar.supposing("release")
        await press(pilot, "w", "enter")
        await answer(pilot, "0.22")
        await press(pilot, "3")
        assert basis_of(pilot).reading.measured.policy.release == "0.22"
        assert "what if: release 0.22" in drawn(pilot)


async def test_what_hermes_would_say_is_complete_at_every_width_and_a_wide_one_lists_what_is_lost_next_to_it(
    samples: Location,
) -> None:
    app = open_app(samples, "Why is the deploy slow", "preview")
    async with app.run_test() as pilot:
        async for width in at_sizes(pilot, (80, 24), (120, 40), (200, 60)):
            frame = drawn(pilot)
            assert all(text in frame for _, text in words_of(shown(pilot), width))
            assert "esc back" in " ".join(frame.split())
        assert "✗ commands" in drawn(pilot)
        assert "✗ lost" not in drawn(pilot)  # the sign says it, and what was lost has the room
        await press(pilot, "d")
        assert not app.screen.query_one(FactList).display


async def test_the_wheel_over_one_side_takes_the_other_along_and_leaves_the_cursor(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        left, right = view(pilot).panes.before, view(pilot).panes.after
        read = left.message
        for _ in range(3):
            right.post_message(MouseScrollDown(right, 5, 5, 0, 1, 0, shift=False, meta=False, ctrl=False))
            await settle(pilot)
        assert right.scroll_offset.y > 0
        assert left.scroll_offset.y > 0
        assert left.message == read


async def test_the_row_under_the_cursor_is_level_with_the_one_that_stands_for_it(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 120, 40) as pilot:
        panes = pilot.app.screen.query_one(PreviewPanes)
        panes.before.cursor = 160
        await settle(pilot)
        assert panes.laid is not None
        assert panes.after.after is not None
        blocks = blocks_of(before_banding(panes.laid), panes.laid.head.size, panes.laid.middle.size)
        stands = linked(160, blocks, panes.after.after.blocks)
        assert stands - panes.after.scroll_offset.y == 160 - panes.before.scroll_offset.y


async def test_a_claim_no_message_supports_is_above_the_facts_and_leads_to_what_was_said(
    samples: Location,
) -> None:
    async with settled(open_app(samples, FULL, "preview"), 80, 24) as pilot:
        await press(pilot, "x")
        found, facts = shown(pilot), pilot.app.screen.query_one(FactList)
        claim = Unsupported("All tests pass.", "done", "All tests pass.", "3 failed", found.middle.start)
        assert found.retention is not None
        facts.show_kept(replace(found.retention, unsupported=(claim,)))
        await settle(pilot)
        words = " ".join(drawn(pilot).replace("▁", " ").split())  # the scroll bar
        assert "▲ The summary says “All tests pass”; no message supports that." in words
        assert f"Message {found.middle.start} says “3 failed”." in words
        await press(pilot, "enter")
        assert view(pilot).panes.mode == SIDES
        assert view(pilot).panes.before.message == found.middle.start


async def test_before_there_is_a_summary_nothing_says_that_there_are_no_facts(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        facts = pilot.app.screen.query_one(FactList)
        view(pilot).panes.tell(None, "Reading …")
        assert facts.empty == PENDING
        facts.show_kept(Retention(()))
        assert "no checkable facts" in facts.empty


async def test_a_finished_summary_is_wrapped_in_a_worker(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapped_by: list[Thread] = []
    make = AfterRows.__init__

    def noted(self: AfterRows, comparison: Comparison, width: int) -> None:
        if comparison.retention is not None:
            wrapped_by.append(current_thread())
        make(self, comparison, width)

    monkeypatch.setattr(AfterRows, "__init__", noted)
    async with settled(open_app(samples, FULL, "preview"), 140, 40):
        assert len(wrapped_by) == 1
        assert main_thread() not in wrapped_by


async def test_the_answer_is_found_in_a_worker_as_it_may_plan_again(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_by: list[Thread] = []

    def noted(comparison: Comparison) -> Headline:
        if comparison.made is not None:
            found_by.append(current_thread())
        return comparison_headline(comparison)

    monkeypatch.setattr("inspector.screens.workspace.preview.paired_rows.comparison_headline", noted)
    async with settled(open_app(samples, FULL, "preview"), 140, 40):
        assert found_by
        assert main_thread() not in found_by
