"""What a line of the session list is about, and what is computed for it a moment later."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from core.model.accounting.amounts import Buckets, Cost
from core.model.finding import NO_HEADLINE, Headline, Severity
from core.model.transcript.pages import ConversationRow
from core.model.transcript.session import Kind, Session
from core.store.database.locate import Location
from inspector.widgets.charts.curve_chart import RequestCurve
from inspector.widgets.charts.pressure_bar import Pressure

Key = tuple[Location, str]
"""Names a conversation over all databases: where it is, and its first session."""
State = tuple[str, datetime | None, int, Buckets]
"""The newest session of a conversation, when it was last active, its messages and tokens."""


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One line of the list: a conversation, or one of its sessions below it.

    Attributes:
        location: The database it is in.
        row: The conversation.
        part: The session this line is about; None for the conversation as a whole.
        kind: What the session is to its parent.
    """

    location: Location
    row: ConversationRow
    part: Session | None = None
    kind: Kind = Kind.MAIN

    @property
    def session(self) -> Session:
        """The session that speaks for the line: its own, else the newest of the conversation."""
        return self.part or self.row.tip

    @property
    def title(self) -> str | None:
        """What somebody called it."""
        return self.part.title if self.part else self.row.title

    @property
    def tokens(self) -> Buckets:
        """Tokens of the session or of the whole conversation."""
        return self.part.tokens if self.part else self.row.tokens

    @property
    def cost(self) -> Cost:
        """Recorded cost of the session or of the whole conversation, calls beside the main loop included."""
        if self.part is None:
            return self.row.cost
        return self.part.cost

    @property
    def auxiliary(self) -> Decimal | None:
        """How much of it calls beside the main loop cost."""
        sessions = (self.part,) if self.part else self.row.sessions
        known = [one.auxiliary_usd for one in sessions if one.auxiliary_usd]
        return sum(known, Decimal(0)) if known else None

    @property
    def key(self) -> Key:
        """The conversation's name over all databases."""
        return (self.location, self.row.root.id)

    @property
    def state(self) -> State:
        """What changes whenever Hermes adds to the conversation."""
        tip, sessions = self.row.tip, self.row.sessions
        return (tip.id, tip.last_active, sum(one.messages or 0 for one in sessions), self.row.tokens)


@dataclass(frozen=True, slots=True)
class Extra:
    """What has to be computed for a conversation, a moment after its row is on screen.

    Attributes:
        compressions: How often it was compressed; None when that is not known.
        failed: Attempts that left everything as it was.
        severity: Critical while compression fails or is blocked above its limit, a warning near the limit or
            while it is held off, None while all is well.
        state: The state the conversation was in; what was computed for another one is out of date.
        answer: What is wrong and what helps, in a sentence.
        prompts: Sizes of its requests, oldest first.
        said: Where it stands, in a sentence, whether anything is wrong or not.
        curve: Those sizes as a chart; None where they were not read in this run.
    """

    pressure: Pressure
    compressions: int | None = None
    failed: int = 0
    severity: Severity | None = None
    state: State | None = None
    answer: Headline = NO_HEADLINE
    prompts: tuple[int, ...] = ()
    said: Headline = NO_HEADLINE
    curve: RequestCurve | None = None

    @property
    def broken(self) -> bool:
        """A compression failed and none has succeeded since, or it is blocked where it is due."""
        return self.severity is Severity.CRITICAL or (bool(self.failed) and self.severity is not None)

    @property
    def telling_view(self) -> str | None:
        """The tab that shows what is wrong: why it failed, else how full it is; None while all is well."""
        if self.broken:
            return "why"
        return "map" if self.severity is not None else None
