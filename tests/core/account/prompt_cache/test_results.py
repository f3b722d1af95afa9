"""What each tool result costs over its life in the context."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from core.account.pricing.price_book import PriceBook
from core.account.prompt_cache.report import CacheInputs, cache_report
from core.hermes.config.config import HermesConfig
from core.store.database.locate import Location
from core.store.store import Store
from tests.core.account.homes import Book, tokens

CALL = '[{"id": "%s", "type": "function", "function": {"name": "%s", "arguments": "{}"}}]'


def test_two_results_under_one_id_live_apart(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    book = Book(path, old=True)
    counts = tokens(1000, 0, 0, 50, calls=4)
    book.session("s", model="claude-opus-4-5", billing_provider="anthropic", **counts)
    for name, size in (("read_file", 4_000), ("calculate", 40)):
        book.message("s", "user").message("s", "assistant", "", tool_calls=CALL % ("c1", name))
        book.message("s", "tool", "x" * size, tool_call_id="c1", tool_name=name)
        book.message("s", "assistant")
    with Store(Location(path)) as store:
        results = cache_report(
            CacheInputs(store, store.conversation("s"), store.messages, prices=PriceBook())
        ).results
    assert [(result.tool, result.tokens, result.calls) for result in results] == [
        ("read_file", 1000, 3),
        ("calculate", 10, 1),
    ]
    # Written once at 6.25, read twice more; nothing was ever served by the cache, so each costs fresh input.
    assert results[0].usd == (1000 * Decimal("6.25") + 2000 * Decimal(5)) / 1_000_000


def test_a_result_is_written_at_the_rate_of_the_lifetime_in_force(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    book = Book(path, old=True)
    book.session("s", model="claude-opus-4-5", billing_provider="anthropic", **tokens(1000, calls=2))
    book.message("s", "user").message("s", "assistant", "", tool_calls=CALL % ("c1", "read_file"))
    book.message("s", "tool", "x" * 4_000, tool_call_id="c1").message("s", "assistant")
    config = HermesConfig(raw={"prompt_caching.cache_ttl": "1h"})
    with Store(Location(path)) as store:
        inputs = CacheInputs(
            store, store.conversation("s"), store.messages, prices=PriceBook(), config=config
        )
        (result,) = cache_report(inputs).results
    assert result.usd == Decimal("0.01"), "1,000 tokens at 10 USD per million, in place of 6.25"
