"""What the rows of a database show of each compaction: how many messages went in and how many came out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise, zip_longest

from core.explain.context.gather import without_gateway
from core.explain.context.rows.row_times import BATCH, begun_with, rewritten_rows, summarised_after
from core.explain.context.rows.unsaved_rows import TurnReader, copied_rows, rotated, written_rows
from core.hermes.markers.markers import SummaryMatch, find_summary, scaffold_kind
from core.model.transcript.conversation import Boundary, BoundaryMode, Conversation, Generation
from core.model.transcript.message import Message, ReadMessages
from core.store.store import Store

_NO_TIME = timedelta(0)
_SET_BACK = timedelta(minutes=1)
_MAX_COMMITTED_ROWS = 12
"""How many rows after the copies may belong to the same commit: a request, a task list, a continuation."""


@dataclass(frozen=True, slots=True)
class BoundaryRows:
    """One compaction as the rows alone show it.

    Attributes:
        opened: The generation it began.
        before: Ids of the transcript it was given, in order; empty when its rows are destroyed.
        kept: How many of them the previous compaction had written.
        after: Ids of what it left.
        counted_before, counted_after: Message counts; None when rows are missing.
        last: The last message of the transcript it was given.
        gained: Rows the running turn added since the previous compaction, where the session in between was
            never written to.
        pruned: It only shortened old results: as many messages as before, and no new summary.
    """

    opened: Generation
    boundary: Boundary
    session: str
    before: tuple[int, ...] = ()
    kept: int = 0
    after: tuple[int, ...] = ()
    counted_before: int | None = None
    counted_after: int | None = None
    last: Message | None = None
    summary: SummaryMatch | None = None
    gained: int | None = None
    pruned: bool = False

    @property
    def at(self) -> datetime | None:
        """Time of the commit."""
        return self.boundary.at


def boundary_rows(
    store: Store, conversation: Conversation, read: ReadMessages, *, prunes: bool = False
) -> tuple[BoundaryRows, ...]:
    """Every compaction that left rows, oldest first; message bodies are read only where needed.

    Args:
        store: The database.
        conversation: Whose compactions.
        read: Reads messages by their rows' ids.
        prunes: The home lets Hermes shorten old results without a summary.
    """
    reader = _Reader(store, conversation, read)
    return tuple(
        reader.boundary(index, generation.boundary, prunes=prunes)
        for index, generation in enumerate(conversation.generations)
        if generation.boundary is not None
    )


def moments(conversation: Conversation, rows: Iterable[BoundaryRows]) -> dict[str, list[datetime]]:
    """Times the database holds for each session, with which the log's clock is aligned."""
    found: dict[str, list[datetime]] = {}
    for session in conversation.sessions:
        own = (session.started_at, session.ended_at, session.last_active)
        found[session.id] = [at for at in own if at is not None]
    for boundary in rows:
        if boundary.at is not None:
            found.setdefault(boundary.session, []).append(boundary.at)
            found.setdefault(boundary.opened.session_id, []).append(boundary.at)
    return found


def set_back(rows: Iterable[BoundaryRows]) -> bool:
    """Whether a compaction is dated well before its predecessor, so the clock was set back in between."""
    times = [row.at for row in rows if row.at is not None]
    return any(later < earlier - _SET_BACK for earlier, later in pairwise(times))


