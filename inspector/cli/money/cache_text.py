"""The prompt cache of a conversation as printed lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.explain.headline.usage import break_headline, cache_headline
from core.model.accounting.prompt_cache import Breakpoint, CacheBreak, CacheReport, ResultCost
from core.model.accounting.usage import RecordedUse
from core.support import formatting as fmt
from inspector.cli import output
from inspector.terminal.ink import joined

MAX_RESULTS = 10


def lines(found: CacheReport) -> Iterator[str]:
    """Markers, calls, breaks, advice and the cost of tool results."""
    yield from output.headline(cache_headline(found))
    yield ""
    yield f"{found.marking} · {found.route.why}"
    if found.breakpoints:
        yield "markers: " + ", ".join(map(_marker_words, found.breakpoints))
    if found.calls:
        known = [call.hit_rate for call in found.calls if call.hit_rate is not None]
        calls, hit = fmt.plural(len(found.calls), "call"), fmt.percent(found.tokens.hit_rate)
        worst, best = (fmt.percent(pick(known, default=None)) for pick in (min, max))
        apart = f", {worst} to {best} in a call" if worst != best else ""
        yield f"{calls} in the log · {hit} of all prompt tokens were cached{apart}"
    for one in found.breaks:
        yield ""
        yield from _break_lines(one, found)
    if found.advice is not None:
        yield ""
        yield f"cache lifetime {found.advice.current}: {found.advice.reason}"
    if found.recorded is not None:
        yield ""
        yield from recorded_lines(found.recorded)
    yield from _expensive_results(found.results)
    yield from (f"note: {note}" for note in found.notes)


def recorded_lines(found: RecordedUse) -> Iterator[str]:
    """What the recorder inside Hermes saw in the requests themselves."""
    hit = fmt.percent(found.tokens.hit_rate)
    yield f"recorded: {fmt.plural(found.requests, 'request')}, {hit} of their prompts from the cache"
    total = sum(found.parts.values())
    shares = (f"{name} {fmt.percent(size / total)}" for name, size in found.parts.items() if size)
    if total:
        unseen = " and ".join(name for name in ("system", "tools") if name not in found.parts)
        rest = f"; {unseen} not recorded completely" if unseen else ""
        yield f"   the newest holds, by characters: {', '.join(shares)}{rest}"
    if not found.parts:
        yield "   Hermes did not show the recorder their content: this proves usage, but no break"
    for one in found.breaks:
        at = "" if one.at_message is None else f", from message {one.at_message} of {one.of}"
        at += "" if one.row is None else f" (row {one.row})"
        yield f"   {fmt.moment(one.at)}  the {one.cause} changed{at}"


def _marker_words(point: Breakpoint) -> str:
    place = f"{point.role} before the messages" if point.index < 0 else f"#{point.index} {point.role}"
    ignored = "" if point.honoured else ", ignored by the provider"
    tokens = fmt.short(point.prefix_tokens, mark=fmt.ESTIMATE)
    size = f"first {tokens} tokens" if point.prefix_tokens else "size unknown"
    return f"{place} ({size}{ignored})"


def _break_lines(one: CacheBreak, found: CacheReport) -> Iterator[str]:
    said = break_headline(one, found.calls)
    yield joined(f"{fmt.moment(one.at)}  ", output.tinted(said.sentence, said.severity))
    usd = fmt.money(one.usd, own=found.local)
    cost = "at no cost" if usd == fmt.NOTHING else usd
    yield f"   {one.cause.replace('_', ' ')}: {fmt.count(one.tokens_lost)} tokens, {cost}"
    yield f"   hit rate {fmt.percent(one.before)} → {fmt.percent(one.after)}"
    yield from output.evidence(one.evidence, "   ")


def _expensive_results(results: Sequence[ResultCost]) -> Iterator[str]:
    priced = [one for one in results if one.usd]
    if priced:
        yield ""
        yield "most expensive tool results, over all requests:"
    for one in priced[:MAX_RESULTS]:
        tokens, usd = fmt.count(one.tokens, mark=fmt.ESTIMATE), fmt.money(one.usd)
        yield f"   {usd:>8}  {one.tool} (row {one.row}), {tokens} tokens over {one.calls} calls"
