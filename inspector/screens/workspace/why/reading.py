"""What the screen about compactions reads in threads: the explanation, then what each one lost and cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.explain.events import explained as about
from core.explain.explanation import Explanation
from core.explain.prompt_cache import conversation_cache
from core.model.accounting.prompt_cache import Payback
from core.model.compaction.event import CompressionEvent
from core.model.compaction.preview import Retention
from core.model.transcript.conversation import Conversation
from core.preview.past import past_of
from core.store.store import Store
from inspector.screens.workspace.why.curve import Curve, curve_of

NEAR = timedelta(minutes=2)
"""How far a bill may lie from the end of its compaction: different sources may time the two."""


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What a compaction lost and cost; None where nothing tells."""

    kept: Retention | None
    payback: Payback | None


def explained(conversation: Conversation, store: Store) -> tuple[Explanation, Curve]:
    """Rows, log lines and config joined."""
    _, explanation = about(store, conversation.tip.id, conversation=conversation)
    return explanation, curve_of(explanation)


def bills(conversation: Conversation, store: Store) -> tuple[Payback, ...]:
    """What each compaction of a conversation cost, as far as its log tells."""
    return conversation_cache(store, conversation.tip.id).paybacks


def bill_of(event: CompressionEvent, found: Sequence[Payback]) -> Payback | None:
    """The bill of one compaction."""
    if event.at is None or not found:
        return None
    end = event.at + timedelta(seconds=event.duration or 0)
    nearest = min(found, key=lambda one: abs(one.at - end))
    return nearest if abs(nearest.at - end) <= NEAR else None


def survival(
    conversation: Conversation, index: int, event: CompressionEvent, store: Store
) -> dict[int, Retention | None]:
    """What the summary of a compaction kept, under its index; None where no row holds it."""
    past, generations = None, conversation.generations
    if event.completed and event.generation and event.generation <= len(generations):
        past = past_of(store, generations, generations[event.generation - 1])
    return {index: past.kept(event.focus) if past else None}
