"""Turns whose requests were refused for the output they asked for, which no compaction shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.explain.compactions.turn_attempts import lowered_outputs
from core.explain.context.context import ConversationContext
from core.explain.turns.checks import Turn
from core.model.compaction.event import TurnAttempt


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
