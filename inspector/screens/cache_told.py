"""Where the figures of the prompt cache, or of one break of it, come from."""

from __future__ import annotations

from collections.abc import Iterator

from core.model.prices import Term
from core.model.prompt_cache import CacheBreak, CacheReport
from core.model.usage import Origin
from inspector import format
from inspector.figures import Told
from inspector.screens.why_told import located

NO_PRICE = "the price list has no entry for this model and day"


def break_told(found: CacheBreak) -> Iterator[Told]:
    """Tokens lost, what they cost, the rates of the two calls."""
    lost = "what the call before had left in the cache and this one did not find there"
    yield Told(Origin("tokens read again", found.tokens_lost, lost, rows=located(found.evidence)))
    yield Told(found.origin or Origin("cost", None, NO_PRICE))
    for when, rate in (("before", found.before), ("itself", found.after)):
        formula = "tokens from the cache / prompt tokens of the call"
        yield Told(Origin(f"hit rate of the call {when}", rate, formula))


def whole_told(report: CacheReport) -> Iterator[Told]:
    """Hit rate, breaks together, each compaction's bill."""
    tokens = report.tokens
    shares = (Term("cache read", tokens.cache_read or 0), Term("prompt", tokens.prompt or 0))
    formula = "cache read / (fresh input + cache read + cache write)"
    yield Told(Origin("hit_rate", tokens.hit_rate, formula, shares, rows=("sessions: as recorded",)))
    broken = [(f"break {place}", one) for place, one in enumerate(report.breaks, 1)]
    lost = tuple(Term(name, one.tokens_lost) for name, one in broken)
    yield Told(Origin("tokens read again", sum(int(term.amount) for term in lost), "sum over breaks", lost))
    costs = tuple(Term(name, one.usd) for name, one in broken if one.usd is not None)
    prices = {label: None for _, one in broken if one.origin for label in one.origin.prices}
    usd = sum(term.amount for term in costs) if costs else None
    unknown = len(broken) - len(costs)
    notes = (f"without {format.plural(unknown, 'break')} whose price is unknown",) if unknown else ()
    whole = Origin("cost of the breaks", usd, "sum over breaks", costs, (), tuple(prices), notes)
    yield Told(whole)
    for bill in report.paybacks:
        when = f"the compaction at {format.clock(bill.at, seconds=False)}"
        yield from (Told(found, when) for found in bill.origins)
