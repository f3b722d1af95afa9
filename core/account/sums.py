"""Adding up groups of spending into the parts and rows of a ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import reduce
from operator import add
from typing import Any, NamedTuple, TypeVar

from core.account.price_book import PriceBook, billing_of
from core.account.prices import cost, entry_at
from core.account.spending import UNKNOWN, Classes, Group
from core.model.ledger import LedgerPart, LedgerRow
from core.model.prices import Money, PriceRow
from core.model.tokens import Buckets

_N = TypeVar("_N", int, float, Decimal)
NOTHING = Money()
_TOKENS, _BILLED, _MONEY = slice(8, 13), slice(8, 12), slice(13, 16)
"""Places of the buckets, of those a provider bills, and of the three amounts in a group."""
_CALLS, _MISSING, _SESSIONS = map(Group._fields.index, ("calls", "missing", "sessions"))


class Brief(NamedTuple):
    """What `finish` says of the money of one group, without a row's objects.

    Attributes:
        recorded, computed, included: Plain decimals.
    """

    recorded: str | None
    computed: str | None
    included: str | None
    status: str
    price_source: str | None
    unpriced: int


class Booked(NamedTuple):
    """A group and what it costs at the price list.

    Attributes:
        usd: None when nothing was priced, or no price is known.
        unpriced: Sessions with tokens but without a price.
    """

    group: Group
    entry: PriceRow | None = None
    usd: Decimal | None = None
    unpriced: int = 0

    @property
    def route(self) -> tuple[str, str, str, str, int]:
        """Model, provider, endpoint, billing mode, and whether a subscription pays."""
        return self.group[2:7]


def book_group(group: Group, book: PriceBook | None) -> Booked:
    """A group, priced when there is a book."""
    if book is None:
        return Booked(group)
    entries = book.entries(group.model, group.provider, group.base_url, group.mode)
    if len(entries) > 1:
        entry = entry_at(entries, None if group.at is None else datetime.fromtimestamp(group.at, UTC))
    else:
        entry = entries[0] if entries else None
    if not any(group[8:12]) or (entry is not None and entry.billing == "local"):
        return Booked(group, entry)
    usd = None if entry is None else cost(entry, group[8:12], calls=group.calls or 1, one_hour=book.one_hour)
    return Booked(group, entry, usd, max(1, group.sessions) if usd is None else 0)


def price_classes(book: PriceBook, routes: Iterable[Sequence[str]]) -> Classes:
    """Where the prices of some routes change."""
    days: set[int] = set()
    minutes: set[int] = set()
    prompts: set[int] = set()
    for model, provider, base_url, mode in routes:
        for entry in book.entries(model, provider, base_url, mode):
            prompts.update(tier.above for tier in entry.tiers)
            if entry.since:
                days.add(int(datetime.combine(entry.since, datetime.min.time(), UTC).timestamp()))
            for moment in entry.hours or ():
                minutes.add(moment.hour * 60 + moment.minute)
    return Classes(sorted(days), sorted(minutes), sorted(prompts))


def finish(
    key: str, task: str, label: str, booked: Sequence[Booked], *, priced: bool, sessions: int | None = None
) -> LedgerRow:
    """A row from all that was booked on it."""
    parts = [_part(task, group, priced) for group in _by_route(booked)]
    if len(parts) > 1:
        parts.sort(key=lambda part: -(part.tokens.total or 0))
    return LedgerRow(
        key=key,
        label=label,
        task=task,
        sessions=sum(part.sessions for part in parts) if sessions is None else sessions,
        calls=sum(part.calls for part in parts),
        tokens=reduce(add, [part.tokens for part in parts]) if parts else Buckets(),
        recorded=_together([part.recorded for part in parts]),
        computed=_together([part.computed for part in parts if part.billing != "included"]),
        included=_together([part.computed for part in parts if part.billing == "included"]),
        status=_status(booked, [part.billing for part in parts]),
        price_source=next((part.price.source for part in parts if part.price), None),
        parts=tuple(parts),
        lower_bound=any(one.group.shaky for one in booked),
    )


def brief(one: Booked) -> Brief:
    """The money of a row that is one group, which most rows of a long ledger are."""
    group, entry, usd, unpriced = one
    status, spent = group.status, group.recorded
    if group.mixed or not status or status == UNKNOWN:
        status = _status((one,), (_billing(entry, group, priced=True),))
    recorded = None if spent is None else _plain(spent)
    amount = None if usd is None else format(usd, "f")
    source = None if entry is None else entry.source
    if group.included or (entry is not None and entry.billing == "included"):
        return Brief(recorded, None, amount, status, source, 0)
    return Brief(recorded, amount, None, status, source, unpriced)


def size(booked: Sequence[Booked]) -> int:
    """Prompt and output of all groups, by which rows are ordered; 0 when a bucket is unknown."""
    alone = len(booked) == 1
    fresh, read, written, output = booked[0].group[8:12] if alone else _sums(_columns(booked)[_BILLED])
    if fresh is None or read is None or written is None or output is None:
        return 0
    return fresh + read + written + output


def _by_route(booked: Sequence[Booked]) -> Iterable[Sequence[Booked]]:
    if len(booked) == 1:
        return (booked,)
    routes: dict[tuple[str, str, str, str, int], list[Booked]] = {}
    for one in booked:
        routes.setdefault(one.route, []).append(one)
    return routes.values()


def _part(task: str, booked: Sequence[Booked], priced: bool) -> LedgerPart:
    first = booked[0].group
    tokens: Sequence[Any]
    amounts: Sequence[Any]
    entry = next((one.entry for one in booked if one.entry is not None), None)
    if len(booked) == 1:
        # Most rows of a long ledger are one group: its values are the sums.
        calls, tokens, amounts = first.calls, tuple(first)[_TOKENS], tuple(first)[_MONEY]
        missing, sessions = first.missing, max(1, first.sessions)
        computed = _money(booked[0].usd, booked[0].unpriced)
    else:
        columns = _columns(booked)
        calls, tokens, amounts = _sum(columns[_CALLS]), _sums(columns[_TOKENS]), _sums(columns[_MONEY])
        missing, sessions = sum(columns[_MISSING]), max(1, sum(columns[_SESSIONS]))
        computed = _money(_sum([one.usd for one in booked]), sum([one.unpriced for one in booked]))
    estimated, actual, recorded = amounts
    exact = _exact(recorded)
    return LedgerPart(
        model=first.model,
        provider=first.provider,
        task=task,
        sessions=sessions,
        calls=calls or 0,
        tokens=Buckets(*tokens),
        actual=_money(_exact(actual) or None, 0),
        estimated=_money(exact if estimated == recorded else _exact(estimated), missing),
        recorded=_money(exact, missing),
        computed=computed,
        billing=_billing(entry, first, priced),
        price=entry,
    )


def _billing(entry: PriceRow | None, group: Group, priced: bool) -> str:
    if group.included or entry is not None:
        return "included" if group.included or entry is None else entry.billing
    billing = billing_of(group.provider, group.base_url, group.mode)
    return UNKNOWN if billing == "api" and (priced or not group.provider) else billing


def _status(booked: Sequence[Booked], billings: Sequence[str]) -> str:
    """What Hermes called the amounts; `local` where it could not know better."""
    if any(one.group.mixed for one in booked):
        return "mixed"
    statuses = {one.group.status for one in booked if one.group.status}
    if statuses <= {UNKNOWN} and billings and all(billing == "local" for billing in billings):
        return "local"
    return next(iter(statuses)) if len(statuses) == 1 else ("mixed" if statuses else UNKNOWN)


def _columns(booked: Sequence[Booked]) -> Sequence[Sequence[Any]]:
    """The values of many groups, field by field."""
    return tuple(zip(*(one.group for one in booked), strict=True))


def _sums(columns: Iterable[Sequence[Any]]) -> Sequence[Any]:
    return [_sum(column) for column in columns]


def _money(usd: Decimal | None, missing: int) -> Money:
    return NOTHING if usd is None and not missing else Money(usd, missing)


def _together(amounts: Sequence[Money]) -> Money:
    return reduce(add, amounts) if amounts else NOTHING


def _sum(values: Iterable[_N | None]) -> _N | None:
    """The sum of what is known; None when nothing is."""
    known = [value for value in values if value is not None]
    return known[0] if len(known) == 1 else (sum(known[1:], start=known[0]) if known else None)


def _exact(amount: float | None) -> Decimal | None:
    return None if amount is None else Decimal(_plain(amount))


def _plain(amount: float) -> str:
    """A sum of stored floats in decimal digits, without the noise of adding them."""
    return f"{amount:.9f}".rstrip("0").rstrip(".")
