"""Every figure of a ledger says where it comes from; budgets say whether they were passed."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from core.account.pricing.price_book import PriceBook
from core.account.spending.budget import check_budget
from core.account.spending.ledger import collect
from core.account.spending.origins import FIGURES, origin
from core.errors import UsageError
from core.model.accounting.amounts import Money
from core.model.accounting.ledger import Ledger
from core.model.accounting.usage import Origin
from core.store.store import Store
from tests.core.account.homes import Book, tokens

OPUS = {"model": "claude-opus-4-5", "billing_provider": "anthropic"}


@pytest.fixture
def found(tmp_path: Path) -> Ledger:
    book = Book(tmp_path / "s.db")
    book.session(
        "a",
        estimated_cost_usd=0.004,
        cost_status="estimated",
        **OPUS,
        **tokens(1000, 200, 30, 40, reasoning_tokens=10),
    )
    with Store(book.path) as store:
        return collect([store], by="session", prices=PriceBook()).ledger()


def of(found: Ledger, figure: str) -> Origin:
    return origin(found, found.totals, figure)


def test_every_figure_has_an_origin_whose_terms_are_its_sum(found: Ledger) -> None:
    for figure in FIGURES:
        one = of(found, figure)
        assert one.formula
        assert one.rows == ("sessions, session_model_usage: 1 session",)
        if figure in ("input", "cache_read", "cache_write", "output", "prompt", "total", "calls"):
            assert sum(term.amount for term in one.terms) == one.value, figure


def test_the_total_says_that_reasoning_is_not_added(found: Ledger) -> None:
    one = of(found, "total")
    assert one.value == 1270
    assert "reasoning is inside the output" in one.notes[0]


def test_a_computed_cost_names_tokens_rates_and_the_price_entry(found: Ledger) -> None:
    one = of(found, "computed")
    dollars = sum(term.amount * term.rate for term in one.terms if term.rate is not None) / 1_000_000
    assert one.value == dollars == Decimal("0.0062875")
    assert one.prices[0].endswith("anthropic/claude-opus-4-5, date unknown")


def test_the_difference_to_the_record_is_explained(found: Ledger) -> None:
    one = of(found, "difference")
    assert one.value == Decimal("0.0022875")
    told, tables = one.notes
    assert told == "anthropic/claude-opus-4-5: +0.0023 USD"
    assert tables.startswith("recorded / list price by a table Hermes does not name / genai-prices ")


@pytest.mark.parametrize("figure", ["input", "total", "calls", "recorded", "computed"])
def test_a_figure_of_a_row_that_lacks_usage_is_a_lower_bound(found: Ledger, figure: str) -> None:
    known = replace(found.totals, lower_bound=False, recorded=Money(Decimal(1)), computed=Money(Decimal(1)))
    assert not origin(found, known, figure).lower_bound
    assert origin(found, replace(known, lower_bound=True), figure).lower_bound


def test_an_unknown_figure_is_refused(found: Ledger) -> None:
    with pytest.raises(UsageError, match="hit_rate"):
        of(found, "mood")


def test_a_budget_is_passed_only_beyond_it(found: Ledger) -> None:
    assert not check_budget(found, Decimal("0.004")).passed
    assert check_budget(found, Decimal("0.0039")).passed


def test_a_budget_with_unpriced_models_is_a_lower_bound(tmp_path: Path) -> None:
    book = Book(tmp_path / "s.db").session("a", model="x", billing_provider="nous", **tokens(100))
    book.session("b", estimated_cost_usd=1.0, **OPUS, **tokens(5))
    with Store(book.path) as store:
        check = check_budget(collect([store], prices=PriceBook()).ledger(), Decimal(2))
    assert not check.passed
    assert check.sentence.startswith("≥$1.00 spent")


def test_what_hermes_could_not_price_is_counted_at_the_list(tmp_path: Path) -> None:
    book = Book(tmp_path / "s.db").session("a", estimated_cost_usd=0.0, **OPUS, **tokens(1_000_000, calls=40))
    book.session(
        "b",
        model="gpt-5.2",
        billing_provider="openai-codex",
        cost_status="included",
        **tokens(10**7, calls=99),
    )
    with Store(book.path) as store:
        check = check_budget(collect([store], prices=PriceBook()).ledger(), Decimal(4))
    assert check.passed
    assert check.sentence.startswith("$5.00 spent")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:8080/v1", "nothing: no provider bills a server of your own"),
        ("https://api.example.com/v1", "without 1 row whose price is unknown"),
    ],
)
def test_what_costs_nothing_is_distinguished_from_an_unknown_price(
    tmp_path: Path, url: str, said: str
) -> None:
    book = Book(tmp_path / "s.db")
    model = {"model": "nobody-knows-it", "billing_provider": "custom", "billing_base_url": url}
    book.session("a", cost_status="unknown", **model, **tokens(1000, 0, 0, 40))
    with Store(book.path) as store:
        ledger = collect([store], by="session", prices=PriceBook()).ledger()
    assert of(ledger, "recorded").notes == (said,)
