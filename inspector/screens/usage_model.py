"""What the usage screen asks and gets: a ledger, the days beside it, a forecast. No widget, no thread."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from core.account.ledger import ledger
from core.account.price_book import PriceBook, open_book
from core.errors import DatabaseError, InspectorError
from core.model.usage import Ledger, LedgerRow
from core.store.locate import Location
from core.store.store import Store

PERIODS: tuple[tuple[str, int | None], ...] = (
    ("30 days", 30),
    ("90 days", 90),
    ("all time", None),
    ("7 days", 7),
)
DIMENSIONS = ("conversation", "model", "source", "day", "task", "provider", "profile")
MOST_DAYS = 400


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        by: One of `DIMENSIONS`.
        period: Place in `PERIODS`.
        day: Only this local day, when the user went into one.
        session: Only the conversation of this session.
    """

    by: str = DIMENSIONS[0]
    period: int = 0
    day: date | None = None
    session: str | None = None

    @property
    def title(self) -> str:
        """The period in words."""
        if self.day is not None:
            return f"{self.day:%b %d, %Y}"
        return PERIODS[2][0] if self.session is not None else PERIODS[self.period][0]

    def window(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """First moment and the one after the last."""
        if self.day is not None:
            start = datetime(self.day.year, self.day.month, self.day.day).astimezone()
            return start, start + timedelta(days=1)
        days = None if self.session is not None else PERIODS[self.period][1]
        return (None if days is None else now - timedelta(days=days)), None


@dataclass(frozen=True, slots=True)
class Day:
    """What one day cost; None when nothing of it has a price."""

    day: date
    usd: Decimal | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question.

    Attributes:
        days: Every day of the period in order, those without spending too.
        errors: Databases that could not be read.
    """

    question: Question
    ledger: Ledger
    days: tuple[Day, ...]
    errors: tuple[InspectorError, ...] = ()

    @property
    def peak(self) -> Day | None:
        """The dearest day."""
        priced = [day for day in self.days if day.usd]
        return max(priced, key=lambda day: day.usd or Decimal(0)) if priced else None


def answer(
    locations: Sequence[Location],
    question: Question,
    now: datetime,
    cancelled: Callable[[], bool] | None = None,
) -> Answer:
    """Add up on connections of the caller's thread.

    Raises:
        DatabaseError: None of the databases can be read.
        ConfigError: The price overrides cannot be used.
    """
    errors: list[InspectorError] = []
    with ExitStack() as stack:
        opened: list[Store] = []
        for place in locations:
            try:
                opened.append(stack.enter_context(Store(place, cancelled=cancelled)))
            except DatabaseError as error:
                errors.append(error)
        if errors and not opened:
            raise errors[0]
        book = open_book()
        rows = _ledger(opened, question, question.by, now, book)
        daily = rows if question.by == "day" else _ledger(opened, question, "day", now, book)
    return Answer(question, rows, _days(daily, question, now), tuple(errors))


def forecast(days: Sequence[Day], now: datetime) -> Decimal | None:
    """What the month costs when it goes on as it began; None before its second day or without prices."""
    today = now.astimezone().date()
    spent = [
        day.usd
        for day in days
        if day.usd is not None and (day.day.year, day.day.month) == (today.year, today.month)
    ]
    if today.day < 2 or not spent:
        return None
    return sum(spent, Decimal(0)) / today.day * monthrange(today.year, today.month)[1]


def spent(row: LedgerRow) -> Decimal | None:
    """What a row cost: as recorded, else at the price list."""
    return row.recorded.usd if row.recorded.usd is not None else row.computed.usd


def _ledger(opened: Sequence[Store], question: Question, by: str, now: datetime, book: PriceBook) -> Ledger:
    since, until = question.window(now)
    return ledger(opened, by=by, since=since, until=until, session=question.session, prices=book)


def _days(found: Ledger, question: Question, now: datetime) -> tuple[Day, ...]:
    known: dict[date, Day] = {}
    for row in found.rows:
        day = _date(row.key)
        if day is not None:
            before = known.get(day, Day(day))
            usd = [value for value in (before.usd, spent(row)) if value is not None]
            tokens = before.tokens + (row.tokens.total or 0)
            known[day] = Day(day, sum(usd, Decimal(0)) if usd else None, tokens)
    if not known:
        return ()
    # A conversation ends with its last day, a period with today.
    ends = known if question.session is not None else (now.astimezone().date(), *known)
    last = question.day or max(ends)
    since = question.window(now)[0]
    first = min(known) if since is None else since.astimezone().date()
    count = min(MOST_DAYS, (last - first).days + 1)
    span = (last - timedelta(days=back) for back in reversed(range(count)))
    return tuple(known.get(day, Day(day)) for day in span)


def _date(key: str) -> date | None:
    try:
        return date.fromisoformat(key)
    except ValueError:
        return None
