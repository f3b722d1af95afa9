"""Usage: sums, days, dimensions, the origin of every number, and the way down to a conversation."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.model.accounting.ledger import Ledger, LedgerRow
from core.store.database.locate import Location
from core.store.store import Store
from core.support.formatting import money
from inspector.app import InspectorApp
from inspector.screens.sessions.screen import SessionsScreen
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.screens.workspace.usage.bars import lines_of
from inspector.screens.workspace.usage.days import Day
from inspector.screens.workspace.usage.list_view import LedgerList
from inspector.screens.workspace.usage.model import UsageAnswer, answer, forecast, holds
from inspector.screens.workspace.usage.panel import UsagePanel
from inspector.screens.workspace.usage.question import DIMENSIONS, MONTH, Question
from inspector.screens.workspace.usage.screen import UsageScreen
from inspector.screens.workspace.usage.words import headline, nothing, waiting
from inspector.widgets.charts.day_bars import AXIS, DayBars, spans, summed
from inspector.widgets.charts.stack import Layer
from tests.conftest import NOW
from tests.core.store.database import SessionDatabase
from tests.inspector.driving import at_sizes, settled
from tests.inspector.screens.conftest import drawn, open_app, press, seen, settle


def _panel(pilot: Pilot[None]) -> UsagePanel:
    return pilot.app.screen.query_one(UsagePanel)


async def _open(pilot: Pilot[None]) -> UsagePanel:
    """The screen over the last 30 days."""
    await settle(pilot)
    await press(pilot, "p", "p")
    return _panel(pilot)


def _screen(app: InspectorApp) -> type:
    return type(app.screen)


@pytest.fixture
def app(samples: Location) -> InspectorApp:
    """On usage at once: the list below it is not measured."""
    return InspectorApp([samples], view="spending", now=lambda: NOW)


async def test_the_sums_come_first_and_say_that_they_are_a_lower_bound(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await _open(pilot)
        text = drawn(pilot)
    assert "30 days" in text
    assert "≥$" in text
    assert "the total is higher" in text
    assert "reasoning)" in text


async def test_u_opens_it_on_today_with_the_days_before_as_bars(samples: Location) -> None:
    async with settled(InspectorApp([samples], now=lambda: NOW), 120, 40) as pilot:
        await press(pilot, "u")
        panel, text = _panel(pilot), drawn(pilot)
        assert len(panel.query_one(DayBars).values) == 31
    assert panel.question.title == "today"
    assert re.search(r"\$[\d.]+ today, ≥\d+ calls. Largest: ", text)
    assert "yesterday $" in text


async def test_in_a_narrow_terminal_a_part_of_the_sums_is_left_out_rather_than_cut(app: InspectorApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await _open(pilot)
        lines = drawn(pilot).splitlines()
        sums, buckets = (next(line for line in lines if word in line) for word in ("recorded", "uncached"))
    assert "…" not in sums + buckets
    assert lines[0] == sums, "where I am comes before the answer"
    assert "output" in buckets


async def test_s_goes_through_every_dimension_and_the_total_stays(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        panel = await _open(pilot)
        totals = set()
        for by in DIMENSIONS:
            assert panel.rows.by == by
            last = panel.rows.rows.row(panel.rows.rows.count - 1)
            assert last is not None
            totals.add((last.tokens.total, last.recorded.usd))
            await press(pilot, "s")
        assert len(totals) == 1
        assert panel.rows.by == DIMENSIONS[0]


async def test_every_number_shows_where_it_comes_from(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        panel = await _open(pilot)
        assert "recorded cost" in panel.copy_text()
        await press(pilot, "right")
        assert "price list" in panel.copy_text()
        assert "per million" in panel.copy_text()
        await press(pilot, *["left"] * 9)
        assert "calls of" in panel.copy_text()
        await press(pilot, "equals_sign")
        assert not panel.card.region.area


async def test_a_conversation_with_delegates_says_what_it_comes_to_with_them(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        panel = await _open(pilot)
        rows = [panel.rows.rows.row(place) for place in range(panel.rows.rows.count)]
        place = next(place for place, row in enumerate(rows) if row and row.subtree is not None)
        assert "recorded with its sub-agents" not in panel.copy_text()
        await press(pilot, *["down"] * place)
        row = rows[place]
        assert row is not None
        assert row.subtree_recorded is not None
        assert row.subtree_recorded.usd is not None
        assert f"{money(row.subtree_recorded.usd)} recorded with its sub-agents" in panel.copy_text()


async def test_an_unpriced_model_shows_no_price(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        panel = await _open(pilot)
        await press(pilot, "s")
        rows = [panel.rows.rows.row(place) for place in range(panel.rows.rows.count)]
        unpriced = next(row for row in rows if row and row.key == "nous/hermes-5-preview")
        assert unpriced.recorded.usd is None
        assert re.search(r"\$0\.00\b", drawn(pilot)) is None


def _total(panel: UsagePanel) -> tuple[int | None, int | None, Decimal | None]:
    last = panel.rows.rows.row(panel.rows.rows.count - 1)
    assert last is not None
    return last.tokens.total, last.calls, last.recorded.usd


async def test_enter_goes_down_from_a_day_to_a_session_and_escape_up_again(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        panel = await _open(pilot)
        await press(pilot, "s", "s", "s")
        way = []
        for by in ("day", "model", "conversation"):
            assert panel.rows.by == by
            row = panel.rows.current
            assert row is not None
            way.append((by, panel.question.title, _total(panel)))
            await press(pilot, "enter")
            if by != "conversation":
                assert _total(panel) == (row.tokens.total, row.calls, row.recorded.usd)
                assert panel.question.title.endswith(row.label or panel.question.path[-1].label)
        if _screen(app) is WorkspaceScreen:
            await press(pilot, "escape")
        else:
            await press(pilot, "enter")
            assert _screen(app) is WorkspaceScreen
            await press(pilot, "escape", "escape")
        for by, title, total in reversed(way[:-1]):
            await press(pilot, "escape")
            assert (panel.rows.by, panel.question.title, _total(panel)) == (by, title, total)
        assert _screen(app) is UsageScreen
        await press(pilot, "escape")
        assert _screen(app) is SessionsScreen


async def test_a_conversation_of_several_sessions_opens_into_them(
    app: InspectorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = []

    def noted(location: Location, session: str) -> bool:
        searched.append(threading.current_thread())
        return holds(location, session)

    monkeypatch.setattr(f"{UsagePanel.__module__}.holds", noted)
    async with app.run_test(size=(120, 40)) as pilot:
        panel = await _open(pilot)
        place = next(
            at
            for at in range(panel.rows.rows.count)
            if (row := panel.rows.rows.row(at)) and row.label.startswith("Port the parser") and not row.task
        )
        await press(pilot, *["down"] * place, "enter")
        assert panel.rows.by == "session"
        assert len({panel.rows.rows.row(at).key for at in range(panel.rows.rows.count - 1)}) == 3  # type: ignore[union-attr]
        await press(pilot, "enter")
        assert _screen(app) is WorkspaceScreen
        assert "[Usage]" in drawn(pilot)
    assert searched
    assert threading.main_thread() not in searched


def test_until_prices_are_there_the_list_says_so(samples: Location) -> None:
    early = answer((samples,), Question(), NOW, priced=False)
    left, _ = headline(early, NOW)
    assert any("pricing…" in text for _, text in left)
    assert early.ledger.totals.computed.usd is None
    assert early.ledger.totals.tokens == answer((samples,), Question(), NOW).ledger.totals.tokens


async def test_p_chooses_another_period(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await _open(pilot)
        await press(pilot, "p")
        assert "90 days" in drawn(pilot)


async def test_a_conversation_has_a_tab_of_its_own(samples: Location) -> None:
    async with settled(open_app(samples, "Port the parser to Rust", "usage"), 120, 40) as pilot:
        panel = _panel(pilot)
        assert panel.rows.by == "model"
        assert panel.question.session is not None
        assert "compression" in drawn(pilot)
        await press(pilot, "p")
        assert panel.question.title == "all time"


async def test_rows_have_room_at_any_size(app: InspectorApp) -> None:
    async with app.run_test() as pilot:
        panel = await _open(pilot)
        async for _ in at_sizes(pilot, (80, 24), (200, 60)):
            assert panel.rows.size.height >= 6


def test_an_answer_covers_every_day_of_its_period(samples: Location) -> None:
    found = answer((samples,), Question(period=MONTH), NOW)
    assert len(found.days) == 31
    assert found.peak is not None
    assert sum(day.tokens for day in found.days) == found.ledger.totals.tokens.total


def test_one_broken_database_does_not_hide_the_others(samples: Location, tmp_path: Path) -> None:
    broken = tmp_path / "state.db"
    broken.write_text("no database at all " * 50)
    found = answer((samples, Location(broken)), Question(), NOW)
    assert found.errors
    assert found.ledger.rows


def test_the_forecast_continues_as_the_month_began() -> None:
    now = datetime(2026, 11, 10, 12, tzinfo=UTC)
    days = [Day(date(2026, 11, number), Decimal(1)) for number in range(1, 11)]
    days.append(Day(date(2026, 10, 31), Decimal(500)))
    assert forecast(days, now) == Decimal(30)
    assert forecast([Day(date(2026, 11, 3))], now) is None
    assert forecast(days, datetime(2026, 11, 1, 12, tzinfo=UTC)) is None


def test_bars_share_out_the_whole_width_and_several_days_make_one_when_not_all_fit() -> None:
    values = tuple(float(number) for number in range(100))
    bars = summed(values, len(spans(100, 40)))
    assert (len(bars), bars[0], bars[-1]) == (34, 0.0, 97 + 98 + 99)
    assert sum(bars) == sum(values)
    assert spans(30, 100)[-1] == (96, 100)
    assert spans(3, 200) == ((0, 24), (24, 48), (48, 72))
    assert spans(0, 40) == ()


async def test_a_year_in_a_small_terminal_says_how_many_days_a_bar_is(app: InspectorApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        panel = await _open(pilot)
        bars = panel.query_one(DayBars)
        bars.values, bars.made_of, bars.first, bars.last = (1.0,) * 300, (), "Jan 6", "Nov 1"
        await pilot.pause()
        text = drawn(pilot)
    assert "days a bar" in text
    assert "peak" in text
    assert "Jan 6" in text


@pytest.mark.parametrize("count", [5, 14, 20, 28, 40, 300])
async def test_gaps_are_between_all_bars_or_none(app: InspectorApp, count: int) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        panel = await _open(pilot)
        bars = panel.query_one(DayBars)
        bars.values, bars.made_of = (1.0,) * count, (Layer("", "ink", "█", (1.0,) * count),)
        await pilot.pause()
        row = bars.render_line(0).text[AXIS + 1 :].rstrip()
    drawn_bars = row.split()
    assert row.count(" ") == len(drawn_bars) - 1
    assert len(drawn_bars) in (1, count)


@pytest.mark.parametrize(
    ("count", "incomplete", "top"), [(9, 8, "≥9"), (9, 3, "9"), (144, 142, "≥4"), (144, 3, "4")]
)
async def test_the_top_of_the_scale_is_a_lower_bound_if_its_bar_is_one(
    app: InspectorApp, count: int, incomplete: int, top: str
) -> None:
    values = tuple(1.0 * number for number in range(1, 10)) if count == 9 else (*(0.1,) * 140, *(1.5,) * 4)
    async with app.run_test(size=(81, 24)) as pilot:
        panel = await _open(pilot)
        bars = panel.query_one(DayBars)
        bars.values, bars.made_of, bars.scale = (
            values,
            (Layer("", "ink", "█", values),),
            lambda one: f"{one:.0f}",
        )
        bars.incomplete = tuple(place == incomplete for place in range(count))
        await pilot.pause()
        assert bars.render_line(0).text[:AXIS].strip() == top


def test_a_conversation_is_shown_up_to_its_last_day(samples: Location) -> None:
    with Store(samples) as store:
        root = store.conversation(store.resolve("Port the parser to Rust").id).root
    found = answer((samples,), Question(by="model", session=root.id), NOW)
    assert found.ledger.totals.sessions == 3
    assert found.days[-1].tokens > 0
    assert found.days[-1].day < NOW.date()


async def test_escape_closes_the_origin_before_it_leaves(samples: Location) -> None:
    async with settled(app := open_app(samples, "Refactor the auth module", "usage"), 80, 24) as pilot:
        assert "= formula" in drawn(pilot)  # two rows leave room for it
        await press(pilot, "equals_sign")
        assert "= formula" not in drawn(pilot)
        await press(pilot, "equals_sign")
        await press(pilot, "escape")
        assert "= formula" not in drawn(pilot)
        assert app.screen.query(UsagePanel)
        await press(pilot, "escape")
        assert not app.screen.query(UsagePanel)


async def test_the_most_expensive_row_comes_first_and_the_peak_names_its_conversation(
    samples: Location,
) -> None:
    async with settled(app := open_app(samples, "Refactor the auth module", "sessions"), 120, 40) as pilot:
        await press(pilot, "u")
        frame = drawn(pilot)
        panel = app.screen.query_one(UsagePanel)
        paid = [row.cost.usd for row in map(panel.rows.rows.row, range(panel.rows.rows.count - 1)) if row]
        known = [usd for usd in paid if usd is not None]
        assert known == sorted(known, reverse=True)
        peak = next(line for line in frame.splitlines() if "peak" in line)
        largest = re.search(r"Largest: Webhooks are delivered twice, (\$[\d.]+)", frame)
        assert largest is not None
        assert f", {largest[1]} of it in Webhooks" in peak
        assert "■ uncached" in peak, "what bars are made of is named before all of that"
        assert ", saved ~$" in frame
        assert "summaries" in frame


def test_before_anything_is_known_the_headline_says_what_is_under_way() -> None:
    assert "".join(text for _, text in waiting(Question())) == "Usage · today · adding up …"


async def test_a_click_on_a_title_chooses_the_figure_and_one_on_a_row_goes_there(app: InspectorApp) -> None:
    async with app.run_test(size=(140, 40)) as pilot:
        panel = await _open(pilot)
        header = panel.rows.draw_header(panel.rows.row_width)[0].text
        for title, figure in (("output", "output"), ("read", "cache_read"), ("list price", "computed")):
            await pilot.click(LedgerList, offset=(header.index(title) + 2, 0))
            assert panel.rows.figure == figure
        assert "at the price list" in panel.card.text
        await pilot.click(LedgerList, offset=(5, 3))
        assert panel.rows.cursor == 2
        assert panel.question.path == ()
        await pilot.click(LedgerList, offset=(5, 3))
        await settle(pilot)
        assert panel.question.path or _screen(app) is WorkspaceScreen


def test_a_period_without_spending_says_what_to_try() -> None:
    empty = UsageAnswer(Question(), Ledger("model", (), LedgerRow("total")), ())
    assert nothing(empty) == "Nothing was spent today. p shows another period."
    assert nothing(replace(empty, question=Question(session="s1"))) == "Nothing was spent."


async def test_where_all_that_runs_today_began_earlier_it_is_not_said_that_nothing_was_spent(
    database: SessionDatabase,
) -> None:
    name = database.session("s", title="Bills", started_at=(NOW - timedelta(days=1)).timestamp(), model="x")
    database.message(name, "assistant", "hi", timestamp=NOW.timestamp())
    app = InspectorApp([Location(database.path)], view="spending", now=lambda: NOW)
    async with settled(app, 120, 24) as pilot:
        told = " ".join(drawn(pilot).split())
        assert "No conversation began today; an earlier one went on" in told
        assert "Nothing was spent today" not in told


async def test_u_opens_on_the_shortest_period_that_has_spending(samples: Location) -> None:
    later = InspectorApp([samples], view="spending", now=lambda: NOW + timedelta(days=60))
    async with settled(later, 120, 40) as pilot:
        panel, text = _panel(pilot), drawn(pilot)
        assert panel.question.title == "90 days"
        assert "Nothing was spent in 30 days. " in text
        await press(pilot, "p")
        assert panel.question.title == "all time"
        assert "Nothing was spent" not in drawn(pilot), "it is about the period that was skipped"


async def test_an_empty_database_shows_what_to_try_instead_of_columns_of_dashes(
    database: SessionDatabase,
) -> None:
    app = InspectorApp([Location(database.path)], view="spending", now=lambda: NOW)
    async with settled(app, 90, 24) as pilot:
        text = drawn(pilot)
        assert "p shows another period." in text
        assert "cache read –" not in text
        assert "no day has a price" not in text


def test_the_bars_take_what_the_rows_leave_of_a_tall_screen() -> None:
    assert [lines_of(high, 3) for high in (24, 30, 40, 60)] == [2, 7, 12, 30]
    assert lines_of(60, 40) == 15
    assert [lines_of(30, 9, origin=origin) for origin in (True, False)] == [2, 7]


def test_a_day_costs_the_same_as_a_row_as_largest_and_opened(samples: Location) -> None:
    found = answer((samples,), Question(by="day", period=MONTH), NOW)
    days = [row.key for row in found.ledger.rows]
    assert days == sorted(set(days))
    most = max(found.ledger.rows, key=lambda row: row.rank)
    summaries = [part for part in most.parts if part.task == "compression"]
    assert summaries  # otherwise this tests nothing
    assert found.peak is not None
    assert most.cost.usd == found.peak.usd
    inside = found.question.into(most)
    assert inside is not None
    assert answer((samples,), inside, NOW).ledger.totals.cost.usd == most.cost.usd


async def test_in_a_window_that_was_made_smaller_the_bars_leave_room_for_the_rows(samples: Location) -> None:
    async with settled(open_app(samples, "Pick a job queue", "usage"), 120, 40) as pilot:
        async for _ in at_sizes(pilot, (80, 24), (200, 60), (80, 24)):
            assert "claude-sonnet-4-6 " in drawn(pilot).split("conversation  [model]")[-1]
            assert _panel(pilot).rows.size.height > LedgerList.HEADER_LINES + 1


async def test_a_window_of_another_size_shows_what_one_opened_at_that_size_shows(samples: Location) -> None:
    sizes = ((80, 24), (120, 40))
    fresh = {}
    for width, height in sizes:
        fresh[width] = await seen(InspectorApp([samples], view="spending", now=lambda: NOW), (width, height))
    async with settled(InspectorApp([samples], view="spending", now=lambda: NOW), 120, 40) as pilot:
        async for width in at_sizes(pilot, *sizes):
            assert drawn(pilot) == fresh[width]


async def test_a_hit_rate_that_counts_summaries_says_what_it_is_without_them_as_the_cache_does(
    samples: Location,
) -> None:
    async with settled(open_app(samples, "Refactor the auth module", "usage"), 80, 24) as pilot:
        async for width in at_sizes(pilot, (60, 20), (80, 24), (120, 40)):
            frame = drawn(pilot)
            assert "· ≥$6.03 recorded " in frame  # no room is taken from the cost
            assert ("hit 96%, 97% without summaries" in frame) == (width > 60)
