"""Settings worth trying on a history, one thing changed at a time, and what each would have done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.account.pricing.price_book import open_book
from core.explain.context.context import ConversationContext
from core.explain.what_if.outcome import Outcome, cheapest
from core.explain.what_if.simulate import compare
from core.model.compaction.settings import Settings

SHARES = (0.35, 0.50, 0.60, 0.70, 0.75, 0.80, 0.85, 0.90)
RATIOS = (0.10, 0.40)
"""Shares of the threshold kept as the tail, beside the one in force."""
WINDOWS = {"32K": 32_000, "64K": 64_000, "128K": 128_000, "200K": 200_000, "400K": 400_000, "1M": 1_000_000}
"""Context lengths, beside the one in force: of another model, or set lower in config.yaml."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """The conversation under one setting.

    Attributes:
        name: What differs from the setting in force.
        actual: It is the one in force.
        usable: Hermes starts with so small a window.
        best: Of all tried it costs least; known once all are.
    """

    name: str
    outcome: Outcome
    actual: bool = False
    best: bool = False
    usable: bool = True


def scenarios(
    context: ConversationContext, actual: Settings, release: str | None = None
) -> Iterator[tuple[Scenario, bool]]:
    """Each scenario as it is worked out, and whether it is the last; none where the window is unknown."""
    if actual.window is None:
        return
    lifetime = context.config.value("prompt_caching.cache_ttl", context.release.release)
    prices = open_book(one_hour=lifetime == "1h")
    tried, least = variations(actual), context.policy(release).threshold.minimum
    outcomes = compare(context, [settings for _, settings in tried], release=release, prices=prices)
    for place, ((name, settings), outcome) in enumerate(zip(tried, outcomes, strict=True), 1):
        usable = (settings.window or 0) >= (settings.minimum_window or least)
        yield Scenario(name, outcome, settings == actual, usable=usable), place == len(tried)
    prices.save()


def judged(found: Sequence[Scenario]) -> tuple[Scenario, ...]:
    """The same with the best one marked; of equals the one in force, as nothing is gained by changing it."""
    usable = [one for one in found if one.usable or one.actual]
    best = cheapest(one.outcome for one in sorted(usable, key=lambda one: not one.actual))
    return tuple(replace(one, best=one.outcome is best) for one in found)


def variations(actual: Settings) -> tuple[tuple[str, Settings], ...]:
    """Settings worth looking at, each with what differs: thresholds, tails and windows, lowest first."""
    shares = sorted({*SHARES, actual.threshold})
    return (
        *((f"{share:.2f}", replace(actual, threshold=share)) for share in shares),
        *(
            (f"tail {ratio:.2f}", replace(actual, target_ratio=ratio))
            for ratio in RATIOS
            if ratio != actual.target_ratio
        ),
        *(
            (f"window {name}", replace(actual, window=window))
            for name, window in WINDOWS.items()
            if window != actual.window
        ),
    )
