"""Where compression fires: every example was computed by the release it names."""

from __future__ import annotations

import pytest

from core.compress.sizing.threshold import budgets
from core.hermes.policy.policy import load_policy
from core.model.compaction.plan import Settings

CODEX = "openai-codex"


def fires_at(release: str, **values: object) -> int:
    chosen = Settings(**values)  # type: ignore[arg-type]
    assert chosen.window is not None
    return budgets(chosen, load_policy(release), chosen.window).threshold


@pytest.mark.parametrize(
    ("window", "at"),
    [
        (64000, (64000, 54400, 54400, 54400)),
        (65536, (64000, 64000, 64000, 55705)),
        (80000, (64000, 64000, 64000, 64000)),
        (100000, (64000, 64000, 75000, 75000)),
        (128000, (64000, 64000, 96000, 96000)),
        (200000, (100000, 100000, 150000, 150000)),
        (272000, (136000, 136000, 204000, 204000)),
        (512000, (256000, 256000, 256000, 256000)),
        (1000000, (500000, 500000, 500000, 500000)),
    ],
)
def test_windows(window: int, at: tuple[int, ...]) -> None:
    assert tuple(fires_at(release, window=window) for release in ("0.17", "0.18", "0.19", "0.22")) == at


@pytest.mark.parametrize(
    ("window", "output", "at"),
    [
        (128000, 65536, (64000, 53094, 53094, 53094)),
        (131072, 65536, (65536, 64000, 64000, 55705)),
        (200000, 65536, (100000, 67232, 100848, 100848)),
        (64000, 8000, (64000, 47600, 47600, 47600)),
        (64000, 70000, (64000, 54400, 54400, 54400)),
    ],
)
def test_room_for_the_answer_is_reserved_from_018_on(window: int, output: int, at: tuple[int, ...]) -> None:
    found = (fires_at(r, window=window, max_output=output) for r in ("0.17", "0.18", "0.19", "0.22"))
    assert tuple(found) == at


@pytest.mark.parametrize(
    ("release", "model", "provider", "configured", "percent"),
    [
        ("0.13", "arcee/trinity-large-thinking", "", 0.9, 0.75),
        ("0.16", "gpt-5.5", CODEX, 0.5, 0.5),
        ("0.17", "gpt-5.5-pro", CODEX, 0.9, 0.85),
        ("0.17", "gpt-5.5", "openrouter", 0.5, 0.5),
        ("0.18", "gpt-5.5", CODEX, 0.9, 0.9),
        ("0.18", "gpt-5.4", CODEX, 0.5, 0.85),
        ("0.18", "gpt-5.6", CODEX, 0.5, 0.5),
        ("0.19", "gpt-5.6", CODEX, 0.5, 0.85),
        ("0.18", "gpt-5.3-codex-spark", CODEX, 0.5, 0.70),
        ("0.22", "gpt-6-astra", CODEX, 0.5, 0.85),
        ("0.22", "gpt-6-astra-900k", CODEX, 0.5, 0.5),
    ],
)
def test_some_models_have_a_share_of_their_own(
    release: str, model: str, provider: str, configured: float, percent: float
) -> None:
    chosen = Settings(window=1000000, threshold=configured, model=model, provider=provider)
    assert budgets(chosen, load_policy(release), 1000000).percent == percent


def test_the_autoraise_can_be_switched_off_except_for_spark() -> None:
    raised = Settings(window=600000, model="gpt-5.5", provider=CODEX, codex_autoraise=False)
    spark = Settings(window=600000, model="gpt-5.3-codex-spark", provider=CODEX, codex_autoraise=False)
    assert budgets(raised, load_policy("0.19"), 600000).percent == 0.5
    assert budgets(spark, load_policy("0.19"), 600000).percent == 0.7


def test_the_longest_model_threshold_wins_and_a_provider_breaks_ties() -> None:
    table = {"gpt": 0.6, "gpt-6": 0.7, "openrouter:gpt-6": 0.8, "claude": 0.9}
    chosen = Settings(window=600000, model="openai/gpt-6-sol", provider="openrouter", model_thresholds=table)
    assert budgets(chosen, load_policy("0.22"), 600000).percent == 0.8
    assert budgets(chosen, load_policy("0.19"), 600000).percent == 0.5


def test_a_smaller_summary_model_lowers_the_threshold_but_not_the_tail() -> None:
    plain = budgets(Settings(window=200000), load_policy("0.19"), 200000)
    lowered = budgets(Settings(window=200000, aux_window=100000), load_policy("0.19"), 200000)
    assert (lowered.threshold, lowered.tail) == (100000, plain.tail)
    assert any("summary model" in line for line in lowered.arithmetic)


def test_the_absolute_cap_is_new_in_022() -> None:
    assert fires_at("0.22", window=200000, threshold_cap=90000) == 90000
    assert fires_at("0.19", window=200000, threshold_cap=90000) == 150000


@pytest.mark.parametrize(
    ("window", "tail", "soft"),
    [(64000, 10000, 12800), (128000, 10000, 15000), (512000, 12800, 19200), (1000000, 25000, 37500)],
)
def test_the_lean_tail_follows_the_window(window: int, tail: int, soft: int) -> None:
    found = budgets(Settings(window=window), load_policy("0.22"), window)
    assert (found.tail, found.soft) == (tail, soft)


def test_the_legacy_tail_is_a_share_of_the_threshold_again() -> None:
    found = budgets(Settings(window=200000, tail_mode="legacy"), load_policy("0.22"), 200000)
    assert (found.tail, found.soft) == (30000, 40000)


def test_the_ratio_is_held_between_a_tenth_and_four_fifths() -> None:
    policy = load_policy("0.13")
    least = budgets(Settings(window=200000, target_ratio=0.01), policy, 200000)
    most = budgets(Settings(window=200000, target_ratio=0.99), policy, 200000)
    assert (least.tail, most.tail) == (10000, 80000)


def test_documents_say_what_no_release_does() -> None:
    tiered = budgets(Settings(window=200000), load_policy("seed-tiered"), 200000)
    guide = budgets(Settings(window=100000), load_policy("seed-50"), 100000)
    assert (tiered.threshold, tiered.tail, tiered.summary_cap) == (160000, 16000, 4000)
    assert guide.threshold == 50000
