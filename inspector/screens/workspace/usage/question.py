"""What the usage screen asks: a period, what to add up by, and the rows gone into."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from core.account.spending.recorded import MAIN
from core.model.accounting.ledger import LedgerRow
from inspector.screens.workspace.usage.days import date_of

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
