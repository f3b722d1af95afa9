"""The sums of a period in words: headline, buckets, days, and the dimensions to choose from."""

from __future__ import annotations

from datetime import datetime

from core.account.bucket_costs import bucket_costs
from core.model.ledger import LedgerRow
from inspector import format
from inspector.screens.usage_list import PRICING
from inspector.screens.usage_model import Answer, Question, forecast, spent
from inspector.widgets.status_line import Piece


def headline(
    found: Answer, now: datetime, *, roomy: bool = True
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Left: the period and what it cost, in both books. Right: hit rate and forecast."""
    totals = found.ledger.totals
    mark = format.LOWER_BOUND if found.ledger.lower_bound else ""
    listed = format.sum_of_money(totals.computed) if found.priced else PRICING
    left: list[Piece] = [
        ("part-head!", "Usage"),
        ("ink-faint", " · "),
        ("ink", found.question.title),
        ("money!", f" · {format.sum_of_money(totals.recorded)} recorded"),
        ("ink-muted?", f" · {listed} at list"),
        ("ink-muted?", f" · {mark}{format.plural(totals.calls, 'call')}"),
    ]
    right: list[Piece] = [("bucket-read", f"hit {format.percent(totals.tokens.hit_rate)}")]
    saved = bucket_costs(totals).saved
    if roomy and saved is not None and saved > 0:
        right.append(("bucket-read", f", saved {format.money(saved, mark=format.ESTIMATE)}"))
    month = None if found.question.session or found.question.path else forecast(found.days, now)
    if month is not None:
        words = f" · {now.astimezone():%B} {format.money(month, mark=format.ESTIMATE)} at this pace"
        right.append(("ink-muted", words))
    return tuple(left), tuple(right)


def waiting(question: Question) -> tuple[Piece, ...]:
    """The headline before anything is known."""
    title = (("part-head!", "Usage"), ("ink-faint", " · "), ("ink", question.title))
    return (*title, ("ink-muted", " · adding up …"))


def nothing(question: Question) -> str:
    """What stands where the rows would, and what to try."""
    other = "" if question.session is not None or question.path else " p shows another period."
    return f"Nothing was spent in {question.title}.{other}"


def bucket_pieces(totals: LedgerRow, *, priced: bool = False) -> tuple[Piece, ...]:
    """The four buckets, what each cost where there is room, and reasoning as a part of output."""
    tokens = totals.tokens
    costs = bucket_costs(totals).usd if priced else {}
    pieces: list[Piece] = []
    for name, token, key in (
        ("fresh in", "bucket-fresh", "input"),
        ("cache read", "bucket-read", "cache_read"),
        ("cache write", "bucket-write", "cache_write"),
        ("output", "bucket-output", "output"),
    ):
        value = getattr(tokens, key)
        pieces += [
            ("ink-muted", f"{name} "),
            (f"{token}!", format.tokens(value, lower_bound=totals.lower_bound)),
            *([("money", f" {format.money(costs[key])}")] if key in costs else []),
            ("rule", "  │  "),
        ]
    pieces[-1] = ("ink-faint?", f" (of it reasoning {format.short(tokens.reasoning)})")
    return tuple(pieces)


def bar_caption(found: Answer) -> tuple[str, str, str]:
    """First day, last day, and which was the dearest."""
    if not found.days:
        return "", "", "no day has a price"
    first, last = (f"{day.day:%b} {day.day.day}" for day in (found.days[0], found.days[-1]))
    peak = found.peak
    if peak is None:
        return first, last, "no day has a price"
    return first, last, f"peak {peak.day:%b} {peak.day.day} {format.money(peak.usd)}"


def peak_words(row: LedgerRow) -> str:
    """Which conversation the dearest day went to, and what of its prompts came from the cache."""
    hit = format.percent(row.tokens.hit_rate)
    return f": {row.label or row.key} {format.money(spent(row))}, cache {hit}"


def summary_words(row: LedgerRow) -> str:
    """What writing summaries took of it."""
    cost = format.sum_of_money(row.recorded if row.recorded.usd is not None else row.computed)
    return f"summaries {format.plural(row.calls, 'call')} · {cost}"


def tabs(question: Question) -> tuple[Piece, ...]:
    """The dimensions, the chosen one in brackets."""
    pieces: list[Piece] = [("ink-muted", "by ")]
    for name in question.dimensions:
        chosen = name == question.by
        pieces += [
            ("part-head!" if chosen else "ink-muted", f"[{name}]" if chosen else f" {name} "),
            ("rule", " "),
        ]
    return tuple(pieces)
