"""One cache break, or the whole cache, as lines for a pane; and where the figures come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.model.accounting.ledger import Term
from core.model.accounting.prompt_cache import (
    Breakpoint,
    CacheBreak,
    CacheCall,
    CacheReport,
    ResultCost,
    TtlAdvice,
)
from core.model.accounting.usage import Origin
from core.support import formatting as fmt
from inspector.base.app_protocol import FigureOrigin, located
from inspector.base.event_words import bill
from inspector.screens.workspace.cache.list_view import CAUSES
from inspector.terminal.line import Line, Palette
from inspector.widgets.panes.card import field, headline, paragraph

MAX_RESULTS = 8
NO_PRICE = "the price list has no entry for this model and day"
PREFIX = "what a request contains up to the marked place: system prompt, tools, messages"
ESTIMATED = ("estimated: the provider counts whole requests only",)
LIFETIME = (
    "each call's prompt: read from the cache if the pause before it was shorter, "
    "otherwise written; at the list price"
)
RESULT = (
    "written to the cache once, then read in later calls as often as the "
    "conversation's hit rate says; at the list price"
)


def break_lines(found: CacheBreak, width: int, ink: Palette, *, own: bool = False) -> Iterator[Line]:
    """Why the cache broke, what was read again, what that cost; nothing on the user's own server."""
    words = CAUSES.get(found.cause, found.cause)
    sentence = f"{words[0].upper()}{words[1:]}."
    yield from headline(sentence, fmt.money(found.usd, own=own), width, ink, badge_token="money")
    lost = f"{fmt.count(found.tokens_lost)} tokens re-read at the full rate"
    yield from field("lost", lost, width, ink)
    hits = f"{fmt.percent(found.before)} → {fmt.percent(found.after)} of the prompt from the cache"
    yield from field("hit rate", hits, width, ink)
    yield from field("when", fmt.moment(found.at), width, ink)


def whole_lines(report: CacheReport, width: int, ink: Palette) -> Iterator[Line]:
    """Markers, lifetime, costs and savings of compactions."""
    yield from field("route", f"{report.marking} · {report.route.why}", width, ink)
    for place, point in enumerate(report.breakpoints):
        yield from field("" if place else "markers", _marker(point), width, ink)
    if report.advice is not None:
        yield from _advice(report.advice, width, ink)
    for place, one in enumerate(report.paybacks):
        words = f"{fmt.moment(one.at)} · {bill(one, local=report.local)}"
        yield from field("" if place else "compacted", words, width, ink)


def result_lines(report: CacheReport, width: int, ink: Palette) -> Iterator[Line]:
    """The tool results that cost most over all requests that included them, and notes."""
    yield from _expensive_results(report, width, ink)
    for note in report.notes:
        yield Line()
        yield from paragraph(f"· {note}", width, ink, "ink-muted")


def _marker(point: Breakpoint) -> str:
    place = "before the messages" if point.index < 0 else f"message {point.index}"
    tokens = fmt.count(point.prefix_tokens, mark=fmt.ESTIMATE)
    ignored = "" if point.honoured else " · ignored by the provider"
    return f"{place} · {point.role} · the first {tokens} tokens by estimate · kept {point.ttl}{ignored}"


def _advice(advice: TtlAdvice, width: int, ink: Palette) -> Iterator[Line]:
    token = "severity-warning" if advice.better not in (None, advice.current) else "ink"
    yield from field("lifetime", f"{advice.current} · {advice.reason}", width, ink, token)
    five, hour = fmt.money(advice.usd_5m), fmt.money(advice.usd_1h)
    yield from field("", f"these calls cost {five} with 5 minutes, {hour} with an hour", width, ink)


def _expensive_results(report: CacheReport, width: int, ink: Palette) -> Iterator[Line]:
    for place, one in enumerate(one for one in report.results[:MAX_RESULTS] if one.usd):
        tokens = fmt.short(one.tokens, mark=fmt.ESTIMATE)
        words = f"{fmt.money(one.usd)} · {one.tool}, {tokens} tokens over {fmt.plural(one.calls, 'call')}"
        yield from field("" if place else "top cost", words, width, ink)


