"""The prompt cache of a conversation: figures, markers, breaks, cards."""

from __future__ import annotations

from dataclasses import replace

from core.model.accounting.prompt_cache import CacheBreak, CacheReport, CacheRoute
from core.store.database.locate import Location
from inspector.screens.workspace.cache.list_view import CAUSES, BreakList, MarkerStrip, hit_layers
from inspector.screens.workspace.cache.view import CacheView
from tests.conftest import NOW
from tests.inspector.driving import at_sizes, settled
from tests.inspector.screens.conftest import drawn, open_app, press, seen

AUTH = "Refactor the auth module"


async def test_the_breaks_are_listed_with_cause_and_price(samples: Location) -> None:
    shown = await seen(open_app(samples, AUTH, "cache"), (120, 40))
    assert "3 breaks" in shown
    assert "a compaction rewrote the prompt" in shown
    assert "the cache had expired" in shown
    assert "$" in shown


async def test_the_most_expensive_break_is_shown_first_and_keys_go_through_them(samples: Location) -> None:
    async with settled(app := open_app(samples, AUTH, "cache"), 120, 40) as pilot:
        view = app.screen.query_one(CacheView)
        costs = [row.found.usd for row in map(view.breaks.rows.row, range(3)) if row and row.found]
        assert view.breaks.cursor == costs.index(max(cost for cost in costs if cost is not None))
        await press(pilot, "right_curly_bracket", "right_curly_bracket")
        assert view.breaks.current is not None
        assert view.breaks.current.found is None
        assert "lifetime" in drawn(pilot)


def test_without_colour_each_cause_of_a_break_has_a_texture_of_its_own() -> None:
    route = CacheRoute("native", "")
    breaks = tuple(CacheBreak(NOW, 0, cause, 1_000) for cause in CAUSES)
    layers = hit_layers(CacheReport("none", "none", "5m", route, (), (), breaks, None))
    assert len({layer.texture for layer in layers}) == len(layers) == 1 + len(CAUSES)


async def test_markers_lie_where_their_tokens_do(samples: Location) -> None:
    async with settled(app := open_app(samples, AUTH, "cache"), 120, 40) as pilot:
        strip = app.screen.query_one(MarkerStrip)
        tokens = [pin.tokens for pin in strip.pins]
        assert len(tokens) == 4
        assert tokens == sorted(tokens, key=lambda count: count or 0)
        assert strip.total > 0
        async for width in at_sizes(pilot, (80, 24), (120, 40)):
            brief = "▲ cache markers: system, #62, #63, #64"
            whole = "▲ cache markers of the next request: system, #62, #63, #64"
            assert (brief if width == 80 else whole) in drawn(pilot)


async def test_a_conversation_without_breaks_says_what_it_has(samples: Location) -> None:
    shown = await seen(open_app(samples, "Résumé du journal", "cache"), (120, 40))
    assert "no cache markers · Hermes sets none for this provider" in shown
    assert "hit rate of" not in shown


async def test_the_card_can_be_copied_at_any_size(samples: Location) -> None:
    app = open_app(samples, AUTH, "cache")
    async with app.run_test() as pilot:
        async for _ in at_sizes(pilot, (80, 24), (200, 60)):
            assert "tokens re-read" in app.screen.query_one(CacheView).copy_text()


async def test_next_to_its_card_a_break_still_names_its_cause_in_full(samples: Location) -> None:
    async with settled(open_app(samples, AUTH, "cache"), 160, 45) as pilot:
        found = pilot.app.screen.query_one(BreakList)
        first = found.rows.row(0)
        assert first is not None
        assert first.found is not None
        for cause, words in CAUSES.items():
            row = replace(first, found=replace(first.found, cause=cause))
            assert words in found.draw_row(row, 0, found.size.width).text
