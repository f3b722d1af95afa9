"""Adds up groups of spending into the parts and rows of a ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import reduce
from operator import add, itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from core.account.pricing.price import billing_of, cost, entry_at
from core.account.spending.group import Fields, Group
from core.account.spending.recorded import UNKNOWN, Classes
from core.model.accounting.amounts import Buckets, Money
from core.model.accounting.ledger import LedgerPart, LedgerRow, PriceRow, differ

if TYPE_CHECKING:
    from core.account.pricing.price_book import PriceBook


_N = TypeVar("_N", int, float, Decimal)
NOTHING = Money()
_ADDED = ("calls", "input", "cache_read", "cache_write", "output", "reasoning", "recorded", "usd")
_ROUTE = itemgetter(*map(Group._fields.index, ("model", "provider", "base_url", "mode", "included")))
_TOKENS = slice(Group._fields.index("input"), Group._fields.index("reasoning") + 1)
_BILLED = slice(_TOKENS.start, _TOKENS.stop - 1)
"""Slices of a group: its buckets, and those that a provider bills."""
_PRICE = Group._fields.index("price")
_RECORDED, _COMPUTED, _PRICED_BY = map(Group._fields.index, ("recorded", "usd", "priced_by"))
_MAX_CACHED = 4


def price_all(groups: list[Fields], prices: PriceBook) -> None:
    """Add a price to each group in place: a second list of many thousand would be slow."""
    for index, group in enumerate(groups):
        groups[index] = priced(Group._make(group), prices)


def priced(group: Group, book: PriceBook) -> Group:
    """A group with its cost by the price list."""
    entries = book.entries(group.model, group.provider, group.base_url, group.mode)
    if len(entries) > 1:
        entry = entry_at(entries, None if group.at is None else datetime.fromtimestamp(group.at, UTC))
    else:
        entry = entries[0] if entries else None
    billed = tuple(group)[_BILLED]
    if not any(billed) or (entry is not None and entry.billing == "local"):
        return with_price(group, entry)
    if entry is None:
        return with_price(group, unpriced=max(1, group.sessions))
    usd = cost(entry, billed, calls=group.calls or 1, one_hour=book.one_hour)
    return with_price(group, entry, usd, max(1, group.sessions) if usd is None else 0)


def with_price(
    group: Group, entry: PriceRow | None = None, usd: Decimal | None = None, unpriced: int = 0
) -> Group:
    """Like `_replace` of the last fields, which is too slow for tens of thousands."""
    return Group._make((*group[:_PRICE], entry, usd, unpriced, group.again, group.unbooked))


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
    key: str, task: str, label: str, groups: Sequence[Fields], *, priced: bool, sessions: int | None = None
) -> LedgerRow:
    """A row from all groups booked on it."""
    parts = [_part(task, _as_one(route), priced) for route in _by_route(groups)]
    if len(parts) > 1:
        parts.sort(key=lambda part: -(part.tokens.total or 0))
    spent = [part for part in parts if part.tokens.total] or parts
    return LedgerRow(
        key=key,
        label=label,
        task=task,
        sessions=_sessions(groups) if sessions is None else sessions,
        calls=sum(part.calls for part in parts)
        or (None if any(part.tokens.total != 0 for part in parts) else 0),
        tokens=reduce(add, [part.tokens for part in parts]) if parts else Buckets(),
        recorded=_together([part.recorded for part in parts]),
        computed=_together([part.computed for part in parts if part.billing != "included"]),
        included=_together([part.computed for part in parts if part.billing == "included"]),
        status=_status(set(_column(groups, "status")), [part.billing for part in spent]),
        price_source=next((part.price.source for part in parts if part.price), None),
        recorded_source=tables_of(groups),
        parts=tuple(parts),
        lower_bound=any(_column(groups, "incomplete")) or any(_column(groups, "unbooked")),
    )


def sum_of_costs(total: LedgerRow, rows: Callable[[], Sequence[LedgerRow | Fields]]) -> Money | None:
    """What rows cost together, where Hermes recorded the cost of some and others have a list price."""
    if total.recorded.usd is None or not total.recorded.missing or total.computed.usd is None:
        return None
    return _together([one.cost if isinstance(one, LedgerRow) else _cost(one) for one in rows()])


def _cost(fields: Fields) -> Money:
    """The cost of a row that is a single group."""
    part = _part("", Group._make(fields), priced=True)
    listed = NOTHING if part.billing == "included" else part.computed
    return listed if part.recorded.usd is None else part.recorded


def _sessions(groups: Sequence[Fields]) -> int:
    """Sessions on a row, each once however many routes it used; a split's rest belongs to one of them."""
    return max(1, int(sum(_column(groups, "sessions")) - sum(_column(groups, "again"))))


