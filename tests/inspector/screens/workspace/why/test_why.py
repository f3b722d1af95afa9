from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from core.explain.events import explain
from core.explain.explanation import Now
from core.model.accounting.prompt_cache import Payback
from core.model.compaction.event import (
    CompressionEvent,
    SummaryOutcome,
    SummaryStatus,
    Trigger,
    TurnAttempt,
)
from core.model.compaction.preview import Fact, FactCount, Retention
from core.model.finding import Evidence, Source, Verdict
from core.model.transcript.conversation import BoundaryMode
from core.preview.past import Aftermath, bill_of
from core.store.database.locate import Location
from core.store.store import Store
from core.support import formatting as fmt
from inspector.app import InspectorApp
from inspector.base.event_words import bill, effect, heaviest
from inspector.screens.workspace.map.view import MapView
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.screens.workspace.why.card import EventList, _when, brief, event_lines, proof_lines, standing
from inspector.screens.workspace.why.curve import Curve, Sample, asides, caption, curve_of, read_out
from inspector.screens.workspace.why.view import WhyView
from inspector.widgets.bars.status_line import StatusLine
from inspector.widgets.charts.curve import number, place_of, sampled
from inspector.widgets.charts.curve_chart import CurveChart
from tests.conftest import NOW
from tests.core.explain.home import Home, refused_early
from tests.inspector.driving import at_sizes, settled
from tests.inspector.screens.conftest import INK, drawn, open_app, plain, press, seen, settle
from tests.own_settings import write_own_settings


def event(**changes: Any) -> CompressionEvent:
    values: dict[str, Any] = {
        "session": "s1", "to_session": "s1", "mode": BoundaryMode.IN_PLACE, "at": NOW, "generation": 1,
        "trigger": Trigger.PREFLIGHT, "verdict": Verdict.PROVED, "tokens": 54_828, "threshold": 54_400,
        "window": 64_000, "messages_before": 49, "messages_after": 20, "tokens_after": 20_926, "focus": None,
        "summary": SummaryOutcome(SummaryStatus.MODEL, "mock-model", 512), "duration": 0.3,
        "explanation": "It fired before a model call.", "arithmetic": ("0.85 × 64,000 = 54,400",),
        "evidence": (Evidence(Source.LOG, "agent.log:812", "Preflight compression: ~54,828"),),
    }  # fmt: skip
    return CompressionEvent(**(values | changes))


@pytest.mark.parametrize(
    ("command", "is_missed"),
    [
        ('python3 -c "import random;print(1)"', False),
        ("cd /srv/app && .venv/bin/python -u -c 'print(1)'", False),
        ("python3 - <<'EOF'", False),
        ("node -e 'console.log(1)'", False),
        ("python3 -m pytest -c pytest.ini", True),
        ("python3 tools/clean.py -c 3", True),
        ("grep -c node package.json", True),
        ("docker exec web ps -e", True),
    ],
)
def test_a_program_typed_to_run_once_is_not_told_as_missing(command: str, is_missed: bool) -> None:
    facts = (Fact("commands", command, (1,), "lost"), Fact("commands", "make release", (2,), "lost"))
    first = [f"“{command}”"] if is_missed else []
    assert list(heaviest(Retention(facts), 2)) == [*first, "“make release” (command)"]


def front(app: InspectorApp) -> type:
    """The kind of view in front."""
    screen = app.screen
    assert isinstance(screen, WorkspaceScreen)
    return type(screen.view)


def card(one: CompressionEvent, width: int = 100, after: Aftermath | None = None) -> str:
    return plain((*event_lines(one, width, INK, after), *proof_lines(one.evidence, (), width, INK)))


PAYBACK = Payback(NOW, "s1", 30_000, Decimal("0.41"), Decimal("0.19"), Decimal("0.05"), 7, None)


def test_what_a_compaction_saves_is_told_as_people_count() -> None:
    assert " · saves $0.49 in 1,000 calls · " in bill(
        replace(PAYBACK, saving_per_call_usd=Decimal("0.00049"))
    )


def test_a_card_holds_sentence_numbers_effect_sums_and_evidence() -> None:
    text = card(event())
    for words in (
        "It fired before a model call.", "✓ from the log", "54,828 tokens, 428 over the limit of 54,400",
        "49 → 20 messages", "20,926 tokens left (-62%)", "mock-model · 512 tokens",
        "0.85 × 64,000 = 54,400", "log agent.log:812",
    ):  # fmt: skip
        assert words in text


