"""The outcome of a conversation under one setting: compactions, refusals, tokens, money."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from core.explain.what_if.recovery import RecoveryEnd
from core.model.compaction.plan import Settings
from core.support.formatting import plural


@dataclass(frozen=True, slots=True)
class Firing:
    """One compaction that would have run.

    Attributes:
        row: The message it would have followed.
        summarised: Tokens of the messages it would have summarised.
        attempt: Its number among the turn's attempts after a refused request; 0 without a refusal.
        by_gateway: The gateway's own check would have run it, before the turn.
    """

    row: int | None
    turn: int
    tokens: int
    summarised: int
    attempt: int = 0
    by_gateway: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """One request the provider would have refused as longer than the window.

    Attributes:
        attempts: How many attempts of the turn were used up by then.
    """

    row: int | None
    turn: int
    tokens: int
    attempts: int
    end: RecoveryEnd


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a conversation under one setting.

    Attributes:
        calls: Model calls, the same under every setting.
        prompt_tokens: Tokens all these calls would have carried.
        summarised_tokens: Tokens the summary model would have read.
        requests: Prompt tokens of every call, and how many of them repeat the call before (cacheable).
        written_tokens: Tokens the summary model would have written.
        usd: What the prompts and the summaries would have cost; None when no price is known.
        loops: It would have compacted again and again without getting below its threshold.
        refused: Requests that would have been longer than the window, oldest first.
    """

    release: str
    settings: Settings
    threshold: int | None
    firings: tuple[Firing, ...]
    calls: int
    prompt_tokens: int
    summarised_tokens: int
    peak: int
    loops: bool = False
    requests: tuple[tuple[int, int], ...] = ()
    written_tokens: int = 0
    usd: Decimal | None = None
    refused: tuple[Refused, ...] = ()

    @property
    def gives_up(self) -> Refused | None:
        """The first request that no attempt would have made fit."""
        return next((one for one in self.refused if one.end is not RecoveryEnd.FITS), None)

    @property
    def total(self) -> int:
        """Everything that models would have read."""
        return self.prompt_tokens + self.summarised_tokens


def cheapest(outcomes: Iterable[Outcome]) -> Outcome | None:
    """The setting that costs least; without prices, the one under which models read least.

    None when all of them loop or give up a turn.
    """
    sound = [outcome for outcome in outcomes if not outcome.loops and outcome.gives_up is None]
    priced = [(outcome.usd, outcome) for outcome in sound if outcome.usd is not None]
    if priced and len(priced) == len(sound):
        return min(priced, key=lambda pair: pair[0])[1]
    return min(sound, key=lambda outcome: outcome.total, default=None)


def refused_words(outcome: Outcome) -> str:
    """The turn that the provider's refusals would have cost most; empty without refusals."""
    lost = outcome.gives_up
    if lost is not None:
        return f"turn {lost.turn} would have been given up"
    worst = max(outcome.refused, key=lambda one: one.attempts, default=None)
    if worst is None:
        return ""
    return f"turn {worst.turn} would need {plural(worst.attempts, 'attempt')}"
