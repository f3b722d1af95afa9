"""The totals of a period in words: headline, buckets, days, and the dimensions to choose from."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime

from core.account.pricing.price import bucket_costs
from core.account.spending.conversations import whole_rows
from core.explain.headline.usage import hit_without, usage_headline
from core.model.accounting.ledger import LedgerRow
from core.store.database.locate import Location
from core.support import formatting as fmt
from inspector.base.commands import hint
from inspector.screens.workspace.usage.days import cost_of
from inspector.screens.workspace.usage.list_view import PRICING
from inspector.screens.workspace.usage.model import (
    UsageAnswer,
    at_this_pace,
    ledger_for,
    open_stores,
    this_month,
)
from inspector.screens.workspace.usage.question import Question, Step
from inspector.terminal.text import cell_len
from inspector.widgets.bars.status_line import Piece, titled

NO_PRICE = "no day has a price"
SUMMARISING = "compression"
"""The task of calls that write summaries."""
_APART = 6
"""Cells between the two sides of the headline, and around it."""


def period_of(question: Question) -> str:
    """The period in words; empty for all time."""
    title = question.title
    return "" if title.startswith("all time") else title


def headline(
    found: UsageAnswer, now: datetime, *, width: int = 0, roomy: bool = True, brief: bool = False
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Left: the period and its cost, recorded and by list price. Right: hit rate, forecast unless `brief`."""
    totals = found.ledger.totals
    least = found.ledger.lower_bound
    mark = fmt.LOWER_BOUND if least else ""
    unknown = totals.cost.usd is None and (found.priced or totals.status == "local")  # the answer says why
    listed = fmt.sum_of_money(totals.computed, lower_bound=least) if found.priced else PRICING
    left: list[Piece] = [*titled("Usage", found.question.title)]
    if not unknown:
        left.append(("money!", f" · {fmt.sum_of_money(totals.recorded, lower_bound=least)} recorded"))
        left.append(("ink-muted?", f" · {listed} list price"))
    left.append(("ink-muted?", f" · {_calls(totals, mark)}"))
    right: list[Piece] = []
    if roomy and found.question.is_today and len(found.days) > 1:
        right.append(("ink-muted", f"yesterday {fmt.money(found.days[-2].usd)} · "))
    right.append(("bucket-read", f"hit {fmt.percent(totals.tokens.hit_rate)}"))
    saved = bucket_costs(totals).saved
    if roomy and saved is not None and saved > 0:
        right.append(("bucket-read", f", saved {fmt.money(saved, mark=fmt.ESTIMATE)}"))
    month = at_this_pace(found, now)
    if month is not None and not brief:
        words = f" · {now.astimezone():%B} {fmt.money(month, mark=fmt.ESTIMATE)} at this pace"
        right.append(("ink-muted", words))
    alone = hit_without(found.ledger)
    place = next(at for at, one in enumerate(right) if one[1].startswith("hit "))
    if alone and _cells(left) + _cells(right) + len(alone) + _APART <= width:
        right.insert(place + 1, ("bucket-read", f", {alone}"))
    elif alone and not roomy:
        right[place:] = [("ink-muted", text.removeprefix(" · ")) for _, text in right[place + 1 :]]
    return tuple(left), tuple(right)


def _cells(pieces: Sequence[Piece]) -> int:
    """Cells of the pieces that are never left out."""
    return sum(cell_len(text) for token, text in pieces if not token.endswith("?"))


def _calls(totals: LedgerRow, mark: str) -> str:
    """The number of calls; a lower bound of 0 says nothing, so it is unknown."""
    calls = totals.calls
    if calls is None or (mark and not calls):
        return f"{fmt.UNKNOWN} calls"
    return f"{mark}{fmt.plural(calls, 'call')}"


def above(found: UsageAnswer, now: datetime, detail: Detail | None = None) -> Iterator[tuple[str, str]]:
    """How figures outside the columns are computed: name and formula."""
    if detail is not None and detail.summaries is not None:
        yield "summaries", f"{summary_words(detail.summaries)} = all calls of the task compression"
    if found.peak is not None:
        day, usd = found.peak.day, cost_of(found.peak)
        which = (
            f"{usd} = sessions begun on {day:%b} {day.day}: recorded cost, or list price if none is recorded"
        )
        yield "peak", which
    saved = bucket_costs(found.ledger.totals).saved
    if saved is not None and saved > 0:
        sums = "cache read and write tokens × (uncached price - bucket price per million), summed over models"
        yield "saved", f"{fmt.money(saved, mark=fmt.ESTIMATE)} = {sums}"
    month = at_this_pace(found, now)
    if month is None:
        return
    today = now.astimezone().date()
    length = monthrange(today.year, today.month)[1]
    spent_by_now = fmt.money(this_month(found.days, now))
    sums = f"{spent_by_now} since the 1st / {fmt.plural(today.day, 'day')} × {length}, each session counted "
    sums += "on the day it began"
    yield "forecast", f"{fmt.money(month, mark=fmt.ESTIMATE)} = {sums}"


def waiting(question: Question) -> tuple[Piece, ...]:
    """The headline before anything is read."""
    return (*titled("Usage", question.title), ("ink-muted", " · adding up …"))


