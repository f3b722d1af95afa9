"""What the rows of a database say about each compaction: how many messages went in, how many came out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from core.explain.checks import is_local
from core.explain.row_times import BATCH, begun_with, rewritten
from core.hermes.markers import SummaryMatch, find_summary, scaffold_kind
from core.model.boundary import BoundaryMode
from core.model.conversation import Boundary, Conversation, Generation
from core.model.message import Message
from core.model.session import Session
from core.store.store import Store

_NO_TIME = timedelta(0)
_BEHIND = 12
"""How many rows behind the copies may belong to the same commit: a request, a task list, a continuation."""


@dataclass(frozen=True, slots=True)
class BoundaryRows:
    """One compaction as rows alone show it.

    Attributes:
        opened: The generation it began.
        session: Where it began.
        before: Ids of the transcript it was given, in order; empty when its rows are destroyed.
        after: Ids of what it left.
        counted_before, counted_after: Message counts; None when rows are missing.
        last: The last message of the transcript it was given.
        summary: The summary it wrote.
        gained: Rows the running turn added since the compaction before this one, where the session in between
            was never written to.
    """

    opened: Generation
    boundary: Boundary
    session: str
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    counted_before: int | None = None
    counted_after: int | None = None
    last: Message | None = None
    summary: SummaryMatch | None = None
    gained: int | None = None

    @property
    def at(self) -> datetime | None:
        """Time of the commit."""
        return self.boundary.at


def boundary_rows(store: Store, conversation: Conversation) -> tuple[BoundaryRows, ...]:
    """Every compaction of a conversation that left rows, oldest first; bodies are read only where needed."""
    reader = _Reader(store, conversation)
    return tuple(
        reader.boundary(index, generation.boundary)
        for index, generation in enumerate(conversation.generations)
        if generation.boundary is not None
    )


def moments(conversation: Conversation, rows: Iterable[BoundaryRows]) -> dict[str, list[datetime]]:
    """Times the database holds for each session, to set the log's clock by."""
    found: dict[str, list[datetime]] = {}
    for session in conversation.sessions:
        own = (session.started_at, session.ended_at, session.last_active)
        found[session.id] = [at for at in own if at is not None]
    for boundary in rows:
        if boundary.at is not None:
            found.setdefault(boundary.session, []).append(boundary.at)
            found.setdefault(boundary.opened.session_id, []).append(boundary.at)
    return found


