"""What is drawn beside a ledger: bars per day or call, and the origin of the figure under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from core.account.pricing.price import bucket_costs
from core.account.pricing.price_book import open_book
from core.account.spending.ledger import collect
from core.account.spending.origins import origin
from core.model.accounting.amounts import share_of
from core.model.accounting.ledger import LedgerRow
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.store.store import Store
from core.support import formatting as fmt
from core.support.formatting import round_number
from inspector.base.app_protocol import FigureOrigin
from inspector.screens.workspace.usage.days import BUCKETS, Day, cost_of
from inspector.screens.workspace.usage.model import UsageAnswer
from inspector.screens.workspace.usage.words import bar_caption
from inspector.screens.workspace.why.curve import Sample
from inspector.terminal.line import Line, Palette
from inspector.widgets.charts.day_bars import DayBars
from inspector.widgets.charts.stack import Layer, prompt_layers
from inspector.widgets.panes.card import field, origin_lines

MIN_BARS = 3
"""With fewer bars there is nothing to compare, so only text is shown."""
STACKED = (
    ("cache read", "bucket-read", "█", 1),
    ("cache write", "bucket-write", "▓", 2),
    ("uncached", "bucket-fresh", "▒", 0),
    ("output", "bucket-output", "░", 3),
)
"""The buckets from the bottom of a bar up, each with its index in `Day.buckets`."""
BUCKET_NAMES = tuple(one[0] for one in sorted(STACKED, key=lambda one: one[3]))

SHORT, TALL = 32, 50
"""Screen heights below which rows take precedence, and from which bars get all lines left over."""
_BESIDE, _BESIDE_SHORT, _BESIDE_ALONE = 25, 20, 14
"""Lines used by everything but bars and rows (totals, titles, keys, the origin), on short screens, and on
short ones without the origin."""

BAR = "▇"
Others = Sequence[tuple[str, str]]
"""Figures shown beside a row's own: name and sum."""

FIGURES = ("total", "hit_rate", "recorded", "computed")
"""The figures lists show of a conversation, and the cost at list price."""