def test_a_card_states_the_sizes_that_were_compared_once() -> None:
    text = card(
        event(
            explanation="The request was estimated: 54,828 against 54,400 (window 64,000).",
            arithmetic=("0.85 × 64,000 = 54,400", "54,828 >= 54,400"),
            evidence=(),
        )
    )
    assert "The request was estimated." in text
    assert text.count("54,828") == 1


def test_beside_an_estimate_stands_what_the_provider_counted_so_that_the_curve_is_understood() -> None:
    told = "estimated: the provider counted 49,000 in the last call logged before"
    assert told in card(event(last_prompt=49_000), 200)
    for same in (None, 54_828):
        assert "the provider counted" not in card(event(last_prompt=same), 200)
    assert "the provider counted" not in card(event(last_prompt=49_000, trigger=Trigger.OVERFLOW), 200)


@pytest.mark.parametrize(
    ("threshold", "limit"),
    [(25_500, "the limit is 25,500"), (64_000, "the limit of 64,000 is never reached")],
)
def test_a_refused_request_is_held_against_no_limit_and_what_is_since_then_is_called_so(
    threshold: int, limit: str
) -> None:
    lowered = TurnAttempt(1, 3, 64_000, 30_000)
    refused = event(trigger=Trigger.OVERFLOW, tokens=29_094, threshold=threshold, window=30_000)
    told = f"29,094 tokens, refused by the provider; since then the window is 30,000, and {limit}"
    assert told in card(replace(refused, attempt=lowered), 200)
    same = card(replace(refused, window=64_000), 200)
    assert "29,094 tokens, refused by the provider · window 64,000" in same
    assert "over the limit" not in same


async def test_a_row_of_a_refused_request_names_no_limit_of_hermes(samples: Location) -> None:
    async with settled(open_app(samples, "Refactor the auth module", "why"), 80, 24) as pilot:
        found = pilot.app.screen.query_one(EventList)
        first = found.rows.row(0)
        assert first is not None
        refused = event(trigger=Trigger.OVERFLOW, tokens=29_094, threshold=25_500, tokens_after=14_230)
        said = found.draw_row(replace(first, event=refused), 0, 76).text
        assert "29.1K → 14.2K" in said
        assert "25.5K" not in said


def test_a_source_of_several_pieces_of_evidence_is_named_once() -> None:
    pieces = (Evidence(Source.DERIVED, "the newest summary", text) for text in ("24 hours", "212 passed"))
    text = card(event(evidence=tuple(pieces)))
    assert text.count("the newest summary") == 1
    assert "212 passed" in text


def test_a_card_says_what_was_lost_and_what_it_cost() -> None:
    gone = Fact("paths", "src/a.py", (4,), "lost")
    kept = Retention((gone,), {"paths": FactCount(1, 0, 3), "asks": FactCount(1, 1, 0)}, score=0.5)
    text = card(event(), 160, Aftermath(kept, PAYBACK))
    assert "lost      3 of 6 facts, 50% of what matters: none of 2 requests · 3 of 4 files" in text
    assert "cost      $0.60 · summary $0.41 + rebuilding the cache $0.19" in text
    assert "has not paid for itself after 7 calls" in text
    assert "missing   “src/a.py” (file)" in text


def test_of_a_single_request_that_was_kept_a_card_says_so_plainly() -> None:
    counts = {"paths": FactCount(1, 0, 3), "asks": FactCount(1, 0, 0)}
    text = card(event(), 160, Aftermath(Retention((), counts, score=0.5), PAYBACK))
    assert "of what matters: not the one request · 3 of 4 files" in text


def test_a_card_with_room_quotes_more_of_what_was_lost() -> None:
    gone = tuple(Fact("paths", f"src/part_{number}.py", (4,), "lost") for number in range(9))
    after = Aftermath(Retention(gone, {"paths": FactCount(0, 0, 9)}, score=0.5), PAYBACK)
    text = card(event(), 160, after)
    assert text.count("src/part_") == 3
    roomy = plain(event_lines(event(), 160, INK, after, quotes=7))
    assert roomy.count("src/part_") == 7


def test_a_card_does_not_move_when_loss_and_cost_arrive() -> None:
    known = card(event(), after=Aftermath(None, None)).splitlines()
    own = card(event(), 160, Aftermath(None, None, local=True))
    assert "nothing: no provider bills a server of your own" in own
    assert len(card(event()).splitlines()) == len(known)
    assert "cost      – nothing on record says what it cost" in known


