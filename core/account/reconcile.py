"""A provider's usage export beside what Hermes recorded, by day and model."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from core.account.data import table
from core.account.spending import Spending, Window
from core.account.sums import Booked, finish
from core.errors import UsageError
from core.model.tokens import Buckets
from core.model.usage import ReconcileRow, Reconciliation
from core.store.store import Store

_QUARTER = 900
_BUCKETS = ("input", "cache_read", "cache_write", "output", "reasoning")
_FIELDS = (*_BUCKETS, "cache_write_more", "day", "model", "usd", "calls")
_DATED = re.compile(r"[-@]?(20\d{2})-?(\d{2})-?(\d{2})$")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of one book, or several of a day and model together."""

    day: date
    model: str
    tokens: Buckets
    usd: Decimal | None = None
    calls: int | None = None

    def __add__(self, other: Entry) -> Entry:
        """Both together."""
        usd, calls = _plus(self.usd, other.usd), _plus(self.calls, other.calls)
        return Entry(self.day, self.model, self.tokens + other.tokens, usd, calls)


def reconcile(
    stores: Sequence[Store],
    export: Path,
    *,
    mapping: str | None = None,
    days: tuple[date, date] | None = None,
) -> Reconciliation:
    """Matches an export against the databases.

    Args:
        stores: What Hermes recorded.
        export: The provider's CSV file.
        mapping: A column mapping of reconcile.yaml; found by the columns by default.
        days: First and last day to compare; the export's own by default.

    Raises:
        UsageError: No mapping fits the file's columns, or it cannot be read.
    """
    name, provider, skipped = read_export(export, mapping)
    if not provider:
        raise UsageError("no line of the export could be read", where=str(export))
    first, last = days or (min(one.day for one in provider), max(one.day for one in provider))
    theirs = _by_key(one for one in provider if first <= one.day <= last)
    ours = _by_key(one for store in stores for one in _recorded(store, first, last))
    rows = tuple(_match(key, theirs.get(key), ours.get(key)) for key in sorted({*theirs, *ours}))
    return Reconciliation(name, rows, _covered(rows), tuple(_holes(rows)), skipped)


def read_export(export: Path, mapping: str | None = None) -> tuple[str, tuple[Entry, ...], int]:
    """The entries of an export: the mapping that fitted, the entries, and how many lines were no entries.

    Raises:
        UsageError: No mapping fits the file's columns, or it cannot be read.
    """
    try:
        with export.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
            sample = stream.read(4096)
            stream.seek(0)
            lines = list(csv.DictReader(stream, dialect=_dialect(sample)))
    except (OSError, csv.Error) as error:
        raise UsageError("the export cannot be read", where=str(export), remedy=str(error)) from error
    header = {_plain(name): name for name in (lines[0] if lines else {}) if isinstance(name, str)}
    name, columns = _fitting(header, mapping, export)
    entries = [_entry(line, columns, table("reconcile")[name]) for line in lines]
    kept = tuple(entry for entry in entries if entry is not None)
    return name, kept, len(entries) - len(kept)


def _dialect(sample: str) -> type[csv.Dialect]:
    try:
        return csv.Sniffer().sniff(sample, delimiters=",;\t")
    except csv.Error:
        return csv.excel


def _fitting(header: Mapping[str, str], mapping: str | None, export: Path) -> tuple[str, dict[str, str]]:
    """The mapping whose columns are there, and where each field stands."""
    rules = {name: rule for name, rule in table("reconcile").items() if "needs" in rule}
    if mapping is not None and mapping not in rules:
        raise UsageError(f"no mapping is called {mapping!r}", remedy=f"Choose one of {', '.join(rules)}")
    told = {name: _tells(rule, header) for name, rule in rules.items()}
    likely = sorted(
        (name for name in rules if told[name] or not rules[name]["telling"]), key=told.__getitem__
    )
    for name in [mapping] if mapping else reversed(likely):
        columns = {
            field: found for field in _FIELDS if (found := _column(rules[name].get(field, ()), header))
        }
        if all(field in columns for field in rules[name]["needs"]):
            return name, columns
    raise UsageError(
        "no column mapping fits",
        where=str(export),
        remedy="The export needs columns for day, model, input and output tokens",
    )


def _column(names: Iterable[str], header: Mapping[str, str]) -> str | None:
    return next((header[plain] for plain in map(_plain, names) if plain in header), None)


def _tells(rule: Mapping[str, Any], header: Mapping[str, str]) -> int:
    return sum(_plain(name) in header for name in rule["telling"])


