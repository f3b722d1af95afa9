"""Ways through the usage screen, and what it says where there is little to say."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.account.spending.origins import origin
from core.model.accounting.amounts import Buckets, Money
from core.model.accounting.ledger import Ledger, LedgerPart, LedgerRow
from core.store.database.locate import Location, locate
from inspector.app import InspectorApp
from inspector.screens.workspace.usage.bars import bars_of, day_words
from inspector.screens.workspace.usage.days import Day, days_of
from inspector.screens.workspace.usage.model import UsageAnswer, at_this_pace
from inspector.screens.workspace.usage.panel import UsagePanel
from inspector.screens.workspace.usage.question import Question
from inspector.screens.workspace.usage.words import (
    SUMMARISING,
    Detail,
    bucket_pieces,
    headline,
    peak_words,
    summary_pieces,
)
from inspector.widgets.charts.day_bars import DayBars
from inspector.widgets.panes.card import origin_lines
from tests.conftest import NOW
from tests.inspector.driving import settled
from tests.inspector.screens.conftest import INK, drawn, plain, press, settle

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def answer(days: tuple[Day, ...], question: Question, totals: LedgerRow | None = None) -> UsageAnswer:
    return UsageAnswer(question, Ledger("day", (), totals or LedgerRow("total"), lower_bound=True), days)


def found_of(totals: LedgerRow) -> UsageAnswer:
    return UsageAnswer(Question(), Ledger("day", (), totals), days(None), priced=True)


def days(*usd: int | None) -> tuple[Day, ...]:
    return tuple(
        Day(date(2026, 11, place), None if one is None else Decimal(one), 1000 * place)
        for place, one in enumerate(usd, 1)
    )


def test_a_month_is_predicted_only_from_a_period_that_holds_all_of_it() -> None:
    found = answer(days(10, 10), Question())
    assert at_this_pace(found, NOON) == Decimal(30)
    assert at_this_pace(replace(found, question=Question(period=1)), NOON) is None
    assert at_this_pace(replace(found, question=Question(session="x")), NOON) is None


def test_a_narrow_screen_keeps_what_was_recorded_and_leaves_out_the_forecast() -> None:
    found = answer(days(10, 10), Question())
    assert "at this pace" in headline(found, NOON)[1][-1][1]
    assert not any("at this pace" in text for _, text in headline(found, NOON, brief=True)[1])


@pytest.mark.parametrize(
    ("width", "roomy", "head", "beside"),
    [
        (80, False, "", ""),
        (120, True, "hit 80%", "hit 90% without them"),
        (220, True, "hit 80%, 90% without", ""),
    ],
)
def test_the_hit_rate_without_summaries_stands_where_there_is_room_and_no_rate_stands_alone(
    width: int, roomy: bool, head: str, beside: str
) -> None:
    main = LedgerPart("m", "p", "", 1, 4, Buckets(100, 900, 0, 0, 0))
    other = LedgerPart("m", "p", SUMMARISING, 1, 1, Buckets(125, 0, 0, 0, 0))
    cost = Money(Decimal(1_234_567))
    totals = LedgerRow("total", calls=5, tokens=main.tokens + other.tokens, recorded=cost)
    ledger = Ledger("model", (LedgerRow("a", parts=(main, other)),), totals)
    found = UsageAnswer(Question(), ledger, days(10, 100_000_000), priced=True)
    _, right = headline(found, NOON, width=width, roomy=roomy)
    summaries = Detail(summaries=LedgerRow("compression", calls=3))
    aside = "".join(text for _, text in summary_pieces(found, summaries, right, width))
    said = "".join(text for _, text in right)
    assert head in said
    assert ("hit " in said) == bool(head)
    assert not said.startswith(" · ")
    assert beside in aside
    assert ("hit" in aside) == bool(beside)
    assert ("summaries" in aside) == (width > 80)


def test_days_without_a_price_are_drawn_by_their_tokens() -> None:
    bars = bars_of(answer(days(None, None, None), Question()))
    assert list(bars.values) == [1000, 2000, 3000]
    assert bars.caption == "tokens: no day has a price · peak Nov 3 3.0K"
    assert list(bars_of(answer(days(None, 5, None), Question())).values) == [0, 5, 0]


def test_where_no_price_is_known_no_dashes_stand_for_money() -> None:
    row = LedgerRow("total", calls=2, tokens=Buckets(10, 0, 0, 0, 0))
    said = "".join(words for _, words in headline(found_of(row), NOON)[0])
    assert "– recorded" not in said
    assert "– list price" not in said
    assert said.endswith("2 calls")


def test_of_a_server_of_your_own_no_price_is_missed() -> None:
    own = LedgerRow("total", tokens=Buckets(10, 0, 0, 0, 0), status="local")
    assert bars_of(answer(days(None, None, None), Question(), own)).caption == "tokens · peak Nov 3 3.0K"


def test_a_day_whose_usage_is_not_all_recorded_is_a_lower_bound_also_below_the_bars() -> None:
    row = LedgerRow(
        "2026-11-02", tokens=Buckets(10, 0, 0, 0, 0), recorded=Money(Decimal(5)), lower_bound=True
    )
    whole = replace(row, key="2026-11-01", recorded=Money(Decimal(1)), lower_bound=False)
    rows = (whole, replace(row, key="2026-11-03", recorded=Money(Decimal(2)), lower_bound=False), row)
    found = answer(days_of(Ledger("day", rows, LedgerRow("total")), None, None), Question())
    assert bars_of(found).caption == "peak Nov 2 ≥$5.00"
    assert bars_of(found).incomplete == (False, True, False)
    assert [day_words(day).split(" · ")[1:3] for day in found.days] == [
        ["$1.00", "10 tokens"],
        ["≥$5.00", "≥10 tokens"],
        ["$2.00", "10 tokens"],
    ]
    assert peak_words(replace(row, label="Refactor")).startswith(", ≥$5.00 of it in Refactor")
    lines = plain(origin_lines("Refactor", origin(found.ledger, row, "recorded"), 80, INK))
    assert lines.startswith("recorded cost of Refactor: ≥$5.00")


def test_what_is_unknown_is_neither_nothing_nor_a_lower_bound_of_nothing() -> None:
    totals = LedgerRow("total", tokens=Buckets(reasoning=0), lower_bound=True)
    told = "".join(text for _, text in headline(answer((), Question(), totals), NOON)[0])
    assert "– calls" in told
    assert "reasoning" not in "".join(text for _, text in bucket_pieces(totals))


@pytest.fixture
def app(samples: Location) -> InspectorApp:
    return InspectorApp([samples], view="spending", now=lambda: NOW)


async def panel_of(pilot: Pilot[None]) -> UsagePanel:
    await settle(pilot)
    return pilot.app.screen.query_one(UsagePanel)


async def test_the_way_back_ends_on_the_row_it_began_at(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        panel = await panel_of(pilot)
        await press(pilot, "s", "j", "j")
        await press(pilot, "enter")
        assert panel.question.path
        await press(pilot, "escape")
        assert not panel.question.path
        assert panel.rows.cursor == 2


async def test_a_click_on_a_bar_goes_into_its_day(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        panel = await panel_of(pilot)
        bars = app.screen.query_one(DayBars)
        place = max(range(len(bars.values)), key=lambda index: bars.values[index])
        panel.post_message(DayBars.Chosen(place))
        await settle(pilot)
        (step,) = panel.question.path
        assert step.by == "day"
        assert panel.rows.rows.count > 1


async def test_the_total_says_how_the_first_line_was_worked_out(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        panel = await panel_of(pilot)
        await press(pilot, "G")
        assert "since the 1st" in panel.card.text
        assert "saved" in panel.card.text


async def test_what_cannot_be_read_is_answered_with_the_reason_not_waited_for(tmp_path: Path) -> None:
    broken = tmp_path / "state.db"
    broken.write_bytes(b"not a database at all " * 50)
    app = InspectorApp(locate(db=broken), now=lambda: NOW)
    async with settled(app, 120, 30, notifications=True) as pilot:
        await press(pilot, "u")
        shown = drawn(pilot)
        assert not [one for one in app._notifications if "not a SQLite" in one.message]
        assert "■" in shown.splitlines()[1]
        assert "not a SQLite database" in " ".join(shown.split())
        assert "Nothing could be added up" in shown
        assert "adding up" not in shown
