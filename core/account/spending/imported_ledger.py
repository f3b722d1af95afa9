"""A ledger of calls in other tools' logs, with the rows and prices of every other ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from decimal import Decimal
from pathlib import Path

from core.account.pricing.price import MILLION, cost, entry_at, rates_for, write_rate
from core.account.pricing.price_book import PriceBook
from core.account.spending.group import Group
from core.account.spending.recorded import FORMS, UNKNOWN
from core.account.spending.sums import finish, place, with_price
from core.errors import UsageError
from core.imports.usage_logs import Call, Transcripts
from core.model.accounting.ledger import Ledger, LedgerRow, PriceRow
from core.support.formatting import plural

_KEYS: Mapping[str, Callable[[Call], str]] = {
    "session": lambda call: call.session,
    "model": lambda call: call.model,
    "provider": lambda call: call.provider,
}
_NAMED = 3
"""Files that a note names."""
DIMENSIONS = (*_KEYS, *FORMS)


def transcript_ledger(
    files: Sequence[Path],
    *,
    by: str = "session",
    since: datetime | None = None,
    until: datetime | None = None,
    prices: PriceBook | None = None,
    zone: tzinfo | None = None,
) -> Ledger:
    """Add up the calls in logs of Claude Code or Codex, or of API answers: each once, at its time and price.

    The other arguments are as for `collect`.

    Raises:
        NotFoundError: One of the files does not exist.
        UsageError: There is no such dimension, or no file contains any usage.
    """
    if by not in DIMENSIONS:
        raise UsageError(f"cannot group logs by {by!r}", remedy=f"Choose one of {', '.join(DIMENSIONS)}")
    read = _read(files)
    calls = [call for call in read.calls if _within(call.at, since, until)]
    rows = _rows(calls, by, prices, zone)
    if prices is not None:
        prices.save()
    booked = [one for _, group in rows for one in group]
    return Ledger(
        by=by,
        rows=tuple(_finished(key, group, prices) for key, group in rows),
        totals=_finished("total", booked, prices, len({call.session for call in calls})),
        lower_bound=any(call.cut for call in calls),
        notes=(*_notes(calls, read), *_crossings(calls, by, zone)),
        since=since,
        until=until,
    )


def _read(files: Sequence[Path]) -> Transcripts:
    """The calls in all files."""
    read = Transcripts()
    for path in files:
        read.read(path)
    if files and len(read.silent) == len(files):
        raise UsageError(
            "no usage of a model call is in this file",
            where=_first_names(files),
            remedy="Give JSONL logs of Claude Code or Codex, or API answers, one a line",
        )
    return read


def _within(at: datetime | None, since: datetime | None, until: datetime | None) -> bool:
    if at is None:
        return since is None and until is None
    return (since is None or since <= at) and (until is None or at < until)


def _rows(
    calls: Sequence[Call], by: str, prices: PriceBook | None, zone: tzinfo | None
) -> list[tuple[str, list[Group]]]:
    """The groups of each key: largest first; days and hours in order."""
    rows: dict[str, list[Group]] = {}
    seen: set[tuple[str, str]] = set()
    for call in calls:
        key = _key(call, by, zone) or UNKNOWN
        rows.setdefault(key, []).append(_booked(call, prices, first=(key, call.session) not in seen))
        seen.add((key, call.session))
    if by in FORMS:
        return sorted(rows.items())
    return sorted(rows.items(), key=lambda row: (place(row[1]), row[0]))


def _key(call: Call, by: str, zone: tzinfo | None) -> str:
    if by in _KEYS:
        return _KEYS[by](call)
    return "" if call.at is None else call.at.astimezone(zone).strftime(FORMS[by])


def _finished(
    key: str, booked: Sequence[Group], prices: PriceBook | None, sessions: int | None = None
) -> LedgerRow:
    count = sum(one.sessions for one in booked) if sessions is None else sessions
    return finish(key, "", "", booked, priced=prices is not None, sessions=count)


def _booked(call: Call, prices: PriceBook | None, *, first: bool) -> Group:
    group = _group(call, first)
    if prices is None:
        return group
    entry = entry_at(prices.entries(call.model, call.provider), call.at)
    usd = None if entry is None else _usd(entry, call)
    return with_price(group, entry, usd, int(usd is None))


def _usd(entry: PriceRow, call: Call) -> Decimal | None:
    """The price of a call, with an hour's cache writes at their own rate."""
    tokens = call.tokens
    usd = cost(entry, (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output))
    rates = rates_for(entry, tokens.prompt or 0)
    long, short = write_rate(rates, one_hour=True), write_rate(rates, one_hour=False)
    return (
        usd
        if usd is None or long is None or short is None
        else usd + (long - short) * call.one_hour / MILLION
    )


def _group(call: Call, first: bool) -> Group:
    recorded = None if call.usd is None else float(call.usd)
    tokens = call.tokens
    return Group(
        place=-(tokens.total or 0),
        key=call.session,
        task="",
        model=call.model,
        provider=call.provider,
        base_url="",
        mode="",
        included=0,
        calls=1,
        input=tokens.input,
        cache_read=tokens.cache_read,
        cache_write=tokens.cache_write,
        output=tokens.output,
        reasoning=tokens.reasoning,
        recorded=recorded,
        missing=int(recorded is None),
        status=None if recorded is None else "estimated",
        incomplete=int(call.cut),
        at=None if call.at is None else call.at.timestamp(),
        title=None,
        priced_by=None,
        sessions=int(first),
    )


def _notes(calls: Sequence[Call], read: Transcripts) -> Iterator[str]:
    cut = [call for call in calls if call.cut]
    if cut:
        note = f"{len(cut):,} of {len(calls):,} calls were logged while streaming only"
        yield f"{note}: {_more(sum(call.exceeds for call in cut), len(cut))}"
    if read.silent:
        count = plural(len(read.silent), "file holds", "files hold")
        yield f"{count} no usage of a model call: {_first_names(read.silent)}"
    if read.broken:
        yield f"{plural(read.broken, 'line is', 'lines are')} not JSON and left out"


def _more(proved: int, cut: int) -> str:
    """A note on answers whose end was not logged: text seen but not counted proves more output."""
    if not proved:
        return "they may have put out more"
    if proved == cut:
        return "they put out more than this"
    return f"{proved:,} put out more than this, the others may have"


def _crossings(calls: Sequence[Call], by: str, zone: tzinfo | None) -> Iterator[str]:
    """How many calls extend past a day or hour, and where they are booked."""
    crossing = sum(_crosses(call, by, zone) for call in calls) if by in FORMS else 0
    if crossing:
        words = plural(crossing, "call goes", "calls go")
        yield f"{words} past the end of the {by}: booked by when the request was sent (first line)"


def _crosses(call: Call, by: str, zone: tzinfo | None) -> bool:
    last = call.until or call.at
    return last is not None and _key(call, by, zone) != last.astimezone(zone).strftime(FORMS[by])


def _first_names(files: Sequence[Path]) -> str:
    """The names of some files, and how many more there are."""
    names = ", ".join(map(str, files[:_NAMED]))
    return names if len(files) <= _NAMED else f"{names} and {len(files) - _NAMED:,} more"
