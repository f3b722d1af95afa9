"""The user's own prices, and the memory of the bundled list."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from core.account.pricing import price_list
from core.account.pricing.price_book import PriceBook, open_book, read_overrides
from core.account.pricing.price_list import PriceList
from core.errors import ConfigError
from core.model.accounting.amounts import Buckets

OWN = """
- model: "hermes-5-*"
  provider: nous
  input: "0.5"
  output: "1.5"
  cache_read: "0.05"
- model: claude-opus-4-5
  input: 4
  output: 20
  from: 2026-03-01
  tiers:
    - {above: 100000, input: 8, output: 40}
- model: claude-opus-4-5
  input: 5
  output: 25
- {model: house-model, billing: local}
"""
MILLION = Buckets(1_000_000, 0, 0, 0)


@pytest.fixture
def own(tmp_path: Path) -> PriceBook:
    path = tmp_path / "prices.yaml"
    path.write_text(OWN)
    return PriceBook(read_overrides(path))


def test_the_users_price_comes_first(own: PriceBook) -> None:
    assert own.price(MILLION, "hermes-5-preview", "nous") == Decimal("0.5")
    assert own.price(MILLION, "hermes-5-preview", "elsewhere") is None


def test_the_users_prices_have_dates_and_tiers_too(own: PriceBook) -> None:
    before, after = datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
    assert own.price(MILLION, "claude-opus-4-5", "anthropic", at=before, calls=20) == Decimal(5)
    assert own.price(MILLION, "claude-opus-4-5", "anthropic", at=after, calls=20) == Decimal(4)
    assert own.price(MILLION, "claude-opus-4-5", "anthropic", at=after, calls=2) == Decimal(8)


def test_a_provider_left_empty_is_any(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text("- {model: mine, provider: , input: 7}")
    assert PriceBook(read_overrides(tmp_path / "prices.yaml")).price(MILLION, "mine", "nous") == Decimal(7)


def test_tiers_may_be_listed_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(
        "- model: m\n  input: 1\n  tiers: [{above: 200000, input: 8}, {above: 99999, input: 4}]\n"
    )
    book = PriceBook(read_overrides(path))
    assert [book.price(MILLION, "m", calls=calls) for calls in (2, 8, 20)] == [8, 4, 1]


def test_an_entry_names_the_file_it_is_from(own: PriceBook) -> None:
    row = own.entry("hermes-5-preview", "nous")
    assert row is not None
    assert row.source.endswith("prices.yaml entry 1")


def test_no_file_means_no_overrides(tmp_path: Path) -> None:
    assert read_overrides(tmp_path / "prices.yaml") == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("just text", "must be a list"),
        ("- input: 3", "needs a model"),
        ("- {model: x, inptu: 3}", "unknown key 'inptu'"),
        ("- {model: x, input: cheap}", "is not a price"),
        ("- {model: x, input: .nan}", "is not a price"),
        ("- {model: x, input: .inf}", "is not a price"),
        ("- {model: x, input: -3}", "is not a price"),
        ("- {model: x, from: soon}", "is not a date"),
        ("- {model: x, from: 2026-01-31 10:00:00}", "is not a date"),
        ("- {model: x, billing: gift}", "billing 'gift'"),
        ("- {model: x, tiers: [{input: 1}]}", "a tier needs"),
        ("- {model: x, tiers: 5}", "a tier needs"),
        ("- [", "cannot be read"),
    ],
)
def test_a_bad_file_is_one_clear_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=complaint) as caught:
        read_overrides(path)
    assert str(path) in caught.value.where


def test_the_list_is_remembered_between_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = PriceList(tmp_path)
    rows = first.entries("google", "gemini-2.5-pro")
    dated = first.entries("deepseek", "deepseek-chat")
    first.save()

    def refuse(*_: object) -> None:
        raise AssertionError("looked up again")

    monkeypatch.setattr(PriceList, "_look_up", refuse)
    again = PriceList(tmp_path)
    assert again.entries("google", "gemini-2.5-pro") == rows
    assert again.entries("deepseek", "deepseek-chat") == dated


def test_what_an_older_list_left_is_dropped_with_the_first_memory_of_a_newer_one(tmp_path: Path) -> None:
    (tmp_path / "prices-0.0.1.json").write_text("{}")
    current = PriceList(tmp_path)
    current.entries("openai", "gpt-4o")
    current.save()
    assert [path.name for path in tmp_path.iterdir()] == [f"prices-2-{current.version}.json"]


@pytest.mark.parametrize(
    "damaged",
    ["{ not json", "[" * 100_000, '{"openai\\u001f\\u001fgpt-4o": [{}]}'],
    ids=["no JSON", "deep", "another form"],
)
def test_a_damaged_memory_is_ignored(tmp_path: Path, damaged: str) -> None:
    (tmp_path / f"prices-2-{PriceList().version}.json").write_text(damaged)
    assert PriceList(tmp_path).entries("openai", "gpt-4o")


def test_a_book_opens_with_the_users_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "hermes-inspector").mkdir()
    (tmp_path / "hermes-inspector" / "prices.yaml").write_text("- {model: mine, input: 7}")
    assert open_book().price(MILLION, "mine") == Decimal(7)


def test_the_big_list_is_not_imported_before_a_price_is_asked_for() -> None:
    code = (
        "import sys, core.account.spending.ledger, core.account.pricing.price_book as b; b.PriceBook(); "
        "sys.exit('genai_prices' in sys.modules or 'tiktoken' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_list_is_read_without_what_fetches_newer_ones_and_the_package_is_complete_afterwards() -> None:
    code = (
        "import sys; from core.account.pricing.price_list import PriceList as P; "
        "rows = P().entries('openai', 'gpt-4o'); light = {'pydantic', 'httpx'}.isdisjoint(sys.modules); "
        "import genai_prices, genai_prices.types as t; "
        "sys.exit(not (rows and light and genai_prices.calc_price and t._providers_schema is not None))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_package_that_needs_all_it_imports_is_read_as_it_is() -> None:
    code = (
        "from core.account.pricing import price_list as p; p._Inert = type('Nothing', (), {}); "
        "import sys; sys.exit(not p.PriceList().entries('openai', 'gpt-4o'))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_another_worker_may_import_while_the_price_list_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    class Importing(str):
        """Imports a module whenever it is compared."""

        def __eq__(self, other: object) -> bool:
            monkeypatch.setitem(sys.modules, f"imported_beside_{other}", sys)
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    monkeypatch.setattr(price_list, "PACKAGE", Importing("no_such_package"))
    price_list._forget()
    assert "imported_beside_sys" in sys.modules
