"""What the bars of the usage screen show: days, or the calls of a conversation that lived for one or two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from core.model.accounting.amounts import share_of
from core.model.accounting.ledger import LedgerRow
from inspector.screens.workspace.usage.days import Day
from inspector.screens.workspace.usage.model import UsageAnswer
from inspector.screens.workspace.usage.words import bar_caption
from inspector.screens.workspace.why.curve import Sample
from inspector.terminal import formatting as fmt
from inspector.widgets.charts.stack import Layer, prompt_layers

FEW = 3
"""Bars below which there is nothing to compare, so that words alone are shown."""
STACKED = (
    ("cache read", "bucket-read", "█", 1),
    ("cache write", "bucket-write", "▓", 2),
    ("uncached", "bucket-fresh", "▒", 0),
    ("output", "bucket-output", "░", 3),
)
"""The buckets from the bottom of a bar, each with its place in `Day.buckets`."""
BUCKET_NAMES = tuple(one[0] for one in sorted(STACKED, key=lambda one: one[3]))

SHORT, TALL = 32, 50
"""Lines of a screen below which the rows come first, and from which the bars take what the rows leave."""
_BESIDE = 25
"""Lines of everything but bars and rows: sums, titles, keys, the origin where it stands below."""


def lines_of(high: int, listed: int) -> int:
    """Lines of the bars on a screen `high` lines tall that lists as many rows."""
    least = 2 if high < SHORT else 6 if high < TALL else high // 4
    return least if high < SHORT else max(least, min(high // 2, high - listed - _BESIDE))


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars with the words below them.

    Attributes:
        layers: What each is made of.
        told: A bar in words, by its place.
        unit: What several of make a bar when there is no room for each.
        money: They stand for dollars, not for tokens.
    """

    values: tuple[float, ...]
    first: str
    last: str
    caption: str
    layers: tuple[Layer, ...] = ()
    told: Callable[[int], str] = str
    unit: str = "days"
    money: bool = True

    def scale(self, value: float) -> str:
        """A number of the axis."""
        return _amount(value, money=self.money)


def bars_of(found: UsageAnswer) -> Bars:
    """Days where there are some, by tokens where none has a price; else the log's calls; else words alone."""
    if _by_call(found):
        return _of_calls(found.calls)
    priced = found.peak is not None
    values = tuple(float((day.usd if priced else day.tokens) or 0) for day in found.days)
    if len(values) < FEW or not any(values):
        return Bars((), *bar_caption(found))
    layers = _layers(found.days, values, priced=priced)
    return Bars(values, *bar_caption(found), layers, lambda place: day_words(found.days[place]), money=priced)


def _by_call(found: UsageAnswer) -> bool:
    return len(found.days) < FEW <= len(found.calls)


def bar_of(found: UsageAnswer, row: LedgerRow) -> int:
    """Which bar a row by day stands for; -1 for any other row."""
    days = [day.day.isoformat() for day in found.days] if found.ledger.by == "day" else []
    return days.index(row.key) if row.key in days and not _by_call(found) else -1


def day_words(day: Day) -> str:
    """A day in words: what it came to, and which bucket took most of it."""
    money = any(day.costs)
    parts = zip(BUCKET_NAMES, day.costs if money else day.buckets, strict=True)
    largest = sorted(((value, name) for name, value in parts if value), reverse=True)
    shares = [f"{name} {_amount(value, money=money)}" for value, name in largest]
    cost = f"{fmt.money(day.usd)} · " if day.usd is not None else ""
    whole = f"{day.day:%a %b} {day.day.day} · {cost}{fmt.short(day.tokens)} tokens"
    return " · ".join([whole, *shares])


def _amount(value: float, *, money: bool) -> str:
    return fmt.money(Decimal(str(value))) if money else fmt.short(round(value))


def _layers(days: Sequence[Day], values: Sequence[float], *, priced: bool) -> tuple[Layer, ...]:
    split = [day.costs if priced else day.buckets for day in days]
    known = [
        Layer(name, token, texture, tuple(one[place] for one in split))
        for name, token, texture, place in STACKED
    ]
    rest = tuple(
        max(0.0, value - sum(one)) if not any(one) else 0.0 for value, one in zip(values, split, strict=True)
    )
    return (*known, Layer("not split", "money" if priced else "ink-muted", "█", rest))


def _of_calls(calls: Sequence[Sample]) -> Bars:
    sizes = [(call.tokens, call.cached, call.written) for call in calls]
    values = tuple(float(prompt) for prompt, _, _ in sizes)
    largest = calls[values.index(max(values))]
    when = fmt.clock(largest.at, seconds=False)
    caption = f"{len(calls):,} prompts in the log, peak {fmt.short(largest.tokens)} at {when}"
    first, last = (fmt.clock(call.at, seconds=False) for call in (calls[0], calls[-1]))
    layers = prompt_layers(sizes)
    plain = (Layer("prompt", "ink-muted", "█", values),)
    return Bars(
        values,
        first,
        last,
        caption,
        layers or plain,
        lambda place: _call_words(calls[place]),
        "calls",
        money=False,
    )


def _call_words(call: Sample) -> str:
    share = share_of(call.cached, call.tokens)
    sizes = f"{fmt.count(call.tokens)} tokens, {fmt.percent(share)} from the cache"
    return f"{fmt.clock(call.at, seconds=False)} · {sizes}"
