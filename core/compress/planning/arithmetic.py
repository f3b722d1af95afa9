"""The steps of a plan in words, with what a document adds: tiers of pressure, a table of summary models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.compress.planning.measure import Measured
from core.compress.planning.prune import Pruning
from core.compress.sizing.threshold import Budgets
from core.hermes.policy.output_rules import ModelTable
from core.hermes.policy.rules import Tier
from core.model.compaction.plan import Span
from core.support.amounts import plural


def arithmetic(
    limits: Budgets,
    pruning: Pruning,
    spans: tuple[Span, Span, Span],
    compared: int,
    measured: Measured,
    window: int,
) -> Iterator[str]:
    """Threshold, pruning, tail and verdict, a line each."""
    sign = ">=" if compared >= limits.threshold else "<"
    _, middle, tail = spans
    yield from limits.arithmetic
    yield f"{plural(pruning.count, 'old tool result')} shortened before the cut"
    weight = sum(pruning.weights[tail.start :])
    yield f"tail holds {plural(tail.size, 'message')}, {weight:,} tokens by weight"
    yield f"{compared:,} tokens {sign} threshold {limits.threshold:,}"
    yield from _tiers(compared, window, measured.policy.threshold.tiers)
    if middle.size:
        summarised = sum(pruning.weights[middle.start : middle.end])
        yield from _models(summarised, measured.policy.summary.models)


def _tiers(compared: int, window: int, tiers: Sequence[Tier]) -> Iterator[str]:
    """The tiers of pressure, and which the conversation has reached."""
    share = compared / window
    for tier in tiers:
        reached = "reached" if share > tier.above else "not reached"
        yield f"above {tier.above:.2f} {tier.does}: {reached} at {share:.2f}"


def _models(tokens: int, tables: Sequence[ModelTable]) -> Iterator[str]:
    """What a summary of so many tokens takes by each table: money and time."""
    for table in tables:
        usd, seconds = (between(tokens, table.tokens, row) for row in (table.usd, table.seconds))
        takes = f"about ${usd:.3f} and {max(1, round(seconds))} s"
        yield f"by its table {table.model} takes {takes} to summarise {tokens:,} tokens"


def between(at: float, sizes: Sequence[float], values: Sequence[float]) -> float:
    """A value between the two sizes around it; in proportion before the first and behind the last."""
    if not sizes[0] <= at <= sizes[-1]:
        end = 0 if at < sizes[0] else -1
        return values[end] * at / sizes[end]
    right = next(i for i, size in enumerate(sizes) if at <= size)
    left = max(0, right - 1)
    share = (at - sizes[left]) / (sizes[right] - sizes[left]) if right != left else 0.0
    return values[left] + share * (values[right] - values[left])
