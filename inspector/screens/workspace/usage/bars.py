"""What the bars of the usage screen show: days, or the calls of a conversation that lived for one or two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.model.accounting.prompt_cache import CacheCall
from inspector.screens.workspace.usage.model import Answer
from inspector.screens.workspace.usage.words import bar_caption
from inspector.terminal import formatting as format

FEW = 3
"""Bars below which there is nothing to compare, so that words alone are shown."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars with the words below them.

    Attributes:
        unit: What several of make a bar when there is no room for each.
        token: Their colour.
    """

    values: tuple[float, ...]
    first: str
    last: str
    caption: str
    unit: str = "days"
    token: str = "money"


def bars_of(found: Answer) -> Bars:
    """Days where there are some, by tokens where none has a price; else the log's calls; else words alone."""
    if len(found.days) < FEW <= len(found.calls):
        return _of_calls(found.calls)
    priced = found.peak is not None
    values = tuple(float((day.usd if priced else day.tokens) or 0) for day in found.days)
    drawn = values if len(values) >= FEW and any(values) else ()
    return Bars(drawn, *bar_caption(found), token="money" if priced else "ink-muted")


def _of_calls(calls: Sequence[CacheCall]) -> Bars:
    largest = max(calls, key=lambda call: call.prompt or 0)
    when = format.clock(largest.at, seconds=False)
    caption = f"{len(calls):,} prompts in the log, peak {format.short(largest.prompt)} at {when}"
    first, last = (format.clock(call.at, seconds=False) for call in (calls[0], calls[-1]))
    values = tuple(float(call.prompt or 0) for call in calls)
    return Bars(values, first, last, caption, "calls", "ink-muted")