def test_a_row_has_the_clock_that_is_wanted() -> None:
    write_own_settings("formats: {time: 12h}\n")
    assert _when(event(at=NOW)) == fmt.day_and_clock(NOW)


def test_half_a_bill_is_a_lower_bound() -> None:
    assert bill(replace(PAYBACK, summariser_usd=None)).startswith("≥$0.19 · summary (price unknown) + ")


def test_a_bill_belongs_to_the_compaction_it_ended_with() -> None:
    later = replace(PAYBACK, at=NOW + timedelta(minutes=20))
    one = event(at=NOW - timedelta(seconds=40), duration=41.0)
    assert bill_of(one, (PAYBACK, later)) is PAYBACK
    assert bill_of(event(at=NOW + timedelta(minutes=10)), (PAYBACK, later)) is None


def test_no_limit_was_asked_when_you_ran_the_command() -> None:
    assert "size      54,828 tokens; the limit of 54,400 did not matter" in card(
        event(trigger=Trigger.MANUAL)
    )


def test_an_attempt_that_was_given_up_had_no_effect() -> None:
    assert "as it was" in effect(event(completed=False))


def test_what_is_unknown_is_a_dash() -> None:
    text = card(event(tokens=None, threshold=None, window=None, messages_before=None))
    assert "size unknown · window unknown" in text
    assert "– → 20 messages" in text


@pytest.mark.parametrize("width", [24, 60, 100])
def test_a_card_fits_its_pane(width: int) -> None:
    long = event(
        evidence=(Evidence(Source.LOG, "agent.log:1", "x" * 400),), disagreements=("the log says " * 20,)
    )
    assert max(map(len, card(long, width).splitlines())) <= width


def test_columns_show_the_highest_value_they_stand_for() -> None:
    assert sampled([1, 9, 2, 3], 2) == [1, 3]
    assert sampled([5, 7], 4) == [0, 0, 1, 1]
    assert sampled([5, 0, 7, 1], 2, min) == [1, 3]


def test_a_call_of_the_curve_is_read_out_with_what_the_cache_gave_and_how_far_the_limit_is() -> None:
    curve = Curve((Sample(140_000, None, 120_000), Sample(160_000)), (), 150_000, measured=True)
    assert read_out(curve, 0) == (
        "call 1 of 2 · 140,000 tokens · 120K from the cache, 20.0K not · 10.0K below the limit"
    )
    assert read_out(curve, 1) == "call 2 of 2 · 160,000 tokens · 10.0K over the limit"


def test_marks_are_where_their_compaction_fell() -> None:
    assert [place_of(after, 10, 100) for after in (0, 5, 10)] == [0, 50, 100]
    assert place_of(0, 0, 100) == 0
    assert [number(index) for index in (0, 19, 20)] == ["①", "⑳", "◦"]


async def test_without_a_compaction_a_large_screen_is_the_curves(samples: Location) -> None:
    heights = []
    for title in ("Where did the disk go", "Refactor the auth module"):
        async with settled(app := open_app(samples, title, "why"), 200, 60):
            heights.append(app.screen.query_one(CurveChart).size.height)
    assert heights[0] > 30 > heights[1]


async def test_each_compaction_is_a_line_and_the_automatic_one_is_open(samples: Location) -> None:
    text = await seen(open_app(samples, "Refactor the auth module", "why"), (120, 40))
    assert "2 compactions" in text
    assert "①" in text
    assert "②" in text
    assert "you ran /compress" in text
    assert "150K" in text


async def test_why_what_was_lost_and_what_it_cost_are_at_first_sight(samples: Location) -> None:
    async with open_app(samples, "Refactor the auth module", "why").run_test() as pilot:
        async for _ in at_sizes(pilot, (80, 24), (120, 40), (200, 60)):
            text = drawn(pilot)
            for words in (
                "before your message",
                "of what matters: ",
                "cost      $0.",
                "threshold",
            ):
                assert words in text


async def test_a_wide_screen_holds_verdict_and_evidence_side_by_side_below_uncut_events(
    samples: Location,
) -> None:
    async with open_app(samples, "Refactor the auth module", "why").run_test(size=(200, 60)) as pilot:
        async for _ in at_sizes(pilot, (160, 45), (200, 60)):
            lines = drawn(pilot).splitlines()
            event = next(at for at, line in enumerate(lines) if "automatic, before your message" in line)
            proof = next(at for at, line in enumerate(lines) if "evidence" in line)
            assert event < proof
            assert lines[proof].index("cost  ") < lines[proof].index("evidence")


