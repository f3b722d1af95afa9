"""Cache breaks by cause and tokens by day, drawn: sums are complete, unknown prices claim nothing."""

from __future__ import annotations

from typing import Any

from inspector.report.charts import cache_breaks, tokens_by_day


def test_breaks_of_one_cause_are_one_bar_with_their_sum() -> None:
    chart = cache_breaks(
        [_break("expired", 1_000, "0.50"), _break("expired", 2_000, "0.25"), _break("model_switch", 9, "1")]
    )
    assert chart is not None
    assert "2 breaks, 3.0K tokens, $0.75" in chart.svg
    assert chart.svg.index("expired") < chart.svg.index("model switch")


def test_a_break_without_a_price_makes_the_sum_a_lower_bound() -> None:
    some = cache_breaks([_break("expired", 10, "0.50"), _break("expired", 10, None)])
    none = cache_breaks([_break("expired", 10, None)])
    assert some is not None
    assert none is not None
    assert "≥$0.50" in some.svg
    assert "no price" in none.svg


def test_a_break_on_a_server_of_ones_own_costs_nothing() -> None:
    own = cache_breaks([_break("expired", 10, None)], own=True)
    assert own is not None
    assert "10 tokens, at no cost" in own.svg


def test_nothing_is_drawn_where_nothing_broke_and_for_a_single_day() -> None:
    assert cache_breaks([]) is None
    assert tokens_by_day([_day("2026-11-01", 5)]) is None


def test_days_stand_oldest_first_and_the_last_ninety_are_drawn() -> None:
    days = [_day(f"2026-{month:02}-{day:02}", 100) for month in range(1, 6) for day in range(1, 29)]
    chart = tokens_by_day(list(reversed(days)))
    assert chart is not None
    assert chart.svg.index("2026-02-23") < chart.svg.index("2026-05-28")
    assert chart.caption.endswith("The last 90 of 140 days.")


def _break(cause: str, lost: int, usd: str | None) -> dict[str, Any]:
    return {"cause": cause, "tokens_lost": lost, "cost_usd": usd}


def _day(key: str, tokens: int) -> dict[str, Any]:
    return {"key": key, "tokens": {"cache_read": tokens, "cache_write": None, "input": tokens, "output": 1}}
