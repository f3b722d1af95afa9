"""What stands below the list about the row under the cursor."""

from __future__ import annotations

from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.screens.sessions.card import SessionCard
from inspector.widgets.bars.answer_and_keys import AnswerBar
from inspector.widgets.charts.curve_chart import CurveChart
from tests.conftest import NOW
from tests.inspector.driving import at_sizes, settled
from tests.inspector.screens.conftest import press


async def test_a_high_screen_shows_the_answer_and_the_curve_of_the_row_under_the_cursor(
    samples: Location,
) -> None:
    async with settled(app := InspectorApp([samples], now=lambda: NOW)) as pilot:
        card = app.screen.query_one(SessionCard)
        chart, answer = card.query_one(CurveChart), card.query_one(AnswerBar)
        async for _ in at_sizes(pilot, (200, 40), (200, 60)):
            high = app.size.height == 60
            assert (chart.display, answer.display) == (high, high)
        listing = app.screen.listing  # type: ignore[attr-defined]
        for _ in range(3):
            extra = listing.extras[listing.current.key]
            assert chart.values == extra.curve.values
            await press(pilot, "down")