async def test_braces_walk_the_compactions_and_enter_shows_what_one_left(samples: Location) -> None:
    async with settled(app := open_app(samples, "Refactor the auth module", "why"), 120, 40) as pilot:
        assert re.search(r"Compressed at [\d:]+ before your message", drawn(pilot))
        await press(pilot, "enter")
        assert front(app) is MapView
        assert app.screen.cursor.generation == 2  # type: ignore[attr-defined]
        await press(pilot, "2")
        assert front(app) is WhyView


async def test_an_attempt_given_up_stands_out(samples: Location) -> None:
    text = await seen(open_app(samples, "Why is the deploy slow", "why"), (100, 30))
    assert "Compression failed: the summary model's API key was refused (401)" in text
    assert "Fix: Set the API key of its provider" in text
    assert "0 compactions · 1 failed" in text
    assert "failed · automatic, before a model call" in text


async def test_a_conversation_never_compacted_says_how_far_it_is(samples: Location) -> None:
    text = await seen(open_app(samples, "Rename the CLI flag", "why"), (80, 24))
    assert "Not compressed yet: 143K tokens below the 150K limit" in text


async def test_the_card_can_be_copied(samples: Location) -> None:
    async with settled(app := open_app(samples, "Refactor the auth module", "why"), 120, 40) as pilot:
        await press(pilot, "y")
        assert "✓ from the log" in app.clipboard
        assert "agent.log" in app.clipboard


async def test_model_switches_are_on_the_curve(samples: Location) -> None:
    frame = await seen(open_app(samples, "Explain the query plan", "why"), (120, 40))
    assert "⇄ 3 model switches" in frame
    assert frame.count("⇄") == 4  # one more in the caption
    assert "failed call" not in frame


def test_a_failed_call_is_over_a_switch_at_the_same_place() -> None:
    curve = Curve((Sample(1),) * 9, (), None, measured=True, switches=(3,), errors=(3, 5))
    assert [(mark.after, mark.sign) for mark in asides(curve)] == [(3, "⇄"), (3, "×"), (5, "×")]
    assert "⇄ 1 model switch · × 2 failed calls" in caption(curve)


def test_of_more_calls_than_are_wanted_the_largest_of_each_stretch_is_drawn_and_all_are_counted(
    samples: Location,
) -> None:
    with Store(samples) as store:
        found = explain(store, store.resolve("Explain the query plan").id)
    whole, fewer = curve_of(found), curve_of(found, 3)
    assert max(sample.tokens for sample in fewer.samples) == max(sample.tokens for sample in whole.samples)
    assert len(fewer.samples) == 3 < len(whole.samples)
    assert (caption(fewer), len(fewer.switches)) == (caption(whole), len(whole.switches))


async def test_a_click_on_a_compaction_describes_it_and_what_arrives_later_moves_no_cursor(
    samples: Location,
) -> None:
    async with settled(open_app(samples, "Refactor the auth module", "why"), 120, 40) as pilot:
        why = pilot.app.screen.query_one(WhyView)
        assert why.moments.rows.count == 3
        await pilot.click(EventList, offset=(6, 1))
        await settle(pilot)
        assert why.moments.cursor == 0
        assert why.chart.selected == 0
        await press(pilot, "r")
        assert why.moments.cursor == 0


async def test_while_it_reads_it_says_so_and_draws_no_axis(samples: Location) -> None:
    async with settled(open_app(samples, "Refactor the auth module", "why"), 120, 40) as pilot:
        view = WhyView()
        await pilot.app.screen.mount(view)
        assert view.answer.waiting.startswith("Reading")
        assert not view.chart.render_line(0).text.strip()


def test_without_a_price_nobody_says_that_a_compaction_did_not_pay_for_itself() -> None:
    unpriced = replace(PAYBACK, summariser_usd=None, reread_usd=None, saving_per_call_usd=None)
    assert "no price is known" in bill(unpriced)
    assert "paid for itself after" not in bill(unpriced)


def test_a_compaction_on_a_server_of_ones_own_cost_nothing() -> None:
    unpriced = replace(PAYBACK, summariser_usd=None, reread_usd=None, saving_per_call_usd=None, local=True)
    assert bill(unpriced).startswith("nothing: ")