class _Reader(TurnReader):
    """Reads the rows of one conversation's compactions."""

    def boundary(self, index: int, boundary: Boundary, *, prunes: bool) -> BoundaryRows:
        """What the rows show of the compaction that began a generation."""
        opened = self.generations[index]
        closed = self.generations[index - 1] if index else None
        pruned = prunes and boundary.same_size
        facts = BoundaryRows(opened, boundary, (closed or opened).session_id, pruned=pruned)
        if boundary.mode is BoundaryMode.REWRITE:
            after = rewritten_rows(self.store, opened)
            facts = replace(facts, after=after, counted_after=len(after) or None)
        elif closed is not None:
            facts = self._with_both_sides(facts, index, closed)
        message = self._message(boundary.summary_row) if boundary.summary_row is not None else None
        return replace(facts, summary=find_summary(message.text) if message else None)

    def _with_both_sides(self, facts: BoundaryRows, index: int, closed: Generation) -> BoundaryRows:
        """The same with what the compaction read and what it left, as far as rows show it."""
        opened, boundary = facts.opened, facts.boundary
        last = self._message(closed.row_ids[-1]) if closed.row_ids else None
        turn, whole = self.unsaved(index, closed, last)
        extra = self._tasks_behind(opened, turn) if turn else self._committed_with(opened, boundary)
        if last is not None and not turn and not extra:
            turn = self._request(index)
        row_ids = (*turn, *(message.row.id for message in extra if message.row))
        requests = [message.row.id for message in extra if message.row and is_request(message)]
        seen_rows = [row for row in closed.row_ids if row not in (closed.unseen or ())]
        before = (*seen_rows, *turn, *requests)
        after = (*written_rows(opened), *boundary.taken_back, *row_ids) if opened.row_ids else ()
        whole = whole and not self._lost_before(index)
        known = bool(closed.row_ids) and whole and closed.unseen is not None
        copied = any(earlier.row_ids for earlier in self.generations[:index])  # else nobody can tell the tail
        return replace(
            facts,
            before=before,
            kept=copied_rows(closed),
            after=after,
            counted_before=len(before) if known else None,
            counted_after=len(after) if after and copied and whole and _block_known(boundary) else None,
            last=self._message(before[-1]) if before else None,
            gained=self.gained(index, turn) if not closed.row_ids else None,
        )

    def _lost_before(self, index: int) -> bool:
        """Whether the database lost what a partial compression had kept; a running process still holds it."""
        earlier = self.generations[index - 2] if index > 1 else None
        return earlier is not None and bool((earlier.unseen or frozenset()) - {*earlier.copy_ids})

    def _message(self, row_id: int) -> Message | None:
        found = self.messages([row_id])
        return found[0] if found else None

    def _committed_with(self, opened: Generation, boundary: Boundary) -> tuple[Message, ...]:
        """Rows after the copies that are no younger than the commit."""
        copied = copied_rows(opened)
        # A platform stamps a message with the time it was sent, which may be before the gateway compressed.
        waited = without_gateway(self.sessions[opened.session_id].source)
        later_rows = opened.row_ids[copied : copied + _MAX_COMMITTED_ROWS]
        messages = self.messages([row for row in later_rows if row not in opened.copy_ids])
        committed: list[Message] = []
        for message, following in zip_longest(messages, messages[1:]):
            stamp, later = _stamp(message), _stamp(following)
            after = stamp - boundary.at if stamp is not None and boundary.at is not None else None
            if after is None or (after < _NO_TIME and not waited) or message.role != "user":
                break
            # A merged summary keeps the time of its row, so the commit may have been later.
            late = boundary.merged and summarised_after(self.store, opened.session_id, stamp, later)
            # Until 0.17 what a rotation left is saved when the turn ends; only Hermes writes a task list.
            late = late or scaffold_kind(message.text) == "todo_snapshot"
            if after > BATCH and not late:
                break
            committed.append(message)
        return tuple(committed)

    def _tasks_behind(self, opened: Generation, turn: Sequence[int]) -> tuple[Message, ...]:
        """The task list that a compaction put behind the rows of the running turn."""
        at = opened.row_ids.index(turn[-1]) + 1 if turn[-1] in opened.row_ids else len(opened.row_ids)
        found = self.messages(opened.row_ids[at : at + 1])
        return tuple(one for one in found if scaffold_kind(one.text) == "todo_snapshot")

    def _request(self, index: int) -> tuple[int, ...]:
        """The request that began the turn, where the old session ends with the turn before it."""
        opened = self.generations[index]
        if not rotated(opened) or self.store.schema.orders_by_time:  # such a release saves it earlier
            return ()
        began = self.sessions[opened.session_id].started_at
        found = begun_with(self.store, opened, copied_rows(opened), began)
        return found if all(is_request(message) for message in self.messages(found)) else ()


def _stamp(message: Message | None) -> datetime | None:
    return message.row.timestamp if message is not None and message.row is not None else None


def _block_known(boundary: Boundary) -> bool:
    """Whether rows show where a compaction's block ends: by its summary, or by copies made in place."""
    return boundary.summary_row is not None or boundary.mode is BoundaryMode.IN_PLACE


def retried(messages: Sequence[Message]) -> tuple[Message, ...]:
    """What `/retry` may have taken back in memory only, as the command line does until 0.19.

    The same request stands again right behind what it had led to. A request typed twice looks alike, so a
    count in the log must confirm it.
    """
    asked = [at for at, message in enumerate(messages) if is_request(message)]
    turns = [(at, after) for at, after in pairwise(asked) if messages[at].text == messages[after].text]
    return tuple(message for at, after in turns for message in messages[at:after])


def is_request(message: Message) -> bool:
    """Whether a user wrote it, rather than Hermes: no summary and no inserted text."""
    text = message.text
    return message.role == "user" and scaffold_kind(text) is None and find_summary(text) is None
