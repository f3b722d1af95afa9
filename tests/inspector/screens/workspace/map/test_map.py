"""The map: what the model sees, what would be cut, and what another setting would change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.model.compaction.plan import Plan
from core.model.transcript.message import RowState
from core.store.database.locate import Location
from inspector.screens.workspace.map.view import MapView
from inspector.widgets.bars.input_lines import PromptBar
from inspector.widgets.bars.what_if import WhatIfBar
from inspector.widgets.charts.context_strip import ContextStrip
from inspector.widgets.messages.detail_pane import DetailPane
from tests.hostile import harmful
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import at_sizes, settled
from tests.inspector.screens.conftest import answer, drawn, open_app, press, seen, settle

FULL = "Split the tenant settings table"
AUTH = "Refactor the auth module"
CHAIN = "Port the parser to Rust #3"
GIANT = "Where did the disk go"
SMALL = "Rename the CLI flag"


def view(pilot: Pilot[None]) -> MapView:
    return pilot.app.screen.query_one(MapView)


def plan_of(pilot: Pilot[None]) -> Plan:
    annotations = view(pilot).work.annotations
    assert annotations is not None
    return annotations.plan


def shown(pilot: Pilot[None]) -> tuple[bool, bool]:
    """Whether the list and the message are on screen."""
    panes = view(pilot).panes
    return bool(panes.list.region), bool(panes.message.region)


async def test_the_first_lines_say_how_full_the_window_is_and_the_bands_are_where_the_plan_cuts(
    samples: Location,
) -> None:
    async with settled(open_app(samples, FULL), 120, 40) as pilot:
        plan = plan_of(pilot)
        assert "Not due yet: 11.8K tokens below the 150K limit" in drawn(pilot).splitlines()[1]
        line = next(line for line in drawn(pilot).splitlines() if "fires at" in line)
        assert f"{plan.compared_tokens:,} of 200,000" in line
        assert "fires at 150,000 = 0.75 × 200,000 (setting 0.50)" in line
        assert f"{150_000 - plan.compared_tokens:,} to go" in line
        await press(pilot, "greater_than_sign")
        assert view(pilot).panes.list.message == plan.middle.start
        await press(pilot, "greater_than_sign")
        assert view(pilot).panes.list.message == plan.tail.start
        await press(pilot, "less_than_sign", "less_than_sign")
        assert view(pilot).panes.list.message == plan.middle.start


async def test_turning_a_setting_moves_the_cut_and_reset_brings_it_back(samples: Location) -> None:
    async with settled(open_app(samples, FULL), 120, 40) as pilot:
        before = plan_of(pilot)
        await press(pilot, "w", "tab", "tab", "left", "left")
        turned = plan_of(pilot)
        assert turned.settings.target_ratio == pytest.approx(0.10)
        assert turned.tail_budget == 15_000
        assert turned.tail != before.tail
        assert "what-if plan" in drawn(pilot)
        await press(pilot, "r")
        assert plan_of(pilot) == before
        assert "what-if plan" not in drawn(pilot)


async def test_a_narrow_bar_names_every_setting_on_two_lines_and_each_can_be_clicked(
    samples: Location,
) -> None:
    async with settled(open_app(samples, FULL), 80, 24) as pilot:
        bar = pilot.app.screen.query_one(WhatIfBar)
        words = "\n".join(drawn(pilot).splitlines()[-3:-1])
        for name in ("window 200K", "threshold 0.50", "release 0.19", "process fresh", "output reserve none"):
            assert name in words
        assert await pilot.click(bar, offset=(6, 1))
        assert bar.state is not None
        assert bar.state.setting.key == "warm"


async def test_another_release_is_measured_again(samples: Location) -> None:
    async with settled(open_app(samples, FULL), 120, 40) as pilot:
        await press(pilot, "w", *["tab"] * 5, "left")
        assert plan_of(pilot).release == "0.18"
        await press(pilot, *["left"] * 4)
        plan = plan_of(pilot)
        assert (plan.release, plan.threshold_tokens) == ("0.14", 100_000)


async def test_a_value_can_be_typed_and_nonsense_is_refused_in_words(samples: Location) -> None:
    async with settled(open_app(samples, FULL), 120, 40, notifications=True) as pilot:
        await press(pilot, "w", "enter")
        await answer(pilot, "1M")
        assert plan_of(pilot).window == 1_000_000
        await press(pilot, "enter")
        await answer(pilot, "lots")
        assert plan_of(pilot).window == 1_000_000
        assert "not a value for window" in drawn(pilot)


async def test_brackets_step_through_the_generations(samples: Location) -> None:
    async with settled(open_app(samples, AUTH), 120, 40) as pilot:
        assert "generation 3 of 3" in drawn(pilot)
        newest = view(pilot).listing.ids
        await press(pilot, "left_square_bracket")
        assert "generation 2 of 3" in drawn(pilot)
        assert "Generation 2 of 3 has ended, with " in drawn(pilot)
        assert "fires now" not in drawn(pilot)
        assert view(pilot).listing.ids != newest
        assert view(pilot).work.annotations is not None
        await press(pilot, "right_square_bracket")
        assert view(pilot).listing.ids == newest


async def test_a_narrow_title_counts_nothing_without_saying_what(samples: Location) -> None:
    async with settled(open_app(samples, AUTH), 80, 24) as pilot:
        assert drawn(pilot).startswith(" Refactor the auth module   1[Map]")
        await press(pilot, "left_square_bracket")
        assert drawn(pilot).startswith(" Refactor… · generation 2   1[Map]")


async def test_everything_lists_each_stored_row_once_with_its_generation(samples: Location) -> None:
    async with settled(open_app(samples, AUTH), 120, 40) as pilot:
        await press(pilot, "a")
        ids = view(pilot).listing.ids
        assert len(ids) == len(set(ids))
        subject = view(pilot).subject
        assert subject is not None
        assert len(ids) == sum(generation.fresh for generation in subject.conversation.generations)
        await press(pilot, "g")
        assert "generation 1" in drawn(pilot)
        assert "▫" in drawn(pilot)
        detail = view(pilot).query_one(DetailPane).detail
        assert detail is not None
        assert detail.message.row is not None
        assert detail.message.row.state is RowState.ARCHIVED


async def test_rows_that_were_taken_back_are_counted_and_come_last(samples: Location) -> None:
    async with settled(open_app(samples, "Trim the nightly build"), 120, 40) as pilot:
        await press(pilot, "a", "G")
        assert "taken back ═ by /undo, /retry or /rewind: no longer sent" in drawn(pilot)
        assert re.search(r"  ↶  39 ◆ assistant", drawn(pilot))


async def test_a_toast_tells_how_many_rows_were_taken_back(samples: Location) -> None:
    app = open_app(samples, "Trim the nightly build")
    async with settled(app, 120, 40, notifications=True) as pilot:
        await press(pilot, "a", "a")
        assert [note.message for note in app._notifications] == [
            "Every stored row, 8 rows taken back last.",
            "As the model saw it, without 8 rows taken back.",
        ]


async def test_a_chain_of_sessions_is_one_list(samples: Location) -> None:
    async with settled(open_app(samples, CHAIN), 120, 40) as pilot:
        await press(pilot, "a", "greater_than_sign")
        assert "compacted into a new session" in drawn(pilot)


async def test_the_message_under_the_cursor_is_shown_and_its_mate_is_named(samples: Location) -> None:
    async with settled(open_app(samples, FULL), 120, 40) as pilot:
        await press(pilot, "j", "j")
        detail = view(pilot).query_one(DetailPane).detail
        assert detail is not None
        assert (detail.index, detail.message.role, detail.answers) == (2, "tool", 1)
        assert "answers ⚙ #1" in drawn(pilot)
        assert view(pilot).panes.list.marks.partners == {1}


async def test_search_goes_round_the_messages_that_match(samples: Location) -> None:
    async with settled(open_app(samples, AUTH), 120, 40) as pilot:
        await press(pilot, "slash")
        await answer(pilot, "PYTEST")
        hits = sorted(view(pilot).panes.list.marks.hits)
        assert len(hits) > 2
        first = view(pilot).panes.list.message
        assert first in hits
        await press(pilot, "n")
        assert view(pilot).panes.list.message == hits[(hits.index(first) + 1) % len(hits)]
        await press(pilot, "N")
        assert view(pilot).panes.list.message == first
        await press(pilot, "escape")
        assert not view(pilot).panes.list.marks.hits


async def test_a_search_without_a_match_says_so_and_leaves_the_cursor(samples: Location) -> None:
    async with settled(open_app(samples, AUTH), 120, 40, notifications=True) as pilot:
        await press(pilot, "j", "slash")
        await answer(pilot, "zzz[/b]")
        assert view(pilot).panes.list.message == 1
        assert "No message contains “zzz[/b]”" in drawn(pilot)


async def test_escape_leaves_a_question_unanswered_and_stays_on_the_map(samples: Location) -> None:
    async with settled(open_app(samples, AUTH), 120, 40) as pilot:
        for keys in (("slash",), ("w", "enter")):
            await press(pilot, *keys)
            assert view(pilot).query_one(PromptBar).asking
            await press(pilot, "x", "escape")
            assert not view(pilot).query_one(PromptBar).asking
            assert not view(pilot).panes.list.marks.hits


async def test_braces_jump_between_the_turns_of_the_user(samples: Location) -> None:
    async with settled(open_app(samples, GIANT), 120, 40) as pilot:
        await press(pilot, "right_curly_bracket")
        place = view(pilot).panes.list.message
        assert place
        current = view(pilot).query_one(DetailPane).detail
        assert current is not None
        assert current.message.role == "user"
        await press(pilot, "left_curly_bracket")
        assert view(pilot).panes.list.message == 0


async def test_a_click_on_the_strip_goes_to_the_message_there(samples: Location) -> None:
    async with settled(open_app(samples, FULL), 120, 40) as pilot:
        strip, clicks = view(pilot).query_one(ContextStrip), 0
        while not view(pilot).panes.list.message and clicks < 5:  # it may just be laid out again
            await pilot.click(ContextStrip, offset=(60, 0))
            await settle(pilot)
            clicks += 1
        assert view(pilot).panes.list.message
        assert strip.cursor == view(pilot).panes.list.message


async def test_a_narrow_screen_shows_the_message_in_a_drawer(samples: Location) -> None:
    async with settled(open_app(samples, FULL), 80, 24) as pilot:
        assert shown(pilot) == (True, False)
        await press(pilot, "enter")
        assert shown(pilot) == (False, True)
        await press(pilot, "escape")
        assert view(pilot).panes.list.has_focus


async def test_a_wide_screen_shows_list_message_and_sums(samples: Location) -> None:
    async with settled(open_app(samples, FULL), 200, 60) as pilot:
        text = drawn(pilot)
        assert "Threshold, as Hermes 0.19 computes it" in text
        assert "raised to 0.75 because" in " ".join(text.split())
        assert "All messages, in tokens" in text
        panes = view(pilot).panes
        assert panes.list.region.width > 120
        assert panes.message.region.height > 15
        await press(pilot, "enter")
        assert (panes.message.region.height > 40, bool(panes.sums.region)) == (True, False)
        await press(pilot, "escape", "equals_sign")
        assert (bool(panes.message.region), panes.sums.region.height > 40) == (False, True)


async def test_a_tokenizer_counts_every_message_next_to_what_hermes_estimates(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.screens.workspace.map.detail.REST", 0.01)
    async with settled(open_app(samples, FULL), 200, 60) as pilot:
        await settle(pilot)
        counts = view(pilot).work.counts
        assert counts is not None
        assert len(counts.counts) == plan_of(pilot).messages
        detail = view(pilot).query_one(DetailPane).detail
        assert detail is not None
        assert detail.counted == (counts.counts[0] + counts.reasoning[0], "o200k_base")
        everything = counts.total + sum(counts.reasoning)
        assert f"Hermes estimates {f'~{plan_of(pilot).estimated_tokens:,}':>12}" in drawn(
            pilot
        )  # as in Preview
        assert f"≈{everything:,}  o200k_base" in drawn(pilot)


async def test_a_conversation_too_short_to_cut_says_how_many_are_needed(samples: Location) -> None:
    assert "nothing to summarise ═ only 6 messages; more than 7 are needed" in await seen(
        open_app(samples, SMALL), (120, 30)
    )


async def test_a_giant_message_is_laid_out_a_piece_at_a_time(samples: Location) -> None:
    async with settled(open_app(samples, GIANT), 120, 40) as pilot:
        await press(pilot, "j", "j")
        pane = view(pilot).query_one(DetailPane)
        short = pane.rows.count
        await press(pilot, "m")
        assert pane.rows.count > short


async def test_hostile_text_reaches_no_terminal_at_any_size(samples: Location) -> None:
    async with open_app(samples, "20261112").run_test() as pilot:
        async for _ in at_sizes(pilot, (60, 16), (120, 40), (200, 60), (80, 24)):
            for key in ("G", "enter", "escape", "equals_sign", "escape", "a", "g"):
                await press(pilot, key)
                assert not harmful(drawn(pilot))


async def test_the_bar_is_distinguished_from_what_is_true_without_colour(samples: Location) -> None:
    async with settled(open_app(samples, FULL), 80, 24) as pilot:
        await press(pilot, "right")
        assert "‹window 256K*›" in drawn(pilot)
        assert view(pilot).query_one(WhatIfBar).state is not None


async def test_reading_again_takes_settings_that_changed_though_no_row_did(app: MakeApp, home: Path) -> None:
    async with settled(app(home, session="plain", view="map"), 120, 40) as pilot:
        assert plan_of(pilot).window == 64_000
        (home / "config.yaml").write_text("model:\n  default: test-model\n  context_length: 96000\n")
        await press(pilot, "r")
        assert plan_of(pilot).window == 96_000


async def test_a_click_on_the_bar_while_the_messages_are_still_measured_changes_nothing(
    samples: Location,
) -> None:
    async with settled(open_app(samples, FULL), 120, 40) as pilot:
        bar = view(pilot).query_one(WhatIfBar)
        bar.show(None)
        await pilot.click(bar, offset=(6, 0))
        assert bar.state is None
