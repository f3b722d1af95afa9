"""Which rows of the middle the summary is made of, once earlier summaries are taken out."""

from __future__ import annotations

from dataclasses import dataclass

from core.compress.estimate import Size, total_tokens
from core.compress.measure import Measured
from core.compress.prune import Pruning
from core.compress.threshold import Budgets
from core.hermes.rules import Band, SummaryRules
from core.model.plan import Span


@dataclass(frozen=True, slots=True)
class Window:
    """The rows to summarise.

    Attributes:
        turns: Their positions.
        earlier: Positions of earlier summaries, whose bodies the new one continues.
        tail_start: First row kept behind the summary; past the middle when an earlier summary lay there.
    """

    turns: tuple[int, ...]
    earlier: tuple[int, ...]
    tail_start: int


def summary_window(measured: Measured, middle: Span) -> Window:
    """Find the rows to summarise and the summaries they continue."""
    rules = measured.policy.summary
    echoes = measured.columns.echoes
    summaries = measured.columns.summaries
    first = int(measured.columns.has_system)
    if rules.every_summary:
        return _without_summaries(measured, middle, [i for i in summaries if i >= first])
    lower = middle.start if rules.search == "window" else first
    earlier = [i for i in summaries if lower <= i < middle.end]
    start = max(middle.start, earlier[-1] + 1) if earlier else middle.start
    turns = tuple(i for i in range(start, middle.end) if i not in echoes)
    return Window(turns, tuple(earlier[-1:]), middle.end)


def _without_summaries(measured: Measured, middle: Span, earlier: list[int]) -> Window:
    """All summaries leave the middle; one behind it pulls the rows before it in."""
    leftovers, echoes = measured.columns.leftovers, measured.columns.echoes
    newest = earlier[-1] if earlier else -1
    end = max(middle.end, newest + 1)
    turns = tuple(
        i for i in range(middle.start, end) if leftovers.get(i, _KEPT) is not None and i not in echoes
    )
    if middle.start <= newest or newest < 0:
        return Window(turns, tuple(earlier), end)
    # The newest summary lies in the head: what it was merged into is summarised again.
    left = (newest,) if leftovers.get(newest) is not None else ()
    return Window((*left, *range(newest + 1, middle.end)), tuple(earlier), end)


_KEPT = Size(0, 0, 0)


def summary_budget(measured: Measured, pruning: Pruning, middle: Span, limits: Budgets) -> int:
    """Tokens the summary is asked to stay within."""
    rules = measured.policy.summary
    sizes = (_size(measured, pruning, i) for i in summary_window(measured, middle).turns)
    tokens = total_tokens(sizes, measured.policy.estimate)
    return max(rules.least, min(int(tokens * _ratio(rules, tokens)), limits.summary_cap))


def _size(measured: Measured, pruning: Pruning, i: int) -> Size:
    if i in pruning.shrunk:
        return measured.shrunk_sizes[i]
    left = measured.columns.leftovers.get(i)
    return measured.base_sizes[i] if left is None else left


def _ratio(rules: SummaryRules, tokens: int) -> float:
    bands: tuple[Band, ...] = rules.bands
    return next((band.ratio for band in bands if tokens < band.below), rules.ratio)
