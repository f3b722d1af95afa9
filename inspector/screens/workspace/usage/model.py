"""The data of the usage screen: a ledger, the days beside it, a forecast. No widget, no thread."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from core.account.pricing.price_book import PriceBook, open_book
from core.account.spending.conversations import whole_rows, with_names
from core.account.spending.ledger import collect
from core.errors import DatabaseError, InspectorError
from core.explain.context.context import open_context
from core.hermes.config.config import HermesConfig
from core.model.accounting.ledger import Ledger, LedgerRow
from core.store.database.locate import Location
from core.store.store import Store
from inspector.screens.workspace.usage.days import Day, days_of
from inspector.screens.workspace.usage.question import Question
from inspector.screens.workspace.why.curve import Sample, answered_calls


@dataclass(frozen=True, slots=True)
class UsageAnswer:
    """The answer to a usage question.

    Attributes:
        days: Every day of the period in order, including days without spending.
        errors: Databases that could not be read.
        priced: Whether computed costs are included.
        calls: For one conversation, the calls whose prompt size the log has, oldest first.
    """

    question: Question
    ledger: Ledger
    days: tuple[Day, ...]
    errors: tuple[InspectorError, ...] = ()
    priced: bool = True
    calls: Sequence[Sample] = ()

    @property
    def peak(self) -> Day | None:
        """The most expensive day."""
        priced = [day for day in self.days if day.usd]
        return max(priced, key=lambda day: day.usd or Decimal(0)) if priced else None


def answer(
    locations: Sequence[Location],
    question: Question,
    now: datetime,
    cancelled: Callable[[], bool] | None = None,
    *,
    priced: bool = True,
) -> UsageAnswer:
    """Compute the answer, on database connections of the caller's thread.

    With `priced`, costs are computed too, which takes longer the first time.

    Raises:
        DatabaseError: No database is readable.
        ConfigError: The price overrides are invalid.
    """
    with ExitStack() as stack:
        opened, errors = open_stores(stack, locations, cancelled)
        if errors and not opened:
            raise errors[0]
        book = open_book() if priced else None
        rows = ledger_for(opened, question, question.by, now, book)
        charted = question.charted
        same = question.by == "day" and charted == question
        daily = rows if same else ledger_for(opened, charted, "day", now, book)
        whole = question.session if not question.path else None
        calls = answered_calls(open_context(opened[0], whole, config=HermesConfig())) if whole else ()
    rows = whole_rows(rows)
    rows = replace(rows, rows=ranked(rows))
    return UsageAnswer(question, rows, _days(daily, charted, now), tuple(errors), priced, calls)


def open_stores(
    stack: ExitStack, locations: Sequence[Location], cancelled: Callable[[], bool] | None
) -> tuple[list[Store], list[InspectorError]]:
    """Open every readable database, and collect the errors of the others."""
    opened: list[Store] = []
    errors: list[InspectorError] = []
    for place in locations:
        try:
            opened.append(stack.enter_context(Store(place, cancelled=cancelled)))
        except DatabaseError as error:
            errors.append(error)
    return opened, errors


def ranked(found: Ledger) -> tuple[LedgerRow, ...]:
    """The rows, most expensive first; days and hours in order of time."""
    if found.by in ("day", "hour"):
        return found.rows
    return tuple(sorted(found.rows, key=lambda row: row.rank, reverse=True))


def forecast(days: Sequence[Day], now: datetime) -> Decimal | None:
    """The month's cost if it continues as it began; None before its second day or without prices."""
    today, spent = now.astimezone().date(), this_month(days, now)
    if today.day < 2 or spent is None:
        return None
    return spent / today.day * monthrange(today.year, today.month)[1]


def at_this_pace(found: UsageAnswer, now: datetime) -> Decimal | None:
    """The forecast, if the answer covers everything and its period includes the whole month so far."""
    question = found.question.charted
    since = question.window(now)[0]
    begun = now.astimezone().date().replace(day=1)
    if question.session or question.path or (since is not None and since.astimezone().date() > begun):
        return None
    return forecast(found.days, now)


def this_month(days: Sequence[Day], now: datetime) -> Decimal | None:
    """The cost of this month's days so far; None if none of them has a price."""
    today = now.astimezone().date()
    known = [
        day.usd
        for day in days
        if day.usd is not None and (day.day.year, day.day.month) == (today.year, today.month)
    ]
    return sum(known, Decimal(0)) if known else None


def ledger_for(
    opened: Sequence[Store], question: Question, by: str, now: datetime, book: PriceBook | None
) -> Ledger:
    """The ledger for a question, grouped by one dimension."""
    since, until = question.window(now)
    whose, only = question.whole, question.only
    books = collect(opened, by=by, since=since, until=until, session=whose, only=only, prices=book)
    return with_names(books.ledger(), opened)


def _days(found: Ledger, question: Question, now: datetime) -> tuple[Day, ...]:
    """The days of a ledger: to the last one for a conversation, to today for a period."""
    since, today = question.window(now)[0], now.astimezone().date()
    last = question.day if question.day or question.whole is not None else today
    first = None if since is None else since.astimezone().date()
    return days_of(found, first, last, exactly=question.day is not None)


def holds(location: Location, session_id: str) -> bool:
    """Whether a database has a session."""
    try:
        with Store(location) as store:
            store.session(session_id)
    except InspectorError:
        return False
    return True