def break_origins(found: CacheBreak, calls: Sequence[CacheCall] = ()) -> Iterator[FigureOrigin]:
    """Origins of tokens lost, their cost, and the hit rates before and at the break."""
    lost = "what the previous call left in the cache and this one did not find there"
    yield FigureOrigin(Origin("tokens re-read", found.tokens_lost, lost, rows=located(found.evidence)))
    yield FigureOrigin(found.origin or Origin("cost", None, NO_PRICE))
    for when, rate, place in (("before", found.before, found.call - 1), ("itself", found.after, found.call)):
        call = calls[place] if 0 <= place < len(calls) else None
        yield FigureOrigin(_hit_rate(f"hit rate of the call {when}", rate, call))


def report_origins(report: CacheReport) -> Iterator[FigureOrigin]:
    """Origins of hit rate, all breaks together, each compaction's cost, markers and lifetimes."""
    tokens = report.tokens
    shares = (Term("cache read", tokens.cache_read or 0), Term("prompt", tokens.prompt or 0))
    formula = "cache read / (uncached input + cache read + cache write)"
    yield FigureOrigin(Origin("hit_rate", tokens.hit_rate, formula, shares, rows=("sessions: as recorded",)))
    if report.breaks:
        yield from _breaks(report)
    for paid in report.paybacks:
        when = f"the compaction at {fmt.clock(paid.at, seconds=False)}"
        yield from (FigureOrigin(found, when) for found in paid.origins)
    for point in report.breakpoints:
        place = "the system prompt" if point.index < 0 else f"message {point.index}"
        yield FigureOrigin(
            Origin("tokens up to the marker", point.prefix_tokens, PREFIX, notes=ESTIMATED), place
        )
    if report.advice is not None:
        yield from (FigureOrigin(found) for found in _lifetimes(report.advice))
    for result in report.results[:MAX_RESULTS]:
        if result.usd is not None:
            yield FigureOrigin(_result(result), f"{result.tool}, message {result.row}")


def _breaks(report: CacheReport) -> Iterator[FigureOrigin]:
    """Origins of all breaks together."""
    broken = [(f"break {place}", one) for place, one in enumerate(report.breaks, 1)]
    lost = tuple(Term(name, one.tokens_lost) for name, one in broken)
    yield FigureOrigin(
        Origin("tokens re-read", sum(int(term.amount) for term in lost), "sum over breaks", lost)
    )
    costs = tuple(Term(name, one.usd) for name, one in broken if one.usd is not None)
    prices = {label: None for _, one in broken if one.origin for label in one.origin.prices}
    usd = sum(term.amount for term in costs) if costs else None
    unknown = len(broken) - len(costs)
    notes = (f"without {fmt.plural(unknown, 'break')} whose price is unknown",) if unknown else ()
    origin = Origin("cost of the breaks", usd, "sum over breaks", costs, (), tuple(prices), notes)
    yield FigureOrigin(origin)


def _hit_rate(figure: str, rate: float | None, call: CacheCall | None) -> Origin:
    formula = "tokens from the cache / prompt tokens of the call"
    if call is None or call.prompt is None or call.cache_read is None:
        return Origin(figure, rate, formula)
    terms = (Term("cache read", call.cache_read), Term("prompt", call.prompt))
    return Origin(figure, rate, formula, terms, rows=(call.where,))


def _lifetimes(advice: TtlAdvice) -> Iterator[Origin]:
    """Origins of the cost with either lifetime, with the pauses it was computed from."""
    names = ("pauses up to 5 minutes", "pauses up to an hour", "longer pauses")
    terms = tuple(map(Term, names, advice.gaps))
    for words, usd in (("5 minutes", advice.usd_5m), ("an hour", advice.usd_1h)):
        notes = () if usd is not None else (NO_PRICE,)
        yield Origin(f"cost of these prompts kept for {words}", usd, LIFETIME, terms, notes=notes)


def _result(one: ResultCost) -> Origin:
    terms = (Term("tokens of the result, estimated", one.tokens), Term("calls that included it", one.calls))
    return Origin("cost of the tool result", one.usd, RESULT, terms, (f"message {one.row}",))
