from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.explain.counterfactual import cheapest, compare, history, simulate
from core.explain.events import explained
from core.hermes.policy import load_policy, releases
from core.model.message import Message
from core.model.settings import Settings
from tests.core.explain.conftest import MakeHome

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


def test_the_cheapest_of_nothing_is_nothing() -> None:
    assert cheapest([]) is None


@pytest.mark.parametrize("release", releases())
def test_every_release_can_be_lived_under(release: str) -> None:
    outcome = simulate(talk(40, 8_000), load_policy(release), BASE)
    assert outcome.release == release
    assert outcome.firings


def test_history_holds_each_message_once(make_home: MakeHome) -> None:
    home = make_home()
    home.db.session("S")
    home.talk(7)
    home.compact()
    home.talk(2)
    with home.store() as store:
        frame, explanation = explained(store, "S")
        spoken = history(frame)
        outcomes = list(compare(frame, [explanation.settings, replace(explanation.settings, window=128_000)]))
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
