from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.account.pricing.price_book import Override, PriceBook
from core.account.prompt_cache.routes import open_book_for
from core.explain.context.context import open_context
from core.explain.events import explain
from core.explain.what_if.outcome import cheapest
from core.explain.what_if.scenarios import Bill, compare, history, simulate
from core.hermes.policy.policy import load_policy, releases
from core.model.accounting.ledger import PriceRow, Rates
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message
from tests.core.explain.conftest import MakeHome

LISTED = PriceRow("x", "m", Rates(*map(Decimal, ("3", "15", "0.3", "3.75"))), "list")
BASE = Settings(window=64_000)


def talk(turns: int, size: int) -> list[Message]:
    messages = []
    for number in range(turns):
        messages.append(Message({"role": "user", "content": f"ask {number}"}))
        messages.append(Message({"role": "assistant", "content": "a" * size}))
    return messages


def test_a_short_life_never_fires_and_sends_what_it_holds() -> None:
    outcome = simulate(talk(3, 100), load_policy("0.19"), BASE, overhead=1_000)
    assert outcome.firings == ()
    assert (outcome.calls, outcome.summarised_tokens) == (3, 0)
    assert outcome.prompt_tokens > 3_000


def test_a_higher_threshold_fires_less_and_sends_more() -> None:
    spoken = talk(80, 8_000)
    policy = load_policy("0.18")
    low = simulate(spoken, policy, replace(BASE, window=200_000, threshold=0.4))
    high = simulate(spoken, policy, replace(BASE, window=200_000, threshold=0.7))
    assert len(low.firings) > len(high.firings) > 0
    assert low.prompt_tokens < high.prompt_tokens
    assert low.peak < high.peak
    assert cheapest([high, low]) is low


def test_under_a_gateway_its_own_check_fires_first_where_the_threshold_is_above_it() -> None:
    spoken, late = talk(120, 8_000), replace(BASE, window=200_000, threshold=0.95)
    policy = load_policy("0.18")
    alone = simulate(spoken, policy, late)
    behind = simulate(spoken, policy, late, gateway_rows=5_000)
    assert not any(firing.by_gateway for firing in alone.firings)
    assert behind.firings[0].by_gateway
    assert behind.firings[0].tokens >= 170_000
    many = simulate(spoken, policy, late, gateway_rows=100)
    assert many.firings[0].by_gateway
    assert many.firings[0].tokens < 170_000


def test_a_disabled_compressor_lets_it_grow() -> None:
    outcome = simulate(talk(60, 8_000), load_policy("0.19"), replace(BASE, enabled=False))
    assert outcome.firings == ()
    assert outcome.peak > 100_000


def test_overhead_above_the_threshold_does_not_loop_for_ever() -> None:
    outcome = simulate(talk(60, 4_000), load_policy("0.19"), BASE, overhead=60_000)
    assert not outcome.loops
    assert len(outcome.firings) < 60


def test_without_a_window_nothing_fires() -> None:
    outcome = simulate(talk(60, 8_000), load_policy("0.19"), replace(BASE, window=None))
    assert (outcome.threshold, outcome.firings) == (None, ())


def test_a_prompt_repeats_the_one_before_until_something_is_summarised() -> None:
    outcome = simulate(talk(80, 8_000), load_policy("0.18"), replace(BASE, window=200_000), overhead=1_000)
    assert len(outcome.firings) > 0
    fired = 0
    for (before, _), (sent, repeated) in pairwise(outcome.requests):
        assert repeated in (before, 1_000)
        assert repeated <= sent
        fired += repeated == 1_000
    assert fired == len(outcome.firings)


def test_a_bill_is_worked_by_hand() -> None:
    requests = [(1_000, 0), (1_500, 1_000)]
    summary = (400 * Decimal(3) + 100 * Decimal(15)) / 1_000_000
    cached = (Decimal("3.75") * 1_500 + Decimal("0.3") * 1_000) / 1_000_000
    assert Bill(LISTED, caches=True).usd(requests, 400, 100) == summary + cached
    assert Bill(LISTED, caches=False).usd(requests, 400, 100) == summary + 2_500 * Decimal(3) / 1_000_000


