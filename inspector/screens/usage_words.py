"""The sums of a period in words: headline, buckets, days, and the dimensions to choose from."""

from __future__ import annotations

from datetime import datetime

from core.model.usage import LedgerRow
from inspector import format
from inspector.screens.usage_list import PRICING
from inspector.screens.usage_model import Answer, Question, forecast
from inspector.widgets.status_line import Piece


def headline(found: Answer, now: datetime) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
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
    month = None if found.question.session or found.question.path else forecast(found.days, now)
    if month is not None:
        words = f" · {now.astimezone():%B} {format.money(month, mark=format.ESTIMATE)} at this pace"
        right.append(("ink-muted", words))
    return tuple(left), tuple(right)


def bucket_pieces(totals: LedgerRow) -> tuple[Piece, ...]:
    """The four buckets, and reasoning as a part of output."""
    tokens = totals.tokens
    pieces: list[Piece] = []
    for name, token, value in (
        ("fresh in", "bucket-fresh", tokens.input),
        ("cache read", "bucket-read", tokens.cache_read),
        ("cache write", "bucket-write", tokens.cache_write),
        ("output", "bucket-output", tokens.output),
    ):
        pieces += [
            ("ink-muted", f"{name} "),
            (f"{token}!", format.tokens(value, lower_bound=totals.lower_bound)),
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
    return first, last, f"peak {peak.day:%b} {peak.day.day}: {format.money(peak.usd)}"


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
