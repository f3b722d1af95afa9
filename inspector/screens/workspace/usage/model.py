"""What the usage screen asks and gets: a ledger, the days beside it, a forecast. No widget, no thread."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal

from core.account.pricing.price_book import PriceBook, open_book
from core.account.prompt_cache.calls import read_calls
from core.account.spending.ledger import ledger
from core.account.spending.recorded import MAIN
from core.account.spending.whole import whole
from core.errors import DatabaseError, InspectorError
from core.explain.context.gather import conversation_log
from core.explain.context.log.log_clock import align
from core.explain.context.rows.boundary_rows import moments
from core.model.accounting.ledger import Ledger, LedgerRow
from core.model.accounting.prompt_cache import CacheCall
from core.store.database.locate import Location
from core.store.store import Store
from inspector.screens.workspace.usage.days import Day, date_of, days_of, spent

PERIODS: tuple[tuple[str, int | None], ...] = (
    ("today", 0),
    ("7 days", 7),
    ("30 days", 30),
    ("90 days", 90),
    ("all time", None),
)
"""What `p` goes through, each with the days it reaches back from now; none is the local day."""
MONTH = 2
"""The period whose days stand beside a single one."""
DIMENSIONS = ("conversation", "model", "source", "day", "task", "provider", "profile")
BELOW = ("day", "model", "conversation", "session")
"""What Enter goes through, from a row of any dimension down."""


@dataclass(frozen=True, slots=True)
class Step:
    """A row the user went into.

    Attributes:
        by: What its list was added up by.
        task: The main loop or one kind of auxiliary calls: rows tell them apart.
        label: What a person calls it.
    """

    by: str
    key: str
    task: str
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        by: One of `DIMENSIONS`, or `session`.
        period: Place in `PERIODS`.
        path: The rows the user went into, the first one first.
        session: Only the conversation of this session.
    """

    by: str = DIMENSIONS[0]
    period: int = 0
    path: tuple[Step, ...] = ()
    session: str | None = None

    @property
    def whole(self) -> str | None:
        """A session of the conversation everything is of, when it is of one."""
        return next((step.key for step in self.path if step.by == "conversation"), self.session)

    @property
    def day(self) -> date | None:
        """The local day the user went into."""
        return next((date_of(step.key) for step in self.path if step.by == "day"), None)

    @property
    def only(self) -> tuple[tuple[str, str], ...]:
        """Dimensions and keys of the rows the user went into; days and conversations are told apart else."""
        rows = [(step.by, step.key) for step in self.path if step.by not in ("day", "conversation")]
        return (*rows, *{("task", step.task) for step in self.path if step.by != "task"})

    @property
    def title(self) -> str:
        """The period in words, and the way down from it."""
        period = PERIODS[-1][0] if self.session is not None else PERIODS[self.period][0]
        return " › ".join((period, *(step.label for step in self.path)))

    @property
    def dimensions(self) -> tuple[str, ...]:
        """What the rows can be added up by: sessions once it is about one conversation."""
        taken = {step.by for step in self.path}
        first = DIMENSIONS[0] if self.whole is None else "session"
        return tuple(by for by in (first, *DIMENSIONS[1:]) if by not in taken)

    @property
    def below(self) -> str | None:
        """What a row of this list is made of; None when it is a session."""
        taken = {self.by, *(step.by for step in self.path)}
        first = BELOW.index(self.by) if self.by in BELOW else 1
        if self.whole is not None:
            taken.add("conversation")
        return next((by for by in BELOW[first:] if by not in taken), None)

    def into(self, row: LedgerRow) -> Question | None:
        """The question one row further down; None where nothing lies below."""
        if self.below is None:
            return None
        label = f"{day:%b %d, %Y}" if self.by == "day" and (day := date_of(row.key)) else row.label or row.key
        step = Step(self.by, row.key, row.task or MAIN, f"{label} ({row.task})" if row.task else label)
        return replace(self, by=self.below, path=(*self.path, step))

    def out(self) -> Question:
        """The question one row further up."""
        return replace(self, by=self.path[-1].by, path=self.path[:-1])

    @property
    def is_today(self) -> bool:
        """It is of nothing but the day that still runs."""
        return self.session is None and not self.path and PERIODS[self.period][1] == 0

    @property
    def charted(self) -> Question:
        """The question whose days the bars show: one day alone would be no chart."""
        return replace(self, period=MONTH) if self.is_today else self

    def window(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """First moment and the one after the last."""
        if self.day is not None:
            start = datetime(self.day.year, self.day.month, self.day.day).astimezone()
            return start, start + timedelta(days=1)
        days = None if self.session is not None else PERIODS[self.period][1]
        if days == 0:
            return now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0), None
        return (None if days is None else now - timedelta(days=days)), None


