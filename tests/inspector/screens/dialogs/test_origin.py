"""`=` says where the figures under the cursor come from, on every screen that shows some."""

from __future__ import annotations

from decimal import Decimal

import pytest

from core.explain.prompt_cache import conversation_cache
from core.store.database.locate import Location
from core.store.store import Store
from inspector.app import InspectorApp
from inspector.screens.dialogs.origin import OriginScreen
from inspector.screens.workspace.cache.card import break_origins, report_origins
from inspector.screens.workspace.usage.bars import spending
from tests.conftest import NOW
from tests.inspector.driving import settled
from tests.inspector.screens.conftest import drawn, open_app, press

AUTH = "Refactor the auth module"


@pytest.mark.parametrize(
    ("view", "told"),
    [
        ("why", ("prompt tokens: ", "agent.log", "× 200,000", "share of facts lost")),
        ("cache", ("tokens re-read: ", "× $6.25 per million", "genai-prices")),
        ("chain", ("tokens of Refactor the auth module: ", "cache read", "genai-prices")),
    ],
)
async def test_the_figures_of_a_tab_have_an_origin(
    samples: Location, view: str, told: tuple[str, ...]
) -> None:
    async with settled(app := open_app(samples, AUTH, view), 120, 60) as pilot:
        await press(pilot, "equals_sign")
        assert isinstance(app.screen, OriginScreen)
        shown = app.screen.pane.text
        assert [words for words in told if words not in shown] == []
        await press(pilot, "equals_sign")
        assert not isinstance(app.screen, OriginScreen)


async def test_the_columns_of_the_list_have_an_origin(samples: Location) -> None:
    async with settled(app := InspectorApp([samples], now=lambda: NOW), 120, 50) as pilot:
        await press(pilot, "equals_sign")
        assert isinstance(app.screen, OriginScreen)
        shown = drawn(pilot)
        assert "recorded cost of" in shown
        assert "estimated_cost_usd" in shown
        await press(pilot, "G")
        assert "share of the window: " in drawn(pilot)
        assert "compressions: " in drawn(pilot)


def test_the_terms_of_a_break_come_to_its_cost(samples: Location) -> None:
    with Store(samples) as store:
        report = conversation_cache(store, store.resolve(AUTH).id)
    assert report.breaks
    for one in report.breaks:
        cost = next(told.origin for told in break_origins(one) if told.origin.figure == "cost")
        worked_out = sum(Decimal(term.amount) * (term.rate or 0) for term in cost.terms) / 1_000_000
        assert worked_out == one.usd == cost.value


def test_hit_rates_of_a_break_and_costs_of_lifetimes_and_results_have_terms(samples: Location) -> None:
    with Store(samples) as store:
        report = conversation_cache(store, store.resolve(AUTH).id)
    rates = [
        told.origin
        for told in break_origins(report.breaks[0], report.calls)
        if "hit rate" in told.origin.figure
    ]
    assert len(rates) == 2
    for rate in rates:
        read, prompt = rate.terms
        assert rate.value == pytest.approx(float(read.amount) / float(prompt.amount))
    told = {origin.origin.figure for origin in report_origins(report)}
    assert {
        "tokens up to the marker",
        "cost of these prompts kept for an hour",
        "cost of the tool result",
    } <= told


def test_each_session_of_a_chain_is_reported_alone_and_the_conversation_as_a_whole(samples: Location) -> None:
    with Store(samples) as store:
        sessions = store.conversation(store.resolve("Port the parser to Rust #3").id).sessions
    assert len(sessions) == 3

    def tokens(session_id: str, *, alone: bool) -> list[object]:
        told = spending(samples, session_id, alone=alone)(lambda: False)
        return [one.origin.value for one in told if one.origin.figure == "total"]

    each = [tokens(session.id, alone=True) for session in sessions]
    assert [main for main, *_ in each] == [session.tokens.total for session in sessions]
    *_, whole = tokens(sessions[0].id, alone=False)
    assert whole == sum(int(str(value)) for values in each for value in values)
