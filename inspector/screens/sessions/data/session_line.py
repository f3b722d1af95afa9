"""One line of the session list, and what is computed for it a moment later."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from zlib import crc32

from core.model.accounting.amounts import Buckets, Cost
from core.model.finding import NO_HEADLINE, Headline, Severity
from core.model.transcript.session import ConversationRow, Kind, Session
from core.store.database.locate import Location
from core.support.program_files import KeptAnswer
from inspector.widgets.charts.context_bar import ContextUse
from inspector.widgets.charts.curve import RequestCurve

Key = tuple[Location, str]
"""Identifies a conversation over all databases: its database and its first session."""
State = tuple[str, datetime | None, int, Buckets]
"""A conversation's newest session, last activity, messages and tokens."""
MAX_REMEMBERED = 500
"""Most conversations remembered per database, those seen last."""
_LENGTH = 7
_LOUD = (Severity.CRITICAL, Severity.WARNING)


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One line of the list: a conversation, or one of its sessions below it.

    Attributes:
        location: Its database.
        row: The conversation.
        part: The session this line is about; None for a whole conversation.
        kind: How the session relates to its parent.
    """

    location: Location
    row: ConversationRow
    part: Session | None = None
    kind: Kind = Kind.MAIN

    @property
    def session(self) -> Session:
        """The session that represents the line: its own, or the newest of the conversation."""
        return self.part or self.row.tip

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The session the line is about, or all of the conversation."""
        return (self.part,) if self.part else self.row.sessions

    @property
    def title(self) -> str | None:
        """The title someone gave it."""
        return self.part.title if self.part else self.row.title

    @property
    def tokens(self) -> Buckets:
        """Tokens of the session or of the whole conversation."""
        return self.part.tokens if self.part else self.row.tokens

    @property
    def cost(self) -> Cost:
        """Recorded cost of the session or the whole conversation, side tasks included."""
        if self.part is None:
            return self.row.cost
        return self.part.cost

    @property
    def auxiliary(self) -> Decimal | None:
        """How much of the cost is for side tasks."""
        known = [session.auxiliary_usd for session in self.sessions if session.auxiliary_usd]
        return sum(known, Decimal(0)) if known else None

    @property
    def has_side_tasks(self) -> bool:
        """Whether it made calls, with a known cost or none, that its tokens leave out."""
        return any(session.auxiliary_usd is not None for session in self.sessions)

    @property
    def key(self) -> Key:
        """The conversation's key over all databases."""
        return (self.location, self.row.root.id)

    @property
    def state(self) -> State:
        """A value that changes whenever Hermes adds to the conversation."""
        tip, sessions = self.row.tip, self.row.sessions
        return (tip.id, tip.last_active, sum(session.messages or 0 for session in sessions), self.row.tokens)