@dataclass(frozen=True, slots=True)
class UsageAnswer:
    """What came of a question.

    Attributes:
        days: Every day of the period in order, those without spending too.
        errors: Databases that could not be read.
        priced: The computed costs are in it.
        calls: Of one conversation, those its log tells the prompt of, oldest first.
    """

    question: Question
    ledger: Ledger
    days: tuple[Day, ...]
    errors: tuple[InspectorError, ...] = ()
    priced: bool = True
    calls: tuple[CacheCall, ...] = ()

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
    *,
    priced: bool = True,
) -> UsageAnswer:
    """Add up on connections of the caller's thread.

    Args:
        locations: The databases.
        question: What is asked.
        now: The clock.
        cancelled: Asked now and then whether to stop.
        priced: Compute costs too, which takes longer the first time.

    Raises:
        DatabaseError: None of the databases can be read.
        ConfigError: The price overrides cannot be used.
    """
    with ExitStack() as stack:
        opened, errors = open_stores(stack, locations, cancelled)
        if errors and not opened:
            raise errors[0]
        book = open_book() if priced else None
        rows = added_up(opened, question, question.by, now, book)
        charted = question.charted
        same = question.by == "day" and charted == question
        daily = rows if same else added_up(opened, charted, "day", now, book)
        calls = _logged_calls(opened[0], question.session) if question.session and not question.path else ()
    rows = whole(rows)
    rows = replace(rows, rows=ranked(rows))
    return UsageAnswer(question, rows, _days(daily, charted, now), tuple(errors), priced, calls)


def open_stores(
    stack: ExitStack, locations: Sequence[Location], cancelled: Callable[[], bool] | None
) -> tuple[list[Store], list[InspectorError]]:
    """Those that can be read, and why the others cannot."""
    opened: list[Store] = []
    errors: list[InspectorError] = []
    for place in locations:
        try:
            opened.append(stack.enter_context(Store(place, cancelled=cancelled)))
        except DatabaseError as error:
            errors.append(error)
    return opened, errors


def ranked(found: Ledger) -> tuple[LedgerRow, ...]:
    """The rows, the dearest first; days and hours in order."""
    if found.by in ("day", "hour"):
        return found.rows
    return tuple(sorted(found.rows, key=lambda row: spent(row) or Decimal(0), reverse=True))


def forecast(days: Sequence[Day], now: datetime) -> Decimal | None:
    """What the month costs when it goes on as it began; None before its second day or without prices."""
    today, spent = now.astimezone().date(), this_month(days, now)
    if today.day < 2 or spent is None:
        return None
    return spent / today.day * monthrange(today.year, today.month)[1]


def at_this_pace(found: UsageAnswer, now: datetime) -> Decimal | None:
    """The forecast, where the answer is about everything and its period holds the whole month so far."""
    question = found.question.charted
    since = question.window(now)[0]
    begun = now.astimezone().date().replace(day=1)
    if question.session or question.path or (since is not None and since.astimezone().date() > begun):
        return None
    return forecast(found.days, now)


def this_month(days: Sequence[Day], now: datetime) -> Decimal | None:
    """What the days of this month come to so far; None when none of them has a price."""
    today = now.astimezone().date()
    known = [
        day.usd
        for day in days
        if day.usd is not None and (day.day.year, day.day.month) == (today.year, today.month)
    ]
    return sum(known, Decimal(0)) if known else None


def added_up(
    opened: Sequence[Store], question: Question, by: str, now: datetime, book: PriceBook | None
) -> Ledger:
    """The ledger a question asks for, by one dimension."""
    since, until = question.window(now)
    return ledger(
        opened, by=by, since=since, until=until, session=question.whole, only=question.only, prices=book
    )


def _days(found: Ledger, question: Question, now: datetime) -> tuple[Day, ...]:
    """A conversation ends with its last day, a period with today."""
    since, today = question.window(now)[0], now.astimezone().date()
    last = question.day if question.day or question.whole is not None else today
    first = None if since is None else since.astimezone().date()
    return days_of(found, first, last, exactly=question.day is not None)


def _logged_calls(store: Store, session: str) -> tuple[CacheCall, ...]:
    """The calls of a conversation whose prompt its log tells, oldest first."""
    conversation = store.conversation(session)
    sessions = {one.id for one in conversation.sessions}
    log = conversation_log(store.location.home, conversation)
    clock = align(log.records, moments(conversation, ()))
    calls = read_calls(log, sessions, clock.utc)
    return tuple(call for call in calls if call.prompt)


def holds(location: Location, session_id: str) -> bool:
    """Whether a session is in a database."""
    try:
        with Store(location) as store:
            store.session(session_id)
    except InspectorError:
        return False
    return True