async def test_the_sizes_of_a_compaction_are_never_cut(samples: Location) -> None:
    async with settled(open_app(samples, "Refactor the auth module", "why"), 80, 24) as pilot:
        found = pilot.app.screen.query_one(EventList)
        first = found.rows.row(0)
        assert first is not None
        long = replace(first, event=event(tokens=65_432, threshold=64_001, tokens_after=24_567))
        assert "65.4K of 64K → 24.6K" in found.draw_row(long, 0, 76).text


async def test_the_current_size_is_above_the_list_whole_or_not_at_all(samples: Location) -> None:
    async with settled(open_app(samples, "Refactor the auth module", "why"), 80, 24) as pilot:
        line = pilot.app.screen.query_one("#verdict", StatusLine)
        assert "now 37.7K of 150K" in line.render_line(0).text
        line.left = (("ink", "x" * 50), *line.left)
        assert "now" not in line.render_line(0).text


async def test_a_long_cause_has_the_room_that_short_sizes_leave(samples: Location) -> None:
    async with settled(open_app(samples, "Refactor the auth module", "why"), 80, 24) as pilot:
        found = pilot.app.screen.query_one(EventList)
        first = found.rows.row(0)
        assert first is not None
        failed = event(completed=False, trigger=Trigger.PRE_API, tokens_after=None)
        said = found.draw_row(replace(first, event=failed), 0, 76)
        assert "failed · automatic, before a model call 54.8K of 54.4K" in said.text
        assert said.width <= 76


async def test_next_to_a_narrow_row_no_sign_of_the_evidence_passes_for_success(samples: Location) -> None:
    shown = await seen(open_app(samples, "Why is the deploy slow", "why"), (80, 24))
    (row,) = (line for line in shown.splitlines() if "failed · automatic" in line)
    assert "✓" not in row


@pytest.mark.parametrize("told", [standing, brief])
def test_a_distance_that_the_provider_cuts_off_is_not_called_room(told: Callable[[Now], str]) -> None:
    now = Now(12_000, 54_400, 64_000, headroom=42_400)
    assert "to go" in told(now)
    cut = told(replace(now, refused_at="the provider refuses beyond 40,000", refused_beyond=40_000))
    assert "to go" not in cut
    exact = "54,400" in cut
    assert f"but the provider refuses beyond {'40,000' if exact else '40K'}" in cut


async def test_the_line_on_the_curve_is_where_the_provider_refuses_if_that_is_lower(tmp_path: Path) -> None:
    refused_early(tmp_path)
    app = InspectorApp([Location(tmp_path / "state.db", tmp_path)])
    async with settled(app, 120, 40) as pilot:
        assert "40K ── the provider refuses ──" in drawn(pilot)
        await press(pilot, "enter")
        chart = app.screen.query_one(CurveChart)
        assert chart.threshold == 40_000
        assert "40K ── the provider refuses ──" in drawn(pilot)
        assert "threshold ──" not in drawn(pilot)


@pytest.mark.parametrize("compacted", [False, True])
async def test_a_newest_turn_without_an_answer_is_told_first_as_on_the_command_line(
    tmp_path: Path, compacted: bool
) -> None:
    home = Home(tmp_path)
    home.db.session("S")
    home.turn()
    home.talk(8)
    if compacted:
        home.compact()
        home.done(28, 8, 4_000)
        home.turn(history=8)
        home.talk(2)
    home.refused("HTTP 400: This model's maximum context length is 40000 tokens.")
    home.db.connection.close()
    app = InspectorApp([Location(tmp_path / "state.db", tmp_path)], session="S", view="why")
    async with settled(app, 120, 40) as pilot:
        assert "▲ The newest turn got no answer: " in drawn(pilot)
        moment = app.screen.query_one(EventList).current
        assert moment is not None
        assert moment.event is None
        assert moment.index == int(compacted)


@pytest.mark.parametrize("told", [standing, brief])
def test_nothing_is_compared_with_hermes_own_limit_where_another_engine_decides(
    told: Callable[[Now], str],
) -> None:
    said = told(
        Now(12_000, 54_400, 64_000, headroom=42_400, refused_at="the engine lcm decides", elsewhere=True)
    )
    assert "the engine lcm decides" in said
    assert "54" not in said


async def test_a_narrow_chart_explains_each_colour_before_it_dates_its_ends(samples: Location) -> None:
    async with settled(open_app(samples, "Refactor the auth module", "why"), 80, 24) as pilot:
        assert "prompt tokens of 111 calls  ■ from the cache  ■ new" in drawn(pilot)
        async for _ in at_sizes(pilot, (120, 40)):
            assert "2026-" in drawn(pilot).partition("prompt tokens")[0].splitlines()[-1]
