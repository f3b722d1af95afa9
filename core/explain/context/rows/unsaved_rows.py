"""Rows that were missing from the database when a compaction ran, and rows that were written twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile

from core.explain.context.rows.row_times import given_to_branch
from core.hermes.log.read import Log
from core.hermes.log.record import Kind
from core.hermes.markers.markers import UNBOOKED
from core.model.transcript.conversation import BoundaryMode, Conversation, Generation
from core.model.transcript.message import Message, ReadMessages
from core.model.transcript.session import Session
from core.model.transcript.storage import RowPreview
from core.store.store import Store
from core.support.formatting import message_rows

_SAME = ("role", "content", "tool_call_id", "tool_calls")
_MIN_RUN = 4
"""Shorter runs may well be said twice."""


def copied_rows(generation: Generation) -> int:
    """How many rows the compaction that began a generation wrote: the copies and its summary."""
    boundary = generation.boundary
    if boundary is None:
        return 0
    if boundary.summary_row is None and generation.copy_ids:
        # An engine without summary markers wrote whatever stands between the copies along with them.
        return generation.row_ids.index(generation.copy_ids[-1]) + 1
    return boundary.head_rows + (boundary.summary_row is not None) + boundary.tail_rows


def written_rows(generation: Generation) -> list[int]:
    """The rows that compaction wrote, in the order of writing: a release may load them by time instead."""
    return sorted(generation.row_ids[: copied_rows(generation)])


def fresh_rows(generation: Generation) -> tuple[int, ...]:
    """The rows of a generation that are neither copies nor its summary."""
    return generation.row_ids[copied_rows(generation) :]


def answered(generation: Generation, messages: Sequence[Message]) -> bool:
    """Whether the rows show an answered call since the compaction that began a generation."""
    return any(message.role == "assistant" for message in messages[copied_rows(generation) :])


def rotated(generation: Generation) -> bool:
    """Whether a generation began in a session of its own."""
    return generation.boundary is not None and generation.boundary.mode is BoundaryMode.ROTATION


def saved_again(conversation: Conversation, log: Log, read: ReadMessages) -> tuple[Message, ...]:
    """Messages that the newest generation holds twice.

    0.16 leaves them after a failed attempt, when the turn that ends next saves the whole list again; 0.22
    after a `/compress` in a branch, where it saves what came from the parent again. The running process holds
    each message once, but a process that loads the session later gets both. Without a failed attempt no
    message is read.
    """
    if again := _stored_after(conversation.generations):
        return read(again)
    lines = takewhile(lambda one: one.kind is not Kind.DONE, reversed(log.records))
    if not any(line.kind in (Kind.STARTED, Kind.SKIPPED) for line in lines):
        return ()
    return _stored_over(read(conversation.newest_rows))


def _stored_after(generations: Sequence[Generation]) -> tuple[int, ...]:
    """Rows after an in-place compaction's own that repeat an earlier row."""
    newest = generations[-1] if generations else None
    if newest is None or newest.boundary is None or newest.boundary.mode is not BoundaryMode.IN_PLACE:
        return ()
    found = tuple(row for row in fresh_rows(newest) if row in newest.copy_ids)
    return found if len(found) >= _MIN_RUN else ()