@dataclass(frozen=True, slots=True)
class Extra:
    """What is computed for a conversation a moment after its row is on screen.

    Attributes:
        compressions: How often it was compressed; None if unknown.
        failed: Attempts that failed.
        severity: What stands now: critical while compression fails or is blocked above its limit, warning
            near the limit, while blocked or after a refused request, info once that was dealt with, None
            while all is well.
        state: The conversation's state when this was computed; with another state it is out of date.
        answer: What is wrong and what helps, in a sentence.
        prompts: Sizes of its requests, oldest first.
        said: The current situation in a sentence, whether anything is wrong or not; complete with what the
            summary lost once that is known.
        curve: Those sizes as a chart; None if they were not read in this run.
        happened: Whether `answer` is about something that happened, rather than about the limit.
        refused_at: Who refuses or decides before the limit is reached, in a few words.
        is_complete: Whether `said` tells what the summary lost.
    """

    context_use: ContextUse
    compressions: int | None = None
    failed: int = 0
    severity: Severity | None = None
    state: State | None = None
    answer: Headline = NO_HEADLINE
    prompts: tuple[int, ...] = ()
    said: Headline = NO_HEADLINE
    curve: RequestCurve | None = None
    happened: bool = False
    refused_at: str = ""
    is_complete: bool = False

    @property
    def mark(self) -> Severity | None:
        """How urgently it needs attention, by what stands now and by what its last compaction lost.

        It decides the sign of its row, of its alert and of the sentence about it, so that they agree.
        """
        if self.severity in _LOUD or self.said.severity not in _LOUD:
            return self.severity
        return self.said.severity

    @property
    def lacks_loss(self) -> bool:
        """Whether what its summary lost would be said, and is not known yet."""
        return bool(self.compressions) and not self.answer.sentence and not self.is_complete

    @property
    def told(self) -> Headline:
        """What there is to say about it: what is wrong now, or else how it stands; as grave as its mark."""
        told = self.answer if self.answer.sentence else self.said
        return replace(told, severity=self.mark or told.severity)

    @property
    def broken(self) -> bool:
        """Whether the last compression failed, or compression is due but blocked."""
        return self.severity is Severity.CRITICAL or (bool(self.failed) and self.severity is not None)

    @property
    def view_of_problem(self) -> str | None:
        """The tab that tells what is wrong: Map near the limit, else Why; none while all is well."""
        if self.mark is None:
            return None
        return "map" if self.context_use.near and not (self.broken or self.happened) else "why"


Figures = tuple[int, int | None, int | None, int | None, int | None, int | None, int | None]
"""Checksum of the state; tokens, threshold, window; compressions, failed ones; rank of the severity."""


def recall(locations: Iterable[Location]) -> dict[Key, Figures]:
    """What earlier runs computed, by conversation."""
    return {(place, root): figures for place in locations for root, figures in _read(place).items()}


def remembered(line: SessionLine, known: Mapping[Key, Figures]) -> Extra | None:
    """What was computed for a conversation that has not changed since; its `state` is None."""
    figures = known.get(line.key)
    if figures is None or figures[0] != _checksum(line):
        return None
    _, tokens, threshold, window, compressions, failed, rank = figures
    severity = next((one for one in Severity if one.rank == rank), None)
    return Extra(ContextUse(tokens, threshold, window), compressions, failed or 0, severity)


def remember(lines: Iterable[SessionLine], extras: Mapping[Key, Extra]) -> None:
    """Store what was computed for these conversations."""
    found: dict[Location, dict[str, Figures]] = {}
    for line in lines:
        extra = extras.get(line.key)
        if extra is not None and extra.compressions is not None:
            one = extra.context_use
            rank = extra.mark.rank if extra.mark else None
            sizes = (one.tokens, one.threshold, one.window)
            figures = (_checksum(line), *sizes, extra.compressions, extra.failed, rank)
            found.setdefault(line.location, {})[line.row.root.id] = figures
    for place, fresh in found.items():
        older = {root: figures for root, figures in _read(place).items() if root not in fresh}
        rows = dict([*older.items(), *fresh.items()][-MAX_REMEMBERED:])
        _kept(place).write(json.dumps(rows, separators=(",", ":")))


def _read(place: Location) -> dict[str, Figures]:
    with suppress(ValueError):
        rows = json.loads(_kept(place).read() or "{}")
        if isinstance(rows, dict):
            return {root: figures for root, row in rows.items() if (figures := _figures(row)) is not None}
    return {}


def _figures(row: object) -> Figures | None:
    if not isinstance(row, list) or len(row) != _LENGTH or not isinstance(row[0], int):
        return None
    if not all(one is None or isinstance(one, int) for one in row):
        return None
    checksum, tokens, threshold, window, compressions, failed, rank = row
    return checksum, tokens, threshold, window, compressions, failed, rank


def _checksum(line: SessionLine) -> int:
    return crc32(repr(line.state).encode("utf-8", "replace"))


def _kept(place: Location) -> KeptAnswer:
    return KeptAnswer("standing", str(place.db.absolute()))
