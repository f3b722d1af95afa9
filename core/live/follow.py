"""Follows a store: what was written since the last look, as events, each once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from core.account.prompt_cache.breaks import MIN_CACHED_TOKENS, SHARE
from core.errors import ConfigError, DatabaseError, InspectorError, NotFoundError
from core.explain.context.context import open_context
from core.explain.context.log.log_clock import Clock
from core.explain.prompt_cache import conversation_cache
from core.live.alerts import Alerts, Limits
from core.live.compactions import Compactions
from core.live.event import LiveEvent, LiveKind, Mark, mark_of
from core.live.log_tail import LogTail, event_of
from core.live.row_tail import NewRow, RowTail
from core.store.database.locate import Location
from core.store.rows.decode import moment
from core.store.store import Store

_SESSIONS = 200
_QUARTER = 15 * 60
_SETTLED = 20
"""Lines of a conversation after which its clock is not worked out again."""
VERSION = 1


@dataclass(slots=True)
class CacheWatch:
    """The last prompt of each session, which the next call's cache reads are compared with.

    Attributes:
        prompts: Tokens by session.
    """

    prompts: dict[str, int] = field(default_factory=dict)

    def breaks(self, store: Store, calls: Sequence[LiveEvent]) -> Iterator[LiveEvent]:
        """The breaks among new calls, each with cause and price."""
        suspected: dict[str, list[LiveEvent]] = {}
        for call in calls:
            if call.session and self._looks_broken(call):
                suspected.setdefault(call.session, []).append(call)
        for session, some in suspected.items():
            yield from _proved(store, session, some)

    def _looks_broken(self, call: LiveEvent) -> bool:
        session = call.session or ""
        prompt: int | None = call.facts["prompt"]
        cached: int | None = call.facts["cache_read"]
        before = self.prompts.pop(session, None)
        if prompt is None or cached is None:
            return False
        self.prompts[session] = prompt
        while len(self.prompts) > _SESSIONS:
            del self.prompts[next(iter(self.prompts))]
        if before is None:
            return True  # the previous prompt is unknown, so the break is looked up
        expected = min(before, prompt)
        return expected - cached >= max(MIN_CACHED_TOKENS, SHARE * expected)


def _proved(store: Store, session: str, calls: Sequence[LiveEvent]) -> Iterator[LiveEvent]:
    try:
        found = conversation_cache(store, session, results=False, markers=False)
    except InspectorError:  # no such session yet, or unreadable settings: nothing is proved
        return
    asked = {(_of_any_zone(call.at), call.facts["prompt"], call.facts["cache_read"]): call for call in calls}
    for one in found.breaks:
        at = found.calls[one.call]
        call = asked.get((_of_any_zone(at.at), at.prompt, at.cache_read))
        if call is not None:
            facts = {"cause": one.cause, "tokens_lost": one.tokens_lost, "cost_usd": one.usd}
            yield LiveEvent(LiveKind.CACHE_BREAK, f"break:{call.key}", session, one.at, facts)


def _of_any_zone(at: datetime | None) -> float | None:
    """A time within its quarter of an hour, which is the same by the clocks of all zones."""
    return None if at is None else at.timestamp() % _QUARTER


Part = TypeVar("Part", RowTail, LogTail, Compactions, CacheWatch, Alerts)


@dataclass(slots=True)
class Follower:
    """A store, and how far its events have been reported.

    A look that finds the files unchanged costs about ten `stat` calls; only additions are ever read. While
    the database cannot be read (moved away, being replaced, locked) nothing is lost: the next look continues.

    Attributes:
        problem: Why the last look could not read the database; "" if it could.
        begun: Whether it is known what was written before.
    """

    place: Location
    limits: Limits = field(default_factory=Limits)
    problem: str = ""
    begun: bool = False
    _rows: RowTail = field(default_factory=RowTail)
    _lines: LogTail = field(default_factory=LogTail)
    _compactions: Compactions = field(default_factory=Compactions)
    _cache: CacheWatch = field(default_factory=CacheWatch)
    _alerts: Alerts = field(default_factory=Alerts)
    _clocks: dict[str, Clock] = field(default_factory=dict)
    _mark: Mark | None = None

    def __post_init__(self) -> None:
        self._alerts.limits = self.limits

    def begin(self) -> None:
        """Mark everything written so far as reported.

        Raises:
            DatabaseError: The database cannot be read.
            NotFoundError: There is none.
        """
        if self.place.home is not None:
            self._lines.skip(self.place.home)
        with Store(self.place) as store:
            self._rows.skip(store)
        self.begun = True

    @property
    def pending(self) -> bool:
        """Whether a look may find something: files changed, or events held back are due."""
        held_back = bool(self._compactions.waiting or self._alerts.due)
        return held_back or mark_of(self.place) != self._mark

    def look(self) -> tuple[LiveEvent, ...]:
        """Events since the last look, those of log lines after those of the rows they are about."""
        if not self.pending:
            return ()
        mark = mark_of(self.place)
        before = (
            _copied(self._rows),
            _copied(self._lines),
            _copied(self._compactions),
            _copied(self._cache),
            _copied(self._alerts),
        )
        try:
            found = self._fresh()
        except (DatabaseError, NotFoundError) as error:
            self._rows, self._lines, self._compactions, self._cache, self._alerts = before
            self.problem, self._mark = error.line, None
            return ()
        self.problem, self._mark = "", mark
        return found

    def rest(self) -> tuple[LiveEvent, ...]:
        """Events held back in case more would come, for a caller that stops looking."""
        return tuple(self._compactions.overdue(grace=0.0))

    def saved(self) -> str:
        """How far events have been reported, as a text for `restore`."""
        state = {
            "version": VERSION,
            "rows": self._rows.saved(),
            "lines": self._lines.saved(),
            "compactions": self._compactions.saved(),
            "prompts": self._cache.prompts,
            "above": list(self._alerts.above),
            "day": self._alerts.day,
        }
        return json.dumps(state)

    def restore(self, text: str) -> None:
        """Continue from where `saved` was called.

        Raises:
            ValueError: The text is not from `saved`.
        """
        try:
            state: dict[str, Any] = json.loads(text)
            if state["version"] != VERSION:
                raise ValueError("of another version")
            self._rows, self._lines = RowTail.restored(state["rows"]), LogTail.restored(state["lines"])
            self._compactions = Compactions.restored(state["compactions"])
            self._cache.prompts.update(state["prompts"])
            self._alerts.above = dict.fromkeys(state["above"])
            self._alerts.day = str(state["day"])
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"{error} is missing") from error
        self.begun = True

    def _fresh(self) -> tuple[LiveEvent, ...]:
        """What was written since the last look; nothing, if the database could not be read before."""
        if not self.begun:
            self.begin()
            return ()
        with Store(self.place) as store:
            return tuple(self._written(store))

    def _written(self, store: Store) -> Iterator[LiveEvent]:
        # Lines first: a compaction commits its rows before it logs, so they exist by then.
        lines = list(self._lines.fresh(self.place.home)) if self.place.home is not None else []
        rows = list(self._rows.fresh(store))
        compacted, written = self._compactions.of_rows(store, rows)
        messages = [_message(row) for row in rows if row.id not in written]
        events: list[LiveEvent] = []
        for key, record in lines:
            event = event_of(key, record, partial(self._clock_of, store))
            if event is not None and event.kind is LiveKind.COMPACTION:
                self._compactions.of_line(event)
            elif event is not None:
                events.append(event)
        yield from sorted((*messages, *compacted), key=_row)
        calls = [event for event in events if event.kind is LiveKind.CALL]
        yield from events
        yield from self._cache.breaks(store, calls)
        yield from self._compactions.overdue()
        about = (event.session for event in (*messages, *compacted, *events) if event.session)
        yield from self._alerts.passed(store, about)

    def _clock_of(self, store: Store, session: str | None) -> Clock:
        """The clock by which a session's lines are written; this machine's while nothing tells it."""
        if session is None or session in self._clocks:
            return self._clocks.get(session or "", Clock())
        try:
            context = open_context(store, session)
        except (NotFoundError, ConfigError):
            return Clock()
        if len(context.log.records) >= _SETTLED:
            self._clocks[session] = context.clock
        return context.clock


def begin_each(followers: Sequence[Follower]) -> None:
    """Begin to follow several stores; one that cannot be read is begun by the first look that can.

    Raises:
        DatabaseError: None of them can be read.
        NotFoundError: There is none.
    """
    errors: list[InspectorError] = []
    for follower in followers:
        try:
            if not follower.begun:
                follower.begin()
        except (DatabaseError, NotFoundError) as error:
            follower.problem = error.line
            errors.append(error)
    if errors and not any(follower.begun for follower in followers):
        raise errors[0]


def _message(row: NewRow) -> LiveEvent:
    facts = {"row": row.id, "role": row.role, "tool": row.tool, "bytes": row.size}
    return LiveEvent(LiveKind.MESSAGE, f"row:{row.id}:{row.mark}", row.session, moment(row.timestamp), facts)


def _row(event: LiveEvent) -> int:
    """The id of the row it was reported from, which is the order of writing."""
    return int(event.facts["row"])


def _copied(part: Part) -> Part:
    """A copy of how far a part has reported, to return to after a failure."""
    return replace(part, **{one.name: copy(getattr(part, one.name)) for one in fields(part)})