def place(groups: Sequence[Fields]) -> int:
    """Sort key of a row: smaller for larger rows."""
    below: int = sum(_column(groups, "place"))
    return below


def status_of_group(fields: Fields) -> str:
    """The status of the amounts of a row that is a single group."""
    group = Group._make(fields)
    return _status({group.status}, (_billing(group, priced=True),))


def _by_route(groups: Sequence[Fields]) -> Iterable[Sequence[Fields]]:
    if len(groups) == 1:
        return (groups,)
    routes: dict[tuple[Any, ...], list[Fields]] = {}
    for route, group in zip(map(_ROUTE, groups), groups, strict=True):
        routes.setdefault(route, []).append(group)
    return routes.values()


def _as_one(groups: Sequence[Fields]) -> Group:
    """The sum of groups of one route."""
    first = Group._make(groups[0])
    if len(groups) == 1:
        return first
    sums: dict[str, Any] = {name: _sum(_column(groups, name)) for name in _ADDED}
    counts: dict[str, Any] = {
        name: sum(_column(groups, name)) for name in ("missing", "sessions", "unpriced")
    }
    entry = next((entry for entry in _column(groups, "price") if entry is not None), None)
    return first._replace(**sums, **counts, price=entry)


def _column(groups: Sequence[Fields], name: str) -> list[Any]:
    return list(map(itemgetter(Group._fields.index(name)), groups))


def _part(task: str, group: Group, priced: bool) -> LedgerPart:
    """A route's share of a row; no cost is missing for a server of one's own."""
    billing = _billing(group, priced)
    return LedgerPart(
        model=group.model,
        provider=group.provider,
        task=task,
        sessions=max(1, group.sessions),
        calls=group.calls or 0,
        tokens=Buckets(*tuple(group)[_TOKENS]),
        recorded=_money(_exact(group.recorded), 0 if billing == "local" else group.missing),
        computed=_money(group.usd, group.unpriced),
        billing=billing,
        price=group.price,
    )


def _billing(group: Group, priced: bool) -> str:
    if group.included:
        return "included"
    if group.price is not None:
        return group.price.billing
    billing = billing_of(group.provider, group.base_url, group.mode)
    return UNKNOWN if billing == "api" and (priced or not group.provider) else billing


def _status(called: set[str | None], billings: Sequence[str]) -> str:
    """Hermes' status of the amounts, or `local` if it could not know that."""
    statuses = {status for status in called if status}
    if statuses <= {UNKNOWN} and billings and all(billing == "local" for billing in billings):
        return "local"
    return next(iter(statuses)) if len(statuses) == 1 else ("mixed" if statuses else UNKNOWN)


def _money(usd: Decimal | None, missing: int) -> Money:
    return NOTHING if usd is None and not missing else Money(usd, missing)


def _together(amounts: Sequence[Money]) -> Money:
    return reduce(add, amounts) if amounts else NOTHING


def _sum(values: Sequence[_N | None]) -> _N | None:
    """The sum of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return known[0] if len(known) == 1 else (sum(known[1:], start=known[0]) if known else None)


def _exact(amount: float | None) -> Decimal | None:
    return None if amount is None else Decimal(plain(amount))


def plain(amount: float) -> str:
    """A sum of stored floats in decimal digits, without floating-point noise."""
    return f"{amount:.9f}".rstrip("0").rstrip(".")


def is_mispriced(fields: Fields) -> bool:
    """Whether a sum's recorded cost differs from the price list's."""
    return differ(fields[_RECORDED], fields[_COMPUTED])


def tables_of(groups: Iterable[Fields]) -> str | None:
    """The tables Hermes names as the source of the recorded amounts; None if it names none."""
    named = (fields[_PRICED_BY] for fields in groups if fields[_RECORDED] is not None)
    known = dict.fromkeys(one.strip()[:80] for names in named if names for one in names.split(","))
    return ", ".join(sorted(known)[:_MAX_CACHED]) or None
