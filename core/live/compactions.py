"""Compactions as they are written: each is reported once, though rows and log both show it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.errors import InspectorError, NotFoundError
from core.explain.events import explain
from core.hermes.markers.markers import find_summary
from core.live.event import LiveEvent, LiveKind
from core.live.row_tail import NewRow
from core.model.compaction.event import CompressionEvent
from core.model.transcript.conversation import Generation
from core.store.store import Store

GRACE = 2.0
"""Seconds within which a compaction's rows must follow its line; another engine may write none."""


@dataclass(slots=True)
class Compactions:
    """Pairs compactions found in rows with those found in log lines.

    Attributes:
        reported: By session, how many were reported from rows and have no line yet.
        waiting: Lines whose rows have not been seen, with the time each was read.
    """

    reported: Counter[str] = field(default_factory=Counter)
    waiting: list[tuple[float, LiveEvent]] = field(default_factory=list)

    def of_rows(self, store: Store, rows: Sequence[NewRow]) -> tuple[list[LiveEvent], frozenset[int]]:
        """The compactions among new rows, and the rows they wrote: summaries and copies are not messages."""
        events: list[LiveEvent] = []
        written: set[int] = set()
        new = {row.id for row in rows}
        for session in dict.fromkeys(_with_summary(store, rows)):
            for generation in _opened(store, session, new):
                assert generation.boundary is not None
                assert generation.boundary.summary_row is not None
                written |= {generation.boundary.summary_row, *generation.copy_ids}
                key = f"compaction:{generation.session_id}:{generation.boundary.summary_row}"
                if all(event.key != key for event in events):
                    events.append(_event(store, generation, key))
                    self._pair(generation.session_id)
        return events, frozenset(written)

    def of_line(self, event: LiveEvent) -> None:
        """Take a line that says a compaction was done."""
        session = event.session or ""
        if self.reported[session] > 0:
            self.reported[session] -= 1
        else:
            self.waiting.append((time.monotonic(), event))

    def overdue(self, grace: float = GRACE) -> Iterator[LiveEvent]:
        """Lines whose rows never came; call this only after the rows have been read."""
        now = time.monotonic()
        late = [event for met, event in self.waiting if now - met >= grace]
        self.waiting = [(met, event) for met, event in self.waiting if now - met < grace]
        yield from late

    def saved(self) -> dict[str, Any]:
        """The state as JSON values."""
        waiting = [
            [one.key, one.session, one.at.isoformat() if one.at else None, dict(one.facts)]
            for _, one in self.waiting
        ]
        return {"told": dict(+self.reported), "waiting": waiting}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Compactions:
        """Restore a state from `saved`."""
        found = cls(Counter(state["told"]))
        for key, session, at, facts in state["waiting"]:
            moment = datetime.fromisoformat(at) if at else None
            event = LiveEvent(LiveKind.COMPACTION, key, session, moment, facts)
            found.waiting.append((time.monotonic(), event))
        return found

    def _pair(self, session: str) -> None:
        for place, (_, event) in enumerate(self.waiting):
            if event.session == session:
                del self.waiting[place]
                return
        self.reported[session] += 1


def _with_summary(store: Store, rows: Iterable[NewRow]) -> Iterator[str]:
    """Sessions of the rows that contain a summary or are marked as one."""
    asked = []
    for row in rows:
        if row.marked:
            yield row.session
        elif row.role in ("user", "assistant"):
            asked.append(row.id)
    for message in store.messages(asked):
        if message.row is not None and find_summary(message.text):
            yield message.row.session_id


def _opened(store: Store, session: str, new: set[int]) -> Iterator[Generation]:
    """The generations of a conversation whose summary is among new rows."""
    try:
        conversation = store.conversation(session)
    except NotFoundError:
        return
    for generation in conversation.generations:
        if generation.boundary is not None and generation.boundary.summary_row in new:
            yield generation


def _event(store: Store, generation: Generation, key: str) -> LiveEvent:
    """What is known of a compaction as soon as its rows are there."""
    boundary = generation.boundary
    assert boundary is not None
    facts: dict[str, Any] = {
        "row": boundary.summary_row,
        "mode": boundary.mode.value,
        "generation": generation.index - 1,
    }
    found = _explained(store, generation)
    if found is not None:
        facts |= {
            "trigger": found.trigger.value,
            "verdict": found.verdict.value,
            "tokens": found.tokens,
            "threshold": found.threshold,
            "messages_before": found.messages_before,
            "messages_after": found.messages_after,
            "tokens_after": found.tokens_after,
            "summary": found.summary.status.value,
            "headline": found.headline.sentence,
            "remedy": found.headline.remedy,
        }
    at = found.at if found is not None and found.at is not None else boundary.at
    return LiveEvent(LiveKind.COMPACTION, key, generation.session_id, at, facts)


def _explained(store: Store, generation: Generation) -> CompressionEvent | None:
    try:
        events = explain(store, generation.session_id).events
    except InspectorError:  # an unreadable configuration: only the rows count
        return None
    return next((event for event in events if event.generation == generation.index - 1), None)
