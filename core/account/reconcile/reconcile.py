"""Compares two counts of the same usage: a database's rows, or a provider's export and Hermes' record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from sqlite3 import Connection

from core.account.reconcile.exports import BUCKETS, Entry, read_export
from core.account.spending.conversations import overrunning
from core.account.spending.recorded import FORMS, Spending, Window, quarter_start
from core.account.spending.sums import finish
from core.errors import UsageError
from core.imports.fields import alias_of, model_of
from core.model.accounting.usage import Discrepancy, ReconcileRow, Reconciliation
from core.model.finding import Evidence, Source
from core.store.database.connect import reading
from core.store.database.open_database import Schema
from core.store.store import Store
from core.support.program_files import shared_table

_Key = tuple[date, tuple[str, ...]]
_COUNTERS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


def reconcile(
    stores: Sequence[Store],
    export: Path,
    *,
    mapping: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Reconciliation:
    """Match an export (see `read_export`) against what the databases recorded.

    Raises:
        UsageError: No mapping fits the file's columns, or the file cannot be read.
    """
    read = read_export(export, mapping, columns)
    if not read.entries:
        what = f"; the first holds {read.first_skipped}" if read.first_skipped else ""
        remedy = (
            "Each line needs a model and a day as 2026-01-31: export by day, grouped by model or line item"
        )
        raise UsageError(f"no line of the export could be read{what}", where=str(export), remedy=remedy)
    first, last = min(entry.day for entry in read.entries), max(entry.day for entry in read.entries)
    theirs = _by_key(read.entries)
    ours = _by_key(one for store in stores for one in _recorded(store, first, last))
    late = sum(overrunning(store, _window(first, last), FORMS["day"], UTC) for store in stores)
    rows = tuple(_judged(_match(theirs.get(key), ours.get(key))) for key in sorted({*theirs, *ours}))
    note = f"sessions that ran on into a later day, whose usage all counts where they began: {late:,}"
    return Reconciliation(
        read.mapping, rows, _covered(rows), tuple(_holes(rows)), read.skipped, (note,) if late else ()
    )


def _recorded(store: Store, first: date, last: date) -> Iterator[Entry]:
    """What a store recorded on each day, in UTC, as providers count days."""
    for group in Spending(store, _window(first, last), "day").groups:
        row = finish("", "", "", [group], priced=False)
        if group.key is not None and row.tokens.total:
            day = quarter_start(group.key).date()
            yield Entry(day, model_of(group.model), row.tokens, row.recorded.usd, row.calls)


def _window(first: date, last: date) -> Window:
    return Window(datetime.combine(first, time.min, UTC), datetime.combine(last, time.max, UTC))


def _by_key(entries: Iterable[Entry]) -> dict[_Key, Entry]:
    found: dict[_Key, Entry] = {}
    for entry in entries:
        key = (entry.day, alias_of(entry.model))
        found[key] = found[key] + entry if key in found else entry
    return found


def _match(theirs: Entry | None, ours: Entry | None) -> ReconcileRow:
    known = ours or theirs
    assert known is not None
    nothing = Entry(known.day, known.model)
    left, right = theirs or nothing, ours or nothing
    return ReconcileRow(
        day=known.day,
        model=known.model,
        provider_tokens=left.tokens,
        hermes_tokens=right.tokens,
        provider_usd=left.usd,
        hermes_usd=right.usd,
        provider_calls=left.calls,
        hermes_calls=right.calls,
        verdict="only_hermes" if theirs is None else "only_provider" if ours is None else "",
    )


def _judged(row: ReconcileRow) -> ReconcileRow:
    """The row with a verdict on whether the books agree: by tokens if the export has them, else by cost."""
    if row.verdict:
        return row
    limits = shared_table("core/account/reconcile/reconcile.yaml")["tolerance"]
    left, right = row.provider_total, row.hermes_total
    if left is not None:
        close = abs(left - right) <= max(limits["tokens"], limits["share"] * max(left, right))
    else:
        billed, recorded = row.provider_usd or Decimal(0), row.hermes_usd
        most = max(Decimal(str(limits["usd"])), Decimal(str(limits["share"])) * billed)
        close = recorded is not None and abs(billed - recorded) <= most
    return replace(row, verdict="match" if close else "differs")


def _covered(rows: Sequence[ReconcileRow]) -> float | None:
    """Share of the provider's tokens, else of its dollars, that Hermes recorded on the same day and model."""
    tokens = [(row.provider_total, row.hermes_total) for row in rows]
    money = [(row.provider_usd, row.hermes_usd) for row in rows]
    for pairs in (tokens, money):
        billed = sum(theirs or 0 for theirs, _ in pairs)
        if billed:
            return float(sum(min(theirs or 0, ours or 0) for theirs, ours in pairs) / billed)
    return None


