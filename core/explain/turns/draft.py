"""A turn while the conversation is walked: what was decided in it so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.explain.compactions.refusals import failed_call
from core.explain.compactions.turn_attempts import lowered_outputs
from core.explain.context.context import ConversationContext
from core.explain.turns.checks import Decision, PromptPoint, Turn, fired_by
from core.explain.turns.turn_lines import TurnLines
from core.hermes.log.record import LogRecord
from core.model.compaction.event import CompressionEvent, TurnAttempt
from core.model.transcript.message import Message
from core.redact.quick_check import masked_start

_SHOWN = 200


@dataclass(slots=True)
class TurnDraft:
    """A turn being walked."""

    generation: int
    request: Message | None
    lines: TurnLines | None
    at: datetime | None
    answers: int = 0
    decisions: list[Decision] = field(default_factory=list)
    calls: list[PromptPoint] = field(default_factory=list)
    events: list[int] = field(default_factory=list)

    def call(self) -> LogRecord | None:
        """The line of the newest answer."""
        return self.lines.calls.get(self.answers) if self.lines is not None else None

    @property
    def uncounted(self) -> bool:
        """An answer in it came without a count of its prompt."""
        return self.lines is not None and not all(one.input for one in self.lines.calls.values())

    def take(self, number: int, event: CompressionEvent) -> None:
        """An event that fell into it, and the newest check it may have come from."""
        self.events.append(number)
        for place in reversed(range(len(self.decisions))):
            if self.decisions[place].trigger is event.trigger and self.decisions[place].event is None:
                self.decisions[place] = fired_by(self.decisions[place], event, number)
                return

    def freeze(self, index: int, events: Sequence[CompressionEvent]) -> Turn:
        """The turn as it stands, numbered, for others to read."""
        request, own = self.request, tuple(sorted(set(self.events)))
        attempts = (events[number].attempt for number in own)
        return Turn(
            index,
            self.generation,
            row_of(request) if request else None,
            tuple(self.decisions),
            tuple(self.calls),
            own,
            self.at,
            masked_start(request.text, _SHOWN) if request else "",
            tuple(attempt for attempt in attempts if attempt is not None),
            tuple(number for number in own if not events[number].completed),
            failed_call(line) if (line := self.lines and self.lines.unanswered) else None,
        )


def with_lowered_outputs(turns: Sequence[Turn], context: ConversationContext) -> tuple[Turn, ...]:
    """The turns with the attempts that went to a lower output; those of compactions they have already."""
    found: dict[int, list[TurnAttempt]] = {}
    for at, attempt in lowered_outputs(context):
        begun = (place for place, turn in enumerate(turns) if turn.at is not None and turn.at <= at)
        found.setdefault(max(begun, default=0), []).append(attempt)
    return tuple(
        replace(turn, attempts=tuple(found[place])) if place in found and not turn.attempts else turn
        for place, turn in enumerate(turns)
    )


def row_of(message: Message) -> int | None:
    """The id of its row; None of a message that has none."""
    return message.row.id if message.row is not None else None
