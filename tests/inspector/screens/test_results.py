"""The results of a conversation: the most expensive first, opened from Map and Cache."""

from __future__ import annotations

import pytest

from core.store.database.locate import Location
from inspector.screens.results import ResultsScreen
from tests.inspector.driving import at_sizes, front, settled
from tests.inspector.screens.conftest import drawn, open_app, press

AUTH = "Refactor the auth module"


@pytest.mark.parametrize("view", ["map", "cache"])
async def test_a_key_opens_the_results_the_most_expensive_first_and_leads_back(
    samples: Location, view: str
) -> None:
    async with settled(app := open_app(samples, AUTH, view), 140, 40) as pilot:
        await press(pilot, "o")
        screen = front(app, ResultsScreen)
        rows = [screen.results.rows.row(i) for i in range(screen.results.rows.count)]
        costs = [row.usd or 0 for row in rows if row is not None]
        assert costs
        assert costs == sorted(costs, reverse=True)
        assert "if pruned" in drawn(pilot)
        assert "shortened to" not in drawn(pilot), "most are in full"
        await press(pilot, "escape")
        assert not isinstance(app.screen, ResultsScreen)


async def test_it_fits_every_width_and_looks_for_files_only_when_asked(samples: Location) -> None:
    async with settled(app := open_app(samples, AUTH, "cache")) as pilot:
        await press(pilot, "o")
        screen = front(app, ResultsScreen)
        async for width in at_sizes(pilot, (60, 30), (80, 30), (200, 30)):
            assert all(len(line) <= width for line in drawn(pilot).splitlines())
        await press(pilot, "j", "f")
        assert screen.results.cursor == 1


async def test_a_tool_is_asked_for_less_only_where_that_saves_anything(samples: Location) -> None:
    for title, advice in (("Rename the CLI flag", False), ("Webhooks are delivered twice", True)):
        async with settled(open_app(samples, title, "results"), 120, 30) as pilot:
            assert "sent again with every later call" in drawn(pilot)
            assert (" for less (a filter" in drawn(pilot)) is advice


async def test_a_pruned_result_is_not_said_to_be_never_shortened_and_its_cost_adds_up(
    samples: Location,
) -> None:
    async with settled(app := open_app(samples, AUTH, "results"), 140, 40) as pilot:
        screen = front(app, ResultsScreen)
        while screen.results.current is None or screen.results.current.standing.layer != "pruned":
            await press(pilot, "j")
        card = drawn(pilot).split("terminal · pruned")[-1]
        assert "never" not in card
        assert "if pruned already: this is what is left of it" in card
        assert "tokens now, more before; sent with " in card