def _holes(rows: Sequence[ReconcileRow]) -> Iterator[str]:
    for row in rows:
        if row.verdict == "match":
            continue
        left, right = row.provider_total, row.hermes_total
        if row.verdict != "only_hermes" and left is None:
            yield f"{row.day} {row.model}: {_in_money(row)}"
        elif row.verdict == "only_provider":
            yield f"{row.day} {row.model}: {left:,} tokens the provider counted and Hermes did not record"
        elif row.verdict == "only_hermes":
            yield f"{row.day} {row.model}: {right:,} tokens Hermes recorded and the export does not hold"
        else:
            missing = (left or 0) - right
            more = "the provider counted" if missing > 0 else "Hermes recorded"
            yield f"{row.day} {row.model}: {more} {abs(missing):,} tokens more{_different_buckets(row)}"


def _in_money(row: ReconcileRow) -> str:
    billed = f"the provider billed ${row.provider_usd or 0:,.2f}"
    if row.hermes_usd is not None:
        return f"{billed}, Hermes recorded ${row.hermes_usd:,.2f}"
    return f"{billed}, Hermes recorded no cost for {row.hermes_total:,} tokens"


def _different_buckets(row: ReconcileRow) -> str:
    """The bucket with most of a difference."""
    different_buckets = {
        name: abs((getattr(row.provider_tokens, name) or 0) - (getattr(row.hermes_tokens, name) or 0))
        for name in BUCKETS[:4]
    }
    return (
        f", most of it {max(different_buckets, key=lambda name: different_buckets[name]).replace('_', ' ')}"
    )


def row_lint(store: Store) -> tuple[Discrepancy, ...]:
    """Sessions whose totals, split by model and messages disagree, largest difference first.

    Usage of auxiliary tasks is only in the split, and a row taken back stays in `message_count` until the
    session is rewritten (Hermes 0.16 and later): neither is a disagreement.

    Raises:
        DatabaseError: The database cannot be read.
    """
    with reading(store.path):
        split = list(_against_split(store.connection, store.schema))
        messages = list(_against_messages(store.connection, store.schema))
    return tuple(sorted([*split, *messages], key=lambda one: -abs(one.difference)))


def _against_split(connection: Connection, schema: Schema) -> Iterator[Discrepancy]:
    """Compare session totals with the main agent's usage by model."""
    if not (schema.has("session_model_usage", *_COUNTERS) and schema.has("sessions", *_COUNTERS)):
        return
    own = "WHERE u.task = '' " if schema.has("session_model_usage", "task") else ""
    totals = ", ".join(f"CAST(coalesce(s.{name}, 0) AS INTEGER)" for name in _COUNTERS)
    sums = ", ".join(f"CAST(total(u.{name}) AS INTEGER)" for name in _COUNTERS)
    rows = connection.execute(
        f"SELECT s.id, {totals}, {sums} FROM session_model_usage u "  # noqa: S608 - our own words
        f"JOIN sessions s ON s.id = u.session_id {own}GROUP BY s.id"
    )
    for session, *counts in rows.fetchall():
        both = zip(_COUNTERS, counts[: len(_COUNTERS)], counts[len(_COUNTERS) :], strict=True)
        for name, total, parts in both:
            if total != parts:
                sides = (f"sessions: {total:,}", f"session_model_usage: {parts:,}")
                what = name.removesuffix("_tokens").replace("_", " ")
                yield _discrepancy(str(session), what, sides, total - parts)


def _against_messages(connection: Connection, schema: Schema) -> Iterator[Discrepancy]:
    """Compare `message_count` with live rows, counted in one pass over an index."""
    if not schema.has("sessions", "message_count"):
        return
    live = "total(active = 1)" if schema.keeps_rows else "count(*)"
    rows = connection.execute(
        f"SELECT s.id, CAST(s.message_count AS INTEGER), CAST(m.live AS INTEGER) FROM sessions s "  # noqa: S608
        f"JOIN (SELECT session_id, {live} AS live FROM messages GROUP BY session_id) m "
        "ON m.session_id = s.id WHERE CAST(s.message_count AS INTEGER) != CAST(m.live AS INTEGER)"
    )
    for session, counted, found in rows.fetchall():
        if found < counted <= found + _taken_back(connection, schema, session):
            continue
        sides = (f"sessions.message_count: {counted:,}", f"live rows: {found:,}")
        yield _discrepancy(str(session), "messages", sides, counted - found)


def _taken_back(connection: Connection, schema: Schema, session: object) -> int:
    """Rows hidden by a rewind, which lowers no counter."""
    if not schema.keeps_rows:
        return 0
    archived = "AND compacted IS NOT 1" if schema.archives else ""
    query = f"SELECT count(*) FROM messages WHERE session_id = ? AND active = 0 {archived}"  # noqa: S608
    (count,) = connection.execute(query, (session,)).fetchone()
    return int(count)


def _discrepancy(session: str, what: str, sides: tuple[str, str], difference: int) -> Discrepancy:
    evidence = Evidence(Source.DATABASE, f"rows of {session}", " against ".join(sides))
    return Discrepancy(session, what, *sides, difference, evidence)
