"""Rows of a running turn that were in memory only when a compaction ran, as a later session holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from core.explain.context.rows.row_times import given_to_branch
from core.explain.context.rows.written_rows import fresh_rows, rotated
from core.model.transcript.conversation import Conversation, Generation
from core.model.transcript.message import Message
from core.model.transcript.session import Session
from core.store.store import Store


@dataclass(frozen=True)
class TurnReader:
    """Finds them by the calls each session counts."""

    store: Store
    conversation: Conversation

    @property
    def generations(self) -> Sequence[Generation]:
        """Oldest first."""
        return self.conversation.generations

    @cached_property
    def sessions(self) -> dict[str, Session]:
        """By id."""
        return {session.id: session for session in self.conversation.sessions}

    @cached_property
    def roles(self) -> tuple[tuple[str, ...], ...]:
        """Roles of the rows each generation adds; read once, and only for rotations of the old kind."""
        fresh = [fresh_rows(generation) for generation in self.generations]
        fresh[:1] = [rows[given_to_branch(self.store, self.conversation) :] for rows in fresh[:1]]
        return tuple(tuple(row.role for row in self.store.previews(ids, 1)) for ids in fresh)

    def unsaved(self, index: int, closed: Generation, last: Message | None) -> tuple[tuple[int, ...], bool]:
        """Rows of the running turn that were in memory only, as a later session holds them.

        Until 0.16 a rotation happens before the turn is written. Each session counts its calls and each call
        leaves one answer, so the difference is how far the turn had come. A closed session that ends in the
        middle of a turn was written out before it was closed (0.17 and later).

        Returns:
            Their ids, and whether they are all there.
        """
        opened = self.generations[index]
        if not rotated(opened) or (last is not None and not _turn_over(last)):
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
        ids = _first_calls(fresh_rows(self.generations[turn]), self.roles[turn], calls)
        return (ids, True) if ids is not None else ((), False)

    def gained(self, index: int, turn: Sequence[int]) -> int | None:
        """Rows of the turn beyond those it had at the compaction before."""
        calls = self._carried(index - 1)
        if not turn or calls is None:
            return None
        holder = next(i for i in range(index, len(self.generations)) if self.roles[i])
        earlier = _first_calls(fresh_rows(self.generations[holder]), self.roles[holder], calls)
        return len(turn) - len(earlier) if earlier is not None else None

    def _same_turn(self, opened: int, holder: int) -> bool:
        """Sessions in between stayed empty, so the turn is written where it ended."""
        return all(not self.generations[i].row_ids for i in range(opened, holder))

    def _carried(self, index: int) -> int | None:
        """Answered calls of the running turn that no row of the closed session shows."""
        carried: int | None = 0
        for i in range(1, index + 1):
            if not rotated(self.generations[i]):
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


def _first_calls(ids: Sequence[int], roles: Sequence[str], calls: int) -> tuple[int, ...] | None:
    """The request, that many answers, and their tool results; None when the rows hold fewer."""
    answers = 0
    for position, role in enumerate(roles):
        if role == "assistant":
            if answers == calls:
                return tuple(ids[:position])
            answers += 1
    return tuple(ids) if answers == calls else None


def _answers(roles: Sequence[str]) -> int:
    return sum(role == "assistant" for role in roles)


def _turn_over(message: Message) -> bool:
    return message.role == "assistant" and not message.tool_calls
