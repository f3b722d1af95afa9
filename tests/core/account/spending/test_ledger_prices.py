"""What a ledger says of money: recorded and computed, apart."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from core.account.pricing.price_book import PriceBook
from core.account.spending.ledger import collect
from tests.core.account.homes import Book, store, tokens


def test_zero_dollars_for_tokens_is_not_a_price(book: Book, opened: ExitStack) -> None:
    book.session("a", model="x", estimated_cost_usd=0.0, cost_status="unknown", **tokens(100))
    book.session("b", model="y", estimated_cost_usd=1.25, cost_status="estimated", **tokens(100))
    book.session("c", model="z", estimated_cost_usd=0.0, cost_status="included", **tokens(100))
    rows = {
        row.key: (row.recorded.usd, row.recorded.missing, row.status)
        for row in collect([store(opened, book)]).ledger().rows
    }
    assert rows["a"] == (None, 1, "unknown")
    assert rows["b"] == (Decimal("1.25"), 0, "estimated")
    assert rows["c"] == (Decimal(0), 0, "included")


def test_a_billed_amount_wins_over_the_estimate_and_counts_once(book: Book, opened: ExitStack) -> None:
    book.session("a", model="x", estimated_cost_usd=1.0, actual_cost_usd=1.5, **tokens(100))
    book.usage("a", "x", estimated_cost_usd=1.0, **tokens(100))
    for by in ("session", "model", "day"):
        found = collect([store(opened, book)], by=by).ledger()
        assert found.totals.recorded.usd == Decimal("1.5"), by
        assert found.totals.recorded.missing == 0


def test_prices_are_computed_next_to_the_record_and_never_mixed(book: Book, opened: ExitStack) -> None:
    route = {
        "model": "claude-opus-4-5",
        "billing_provider": "anthropic",
        "billing_base_url": "https://api.anthropic.com",
    }
    million = tokens(1_000_000, 0, 0, 0, 1000)
    book.session("a", estimated_cost_usd=9.0, cost_status="estimated", **route, **million)
    book.session("b", model="nobody-knows-it", billing_provider="nous", **tokens(100))
    book.session("c", model="gpt-5.2", billing_provider="openai-codex", cost_status="included", **million)
    book.session(
        "d", model="m", billing_provider="custom", billing_base_url="http://127.0.0.1:1/v1", **tokens(50)
    )
    found = collect([store(opened, book)], by="session", prices=PriceBook()).ledger()
    rows = {row.key: row for row in found.rows}
    assert (rows["a"].recorded.usd, rows["a"].computed.usd) == (Decimal(9), Decimal(5))
    assert (rows["b"].computed.usd, rows["b"].computed.missing) == (None, 1)
    assert (rows["c"].computed.usd, rows["c"].included.usd) == (None, Decimal("1.75"))
    assert (rows["d"].computed.usd, rows["d"].computed.missing, rows["d"].status) == (None, 0, "local")
    assert (found.totals.computed.usd, found.totals.computed.missing) == (Decimal(5), 1)


@pytest.mark.parametrize("by", ["session", "conversation", "task", "day"])
def test_the_total_is_what_the_rows_add_up_to_where_a_side_task_has_only_a_list_price(
    book: Book, opened: ExitStack, by: str
) -> None:
    route = {"billing_provider": "anthropic", "billing_base_url": "https://api.anthropic.com"}
    million = tokens(1_000_000, 0, 0, 0, 0)
    for name in ("a", "b"):
        book.session(name, model="claude-opus-4-5", estimated_cost_usd=9.0, **route, **million)
        book.usage(name, "claude-opus-4-5", estimated_cost_usd=9.0, **route, **million)
    book.usage("a", "claude-opus-4-5", task="compression", **route, **million)
    found = collect([store(opened, book)], by=by, prices=PriceBook()).ledger()
    assert found.totals.cost.usd == sum(row.cost.usd or 0 for row in found.rows) == Decimal(23)
    assert (found.totals.recorded.usd, found.totals.recorded.missing) == (Decimal(18), 1)


def test_each_session_is_priced_at_its_day_whatever_the_dimension(book: Book, opened: ExitStack) -> None:
    route = {"model": "o3", "billing_provider": "openai"}
    before, after = datetime(2025, 6, 9, tzinfo=UTC), datetime(2025, 6, 11, tzinfo=UTC)
    book.session("old", started_at=before.timestamp(), **route, **tokens(1_000_000, calls=100))
    book.session("new", started_at=after.timestamp(), **route, **tokens(1_000_000, calls=100))
    for by in ("session", "model", "source"):
        assert collect(
            [store(opened, book)], by=by, prices=PriceBook()
        ).ledger().totals.computed.usd == Decimal(12)


def test_a_long_context_tier_is_chosen_session_by_session(book: Book, opened: ExitStack) -> None:
    route = {"model": "gemini-2.5-pro", "billing_provider": "google"}
    book.session("short", **route, **tokens(1_000_000, calls=10)).session(
        "long", **route, **tokens(1_000_000, calls=2)
    )
    found = collect([store(opened, book)], by="model", prices=PriceBook()).ledger()
    assert found.totals.computed.usd == Decimal("1.25") + Decimal("2.50")


def test_where_recorded_and_computed_differ_both_tables_are_named(book: Book, opened: ExitStack) -> None:
    route = {"model": "claude-opus-4-5", "billing_provider": "anthropic", "cost_status": "estimated"}
    million = tokens(1_000_000)
    book.session("a", estimated_cost_usd=9.0, cost_source="official_docs_snapshot", **route, **million)
    prices = PriceBook()
    [note] = collect([store(opened, book)], prices=prices).ledger().notes
    assert note == (
        "1 recorded cost differs from the list price "
        f"(Hermes: official_docs_snapshot; list: {prices.list.source})"
    )
    assert collect([store(opened, book)]).ledger().notes == ()


@pytest.mark.parametrize("by", ["session", "model"])
def test_each_row_names_the_tables_of_its_own_difference(book: Book, opened: ExitStack, by: str) -> None:
    route = {
        "billing_provider": "deepseek",
        "cost_status": "estimated",
        "cost_source": "official_docs_snapshot",
    }
    million, table = tokens(1_000_000), "deepseek-pricing-2026-07"
    book.session(
        "a", model="deepseek-chat", estimated_cost_usd=9.0, pricing_version=table, **route, **million
    )
    book.session("b", model="deepseek-v4-pro", estimated_cost_usd=99.0, **route, **million)
    prices = PriceBook()
    rows = {
        row.recorded.usd: row for row in collect([store(opened, book)], by=by, prices=prices).ledger().rows
    }
    assert rows[Decimal(9)].tables == f"{table} / {prices.list.source}"
    assert rows[Decimal(99)].tables == f"official_docs_snapshot / {prices.list.source}"


def test_equal_sums_name_no_table(book: Book, opened: ExitStack) -> None:
    route = {"model": "claude-opus-4-5", "billing_provider": "anthropic", "cost_status": "estimated"}
    book.session("a", estimated_cost_usd=5.0, **route, **tokens(1_000_000))
    found = collect([store(opened, book)], prices=PriceBook()).ledger()
    assert (found.notes, [row.tables for row in found.rows]) == ((), [""])
