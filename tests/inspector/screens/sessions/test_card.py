"""What stands below the list about the row under the cursor."""

from __future__ import annotations

import pytest

from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.screens.sessions.card import SessionCard
from inspector.widgets.bars.answer_bar import AnswerBar
from inspector.widgets.charts.curve_chart import CurveChart
from tests.conftest import NOW
from tests.inspector.screens.conftest import press, settle


@pytest.mark.parametrize(("rows", "shown"), [(40, False), (60, True)])
async def test_a_high_screen_shows_the_answer_and_the_curve_below_the_list(
    samples: Location, rows: int, *, shown: bool
) -> None:
    app = InspectorApp([samples], now=lambda: NOW)
    async with app.run_test(size=(200, rows)) as pilot:
        await settle(pilot)
        card = app.screen.query_one(SessionCard)
        assert card.query_one(CurveChart).display is shown
        assert card.query_one(AnswerBar).display is shown


async def test_the_curve_is_that_of_the_row_under_the_cursor(samples: Location) -> None:
    app = InspectorApp([samples], now=lambda: NOW)
    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot)
        chart = app.screen.query_one(SessionCard).query_one(CurveChart)
        listing = app.screen.listing  # type: ignore[attr-defined]
        for _ in range(3):
            extra = listing.extras[listing.current.key]
            assert chart.values == extra.curve.values
            await press(pilot, "down")
