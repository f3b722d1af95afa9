"""The calls of a conversation as its log reports them, and the payback of each compaction among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from operator import itemgetter

from core.account.pricing.price import MILLION, rates_for, read_rate, reread_cost, write_rate
from core.hermes.log.read import Log
from core.hermes.log.record import Kind, LogRecord
from core.model.accounting.ledger import PriceRow, Term
from core.model.accounting.prompt_cache import CacheCall, Payback
from core.model.accounting.usage import Origin

ToUtc = Callable[[datetime], datetime]
"""Converts a local time of the log to UTC."""
_INVISIBLE = "the summariser's call left no record: its price is not in it"


def local_time(moment: datetime) -> datetime:
    """A log time in this machine's zone as UTC."""
    return moment.astimezone(UTC)


def read_calls(
    log: Log, sessions: Collection[str], to_utc: ToUtc = local_time, known: Sequence[CacheCall] = ()
) -> tuple[CacheCall, ...]:
    """The model calls of some sessions in time order; `known` ones, read before, are not built again.

    A call line without a `cache=` part reports a miss; one without numbers reports nothing.
    """
    lines = [record for record in log.records if record.kind is Kind.CALL and record.session in sessions]
    calls = [call for call, line in zip(known, lines, strict=False) if _is_of(call, line, to_utc)]
    if len(calls) < len(known):
        calls = []
    timed = sorted(((to_utc(line.at), line) for line in lines[len(calls) :]), key=itemgetter(0))
    if calls and timed and timed[0][0] < calls[-1].at:
        return read_calls(log, sessions, to_utc)
    return (*calls, *(CacheCall(at, line) for at, line in timed))


def _is_of(call: CacheCall, line: LogRecord, to_utc: ToUtc) -> bool:
    return call.where is line.where and call.at == to_utc(line.at)


CallPrice = Callable[[CacheCall], PriceRow | None]


@dataclass(frozen=True, slots=True)
class SummaryCost:
    """The summariser's recorded cost in a session.

    Attributes:
        usd: Cost of all its calls; None without a price.
    """

    usd: Decimal | None
    calls: int


def paybacks(
    calls: Sequence[CacheCall],
    log: Log,
    sessions: frozenset[str],
    summaries: Mapping[str, SummaryCost],
    price: CallPrice,
    to_utc: ToUtc = local_time,
    *,
    one_hour: bool = False,
) -> tuple[Payback, ...]:
    """The payback of every completed compaction with calls on both sides.

    `summaries` are the summariser's costs by session; a session without an entry recorded none. Where `price`
    returns no entry for a call, amounts stay unknown. `one_hour`: the cache is kept for an hour.
    """
    pairs = list(_pairs(log, sessions))
    found = []
    for place, (started, done) in enumerate(pairs):
        at = to_utc(done.at)
        until = to_utc(pairs[place + 1][1].at) if place + 1 < len(pairs) else None
        before = [call for call in calls if call.at <= at and call.prompt is not None]
        after = [call for call in calls if call.at > at and (until is None or call.at <= until)]
        if before and after and after[0].prompt is not None:
            summariser = _summariser(started, summaries)
            found.append(_payback(at, done.session or "", before[-1], after, summariser, price, one_hour))
    return tuple(found)


def _pairs(log: Log, sessions: frozenset[str]) -> Iterator[tuple[LogRecord | None, LogRecord]]:
    """Each completed compaction with the line that began it."""
    started: LogRecord | None = None
    for record in log.records:
        if record.session not in sessions:
            continue
        if record.kind is Kind.STARTED:
            started = record
        elif record.kind is Kind.DONE:
            yield started, record
            started = None


def _summariser(started: LogRecord | None, summaries: Mapping[str, SummaryCost]) -> Decimal | None:
    """The price of one summary, as the mean of the session's stored sum.

    A summary with a topic was requested by hand, outside a turn, where nothing is recorded.
    """
    if started is None or started.focus is not None:
        return None
    cost = summaries.get(started.session or "")
    return None if cost is None or cost.usd is None else cost.usd / max(1, cost.calls)


def _payback(
    at: datetime,
    session: str,
    before: CacheCall,
    after: Sequence[CacheCall],
    summariser: Decimal | None,
    price: CallPrice,
    one_hour: bool,
) -> Payback:
    first = after[0]
    prompt = first.prompt or 0
    saved = max(0, (before.prompt or 0) - prompt)
    entry = price(first)
    notes = () if summariser is not None else (_INVISIBLE,)
    reread, saving, origins = (None, None, ()) if entry is None else _amounts(first, saved, entry, one_hour)
    cost = None if reread is None else reread + (summariser or 0)
    calls_needed = math.ceil(cost / saving) if cost is not None and saving else None
    paid = calls_needed if calls_needed is not None and calls_needed <= len(after) else None
    local = entry is not None and entry.billing == "local"
    return Payback(at, session, saved, summariser, reread, saving, len(after), paid, notes, origins, local)


def _amounts(
    first: CacheCall, saved: int, entry: PriceRow, one_hour: bool
) -> tuple[Decimal | None, Decimal | None, tuple[Origin, ...]]:
    """What rebuilding the cache costs, what each call then saves, and the origins of both."""
    rates = rates_for(entry, first.prompt or 0)
    fresh = write_rate(rates, one_hour=one_hour)
    read = read_rate(rates)
    if fresh is None or read is None:
        return None, None, ()
    again = max(0, (first.prompt or 0) - (first.cache_read or 0))
    reread, why = reread_cost("rebuilding the cache", again, fresh, read, entry)
    saving = read * saved / MILLION
    return reread, saving, (why, _spared(saving, saved, read, entry))


def _spared(saving: Decimal, saved: int, read: Decimal, entry: PriceRow) -> Origin:
    formula = "(prompt before - prompt after) × USD per million from the cache / 1,000,000"
    return Origin("saving a call", saving, formula, (Term("saved", saved, read),), prices=(entry.label,))
