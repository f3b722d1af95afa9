"""The question of a usage screen: a period, a dimension to group by, and the rows opened so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from core.account.spending.conversations import WHOLE
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
"""The periods that `p` cycles through, with their length in days; 0 is today, None has no limit."""


MONTH = 2
"""The period whose days are charted when the question is about a single day."""


DIMENSIONS = ("conversation", "model", "source", "day", "task", "provider", "profile")


BELOW = ("day", "model", "conversation", "session")
"""The dimensions that Enter descends through."""


@dataclass(frozen=True, slots=True)
class Step:
    """A row the user opened.

    Attributes:
        by: The dimension of its list.
        task: The main loop, or one kind of side task, where rows distinguish them. Everything if empty.
        label: Its name for people.
    """

    by: str
    key: str
    task: str
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question about usage.

    Attributes:
        by: One of `DIMENSIONS`, or `session`.
        period: Index in `PERIODS`.
        path: The rows opened so far, from the top down.
        session: Limits the answer to the conversation of this session.
    """

    by: str = DIMENSIONS[0]
    period: int = 0
    path: tuple[Step, ...] = ()
    session: str | None = None

    @property
    def whole(self) -> str | None:
        """A session of the conversation that the answer is limited to, if any."""
        return next((step.key for step in self.path if step.by == "conversation"), self.session)

    @property
    def day(self) -> date | None:
        """The local day that was opened, if any."""
        return next((date_of(step.key) for step in self.path if step.by == "day"), None)

    @property
    def only(self) -> tuple[tuple[str, str], ...]:
        """Dimensions and keys of the opened rows; days and conversations are handled separately."""
        rows = [(step.by, step.key) for step in self.path if step.by not in ("day", "conversation")]
        return (*rows, *{("task", step.task) for step in self.path if step.by != "task" and step.task})

    @property
    def title(self) -> str:
        """The period in words, and the opened rows."""
        period = PERIODS[-1][0] if self.session is not None else PERIODS[self.period][0]
        return " › ".join((period, *(step.label for step in self.path)))

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions to group by; sessions instead of conversations if there is only one."""
        taken = {step.by for step in self.path}
        first = DIMENSIONS[0] if self.whole is None else "session"
        return tuple(by for by in (first, *DIMENSIONS[1:]) if by not in taken)

    @property
    def below(self) -> str | None:
        """The dimension that a row of this list opens; None for a session."""
        taken = {self.by, *(step.by for step in self.path)}
        first = BELOW.index(self.by) if self.by in BELOW else 1
        if self.whole is not None:
            taken.add("conversation")
        return next((by for by in BELOW[first:] if by not in taken), None)

    def into(self, row: LedgerRow) -> Question | None:
        """The question for an opened row; None if it cannot be opened."""
        if self.below is None:
            return None
        label = f"{day:%b %d, %Y}" if self.by == "day" and (day := date_of(row.key)) else row.label or row.key
        task = row.task or ("" if self.by in WHOLE else MAIN)
        step = Step(self.by, row.key, task, f"{label} ({row.task})" if row.task else label)
        return replace(self, by=self.below, path=(*self.path, step))

    def out(self) -> Question:
        """The question one level up."""
        return replace(self, by=self.path[-1].by, path=self.path[:-1])

    @property
    def is_today(self) -> bool:
        """Whether it is only about today."""
        return self.session is None and not self.path and PERIODS[self.period][1] == 0

    @property
    def charted(self) -> Question:
        """The question whose days are charted, because a single day makes no chart."""
        return replace(self, period=MONTH) if self.is_today else self

    def window(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """The start of the period, and its end, exclusive; None without a limit."""
        if self.day is not None:
            start = datetime(self.day.year, self.day.month, self.day.day).astimezone()
            return start, start + timedelta(days=1)
        days = None if self.session is not None else PERIODS[self.period][1]
        if days == 0:
            return now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0), None
        return (None if days is None else now - timedelta(days=days)), None
