"""What tokens cost: a hand-worked table, dates, tiers, one-hour writes, and models nobody has a price for."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.account.pricing.price import billing_of, entry_at, price, rates_for
from core.account.pricing.price_book import PriceBook
from core.model.accounting.amounts import Buckets
from core.model.accounting.ledger import PriceRow, Rates, Tier
from core.support.program_files import shared_table

TOKENS = Buckets(input=12_345, cache_read=67_890, cache_write=1_234, output=5_678, reasoning=4_321)
JUNE = datetime(2026, 6, 1, 12, tzinfo=UTC)
NIGHT = datetime(2026, 6, 1, 20, tzinfo=UTC)


def worked(input_: str, read: str, write: str, output: str) -> Decimal:
    """12,345 fresh, 67,890 read, 1,234 written, 5,678 out, each at its USD per million."""
    return (
        12_345 * Decimal(input_) + 67_890 * Decimal(read) + 1_234 * Decimal(write) + 5_678 * Decimal(output)
    ) / 1_000_000


HAND_WORKED = [
    ("claude-opus-4-5", "anthropic", "", JUNE, worked("5", "0.5", "6.25", "25")),
    ("claude-opus-4-5-20251101", "anthropic", "", JUNE, worked("5", "0.5", "6.25", "25")),
    ("claude-opus-4-1", "anthropic", "", JUNE, worked("15", "1.5", "18.75", "75")),
    ("claude-sonnet-4-5", "anthropic", "", JUNE, worked("3", "0.3", "3.75", "15")),
    ("claude-sonnet-4-6", "anthropic", "", JUNE, worked("3", "0.3", "3.75", "15")),
    ("claude-haiku-4-5", "anthropic", "", JUNE, worked("1", "0.1", "1.25", "5")),
    ("claude-3-haiku-20240307", "anthropic", "", JUNE, worked("0.25", "0.03", "0.3", "1.25")),
    ("claude-opus-4-5", "custom", "https://api.anthropic.com", JUNE, worked("5", "0.5", "6.25", "25")),
    ("anthropic/claude-sonnet-4.6", "openrouter", "", JUNE, worked("3", "0.3", "3.75", "15")),
    ("anthropic/claude-opus-4.5", "", "", JUNE, worked("5", "0.5", "6.25", "25")),
    ("anthropic/claude-sonnet-4.6:nitro", "openrouter", "", JUNE, worked("3", "0.3", "3.75", "15")),
    ("deepseek/deepseek-chat-v3.1:free", "openrouter", "", JUNE, Decimal(0)),
    ("deepseek/deepseek-chat-v3.1:free", "auto", "https://openrouter.ai/api/v1", JUNE, Decimal(0)),
    ("qwen/qwen3-coder:free", "", "https://openrouter.ai/api/v1", JUNE, Decimal(0)),
    ("gpt-5-2025-08-07", "openai", "", JUNE, worked("1.25", "0.125", "1.25", "10")),
    ("gpt-5.2", "openai", "", JUNE, worked("1.75", "0.175", "1.75", "14")),
    ("gpt-5", "openai", "", JUNE, worked("1.25", "0.125", "1.25", "10")),
    ("gpt-5-mini", "openai-api", "", JUNE, worked("0.25", "0.025", "0.25", "2")),
    ("gpt-4o", "openai", "", JUNE, worked("2.5", "1.25", "2.5", "10")),
    ("gpt-4o-mini", "openai", "", JUNE, worked("0.15", "0.075", "0.15", "0.6")),
    ("gpt-4.1", "openai", "", JUNE, worked("2", "0.5", "2", "8")),
    ("o3", "openai", "", JUNE, worked("2", "0.5", "2", "8")),
    ("o3", "openai", "", datetime(2025, 6, 9, tzinfo=UTC), worked("10", "0.5", "10", "40")),
    ("deepseek-chat", "deepseek", "", JUNE, worked("0.27", "0.07", "0.27", "1.1")),
    ("deepseek-chat", "deepseek", "", NIGHT, worked("0.135", "0.035", "0.135", "0.55")),
    ("deepseek-reasoner", "deepseek", "", JUNE, worked("0.55", "0.14", "0.55", "2.19")),
    ("gemini-2.5-pro", "google", "", JUNE, worked("1.25", "0.125", "1.25", "10")),
    ("gemini-2.5-flash", "gemini", "", JUNE, worked("0.3", "0.03", "0.3", "2.5")),
    ("google/gemini-2.5-flash", "openrouter", "", JUNE, worked("0.3", "0.075", "0.3833", "2.5")),
    ("grok-4", "xai", "", JUNE, worked("3", "0.75", "3", "15")),
    ("kimi-k2", "moonshot", "", JUNE, worked("0.57", "0.57", "0.57", "2.3")),
    ("glm-4.6", "zai", "", JUNE, worked("0.6", "0.11", "0.6", "2.2")),
    ("MiniMax-M2", "minimax", "", JUNE, worked("0.3", "0.03", "0.375", "1.2")),
    ("mistral-large-latest", "mistral", "", JUNE, worked("2", "2", "2", "6")),
    ("llama-3.3-70b-versatile", "groq", "", JUNE, worked("0.59", "0.59", "0.59", "0.79")),
    ("command-r-plus", "cohere", "", JUNE, worked("2.5", "2.5", "2.5", "10")),
    ("sonar-pro", "perplexity", "", JUNE, worked("3", "3", "3", "15")),
    (
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock",
        "",
        JUNE,
        worked("3.3", "0.33", "4.125", "16.5"),
    ),
    (
        "eu.anthropic.claude-haiku-4-5-20251001-v1:0",
        "bedrock",
        "",
        JUNE,
        worked("1.1", "0.11", "1.375", "5.5"),
    ),
    ("global.anthropic.claude-opus-4-5-20251101-v1:0", "bedrock", "", JUNE, worked("5", "0.5", "6.25", "25")),
    ("amazon.nova-pro-v1:0", "bedrock", "", JUNE, worked("0.8", "0.2", "0.8", "3.2")),
    ("claude-sonnet-4-5@20250929", "vertex", "", JUNE, worked("3", "0.3", "3.75", "15")),
    ("google/gemini-2.5-pro", "vertex", "", JUNE, worked("1.25", "0.125", "1.25", "10")),
    ("gemini-3-pro-preview", "google", "", JUNE, worked("2", "0.2", "2", "12")),
    ("gpt-5.5", "openai", "", JUNE, worked("5", "0.5", "5", "30")),
    ("gpt-5.6-sol", "openai", "", JUNE, worked("5", "0.5", "6.25", "30")),
    ("Claude-Opus-4-5", "Anthropic", "", JUNE, worked("5", "0.5", "6.25", "25")),
    ("openai/gpt-5:floor", "openrouter", "", JUNE, worked("1.25", "0.125", "1.25", "10")),
    (
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock",
        "",
        JUNE,
        worked("3.3", "0.33", "4.125", "16.5"),
    ),
]
NOBODY_KNOWS = [
    ("nous/hermes-5-preview", "nous", "https://inference-api.nousresearch.com/v1"),
    ("claude-opus-4-5", "some-proxy", "https://proxy.example/v1"),
    ("no-such-model", "anthropic", ""),
    ("no-such-vendor/no-such-model", "openrouter", ""),
    ("no-such-model:nitro", "openrouter", ""),
    ("openrouter/auto", "openrouter", ""),
    ("anthropic/claude-opus-4.5:extended", "openrouter", ""),
    ("qwen3-coder-plus", "alibaba", ""),
    ("moonshotai/kimi-k2", "nous", "https://inference-api.nousresearch.com/v1"),
    ("", "", ""),
    ("mock-model", "custom", "https://llm.example.com/v1"),
]


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return PriceBook()


@pytest.mark.parametrize(("model", "provider", "url", "at", "expected"), HAND_WORKED)
def test_the_computed_cost_equals_the_hand_worked_one(
    book: PriceBook, model: str, provider: str, url: str, at: datetime, expected: Decimal
) -> None:
    assert book.price(TOKENS, model, provider, url, at=at) == expected


@pytest.mark.parametrize(("model", "provider", "url"), NOBODY_KNOWS)
def test_an_unknown_price_is_unknown_and_never_nothing(
    book: PriceBook, model: str, provider: str, url: str
) -> None:
    assert book.price(TOKENS, model, provider, url, at=JUNE) is None


def test_thinking_is_inside_the_output_and_not_priced_again(book: PriceBook) -> None:
    with_thinking = book.price(Buckets(0, 0, 0, 1000, 900), "gpt-5.2", "openai", at=JUNE)
    assert (
        with_thinking
        == book.price(Buckets(0, 0, 0, 1000, 0), "gpt-5.2", "openai", at=JUNE)
        == Decimal("0.014")
    )


@pytest.mark.parametrize(("prompt", "rate"), [(200_000, "1.25"), (200_001, "2.50")])
def test_a_prompt_beyond_the_tier_costs_more_for_all_its_tokens(
    book: PriceBook, prompt: int, rate: str
) -> None:
    assert (
        book.price(Buckets(prompt, 0, 0, 0), "gemini-2.5-pro", "google", at=JUNE)
        == prompt * Decimal(rate) / 1_000_000
    )


def test_many_calls_are_judged_by_their_mean_prompt(book: PriceBook) -> None:
    tokens = Buckets(1_000_000, 0, 0, 0)
    assert book.price(tokens, "gemini-2.5-pro", "google", at=JUNE, calls=10) == Decimal("1.25")
    assert book.price(tokens, "gemini-2.5-pro", "google", at=JUNE, calls=2) == Decimal("2.5")


def test_an_hour_in_the_cache_costs_twice_the_input() -> None:
    hourly = PriceBook(one_hour=True)
    written = Buckets(0, 0, 1_000_000, 0)
    assert hourly.price(written, "claude-opus-4-5", "anthropic", at=JUNE) == Decimal(10)
    assert hourly.price(written, "anthropic/claude-sonnet-4.6", "openrouter", at=JUNE) == Decimal("6.000")
    assert hourly.price(written, "gpt-5.2", "openai", at=JUNE) == Decimal("1.75")


@pytest.mark.parametrize(
    ("model", "provider", "usd"),
    [
        ("gpt-5.2", "openai-codex", "1.75"),
        ("claude-opus-4-5", "claude-code", "5"),
        ("gpt-5.2", "copilot", None),
    ],
)
def test_a_subscription_pays_but_may_have_a_list_price(
    book: PriceBook, model: str, provider: str, usd: str | None
) -> None:
    row = book.entry(model, provider)
    assert row is not None
    assert row.billing == "included"
    assert price(row, Buckets(1_000_000, 0, 0, 0)) == (usd and Decimal(usd))
    by_mode = book.entry("gpt-5.2", "openai", "", "subscription_included")
    assert by_mode is not None
    assert by_mode.billing == "included"


@pytest.mark.parametrize(
    "url",
    ["http://localhost:11434/v1", "http://192.168.1.20:8000", "http://[::1]:1/v1", "http://box.localhost/v1"],
)
def test_a_local_model_costs_nobody_anything_and_is_stated_to_be_local(book: PriceBook, url: str) -> None:
    for model, provider in (("qwen3", "custom"), ("gpt-5.2", "openai")):
        row = book.entry(model, provider, url)
        assert row is not None
        assert row.billing == "local"
        assert book.price(Buckets(1_000_000, 0, 0, 0), model, provider, url) == 0


@pytest.mark.parametrize("provider", ["local", "ollama", "SGLang", "llama.cpp", "llamacpp", "koboldcpp"])
def test_a_server_whose_name_says_that_it_is_the_users_own_bills_nobody(provider: str) -> None:
    assert billing_of(provider, "") == "local"


def test_an_assumed_price_says_so(book: PriceBook) -> None:
    row = book.entry("claude-opus-4-5")
    assert row is not None
    assert row.note == "no provider was recorded; the price is the list price of anthropic"


def test_an_entry_says_where_it_comes_from(book: PriceBook) -> None:
    row = book.entry("o3", "openai", at=JUNE)
    assert row is not None
    assert row.label == f"{book.list.source}: openai/o3 from 2025-06-10"


def test_a_bucket_without_any_rate_makes_the_cost_unknown() -> None:
    row = PriceRow("p", "m", Rates(input=Decimal(1)), "test")
    assert price(row, Buckets(1000, 0, 0, 5)) is None
    assert price(row, Buckets(1000, 0, 0, 0)) == Decimal("0.001")


def test_without_a_moment_the_newest_all_day_price_holds() -> None:
    rows = [
        PriceRow("p", "m", Rates(input=Decimal(1)), "t"),
        PriceRow("p", "m", Rates(input=Decimal(2)), "t", since=datetime(2026, 1, 1, tzinfo=UTC).date()),
    ]
    newest, old = entry_at(rows, None), entry_at(rows, datetime(2025, 1, 1, tzinfo=UTC))
    assert newest is rows[1]
    assert old is rows[0]
    assert entry_at([], JUNE) is None


COUNT = st.integers(0, 10**9)


@given(input_=COUNT, read=COUNT, write=COUNT, output=COUNT)
def test_costs_add_up_exactly(input_: int, read: int, write: int, output: int) -> None:
    row = PriceRow("p", "m", Rates(Decimal("0.0028"), Decimal("3.3"), Decimal("0.1"), Decimal("0.7")), "test")
    whole = price(row, Buckets(input_, read, write, output))
    parts = (
        Buckets(input_, 0, 0, 0),
        Buckets(0, read, 0, 0),
        Buckets(0, 0, write, 0),
        Buckets(0, 0, 0, output),
    )
    assert whole == sum((price(row, part) or Decimal(0) for part in parts), Decimal(0))


def test_the_highest_tier_reached_counts() -> None:
    row = PriceRow(
        "p", "m", Rates(Decimal(1)), "t", (Tier(100, Rates(Decimal(2))), Tier(200, Rates(Decimal(3))))
    )
    assert [rates_for(row, prompt).input for prompt in (100, 101, 200, 201)] == [
        Decimal(1),
        Decimal(2),
        Decimal(2),
        Decimal(3),
    ]


@pytest.mark.parametrize("at", [datetime(2025, 3, 1, 12, tzinfo=UTC), JUNE, NIGHT])
@pytest.mark.parametrize("prompt", [900, 250_000])
def test_every_listed_model_costs_what_the_list_itself_works_out(
    book: PriceBook, at: datetime, prompt: int
) -> None:
    from genai_prices import Usage, calc_price
    from genai_prices.data import providers

    routes = {
        listed: ours
        for ours, listed in shared_table("core/account/pricing/price_routes.yaml")["lists"].items()
    }
    tokens = Buckets(prompt, prompt // 2, prompt // 3, prompt // 4)
    usage = Usage(
        input_tokens=tokens.prompt,
        cache_read_tokens=tokens.cache_read,
        cache_write_tokens=tokens.cache_write,
        output_tokens=tokens.output,
    )
    compared = 0
    for provider in providers:
        for model in provider.models if provider.id in routes else ():
            ours = book.price(tokens, model.id, routes[provider.id], at=at)
            # A fee for each request stands in the list as its highest only; nobody can know which was asked.
            if ours is None or "requests" in str(model.prices):
                continue
            listed = calc_price(usage, model.id, provider_id=provider.id, genai_request_timestamp=at)
            assert ours == listed.total_price, (provider.id, model.id)
            compared += 1
    assert compared > 1_000


@pytest.mark.parametrize(
    ("model", "listed"),
    [
        ("anthropic.claude-sonnet-4-5", "regional.anthropic.claude-sonnet-4-5-20250929-v1:0"),
        ("us.anthropic.claude-sonnet-4.5", "regional.anthropic.claude-sonnet-4-5-20250929-v1:0"),
        ("global.anthropic.claude-haiku-4-5", "global.anthropic.claude-haiku-4-5-20251001-v1:0"),
        ("eu.anthropic.claude-sonnet-4", "regional.anthropic.claude-sonnet-4-20250514-v1:0"),
    ],
)
def test_a_bedrock_name_without_its_date_has_the_price_of_the_listed_one(
    book: PriceBook, model: str, listed: str
) -> None:
    row = book.entry(model, "bedrock")
    assert row is not None
    assert row.model == listed
    assert f"the name has no date: price of {listed}" in row.note
    assert book.entry("anthropic.claude-nobody-9", "bedrock") is None


def test_a_region_of_bedrock_costs_more_and_says_whose_claim_that_is(book: PriceBook) -> None:
    region, world = (
        book.entry(f"{scope}.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock")
        for scope in ("us", "global")
    )
    assert region is not None
    assert world is not None
    assert region.rates.input == Decimal("3.3")
    assert "10 % more" in region.note
    assert (world.rates.input, world.note) == (Decimal(3), "")


def test_what_a_subscription_pays_has_no_price_by_the_token(book: PriceBook) -> None:
    assert book.price(TOKENS, "gpt-5.2", "openai-codex") is None


def test_gemini_pro_reads_its_cache_at_its_own_rate_below_and_above_the_tier(book: PriceBook) -> None:
    short, long = (
        book.price(Buckets(0, amount, 0, 0), "gemini-2.5-pro", "gemini") for amount in (100_000, 400_000)
    )
    assert (short, long) == (Decimal("0.0125"), Decimal("0.1"))
