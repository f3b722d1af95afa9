"""Where a release would cut a conversation, what it would prune, and whether compression would fire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.compress.planning.measure import Measured, measure
from core.compress.planning.partition import Cut, Rows, cut
from core.compress.planning.prune import Pruning, prune, prune_span
from core.compress.planning.summary_window import boundary, summary_budget, summary_window, widened
from core.compress.sizing.estimate import numbers
from core.compress.sizing.threshold import Budgets, budgets, gate_blocks, tail_mode
from core.compress.sizing.weight import replays_thinking
from core.hermes.policy.policy import Policy
from core.hermes.policy.summary_rules import ModelTable
from core.hermes.policy.trigger_rules import Tier
from core.model.compaction.plan import Gate, Plan, Settings, Span
from core.model.transcript.message import Message
from core.support.formatting import plural

_FAILS = "Hermes {release} fails at message {place}: the arguments of its call are JSON, but no object"
_SPENT = "the middle holds only earlier summaries"
_NO_WINDOW = "the model's window is not known; model.context_length in config.yaml sets it"


def plan_messages(messages: Sequence[Message], policy: Policy, settings: Settings) -> Plan:
    """Measure and plan a conversation; to plan it again, call `measure` and `plan` separately."""
    return plan(measure(messages, policy), settings)


def plan(
    measured: Measured, settings: Settings, gate: Gate | None = None, *, keep: int | None = None
) -> Plan:
    """Plan a compaction from numbers alone, so that planning again takes milliseconds.

    Without a window the plan has no middle. `keep` user turns at the end stay word for word, as in
    `/compress here N`. The half-open spans of the plan are positions in the messages and cover them all.
    """
    start = None if keep is None else boundary(measured.messages, keep)
    if start is None:
        return _planned(measured, settings, gate)
    part = _planned(measure(measured.messages[:start], measured.policy), settings, gate)
    return widened(part, measured, _compared(measured, settings))


def _planned(measured: Measured, settings: Settings, gate: Gate | None) -> Plan:
    policy, whole = measured.policy, _uncut(measured, settings)
    refused = gate_blocks(gate, settings, policy)
    if not settings.window or settings.window <= 0:
        return replace(whole, blocked_by=(*refused, _NO_WINDOW), arithmetic=("no window, so no threshold",))
    limits = budgets(settings, policy, settings.window)
    pruning = prune(measured, settings, limits)
    rows, kept = _rows(measured, pruning)
    found = cut(rows, settings, limits, policy)
    spans, blocks = _spans(found, rows, kept, measured)
    head, middle, tail = spans
    if policy.prune.middle_only:
        pruning = prune_span(measured, pruning, middle)
    lean = tail_mode(settings, policy.tail) == "lean"
    spent = _is_spent(measured, pruning, middle)
    fails_at = min(pruning.shrunk & measured.failing, default=None)
    blocks = (*refused, *blocks, *([_SPENT] if spent else ()))
    blocks += () if fails_at is None else (_FAILS.format(release=policy.release, place=fails_at),)
    return replace(
        _limited(whole, limits),
        summary_budget=summary_budget(measured, pruning, middle, limits, lean=lean) if middle.size else None,
        pruned=pruning.count,
        head=head,
        middle=middle,
        tail=tail,
        would_fire=whole.compared_tokens >= limits.threshold and not blocks,
        blocked_by=blocks,
        arithmetic=tuple(
            _arithmetic(limits, pruning, spans, whole.compared_tokens, measured, settings.window)
        ),
        weights=numbers(pruning.weights),
        pruned_at=tuple(sorted(pruning.shrunk.union(measured.duplicates))),
        pruned_again=tuple(sorted(pruning.again)),
        too_short=len(measured.messages) <= found.least,
        spent=spent,
        lean=lean,
        fails_at=fails_at,
    )


def _limited(whole: Plan, limits: Budgets) -> Plan:
    """A plan with the limits its compaction goes by."""
    return replace(
        whole,
        threshold_percent=limits.percent,
        threshold_tokens=limits.threshold,
        tail_budget=limits.tail,
        soft_ceiling=limits.soft,
        summary_cap=limits.summary_cap,
    )


def _uncut(measured: Measured, settings: Settings) -> Plan:
    """The plan that keeps everything: no threshold, no budget and no cut."""
    count = len(measured.messages)
    return Plan(
        release=measured.policy.release,
        group=measured.policy.group,
        settings=settings,
        estimated_tokens=measured.estimated_tokens,
        messages=count,
        head=Span(0, 0),
        middle=Span(0, 0),
        tail=Span(0, count),
        compared_tokens=_compared(measured, settings),
        weights=measured.weights.full,
        estimates=measured.estimates,
    )


def _is_spent(measured: Measured, pruning: Pruning, middle: Span) -> bool:
    """Whether the middle holds nothing worth an attempt."""
    if not middle.size or not measured.policy.summary.every_summary:
        return False
    return summary_window(measured, middle, pruning.shrunk).is_empty


def _rows(measured: Measured, pruning: Pruning) -> tuple[Rows, list[int] | None]:
    """The pruned rows to cut, and their positions where some were left out."""
    echoes = measured.columns.echoes
    if not echoes:
        return Rows(measured.columns, pruning.weights, pruning.full), None
    kept = [i for i in range(len(measured.messages)) if i not in echoes]
    weights = [pruning.weights[i] for i in kept]
    return Rows(measured.columns.without(echoes), weights, [pruning.full[i] for i in kept]), kept


def _spans(
    found: Cut, rows: Rows, kept: list[int] | None, measured: Measured
) -> tuple[tuple[Span, Span, Span], tuple[str, ...]]:
    count, compressible = len(measured.messages), len(rows.columns)
    blocked: tuple[str, ...] = ()
    start, end = min(found.start, compressible), min(found.end, compressible)
    if count <= found.least:
        blocked = (f"only {count} messages; more than {found.least} are needed",)
        end = start
    elif start >= end:
        blocked = ("head and tail together hold every message; there is no middle",)
        end = start
    if kept is not None:
        # Left-out echoes lie behind the newest request: they stay on the side of the row before them.
        positions = [*kept, count]
        start, end = positions[start], positions[end]
    return (Span(0, start), Span(start, end), Span(end, count)), blocked


def _compared(measured: Measured, settings: Settings) -> int:
    if settings.current_tokens is not None:
        return settings.current_tokens
    if settings.expected_tokens is not None:
        return settings.expected_tokens
    known = bool(settings.api_mode) and bool(measured.policy.estimate.thinking_keys)
    return measured.bare_tokens if known and not replays_thinking(settings) else measured.estimated_tokens


def _arithmetic(
    limits: Budgets,
    pruning: Pruning,
    spans: tuple[Span, Span, Span],
    compared: int,
    measured: Measured,
    window: int,
) -> Iterator[str]:
    """The steps in words: threshold, pruning, tail, verdict, and the tiers and models of a document."""
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
    """The tiers of context used, and which of them the conversation has reached."""
    share = compared / window
    for tier in tiers:
        reached = "reached" if share > tier.above else "not reached"
        yield f"above {tier.above:.2f} {tier.does}: {reached} at {share:.2f}"


def _models(tokens: int, tables: Sequence[ModelTable]) -> Iterator[str]:
    """What a summary of so many tokens costs by each table, in money and time."""
    for table in tables:
        usd, seconds = (between(tokens, table.tokens, row) for row in (table.usd, table.seconds))
        takes = f"about ${usd:.3f} and {max(1, round(seconds))} s"
        yield f"by its table {table.model} takes {takes} to summarise {tokens:,} tokens"


def between(at: float, sizes: Sequence[float], values: Sequence[float]) -> float:
    """Interpolate between the two nearest sizes; outside the table, scale the first or last value."""
    if not sizes[0] <= at <= sizes[-1]:
        end = 0 if at < sizes[0] else -1
        return values[end] * at / sizes[end]
    right = next(i for i, size in enumerate(sizes) if at <= size)
    left = max(0, right - 1)
    share = (at - sizes[left]) / (sizes[right] - sizes[left]) if right != left else 0.0
    return values[left] + share * (values[right] - values[left])