def _stored_over(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Runs of messages that repeat everything before them, word for word and call for call."""
    keys = [copy_key(message) for message in messages]
    found: set[int] = set()
    for start in range(_MIN_RUN, len(keys) // 2 + 1):
        run = slice(start, 2 * start)
        calls = any(message.wire.get("tool_call_id") for message in messages[run])
        if keys[start] == keys[0] and calls and keys[run] == keys[:start]:
            found.update(range(start, 2 * start))
    return tuple(messages[place] for place in sorted(found))


def copy_key(message: Message) -> str:
    """Role, content and calls of a message: a copy has the same."""
    return json.dumps([message.wire.get(name) for name in _SAME], default=str)


def ranges(messages: Iterable[Message]) -> str:
    """Their row ids as text: `messages 25-48, 61-120`."""
    return message_rows(message.row.id for message in messages if message.row is not None)


@dataclass(frozen=True)
class TurnReader:
    """Finds rows of the running turn that were in memory only, by the calls each session counts."""

    store: Store
    conversation: Conversation
    messages: ReadMessages

    @property
    def generations(self) -> Sequence[Generation]:
        """The generations of the conversation, oldest first."""
        return self.conversation.generations

    @cached_property
    def sessions(self) -> dict[str, Session]:
        """The sessions of the conversation, by id."""
        return {session.id: session for session in self.conversation.sessions}

    @cached_property
    def roles(self) -> tuple[tuple[str, ...], ...]:
        """Roles of the rows each generation adds; read once, and only for rotations until 0.16."""
        fresh = [fresh_rows(generation) for generation in self.generations]
        fresh[:1] = [rows[given_to_branch(self.store, self.conversation) :] for rows in fresh[:1]]
        return tuple(_roles(self.store.previews(ids, len(UNBOOKED[0]))) for ids in fresh)

    def unsaved(self, index: int, closed: Generation, last: Message | None) -> tuple[tuple[int, ...], bool]:
        """Rows of the running turn that were only in memory, found in a later session.

        Until 0.16 a rotation happens before the turn is written. Each session counts its calls and each call
        leaves one answer, so the difference tells how far the turn had come. From 0.17 on the turn is written
        before the session is closed, so a closed session may end in the middle of a turn.

        Returns:
            Their ids, and whether these are all.
        """
        opened = self.generations[index]
        if not rotated(opened) or (last is not None and (last.role != "assistant" or last.tool_calls)):
            return (), True
        if opened.row_ids and opened.boundary is not None and opened.boundary.summary_row is None:
            return (), False  # without a summary the copies cannot be told from the turn's own rows
        calls = self._carried[index]
        if calls is None and self.sessions[closed.session_id].api_calls is not None:
            return (), False  # where a provider reports no usage, calls are not counted
        if not calls:
            return (), True
        turn = self._written[index]
        if turn is None:
            return (), False
        ids = _first_calls(fresh_rows(self.generations[turn]), self.roles[turn], calls)
        return (ids, True) if ids is not None else ((), False)

    def gained(self, index: int, turn: Sequence[int]) -> int | None:
        """How many rows of the turn came after the previous compaction."""
        calls, holder = self._carried[index - 1], self._written[index]
        if not turn or calls is None or holder is None:
            return None
        earlier = _first_calls(fresh_rows(self.generations[holder]), self.roles[holder], calls)
        return len(turn) - len(earlier) if earlier is not None else None

    @cached_property
    def _written(self) -> tuple[int | None, ...]:
        """For each generation the first, from it on, with rows of its own; all between must be empty."""
        found: list[int | None] = []
        holder: int | None = None
        for index in reversed(range(len(self.generations))):
            if self.roles[index]:
                holder = index
            found.append(holder)
            if self.generations[index].row_ids:  # a turn that began before it is not written after it
                holder = None
        return tuple(reversed(found))

    @cached_property
    def _carried(self) -> tuple[int | None, ...]:
        """Answered calls of the running turn that no row of a closed session shows, per new generation."""
        carried: list[int | None] = [0] if self.generations else []
        answers: Counter[str] = Counter()
        known: int | None = 0
        for index, (closed, opened) in enumerate(pairwise(self.generations), 1):
            answers[closed.session_id] += _answers(self.roles[index - 1])
            if rotated(opened):
                known = self._forward(closed, answers[closed.session_id], known)
                known = self._backward(index) if known is None or known < 0 else known
            carried.append(known)
            if known and _too_many(self.roles[index], known):
                known = None
        return tuple(carried)

    def _forward(self, generation: Generation, answers: int, carried: int | None) -> int | None:
        """Calls the closed session counted beyond the answers that its own rows show."""
        closed = self.sessions.get(generation.session_id)
        if closed is None or closed.api_calls is None or carried is None:
            return None
        return closed.api_calls - answers + carried if closed.api_calls or not answers else None

    def _backward(self, index: int) -> int | None:
        """Answers in the new session's own rows beyond the calls it counted; only the tip is complete."""
        child = self.sessions.get(self.generations[index].session_id)
        if child is None or not child.api_calls or index != len(self.generations) - 1:
            return None
        return max(0, _answers(self.roles[index]) - child.api_calls)


def _roles(rows: Sequence[RowPreview]) -> tuple[str, ...]:
    """The roles of rows; an answer that no session counts among its calls is none of the assistant's."""
    last, *cut = UNBOOKED
    texts = ["", *(row.text for row in rows), ""]
    booked = [
        not (before.startswith(last) or after.startswith(tuple(cut)))
        for before, after in zip(texts, texts[2:], strict=False)
    ]
    return tuple(
        "unbooked" if row.role == "assistant" and not known else row.role
        for row, known in zip(rows, booked, strict=True)
    )


def _first_calls(ids: Sequence[int], roles: Sequence[str], calls: int) -> tuple[int, ...] | None:
    """The request, that many answers and their tool results; None when the turn holds fewer.

    The next answer or request ends them.
    """
    if _too_many(roles, calls):
        return None
    answers = 0
    for position, role in enumerate(roles):
        if answers == calls and (role == "assistant" or (calls and role == "user")):
            return tuple(ids[:position])
        answers += role == "assistant"
    return tuple(ids) if answers == calls else None


def _too_many(roles: Sequence[str], calls: int) -> bool:
    """Whether the next request comes before so many answers: some were of a turn broken off, in no row."""
    answers = 0
    for role in roles:
        if role == "user" and 0 < answers < calls:
            return True
        answers += role == "assistant"
    return False


def _answers(roles: Sequence[str]) -> int:
    return sum(role == "assistant" for role in roles)