def nothing(found: UsageAnswer) -> str:
    """Shown if there are no rows, with what to try."""
    asked = found.question
    other = "" if asked.session is not None or asked.path else hint(" {usage.period} shows another period.")
    return f"{unspent(found)}{other}"


def unspent(found: UsageAnswer) -> str:
    """That nothing was spent in a period, or that only earlier conversations went on in it."""
    return usage_headline(found.ledger, period_of(found.question)).sentence


def bucket_pieces(totals: LedgerRow, *, priced: bool = False) -> tuple[Piece, ...]:
    """The four buckets, with the cost of each if there is room, and reasoning as part of the output."""
    tokens = totals.tokens
    costs = bucket_costs(totals).usd if priced else {}
    pieces: list[Piece] = []
    for name, token, key in (
        ("uncached", "bucket-fresh", "input"),
        ("cache read", "bucket-read", "cache_read"),
        ("cache write", "bucket-write", "cache_write"),
        ("output", "bucket-output", "output"),
    ):
        value = getattr(tokens, key)
        pieces += [
            ("ink-muted", f"{name} "),
            (f"{token}!", fmt.tokens(value, lower_bound=totals.lower_bound)),
            *([("money", f" {fmt.money(costs[key])}")] if key in costs else []),
            ("rule", "  │  "),
        ]
    if tokens.reasoning and tokens.output:
        return (*pieces[:-1], ("ink-faint?", f" (incl. {fmt.short(tokens.reasoning)} reasoning)"))
    return tuple(pieces[:-1])


def bar_caption(found: UsageAnswer) -> tuple[str, str, str]:
    """First day, last day, and the most expensive day."""
    if not found.days:
        return "", "", NO_PRICE
    first, last = (f"{day.day:%b} {day.day.day}" for day in (found.days[0], found.days[-1]))
    peak = found.peak
    if peak is not None:
        return first, last, f"peak {peak.day:%b} {peak.day.day} {cost_of(peak)}"
    most = max(found.days, key=lambda day: day.tokens)
    if not most.tokens:
        return first, last, NO_PRICE
    peak_tokens = fmt.tokens(most.tokens, lower_bound=most.incomplete)
    own = found.ledger.totals.status == "local"  # the answer says that none bills it
    what = "tokens" if own else f"tokens: {NO_PRICE}"
    return first, last, f"{what} · peak {most.day:%b} {most.day.day} {peak_tokens}"


def peak_words(row: LedgerRow) -> str:
    """The conversation that cost most on the most expensive day, and its cache hit rate."""
    hit = fmt.percent(row.tokens.hit_rate)
    cost = fmt.sum_of_money(row.cost, lower_bound=row.lower_bound)
    return f", {cost} of it in {row.label or row.key} (cache {hit})"


def summary_pieces(found: UsageAnswer, more: Detail, head: Sequence[Piece], width: int) -> tuple[Piece, ...]:
    """What summaries cost and, unless `head` tells it, the hit rate without them, as far as there is room."""
    if more.summaries is None:
        return ()
    cost, alone = summary_words(more.summaries), hit_without(found.ledger)
    both = cost
    if alone and not any(alone in text for _, text in head):
        both = f"summaries {_cost(more.summaries)} · hit {alone.replace('summaries', 'them')}"
    room = width - _cells(tabs(found.question)) - _APART
    told = next((words for words in (both, cost) if cell_len(words) <= room), "")
    return (("ink-muted", told),) if told else ()


def summary_words(row: LedgerRow) -> str:
    """The calls and the cost of summaries."""
    return f"summaries {_calls(row, '')} · {_cost(row)}"


def _cost(row: LedgerRow) -> str:
    return fmt.sum_of_money(row.cost, lower_bound=row.lower_bound, own=row.status == "local")


def tabs(question: Question) -> tuple[Piece, ...]:
    """The dimensions, with the chosen one in brackets."""
    pieces: list[Piece] = [("ink-muted", "by ")]
    for name in question.dimensions:
        chosen = name == question.by
        pieces += [
            ("part-head!" if chosen else "ink-muted", f"[{name}]" if chosen else f" {name} "),
            ("rule", " "),
        ]
    return tuple(pieces)


@dataclass(frozen=True, slots=True)
class Detail:
    """Details next to the totals of a period.

    Attributes:
        most_expensive: The conversation that cost most on the most expensive day.
        summaries: Total of the calls that write summaries.
    """

    most_expensive: LedgerRow | None = None
    summaries: LedgerRow | None = None


def detail(
    found: UsageAnswer, locations: Sequence[Location], now: datetime, stop: Callable[[], bool]
) -> Detail:
    """Read the details, on database connections of the caller's thread."""
    question, peak = found.question, found.peak
    with ExitStack() as stack:
        opened, _ = open_stores(stack, locations, stop)
        tasks = ledger_for(opened, question, "task", now, None).rows
        summaries = next((row for row in tasks if SUMMARISING in (row.key, row.task)), None)
        if peak is None or question.whole is not None:
            return Detail(None, summaries)
        day = replace(question, path=(*question.path, Step("day", peak.day.isoformat(), "", "")))
        rows = whole_rows(ledger_for(opened, day, "conversation", now, None)).rows
    return Detail(rows[0] if rows else None, summaries)