def lines_of(high: int, listed: int, *, origin: bool = True) -> int:
    """Height of the bars on a screen `high` lines tall that lists `listed` rows; `origin` if one is shown."""
    short = high < SHORT
    least = 2 if short else 6 if high < TALL else high // 4
    beside = _BESIDE if not short else _BESIDE_SHORT if origin else _BESIDE_ALONE
    room = high - listed - beside
    return max(least, min(high // (4 if short else 2), room))


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars, with the texts below them.

    Attributes:
        layers: The layers of each bar.
        format: Describes the bar at an index.
        unit: What several of share a bar if space is short.
        money: Values are US dollars, not tokens.
        more: The end of the caption, shown only where all of it fits.
        incomplete: For each bar, whether its value is a lower bound; empty if none is.
    """

    values: tuple[float, ...]
    first: str
    last: str
    caption: str
    layers: tuple[Layer, ...] = ()
    format: Callable[[int], str] = str
    unit: str = "days"
    money: bool = True
    more: str = ""
    incomplete: tuple[bool, ...] = ()

    def scale(self, value: float) -> str:
        """A number on the axis."""
        return _amount(value, money=True) if self.money else round_number(round(value))


def draw_bars(widget: DayBars, bars: Bars) -> None:
    """Show bars, with no row pointed at yet."""
    widget.values, widget.made_of, widget.pointed = bars.values, bars.layers, -1
    widget.format, widget.scale, widget.incomplete = bars.format, bars.scale, bars.incomplete
    widget.unit, widget.adds, widget.more = bars.unit, bars.unit == "days", bars.more
    widget.first, widget.last, widget.caption = bars.first, bars.last, bars.caption


def bars_of(found: UsageAnswer) -> Bars:
    """Bars per day, by tokens if no day has a price; else per call of the log; else only text."""
    if _by_call(found):
        return _of_calls(found.calls)
    priced = found.peak is not None
    values = tuple(float((day.usd if priced else day.tokens) or 0) for day in found.days)
    if len(values) < MIN_BARS or not any(values):
        return Bars((), *bar_caption(found))
    layers = _layers(found.days, values, priced=priced)
    return Bars(
        values,
        *bar_caption(found),
        layers,
        lambda place: day_words(found.days[place]),
        money=priced,
        incomplete=tuple(day.lower_bound if priced else day.incomplete for day in found.days),
    )


def _by_call(found: UsageAnswer) -> bool:
    return len(found.days) < MIN_BARS <= len(found.calls)


def bar_of(found: UsageAnswer, row: LedgerRow) -> int:
    """The index of the bar for a row by day; -1 for any other row."""
    days = [day.day.isoformat() for day in found.days] if found.ledger.by == "day" else []
    return days.index(row.key) if row.key in days and not _by_call(found) else -1


def day_words(day: Day) -> str:
    """A day in words: its cost and tokens, and the largest buckets."""
    money = any(day.costs)
    parts = zip(BUCKET_NAMES, day.costs if money else day.buckets, strict=True)
    largest = sorted(((value, name) for name, value in parts if value), reverse=True)
    shares = [f"{name} {_amount(value, money=money)}" for value, name in largest]
    cost = f"{cost_of(day)} · " if day.usd is not None else ""
    words = (
        f"{day.day:%a %b} {day.day.day} · {cost}{fmt.tokens(day.tokens, lower_bound=day.incomplete)} tokens"
    )
    return " · ".join([words, *shares])


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
    caption, peak = f"{len(calls):,} prompts in the log", f", peak {fmt.short(largest.tokens)} at {when}"
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
        more=peak,
    )


def _call_words(call: Sample) -> str:
    share = share_of(call.cached, call.tokens)
    sizes = f"{fmt.count(call.tokens)} tokens, {fmt.percent(share)} from the cache"
    return f"{fmt.clock(call.at, seconds=False)} · {sizes}"


def origin_of_row(
    row: LedgerRow, found: UsageAnswer, figure: str, others: Others, width: int, ink: Palette
) -> Iterator[Line]:
    """The origin of a row's figure, what its sub-agents add, its buckets, and other sums."""
    about = row.label or row.key
    yield from origin_lines(about, origin(found.ledger, row, figure), width, ink)
    yield from _subtree(row, width, ink)
    yield Line()
    yield from _buckets(row, width, ink)
    for name, sums in others:
        yield from field(name, sums, width, ink)


def _buckets(row: LedgerRow, width: int, ink: Palette) -> Iterator[Line]:
    """Tokens and cost of each bucket, with a bar for the cost."""
    usd = bucket_costs(row).usd
    most = max(usd.values(), default=None)
    for name, token, _, place in STACKED:
        key = BUCKETS[place]
        line = Line().cell(name, 13, ink.style("ink-muted"))
        line.cell(
            fmt.tokens(getattr(row.tokens, key), lower_bound=row.lower_bound), 7, ink.style(token), right=True
        )
        if key in usd and most:
            line.cell(fmt.money(usd[key]), 11, ink.style("money"), right=True).gap(1)
            line.add(BAR * round(usd[key] / most * max(0, width - line.width)), ink.style(token))
        yield line


def _subtree(row: LedgerRow, width: int, ink: Palette) -> Iterator[Line]:
    """The total of a conversation with its sub-agents; nothing if it has none."""
    if row.subtree is not None:
        usd = fmt.money(row.subtree_recorded.usd if row.subtree_recorded else None)
        words = f"{usd} recorded with its sub-agents · {fmt.short(row.subtree.total)} tokens"
        yield from field("together", words, width, ink, "ink-muted")


def spending(
    location: Location, session_id: str, *, alone: bool = False
) -> Callable[[Cancelled], Sequence[FigureOrigin]]:
    """Return a function that looks up the figures of a conversation or a session, the main loop's first."""

    def read(stop: Cancelled) -> Sequence[FigureOrigin]:
        with Store(location, cancelled=stop) as store:
            by = "session" if alone else "conversation"
            found = collect([store], by=by, session=session_id, prices=open_book()).ledger()
        rows = [row for row in found.rows if not alone or row.key == session_id]
        if len(rows) > 1 and not alone:
            rows.append(found.totals)
        return [FigureOrigin(origin(found, row, figure), _name(row)) for row in rows for figure in FIGURES]

    return read


def _name(row: LedgerRow) -> str:
    name = row.label or row.key
    return f"{name} ({row.task})" if row.task else name