@dataclass(frozen=True)
class _Reader:
    """One look at one conversation."""

    store: Store
    conversation: Conversation

    @property
    def generations(self) -> Sequence[Generation]:
        return self.conversation.generations

    @cached_property
    def sessions(self) -> dict[str, Session]:
        return {session.id: session for session in self.conversation.sessions}

    @cached_property
    def roles(self) -> tuple[tuple[str, ...], ...]:
        """Roles of the rows each generation adds; read once, and only for rotations of the old kind."""
        fresh = [_fresh(generation) for generation in self.generations]
        return tuple(tuple(row.role for row in self.store.previews(ids, 1)) for ids in fresh)

    def boundary(self, index: int, boundary: Boundary) -> BoundaryRows:
        """What rows show of the compaction that began a generation."""
        opened = self.generations[index]
        closed = self.generations[index - 1] if index else None
        facts = BoundaryRows(opened, boundary, closed.session_id if closed else opened.session_id)
        if boundary.mode is BoundaryMode.REWRITE:
            after = rewritten(self.store, opened)
            return self._with_summary(replace(facts, after=after, counted_after=len(after) or None))
        if closed is None:
            return self._with_summary(facts)
        last = self._message(closed.row_ids[-1]) if closed.row_ids else None
        turn, whole = self._unsaved(index, closed, last)
        extra = self._committed_with(opened, boundary) if not turn else ()
        if last is not None and not turn and not extra:
            turn = self._request(index)
        behind = (*turn, *(message.row.id for message in extra if message.row))
        requests = [message.row.id for message in extra if message.row and is_request(message)]
        before = (*closed.row_ids, *turn, *requests)
        after = (*_written(opened), *behind) if opened.row_ids else ()
        known = bool(closed.row_ids) and whole
        return self._with_summary(
            BoundaryRows(
                opened,
                boundary,
                closed.session_id,
                before=before,
                after=after,
                counted_before=len(before) if known else None,
                counted_after=len(after) if after and whole and _block_known(boundary) else None,
                last=self._message(before[-1]) if before else None,
                gained=self._gained(index, turn) if not closed.row_ids else None,
            )
        )

    def _with_summary(self, facts: BoundaryRows) -> BoundaryRows:
        row = facts.boundary.summary_row
        message = self._message(row) if row is not None else None
        return replace(facts, summary=find_summary(message.text) if message else None)

    def _message(self, row_id: int) -> Message | None:
        found = self.store.messages([row_id])
        return found[0] if found else None

    def _committed_with(self, opened: Generation, boundary: Boundary) -> tuple[Message, ...]:
        """Rows behind the copies that are no younger than the commit."""
        copied = copied_rows(opened)
        # A platform stamps a message when it was sent, which may be before the gateway compressed.
        waited = is_local(self.sessions[opened.session_id].source)
        taken: list[Message] = []
        for message in self.store.messages(opened.row_ids[copied : copied + _BEHIND]):
            stamp = message.row.timestamp if message.row else None
            after = stamp - boundary.at if stamp is not None and boundary.at is not None else None
            if after is None or after > BATCH or (after < _NO_TIME and not waited) or message.role != "user":
                break
            taken.append(message)
        return tuple(taken)

    def _unsaved(self, index: int, closed: Generation, last: Message | None) -> tuple[tuple[int, ...], bool]:
        """Rows of the running turn that were in memory only, as a later session holds them.

        Until 0.16 a rotation happens before the turn is written. Each session counts its calls and each call
        leaves one answer, so the difference is how far the turn had come. A closed session that ends in the
        middle of a turn was written out before it was closed (0.17 and later).

        Returns:
            Their ids, and whether they are all there.
        """
        opened = self.generations[index]
        if not _rotated(opened) or (last is not None and not _turn_over(last)):
            return (), True
        if opened.row_ids and opened.boundary is not None and opened.boundary.summary_row is None:
            return (), False  # without a summary its copies are not told from the turn's own rows
        calls = self._carried(index)
        if calls is None and self.sessions[closed.session_id].api_calls == 0:
            return (), False  # a provider that reports no usage leaves the calls uncounted
        if not calls:
            return (), True
        later = range(index, len(self.generations))
        turn = next((i for i in later if self.roles[i] and self._same_turn(index, i)), None)
        if turn is None:
            return (), False
        ids = _first_calls(_fresh(self.generations[turn]), self.roles[turn], calls)
        return (ids, True) if ids is not None else ((), False)

    def _gained(self, index: int, turn: Sequence[int]) -> int | None:
        """Rows of the turn beyond those it had at the compaction before."""
        calls = self._carried(index - 1)
        if not turn or calls is None:
            return None
        holder = next(i for i in range(index, len(self.generations)) if self.roles[i])
        earlier = _first_calls(_fresh(self.generations[holder]), self.roles[holder], calls)
        return len(turn) - len(earlier) if earlier is not None else None

    def _same_turn(self, opened: int, holder: int) -> bool:
        """Sessions in between stayed empty, so the turn is written where it ended."""
        return all(not self.generations[i].row_ids for i in range(opened, holder))

    def _carried(self, index: int) -> int | None:
        """Answered calls of the running turn that no row of the closed session shows."""
        carried: int | None = 0
        for i in range(1, index + 1):
            if not _rotated(self.generations[i]):
                continue
            carried = self._forward(i, carried)
            if carried is None or carried < 0:
                carried = self._backward(i)
        return carried

    def _forward(self, index: int, carried: int | None) -> int | None:
        """Calls the closed session counted beyond the answers its own rows show."""
        closed = self.sessions.get(self.generations[index - 1].session_id)
        if closed is None or closed.api_calls is None or carried is None:
            return None
        own = [i for i in range(index) if self.generations[i].session_id == closed.id]
        answers = sum(_answers(self.roles[i]) for i in own)
        return closed.api_calls - answers + carried if closed.api_calls or not answers else None

    def _backward(self, index: int) -> int | None:
        """Answers among the child's own rows beyond the calls it counted; only the tip is complete."""
        child = self.sessions.get(self.generations[index].session_id)
        if child is None or not child.api_calls or index != len(self.generations) - 1:
            return None
        return max(0, _answers(self.roles[index]) - child.api_calls)

    def _request(self, index: int) -> tuple[int, ...]:
        """The request a turn had begun with, where the old session ends with the turn before it."""
        opened = self.generations[index]
        if not _rotated(opened):
            return ()
        began = self.sessions[opened.session_id].started_at
        found = begun_with(self.store, opened, copied_rows(opened), began)
        return found if all(is_request(message) for message in self.store.messages(found)) else ()


def _first_calls(ids: Sequence[int], roles: Sequence[str], calls: int) -> tuple[int, ...] | None:
    """The request, that many answers, and their tool results; None when the rows hold fewer."""
    answers = 0
    for position, role in enumerate(roles):
        if role == "assistant":
            if answers == calls:
                return tuple(ids[:position])
            answers += 1
    return tuple(ids) if answers == calls else None


def _block_known(boundary: Boundary) -> bool:
    """Whether rows show where the block of a compaction ends: by its summary, or by the copies in place."""
    return boundary.summary_row is not None or boundary.mode is BoundaryMode.IN_PLACE


def copied_rows(generation: Generation) -> int:
    """How many rows the compaction that began a generation wrote: copies and its summary."""
    boundary = generation.boundary
    if boundary is None:
        return 0
    if boundary.summary_row is None and generation.copy_ids:
        # Whatever stands between copies was written with them, by an engine that marks no summary.
        return generation.row_ids.index(generation.copy_ids[-1]) + 1
    return boundary.head_rows + (boundary.summary_row is not None) + boundary.tail_rows


def _written(generation: Generation) -> list[int]:
    """The rows that compaction wrote, in the order it wrote them: a release may load them by their times."""
    return sorted(generation.row_ids[: copied_rows(generation)])


def _fresh(generation: Generation) -> tuple[int, ...]:
    """The rows of a generation that are neither copies nor its summary."""
    return generation.row_ids[copied_rows(generation) :]


def _answers(roles: Sequence[str]) -> int:
    return sum(role == "assistant" for role in roles)


def _rotated(generation: Generation) -> bool:
    return generation.boundary is not None and generation.boundary.mode is BoundaryMode.ROTATION


def _turn_over(message: Message) -> bool:
    return message.role == "assistant" and not message.tool_calls


def is_request(message: Message) -> bool:
    """Whether a user wrote it: neither a summary nor a text Hermes puts in."""
    text = message.text
    return message.role == "user" and scaffold_kind(text) is None and find_summary(text) is None