def _entry(line: Mapping[str, Any], columns: Mapping[str, str], rule: Mapping[str, Any]) -> Entry | None:
    def cell(field: str) -> str:
        return str(line.get(columns.get(field, "")) or "").strip()

    day, model = _day(cell("day")), _model(cell("model"))
    counts = {field: _count(cell(field)) for field in _BUCKETS}
    if day is None or not model or counts["input"] is None or counts["output"] is None:
        return None
    written = _plus(counts["cache_write"], _count(cell("cache_write_more")))
    fresh = counts["input"]
    if not rule["exclusive"]:
        fresh = max(0, fresh - (counts["cache_read"] or 0) - (written or 0))
    tokens = Buckets(fresh, counts["cache_read"], written, counts["output"], counts["reasoning"])
    return Entry(day, model, tokens, _amount(cell("usd")), _count(cell("calls")))


def _recorded(store: Store, first: date, last: date) -> Iterator[Entry]:
    """What a store recorded on each day, UTC, as providers count days."""
    since = datetime.combine(first, datetime.min.time(), UTC)
    until = datetime.combine(last, datetime.max.time(), UTC)
    for group in Spending(store, Window(since, until)).groups("day"):
        row = finish("", "", "", [Booked(group)], priced=False)
        if group.key is not None and row.tokens.total:
            day = datetime.fromtimestamp(group.key * _QUARTER, UTC).date()
            yield Entry(day, _model(group.model), row.tokens, row.recorded.usd, row.calls)


def _by_key(entries: Iterable[Entry]) -> dict[tuple[date, str], Entry]:
    found: dict[tuple[date, str], Entry] = {}
    for entry in entries:
        key = (entry.day, entry.model)
        found[key] = found[key] + entry if key in found else entry
    return found


def _match(key: tuple[date, str], theirs: Entry | None, ours: Entry | None) -> ReconcileRow:
    day, model = key
    nothing = Entry(day, model, Buckets())
    left, right = theirs or nothing, ours or nothing
    return ReconcileRow(
        day=day,
        model=model,
        provider_tokens=left.tokens,
        hermes_tokens=right.tokens,
        provider_usd=left.usd,
        hermes_usd=right.usd,
        provider_calls=left.calls,
        hermes_calls=right.calls,
        verdict=_verdict(theirs, ours),
    )


def _verdict(theirs: Entry | None, ours: Entry | None) -> str:
    if theirs is None or ours is None:
        return "only_hermes" if theirs is None else "only_provider"
    limits = table("reconcile")["tolerance"]
    left, right = _all(theirs.tokens), _all(ours.tokens)
    close = abs(left - right) <= max(limits["tokens"], limits["share"] * max(left, right))
    return "match" if close else "differs"


def _covered(rows: Sequence[ReconcileRow]) -> float | None:
    """Share of the provider's tokens that Hermes recorded on the same day for the same model."""
    billed = sum(_all(row.provider_tokens) for row in rows)
    both = sum(min(_all(row.provider_tokens), _all(row.hermes_tokens)) for row in rows)
    return both / billed if billed else None


def _holes(rows: Sequence[ReconcileRow]) -> Iterator[str]:
    for row in rows:
        missing = _all(row.provider_tokens) - _all(row.hermes_tokens)
        if row.verdict == "only_provider":
            yield f"{row.day} {row.model}: {missing:,} tokens the provider counted and Hermes did not record"
        elif row.verdict == "only_hermes":
            yield f"{row.day} {row.model}: {-missing:,} tokens Hermes recorded and the export does not hold"
        elif row.verdict == "differs":
            more = "the provider counted" if missing > 0 else "Hermes recorded"
            yield f"{row.day} {row.model}: {more} {abs(missing):,} tokens more{_where(row)}"


def _where(row: ReconcileRow) -> str:
    """The bucket most of a difference lies in."""
    apart = {
        name: abs((getattr(row.provider_tokens, name) or 0) - (getattr(row.hermes_tokens, name) or 0))
        for name in _BUCKETS[:4]
    }
    return f", most of it {max(apart, key=lambda name: apart[name]).replace('_', ' ')}"


def _all(tokens: Buckets) -> int:
    parts = (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output)
    return reduce(add, (part or 0 for part in parts))


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-.]", "", name.lower())


def _model(name: str) -> str:
    """A slug without vendor and date, dots as dashes: what two books call the same model."""
    slug = name.lower().rsplit("/", 1)[-1].split(":", 1)[0].replace(".", "-")
    return _DATED.sub("", slug)


def _day(text: str) -> date | None:
    if re.fullmatch(r"\d{9,11}(\.\d+)?", text):
        return datetime.fromtimestamp(float(text), UTC).date()
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment.astimezone(UTC).date() if moment.tzinfo else moment.date()


def _count(text: str) -> int | None:
    try:
        return int(Decimal(text.replace(",", "")))
    except (InvalidOperation, ValueError, OverflowError):
        return None


def _amount(text: str) -> Decimal | None:
    try:
        amount = Decimal(text.replace(",", "").replace("$", ""))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def _plus(left: Any, right: Any) -> Any:
    if left is None:
        return right
    return left if right is None else left + right
