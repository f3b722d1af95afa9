"""One break of the cache, or the cache as a whole, as lines for a pane."""

from __future__ import annotations

from collections.abc import Iterator

from core.model.accounting.prompt_cache import Breakpoint, CacheBreak, CacheReport, TtlAdvice
from inspector.base.compaction_words import bill
from inspector.screens.workspace.cache.list_view import CAUSES
from inspector.terminal import formatting as fmt
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.widgets.panes.fields import field, headline, paragraph

DEAREST = 8


def break_lines(found: CacheBreak, width: int, ink: Palette) -> Iterator[Line]:
    """Why the cache broke, what was read again, what that cost."""
    words = CAUSES.get(found.cause, found.cause)
    sentence = f"{words[0].upper()}{words[1:]}."
    yield from headline(sentence, fmt.money(found.usd), width, ink, badge_token="money")
    lost = f"{fmt.count(found.tokens_lost)} tokens re-read at the full rate"
    yield from field("lost", lost, width, ink)
    hits = f"{fmt.percent(found.before)} → {fmt.percent(found.after)} of the prompt from the cache"
    yield from field("hit rate", hits, width, ink)
    yield from field("when", fmt.moment(found.at), width, ink)


def whole_lines(report: CacheReport, width: int, ink: Palette) -> Iterator[Line]:
    """Markers, lifetime, what compactions cost and brought."""
    yield from field("route", f"{report.marking} · {report.route.why}", width, ink)
    for place, point in enumerate(report.breakpoints):
        yield from field("" if place else "markers", _marker(point), width, ink)
    if report.advice is not None:
        yield from _advice(report.advice, width, ink)
    for place, one in enumerate(report.paybacks):
        words = f"{fmt.moment(one.at)} · {bill(one)}"
        yield from field("" if place else "compacted", words, width, ink)


def result_lines(report: CacheReport, width: int, ink: Palette) -> Iterator[Line]:
    """The tool results that cost most over all calls they stayed in, and what is not known."""
    yield from _dearest(report, width, ink)
    for note in report.notes:
        yield Line()
        yield from paragraph(f"· {note}", width, ink, "ink-muted")


def _marker(point: Breakpoint) -> str:
    place = "before the messages" if point.index < 0 else f"message {point.index}"
    tokens = fmt.count(point.prefix_tokens, mark=fmt.ESTIMATE)
    ignored = "" if point.honoured else " · the provider ignores it here"
    return f"{place} · {point.role} · {tokens} tokens up to its end · kept {point.ttl}{ignored}"


def _advice(advice: TtlAdvice, width: int, ink: Palette) -> Iterator[Line]:
    token = "severity-warning" if advice.better not in (None, advice.current) else "ink"
    yield from field("lifetime", f"{advice.current} · {advice.reason}", width, ink, token)
    five, hour = fmt.money(advice.usd_5m), fmt.money(advice.usd_1h)
    yield from field("", f"these calls at 5 minutes {five}, at an hour {hour}", width, ink)


def _dearest(report: CacheReport, width: int, ink: Palette) -> Iterator[Line]:
    priced = sorted((one for one in report.results if one.usd), key=lambda one: one.usd or 0, reverse=True)
    for place, one in enumerate(priced[:DEAREST]):
        tokens = fmt.short(one.tokens, mark=fmt.ESTIMATE)
        words = f"{fmt.money(one.usd)} · {one.tool}, {tokens} tokens over {fmt.plural(one.calls, 'call')}"
        yield from field("" if place else "top cost", words, width, ink)