@pytest.mark.parametrize("entry", [None, replace(LISTED, rates=Rates()), replace(LISTED, billing="local")])
def test_an_unknown_price_gives_no_bill(entry: PriceRow | None) -> None:
    assert Bill(entry, caches=True).usd([(1_000, 0)], 0, 0) is None


def test_with_prices_the_least_money_is_cheapest_not_the_least_reading() -> None:
    spoken, policy = talk(80, 8_000), load_policy("0.18")
    low, high = (
        simulate(spoken, policy, replace(BASE, window=200_000, threshold=share)) for share in (0.4, 0.7)
    )
    dear, cheap = replace(low, usd=Decimal(2)), replace(high, usd=Decimal(1))
    assert cheapest([dear, cheap]) is cheap
    assert cheapest([dear, high]) is dear


def test_the_conversations_model_sets_the_price(begun: MakeHome) -> None:
    home = begun()
    home.talk(7)
    with home.store() as store:
        context = explain(store, "S").context
        book = PriceBook([Override("*", "*", LISTED)])
        (outcome,) = compare(context, [context.settings_in_force], prices=book)
        (plain,) = compare(context, [context.settings_in_force])
    assert plain.usd is None
    assert outcome.usd == Bill(LISTED, caches=False).usd(outcome.requests, 0, 0)


def test_the_cheapest_of_nothing_is_nothing() -> None:
    assert cheapest([]) is None


@pytest.mark.parametrize("release", releases())
def test_every_release_can_be_lived_under(release: str) -> None:
    outcome = simulate(talk(40, 8_000), load_policy(release), BASE)
    assert outcome.release == release
    assert outcome.firings


def test_history_holds_each_message_once(begun: MakeHome) -> None:
    home = begun()
    home.talk(7)
    home.compact()
    home.talk(2)
    with home.store() as store:
        context = explain(store, "S").context
        spoken = history(context)
        outcomes = list(
            compare(context, [context.settings_in_force, replace(context.settings_in_force, window=128_000)])
        )
    assert len(spoken) == 28 + 8
    assert not any(message.text.startswith("[CONTEXT SUMMARY]") for message in spoken)
    assert [outcome.threshold for outcome in outcomes] == [54_400, 96_000]


@settings(max_examples=25, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 30_000), max_size=40),
    threshold=st.floats(0.1, 0.95),
    window=st.integers(1_000, 300_000),
    overhead=st.integers(0, 80_000),
)
def test_any_life_ends_and_adds_up(sizes: list[int], threshold: float, window: int, overhead: int) -> None:
    spoken = [
        Message({"role": "assistant" if i % 2 else "user", "content": "x" * s}) for i, s in enumerate(sizes)
    ]
    outcome = simulate(
        spoken, load_policy("0.22"), replace(BASE, window=window, threshold=threshold), overhead
    )
    assert outcome.calls == len(sizes) // 2
    assert outcome.total == outcome.prompt_tokens + sum(f.summarised for f in outcome.firings)
    assert outcome.prompt_tokens >= outcome.calls * overhead


@pytest.mark.parametrize(
    ("lifetime", "model", "one_hour"),
    [("auto", "claude-opus-4-5", True), ("1h", "qwen3-max", False), ("5m", "claude-opus-4-5", False)],
)
def test_writes_are_priced_by_the_lifetime_in_force(
    make_home: MakeHome, lifetime: str, model: str, *, one_hour: bool
) -> None:
    """From 0.22 on the terminal may choose an hour, and some routes keep five minutes whatever is set."""
    home = make_home("0.22", f"model: {{default: {model}}}\nprompt_caching: {{cache_ttl: {lifetime}}}\n")
    home.db.session("S", source="cli", model=model)
    home.talk(1)
    with home.store() as store:
        context = open_context(store, "S")
        book = open_book_for(context.config, context.conversation.tip, context.release.release)
        assert book.one_hour is one_hour
